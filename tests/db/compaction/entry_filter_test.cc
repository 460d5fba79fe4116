// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "db/compaction/entry_filter.h"

#include <gtest/gtest.h>

#include <memory>
#include <stdexcept>
#include <string>

#include "db/base/dbformat.h"

namespace lull {
namespace {

class Fake final : public CompactionFilter {
 public:
  const char* Name() const override { return "fake"; }
  FilterDecision Filter(const FilterContext& context, const leveldb::Slice& key,
                        const leveldb::Slice& value) const override {
    EXPECT_EQ(context.output_level, 3);
    EXPECT_TRUE(context.snapshot_may_see);
    if (key == leveldb::Slice("throw")) throw std::runtime_error("no clock");
    if (key == leveldb::Slice("throw 1")) throw 1;
    return value.starts_with("x") ? FilterDecision::kDrop : FilterDecision::kKeep;
  }
};

FilterRef NewFilter(const std::string& name) {
  return std::make_shared<NamedFilter>(NamedFilter{std::make_shared<Fake>(), name});
}

class EntryFilterTest : public ::testing::Test {
 protected:
  EntryFilter filter_{{NewFilter("fake"), 0, true}, 3};
};

TEST_F(EntryFilterTest, AnExceptionBecomesAnError) {
  bool drop = false;
  leveldb::Status status = filter_.Ask("throw", "x", &drop);
  EXPECT_EQ(status.ToString(), "Invalid argument: compaction filter fake threw: no clock");
  EXPECT_TRUE(filter_.has_failed());
  status = filter_.Ask("throw 1", "x", &drop);
  EXPECT_NE(status.ToString().find("unknown type"), std::string::npos) << status.ToString();
  EXPECT_FALSE(drop);
  EXPECT_EQ(filter_.dropped().entries, 0u);
}

TEST_F(EntryFilterTest, TheDeletionHasTheSequenceOfTheValue) {
  const std::string value = MakeInternalKey("key", 77, ValueKind::kValue);
  EXPECT_EQ(filter_.DeletionOf(value).ToString(), MakeInternalKey("key", 77, ValueKind::kDeletion));
}

TEST(StoreFilterTest, IsSetAsideOnceAndOnlyIfItIsStillTheStores) {
  const auto why = leveldb::Status::InvalidArgument("it threw");
  StoreFilter store;
  EXPECT_EQ(store.Use(true).filter, nullptr);
  const FilterRef first = NewFilter("first");
  EXPECT_EQ(store.Set(first), nullptr);
  EXPECT_EQ(store.Use(true).filter, first);
  EXPECT_EQ(store.SetAside(first, why), first);
  EXPECT_EQ(store.SetAside(first, why), nullptr) << "another job of it failed too";
  EXPECT_EQ(store.Use(true).filter, nullptr);
  EXPECT_EQ(store.error(), why.ToString());

  const FilterRef second = NewFilter("second");
  EXPECT_EQ(store.Set(second), nullptr);
  EXPECT_EQ(store.error(), "");
  EXPECT_EQ(store.SetAside(first, why), nullptr) << "an older job failed";
  EXPECT_EQ(store.name(), "second");
  EXPECT_EQ(store.Set(nullptr), second);
}

TEST(StoreFilterTest, PassesAreCountedWhileThereIsAFilter) {
  StoreFilter store;
  EXPECT_EQ(store.BeginPass(), 0u);
  EXPECT_EQ(store.Set(NewFilter("first")), nullptr);
  const uint64_t before = store.Use(false).pass;
  const uint64_t pass = store.BeginPass();
  EXPECT_LT(before, pass);
  EXPECT_EQ(store.Use(false).pass, pass);
  EXPECT_NE(store.Set(nullptr), nullptr);
  EXPECT_EQ(store.Use(false).pass, 0u) << "tables written without a filter belong to no pass";
}

}  // namespace
}  // namespace lull
