// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// A store with a compaction filter: what it drops, what reappears (nothing), what snapshots see,
// and what happens when the filter throws or is removed.
#include "lull/compaction_filter.h"

#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

#include "db/base/dbformat.h"
#include "db/compaction/entry_filter.h"
#include "leveldb/env.h"
#include "lull/lull.h"
#include "tests/db/support/job_sequence_checker.h"
#include "tests/db/support/scripted_store.h"
#include "tests/db/support/store_files.h"
#include "tests/support/fresh_directory.h"
#include "tests/support/json_value.h"
#include "util/thread.h"

namespace lull::testing {
namespace {

using leveldb::Slice;

/// Drops what the test says, and counts the calls.
class TestFilter final : public CompactionFilter {
 public:
  using Rule = std::function<bool(const FilterContext&, const Slice& value)>;

  explicit TestFilter(Rule drops) : drops_(std::move(drops)) {}
  const char* Name() const override { return "test-filter"; }
  FilterDecision Filter(const FilterContext& context, const Slice&,
                        const Slice& value) const override {
    calls_.fetch_add(1);
    return drops_(context, value) ? FilterDecision::kDrop : FilterDecision::kKeep;
  }
  int TakeCalls() { return calls_.exchange(0); }

 private:
  const Rule drops_;
  mutable std::atomic<int> calls_{0};
};

bool BeginsWithX(const FilterContext&, const Slice& value) { return value.starts_with("x"); }

class CompactionFilterTest : public ScriptedStoreTest {
 protected:
  CompactionFilterTest() { Open(); }

