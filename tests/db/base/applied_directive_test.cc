// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "db/base/applied_directive.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "tests/support/units.h"

namespace lull::testing {
namespace {

constexpr uint64_t kGib = 1 << 30;
constexpr AppliedDirective::Defaults kDefaults = {4 * kMiB, 2 * kMiB};

TEST(AppliedDirective, KeepSizesWithinBounds) {
  struct Row {
    uint64_t budget_bytes;
    uint64_t memtable_bytes, table_bytes;  // as the directive says
    uint64_t memtable_is, ask_at_is, table_is;
  };
  const std::vector<Row> rows = {
      {64 * kMiB, 0, 0, 4 * kMiB, 4 * kMiB, 2 * kMiB},
      {64 * kMiB, 1 * kMiB, 1 * kMiB, 1 * kMiB, 1 * kMiB, 1 * kMiB},
      {64 * kMiB, 1, 1, 64 * kKiB, 64 * kKiB, 64 * kKiB},
      {64 * kMiB, 16 * kMiB, 16 * kMiB, 16 * kMiB, 4 * kMiB, 16 * kMiB},
      {64 * kMiB, 99 * kMiB, 9 * kGib, 32 * kMiB, 4 * kMiB, 1 * kGib},
      {8 * kGib, 9 * kGib, 0, 1 * kGib, 4 * kMiB, 2 * kMiB},
      {1 * kMiB, 9 * kMiB, 0, 4 * kMiB, 4 * kMiB, 2 * kMiB},
  };
  for (const Row& row : rows) {
    AppliedDirective applied(kDefaults);
    Directive directive;
    directive.memtable_bytes = row.memtable_bytes;
    directive.table_bytes = row.table_bytes;
    applied.Apply(directive, row.budget_bytes);
    EXPECT_EQ(applied.memtable_bytes(), row.memtable_is) << row.memtable_bytes;
    EXPECT_EQ(applied.ask_at_bytes(), row.ask_at_is) << row.memtable_bytes;
    EXPECT_EQ(applied.table_bytes(), row.table_is) << row.table_bytes;
  }
}

TEST(AppliedDirective, OneMemTableMayAlwaysBeSealed) {
  AppliedDirective applied(kDefaults);
  for (const int wanted : {-1, 0, 1, 5}) {
    Directive directive;
    directive.immutables_max = wanted;
    applied.Apply(directive, kGib);
    EXPECT_EQ(applied.immutables_max(), std::max(wanted, 1));
  }
}

TEST(AppliedDirective, SayWhenAFlushMayBeDueSooner) {
  struct Row {
    uint64_t flush_bytes_min;
    bool absorb;
    bool is_sooner;
  };
  // In order.
  const std::vector<Row> rows = {
      {0, false, false}, {5, false, false}, {5, false, false},
      {4, false, true},  {4, true, true},   {4, true, false},
      {9, true, false},  {9, false, false}, {UINT64_MAX, true, true},
  };
  AppliedDirective applied(kDefaults);
  for (size_t i = 0; i < rows.size(); ++i) {
    Directive directive;
    directive.flush_bytes_min = rows[i].flush_bytes_min;
    directive.absorb = rows[i].absorb;
    EXPECT_EQ(applied.Apply(directive, kGib), rows[i].is_sooner) << "directive " << i;
    EXPECT_EQ(applied.flush_bytes_min(), rows[i].flush_bytes_min);
    EXPECT_EQ(applied.absorbs(), rows[i].absorb);
  }
}

}  // namespace
}  // namespace lull::testing
