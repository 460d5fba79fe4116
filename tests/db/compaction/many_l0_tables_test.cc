// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// The picker holds the store's mutex, so its work must stay nearly linear in the tables of L0, in
// every arrangement of their ranges.
#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "db/compaction/picker.h"
#include "leveldb/comparator.h"
#include "tests/db/support/version_text.h"

namespace lull {
namespace {

constexpr uint64_t kTables = 20'000;
// About four sorts. The square would be 200 times as much.
constexpr uint64_t kComparisonsMax = 100 * kTables;

class CountingOrder final : public leveldb::Comparator {
 public:
  int Compare(const leveldb::Slice& a, const leveldb::Slice& b) const override {
    ++comparisons_;
    return a.compare(b);
  }
  const char* Name() const override { return "counting"; }
  void FindShortestSeparator(std::string*, const leveldb::Slice&) const override {}
  void FindShortSuccessor(std::string*) const override {}
  uint64_t Take() const { return std::exchange(comparisons_, 0); }

 private:
  mutable uint64_t comparisons_ = 0;
};

using TableShape = std::function<TableMeta(uint64_t index)>;

TableMeta TableOf(uint64_t number, uint64_t first_key, uint64_t last_key) {
  TableMeta table;
  table.number = number + 1;
  table.smallest = testing::KeyFromText("k" + std::to_string(100'000 + first_key), table.number);
  table.largest = testing::KeyFromText("k" + std::to_string(100'000 + last_key), table.number);
  table.file_bytes = 4096;
  return table;
}

const std::vector<std::pair<const char*, TableShape>>& Shapes() {
  static const std::vector<std::pair<const char*, TableShape>> shapes = {
      {"all alike", [](uint64_t i) { return TableOf(i, 0, 40'000); }},
      {"disjoint", [](uint64_t i) { return TableOf(i, 2 * i, 2 * i); }},
      {"ascending stairs", [](uint64_t i) { return TableOf(i, 2 * i, 2 * i + 3); }},
      {"descending stairs", [](uint64_t i) { return TableOf(i, 40'000 - 2 * i, 40'003 - 2 * i); }},
      {"nested", [](uint64_t i) { return TableOf(i, i, 40'000 - i); }},
  };
  return shapes;
}

class ManyL0TablesTest : public ::testing::Test {
 protected:
  void Build(const TableShape& shape) {
    VersionEdit edit;
    for (uint64_t i = 0; i < kTables; ++i) edit.new_tables.push_back(shape(i));
    TableMeta below = TableOf(kTables, 10, 20);
    below.level = 1;
    edit.new_tables.push_back(below);
    const auto empty =
        std::make_shared<const Version>(KeyOrder(&order_, KeyOrder::Keys::kInternal));
    version_ = testing::Applied(empty, edit);
    ASSERT_NE(version_, nullptr);
    order_.Take();
  }

  const CountingOrder order_{};
  VersionRef version_;
};

TEST_F(ManyL0TablesTest, APickIsNearlyLinear) {
  std::vector<LayoutOptions> layouts(3);
  layouts[1].l0_job_bytes_max = 64 << 20;
  layouts[2].kind = LayoutKind::kVsst;
  const RunningRange everything{1, 2, "a", "z"};
  const RunningRange oldest{1, 2, "k100000", "k100000"};
  OutputLimit none;
  none.bytes_max = none.freeing_bytes_max = 0;
  for (const auto& [name, shape] : Shapes()) {
    Build(shape);
    for (size_t layout = 0; layout < layouts.size(); ++layout) {
      SCOPED_TRACE(std::string(name) + ", layout " + std::to_string(layout));
      const auto pick = [&](const std::vector<RunningRange>& running, const OutputLimit& room) {
        const auto plan = Pick(*version_, JobClass::kL0, running, {}, layouts[layout], room);
        EXPECT_LE(order_.Take(), kComparisonsMax);
        return plan;
      };
      const auto plan = pick({}, {});
      ASSERT_TRUE(plan);
      EXPECT_LE(plan->upper.size(), 256u) << "a job opens all its inputs";
      pick({oldest}, {});
      EXPECT_FALSE(pick({everything}, {}));
      pick({oldest}, none);
    }
  }
}

TEST_F(ManyL0TablesTest, ASearchForOverlapsIsNearlyLinear) {
  for (const auto& [name, shape] : Shapes()) {
    SCOPED_TRACE(name);
    Build(shape);
    for (const char* key : {"k100000", "k120000", "k140000"}) {
      version_->Overlapping(0, testing::Range(key, key));
      EXPECT_LE(order_.Take(), kComparisonsMax);
    }
    EXPECT_EQ(version_->Overlapping(0, {}).size(), kTables);
  }
}

}  // namespace
}  // namespace lull