  std::shared_ptr<TestFilter> Filter(TestFilter::Rule drops) {
    auto filter = std::make_shared<TestFilter>(std::move(drops));
    EXPECT_TRUE(SetCompactionFilter(db_.get(), filter).ok());
    return filter;
  }
  /// "" for a key without a value.
  std::string Get(const std::string& key, const leveldb::Snapshot* snapshot = nullptr) {
    leveldb::ReadOptions read;
    read.snapshot = snapshot;
    std::string value;
    const leveldb::Status status = db_->Get(read, key, &value);
    EXPECT_TRUE(status.ok() || status.IsNotFound()) << status.ToString();
    return value;
  }
  void CompactAll() { db_->CompactRange(nullptr, nullptr); }
  void Reopen() {
    db_.reset();
    Open();
  }
  /// The tables of the current Version.
  std::string Tables() { return Property("leveldb.sstables"); }
  Json FilterStats() { return Stats()["filter"]; }
};

TEST_F(CompactionFilterTest, CompactRangeDropsWhatTheFilterSays) {
  Put("a", "x1");
  Put("b", "kept");
  Put("c", "x2");
  ASSERT_TRUE(db_->Delete({}, "d").ok());
  Put("e", "older");
  Put("e", "x3");
  const auto filter = Filter(BeginsWithX);
  ASSERT_TRUE(Flush(db_.get()).ok());
  EXPECT_EQ(filter->TakeCalls(), 0) << "flushes do not call it";
  EXPECT_EQ(Get("a"), "x1");
  CompactAll();
  EXPECT_EQ(filter->TakeCalls(), 4) << "once for each key with a value";
  for (const char* key : {"a", "c", "e"}) EXPECT_EQ(Get(key), "") << key;
  EXPECT_EQ(Get("b"), "kept");
  const Json stats = FilterStats();
  EXPECT_EQ(stats["name"], "test-filter");
  EXPECT_EQ(stats["error"], "");
  EXPECT_EQ(stats["dropped_entries"], 3);
  EXPECT_EQ(stats["dropped_bytes"], 9);

  Reopen();
  EXPECT_EQ(Get("a"), "");
  EXPECT_EQ(Get("b"), "kept");
  EXPECT_EQ(FilterStats()["name"], "") << "a filter is not part of the store";
}

TEST_F(CompactionFilterTest, CompactRangeRewritesTheDeepestLevelOnlyForAFilter) {
  const std::string empty = Tables();
  for (const char* key : {"a", "b", "c"}) Put(key, "x");
  CompactAll();
  const std::string before = Tables();
  CompactAll();
  EXPECT_EQ(Tables(), before);

  bool expired = false;
  const auto filter = Filter([&](const FilterContext&, const Slice&) { return expired; });
  CompactAll();
  EXPECT_EQ(filter->TakeCalls(), 3);
  EXPECT_NE(Tables(), before);
  EXPECT_EQ(Get("a"), "x");
  expired = true;
  const Slice begin("b"), end("b");
  db_->CompactRange(&begin, &end);
  CompactAll();
  EXPECT_EQ(Get("a") + Get("b") + Get("c"), "");
  EXPECT_EQ(Tables(), empty) << "nothing is left, not even a deletion";
  Reopen();
  EXPECT_EQ(Get("a") + Get("b") + Get("c"), "");
}

TEST_F(CompactionFilterTest, CompactRangeRewritesNoTableTwice) {
  Write(0, 2000);
  CompactAll();
  Write(0, 2000);
  const auto filter = Filter([](const FilterContext&, const Slice&) { return false; });
  CompactAll();
  EXPECT_EQ(filter->TakeCalls(), 2000) << "the merge with the deepest level was enough";
  ExpectAll(db_.get(), 2000);
}

// A background compaction into L1 drops the value that hides an older one in L2.
TEST_F(CompactionFilterTest, NothingOlderReappears) {
  db_.reset();
  StoreFiles files(&env_, name_ = FreshDirectory("filtered"));
  files.AddTable(1, "a@3=x z@4=kept");
  files.AddTable(2, "a@1=older z@2=older");
  files.WriteManifest(0);
  scheduling_.l0_trigger = 1;
  Open();
  EXPECT_EQ(Get("a"), "x");
  Filter([](const FilterContext& context, const Slice& value) {
    return context.output_level == 1 && value == Slice("x");
  });
  Put("b", "new");
  Put("y", "new");
  ASSERT_TRUE(Flush(db_.get()).ok());
  ASSERT_TRUE(WaitForIdle(db_.get()).ok());
  EXPECT_EQ(FilterStats()["dropped_entries"], 1);
  EXPECT_EQ(Get("a") + Get("b") + Get("y") + Get("z"), "newnewkept");
  CompactAll();
  Reopen();
  EXPECT_EQ(Get("a") + Get("b") + Get("y") + Get("z"), "newnewkept");
}

TEST_F(CompactionFilterTest, ASnapshotKeepsNewerEntriesFromTheFilter) {
  Put("a", "old");
  const leveldb::Snapshot* const snapshot = db_->GetSnapshot();
  Put("a", "x");
  Put("b", "x");
  const auto filter = Filter(BeginsWithX);
  CompactAll();
  EXPECT_EQ(Get("a"), "x");
  EXPECT_EQ(Get("b"), "x");
  EXPECT_EQ(Get("a", snapshot), "old");
  EXPECT_EQ(filter->TakeCalls(), 0);
  db_->ReleaseSnapshot(snapshot);
  CompactAll();
  EXPECT_EQ(Get("a"), "");
  EXPECT_EQ(Get("b"), "");
}

TEST_F(CompactionFilterTest, IsToldThatASnapshotMaySeeTheEntry) {
  Put("a", "x");
  Put("b", "x, whatever a snapshot sees");
  const leveldb::Snapshot* const snapshot = db_->GetSnapshot();
  const std::unique_ptr<leveldb::Iterator> iterator(db_->NewIterator({}));
  Filter([](const FilterContext& context, const Slice& value) {
    return value.starts_with("x,") || (value.starts_with("x") && !context.snapshot_may_see);
  });
  CompactAll();
  EXPECT_EQ(Get("a", snapshot), "x");
  EXPECT_EQ(Get("b", snapshot), "");
  iterator->Seek("b");
  ASSERT_TRUE(iterator->Valid()) << "iterators keep what they see";
  EXPECT_EQ(iterator->value(), Slice("x, whatever a snapshot sees"));
  db_->ReleaseSnapshot(snapshot);
  CompactAll();
  EXPECT_EQ(Get("a"), "");
}

TEST_F(CompactionFilterTest, AfterAnExceptionTheStoreGoesOnWithoutIt) {
  const auto jobs = std::make_shared<JobSequenceChecker>();
  ASSERT_TRUE(AddListener(db_.get(), jobs).ok());
  for (const char* key : {"a", "b", "c"}) Put(key, std::string("x") + key);
  ASSERT_TRUE(Flush(db_.get()).ok());
  const std::string before = Tables();
  const auto filter = Filter([](const FilterContext&, const Slice& value) -> bool {
    if (value == Slice("xb")) throw std::runtime_error("no clock");
    return true;
  });
  CompactAll();
  EXPECT_EQ(filter->TakeCalls(), 2) << "it ends early";
  for (const char* key : {"a", "b", "c"}) EXPECT_EQ(Get(key), std::string("x") + key);
  const std::string error = "Invalid argument: compaction filter test-filter threw: no clock";
  EXPECT_EQ(FilterStats()["name"], "");
  EXPECT_EQ(FilterStats()["error"], error);
  EXPECT_EQ(FilterStats()["dropped_entries"], 0);
  jobs->Await([](const auto& counts) { return counts.failed == 1; });
  EXPECT_EQ(jobs->LastEnd(JobKind::kManualCompaction).status.ToString(), error);

  CompactAll();
  ASSERT_TRUE(WaitForIdle(db_.get()).ok());
  EXPECT_EQ(filter->TakeCalls(), 0);
  EXPECT_NE(Tables(), before) << "compactions succeed again";
  Put("d", "x");
  EXPECT_EQ(Get("a"), "xa");
  Filter(BeginsWithX);
  CompactAll();
  EXPECT_EQ(Get("a") + Get("b") + Get("c") + Get("d"), "");
  EXPECT_EQ(FilterStats()["error"], "");

  db_.reset();  // delivers all events
  EXPECT_EQ(jobs->counts().failed, 1u);
  std::string log;
  ASSERT_TRUE(leveldb::ReadFileToString(&env_, name_ + "/LOG", &log).ok());
  const std::string told = "Compactions continue without the filter test-filter";
  EXPECT_NE(log.find(told), std::string::npos) << log;
  EXPECT_EQ(log.find(told), log.rfind(told)) << "once";
}

TEST_F(CompactionFilterTest, ARunningCompactionKeepsTheFilterThatWasRemoved) {
  Put("a", "x");
  Gate calls;
  calls.Close();
  auto filter = Filter([&](const FilterContext&, const Slice&) {
    calls.Pass();
    return true;
  });
  const std::weak_ptr<TestFilter> alive = filter;
  filter.reset();
  std::unique_ptr<ThreadHandle> compacting =
      ThreadFactory::System()->Start("compacts", CpuClass::kNormal, [this] { CompactAll(); });
  calls.AwaitBlocked();
  ASSERT_TRUE(SetCompactionFilter(db_.get(), nullptr).ok());
  Put("b", "x");
  EXPECT_FALSE(alive.expired());
  calls.Open();
  compacting.reset();
  EXPECT_EQ(Get("a"), "");
  CompactAll();
  EXPECT_EQ(Get("b"), "x");
  db_.reset();
  EXPECT_TRUE(alive.expired());
}

TEST_F(CompactionFilterTest, OnlyAnOpenStoreOfLullTakesOne) {
  EXPECT_TRUE(SetCompactionFilter(nullptr, nullptr).IsInvalidArgument());
  const std::weak_ptr<TestFilter> first = Filter(BeginsWithX);
  const std::weak_ptr<TestFilter> second = Filter(BeginsWithX);
  EXPECT_TRUE(first.expired()) << "it was replaced";
  db_.reset();
  EXPECT_TRUE(second.expired());
  leveldb::DB* reader = nullptr;
  ASSERT_TRUE(OpenReadOnly(options_, name_, &reader).ok());
  EXPECT_TRUE(
      SetCompactionFilter(reader, std::make_shared<TestFilter>(BeginsWithX)).IsInvalidArgument());
  delete reader;
}

// ---- the filter of a job, and that of a store

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

TEST(EntryFilterTest, AnExceptionBecomesAnError) {
  EntryFilter filter({NewFilter("fake"), 0, true}, 3);
  bool drop = false;
  leveldb::Status status = filter.Ask("throw", "x", &drop);
  EXPECT_EQ(status.ToString(), "Invalid argument: compaction filter fake threw: no clock");
  EXPECT_TRUE(filter.has_failed());
  status = filter.Ask("throw 1", "x", &drop);
  EXPECT_NE(status.ToString().find("unknown type"), std::string::npos) << status.ToString();
  EXPECT_FALSE(drop);
  EXPECT_EQ(filter.dropped().entries, 0u);
}

TEST(EntryFilterTest, TheDeletionHasTheSequenceOfTheValue) {
  EntryFilter filter({NewFilter("fake"), 0, true}, 3);
  const std::string value = MakeInternalKey("key", 77, ValueKind::kValue);
  EXPECT_EQ(filter.DeletionOf(value).ToString(), MakeInternalKey("key", 77, ValueKind::kDeletion));
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
}  // namespace lull::testing
