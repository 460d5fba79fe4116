// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// A miniature store: tables are lists of entries in memory, and several compactions run at once and
// end in any order. After each install every key must read as before, for every snapshot, except
// for values that a filter dropped. Picker, drop rule, cutter and version builder are the real
// ones; seeds alternate between the layouts.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "db/compaction/drop_rule.h"
#include "db/compaction/merge_job.h"
#include "db/compaction/output_cutter.h"
#include "db/compaction/planner.h"
#include "tests/db/support/version_text.h"
#include "tests/support/setting.h"
#include "util/random.h"

namespace lull::testing {
namespace {

constexpr uint64_t kPropertyKeys = 40;

std::string PropertyKey(uint64_t i) {
  return std::string(1, static_cast<char>('A' + i / 26)) + static_cast<char>('a' + i % 26);
}

// A running job: its plan, and the state that it needs to finish.
struct RunningJob {
  CompactionPlan plan;
  VersionRef base;
  SequenceNumber oldest_snapshot;
};

class MiniStore {
 public:
  explicit MiniStore(uint64_t seed) : random_(seed) {
    layout_.l0_trigger = 2 + static_cast<int>(random_.Uniform(3));
    layout_.l1_bytes_target = 20 + random_.Uniform(30);
    layout_.growth_factor = 2 + static_cast<double>(random_.Uniform(3));
    layout_.table_bytes_max = 6 + random_.Uniform(6);
    layout_.l0_job_bytes_max = random_.OneIn(2) ? 0 : 1 + random_.Uniform(20);
    layout_.pick_by_overlap = random_.OneIn(2);
    layout_.align_outputs = random_.OneIn(2);
    if (seed % 2 == 0) {
      layout_.kind = LayoutKind::kVsst;
      layout_.l0_trigger = 1;
      layout_.vsst_phi = 1 + static_cast<double>(random_.Uniform(6));
      layout_.vsst_l0_tables_max = 1 + static_cast<int>(random_.Uniform(6));
    }
    filters_ = random_.OneIn(2);
    // As LevelDB, which can cut between entries of one key.
    splits_keys_ = random_.OneIn(2);
  }

  void Flush() {
    std::set<std::string> table;
    const uint64_t first_key = random_.Uniform(kPropertyKeys);
    for (uint64_t n = 1 + random_.Uniform(8); n > 0; --n) {
      const uint64_t key = std::min(kPropertyKeys - 1, first_key + random_.Uniform(8));
      const auto kind = random_.OneIn(3) ? ValueKind::kDeletion : ValueKind::kValue;
      ++sequence_;
      table.insert(MakeInternalKey(PropertyKey(key), sequence_, kind));
      history_[PropertyKey(key)][sequence_] = kind;
    }
    VersionEdit edit;
    AddTable(0, {table.begin(), table.end()}, &edit);
    Install(edit);
  }

  void TakeOrReleaseSnapshot() {
    if (snapshots_.empty() || random_.OneIn(2)) {
      snapshots_.insert(sequence_);
    } else {
      snapshots_.erase(std::next(snapshots_.begin(), random_.Uniform(snapshots_.size())));
    }
  }

  // False if nothing can start.
  bool Start(JobClass job_class) {
    auto plan = Pick(*version_, job_class, Running(), pointers_, layout_);
    if (!plan) return false;
    pointers_[plan->level] = plan->next_pointer;
    Run(std::move(*plan));
    return true;
  }

  bool StartManual() {
    const UserRange range = RandomRange();
    const int level = static_cast<int>(random_.Uniform(kLevels));
    ManualPick pick = PickManual(*version_, level, range, Running(), layout_);
    if (!pick.plan) {
      EXPECT_EQ(pick.next_begin, std::nullopt);
      return false;
    }
    EXPECT_FALSE(pick.conflict);
    EXPECT_FALSE(pick.plan->trivial_move);
    if (pick.next_begin) {
      EXPECT_LT(*pick.next_begin, range.largest.value_or(PropertyKey(kPropertyKeys)));
    }
    Run(std::move(*pick.plan));
    return true;
  }

  bool StartRewrite() {
    const int level = 1 + static_cast<int>(random_.Uniform(kLevels - 1));
    ManualPick pick = PickRewrite(*version_, level, RandomRange(), /*pass=*/1, Running(), layout_);
    if (!pick.plan) return false;
    if (pick.next_begin) {
      EXPECT_GT(*pick.next_begin, pick.plan->range.largest_user);
    }
    Run(std::move(*pick.plan));
    return true;
  }

  bool FinishOne() {
    if (jobs_.empty()) return false;
    const size_t which = random_.Uniform(jobs_.size());
    const RunningJob job = std::move(jobs_[which]);
    jobs_.erase(jobs_.begin() + static_cast<ptrdiff_t>(which));
    VersionEdit edit = EditWithoutInputs(job.plan);
    if (job.plan.trivial_move) {
      for (const TableRef& table : job.plan.upper) {
        edit.new_tables.push_back(table->description);
        edit.new_tables.back().level = job.plan.output_level;
      }
    } else {
      Merge(job, &edit);
    }
    Install(edit);
    return true;
  }

  // Reads every key as Get does: L0 by number, then level by level.
  void CheckReads() const {
    std::vector<SequenceNumber> readers(snapshots_.begin(), snapshots_.end());
    readers.push_back(sequence_);
    for (const auto& [key, writes] : history_) {
      for (const SequenceNumber reader : readers) {
        auto newest = writes.upper_bound(reader);
        std::optional<SequenceNumber> expected;
        if (newest != writes.begin() && (--newest)->second == ValueKind::kValue) {
          if (!filtered_.contains(newest->first)) expected = newest->first;
        }
        ASSERT_EQ(Get(key, reader), expected) << key << " at " << reader << "\n"
                                              << TablesText(*version_);
      }
    }
  }

  void CheckWithinTargets() const {
    for (int level = 0; level < kLevels; ++level)
      EXPECT_LT(LevelScore(*version_, level, layout_), 1) << "level " << level;
    EXPECT_EQ(version_->DebtBytes(LevelTargets(layout_), layout_.l0_trigger), 0u);
  }

  size_t RunningJobs() const { return jobs_.size(); }
  Random* random() { return &random_; }

 private:
  using Entries = std::vector<std::string>;  // internal keys, in order

  std::vector<RunningRange> Running() const {
    std::vector<RunningRange> running;
    for (const RunningJob& job : jobs_) running.push_back(job.plan.range);
    return running;
  }

  UserRange RandomRange() {
    UserRange range;
    if (!random_.OneIn(3)) range.smallest = PropertyKey(random_.Uniform(kPropertyKeys));
    if (!random_.OneIn(3)) range.largest = PropertyKey(random_.Uniform(kPropertyKeys));
    return range;
  }

  void Run(CompactionPlan plan) {
    CheckPlan(plan);
    const SequenceNumber oldest = snapshots_.empty() ? sequence_ : *snapshots_.begin();
    jobs_.push_back({std::move(plan), version_, oldest});
  }

  static void Sort(Entries* entries) {
    std::sort(entries->begin(), entries->end(), [](const std::string& a, const std::string& b) {
      return InternalOrder().Compare(a, b) < 0;
    });
  }
  void AddTable(int level, Entries entries, VersionEdit* edit) {
    Sort(&entries);
    edit->new_tables.push_back({level, ++number_, entries.size(), entries.front(), entries.back()});
    contents_[number_] = std::move(entries);
  }

  void Install(const VersionEdit& edit) {
    version_ = Applied(version_, edit);
    ASSERT_NE(version_, nullptr) << "jobs were not disjoint";
  }

  void Merge(const RunningJob& job, VersionEdit* edit) {
    const KeyOrder order = InternalOrder();
    Entries inputs;
    for (const auto* tables : {&job.plan.upper, &job.plan.lower}) {
      for (const TableRef& table : *tables) {
        const Entries& entries = contents_.at(table->number());
        inputs.insert(inputs.end(), entries.begin(), entries.end());
      }
    }
    Sort(&inputs);
    DropRule rule(order, job.oldest_snapshot, job.base, job.plan.output_level);
    const CutRule cut = CutRuleFor(layout_, job.plan.output_level);
    OutputCutter cutter(order, cut, job.plan.grandparents, job.plan.fences);
    Entries output;
    for (std::string& key : inputs) {
      if (rule.ShouldDrop(key)) continue;
      if (filters_ && rule.IsFilterable() && random_.OneIn(8)) {
        ParsedInternalKey entry;
        ASSERT_TRUE(ParseInternalKey(key, &entry));
        filtered_.insert(entry.sequence);
        if (!rule.NeedsDeletion()) continue;
        key = MakeInternalKey(std::string(entry.user_key.data(), entry.user_key.size()),
                              entry.sequence, ValueKind::kDeletion);
      }
      const bool may_cut = !output.empty() && (splits_keys_ || !rule.SameUserKeyAsBefore());
      if (cutter.CutBefore(key, output.size(), may_cut)) {
        if (cut.overlap_ratio_max > 0 && job.plan.fences.empty()) CheckCut(job, cut, output, key);
        AddTable(job.plan.output_level, std::exchange(output, {}), edit);
      }
      output.push_back(key);
    }
    if (!output.empty()) AddTable(job.plan.output_level, std::move(output), edit);
  }

  // The bounds of a table of vsst's L1 that ends before `next`, without the cutter's running sums.
  static void CheckCut(const RunningJob& job, const CutRule& rule, const Entries& output,
                       const std::string& next) {
    ASSERT_GE(output.size(), rule.table_bytes_min);
    const leveldb::Slice last = UserKeyOf(output.back());
    const auto before_last = std::count_if(output.begin(), output.end(),
                                           [&](const auto& key) { return UserKeyOf(key) != last; });
    ASSERT_LT(static_cast<uint64_t>(before_last), rule.table_bytes_max);
    if (output.size() >= rule.table_bytes_max) return;
    uint64_t overlap = 0;
    for (const TableRef& table : job.plan.grandparents) {
      const bool overlaps = table->largest_user().compare(UserKeyOf(output.front())) >= 0 &&
                            table->smallest_user().compare(UserKeyOf(next)) <= 0;
      if (overlaps) overlap += table->file_bytes();
    }
    ASSERT_GT(static_cast<double>(overlap),
              rule.overlap_ratio_max * static_cast<double>(output.size()));
  }

  std::optional<SequenceNumber> Get(const std::string& key, SequenceNumber reader) const {
    const std::string target = MakeInternalKey(key, reader, kKindForSeek);
    for (int level = 0; level < kLevels; ++level) {
      std::vector<TableRef> candidates = version_->level(level);
      if (level > 0) {
        const size_t found = version_->FindTable(level, target);
        if (found == candidates.size()) continue;
        candidates = {candidates[found]};
      }
      for (const TableRef& table : candidates) {
        for (const std::string& entry : contents_.at(table->number())) {
          ParsedInternalKey parsed;
          EXPECT_TRUE(ParseInternalKey(entry, &parsed));
          if (parsed.user_key != key || parsed.sequence > reader) continue;
          if (parsed.kind == ValueKind::kDeletion) return std::nullopt;
          return parsed.sequence;
        }
      }
    }
    return std::nullopt;
  }

  // Checks the definitions for every plan.
  void CheckPlan(const CompactionPlan& plan) const {
    const KeyOrder order = InternalOrder();
    ASSERT_FALSE(plan.upper.empty());
    ASSERT_FALSE(Conflicts(order, plan.range, Running()));
    ASSERT_EQ(plan.output_level, plan.is_rewrite() ? plan.level : plan.level + 1);
    std::set<uint64_t> upper, lower;
    uint64_t bytes = 0;
    std::string smallest = plan.upper[0]->smallest_user().ToString(), largest;
    for (const auto* tables : {&plan.upper, &plan.lower}) {
      for (const TableRef& table : *tables) {
        const std::string first = table->smallest_user().ToString();
        const std::string last = table->largest_user().ToString();
        ASSERT_LE(plan.range.smallest_user, first);
        ASSERT_GE(plan.range.largest_user, last);
        bytes += table->file_bytes();
        (tables == &plan.upper ? upper : lower).insert(table->number());
        if (tables == &plan.lower) continue;
        smallest = std::min(smallest, first);
        largest = std::max(largest, last);
      }
    }
    ASSERT_EQ(plan.input_bytes, bytes);
    for (const TableRef& table : version_->level(plan.output_level)) {
      if (plan.is_rewrite()) break;
      if (lower.count(table->number())) continue;
      for (const TableRef& taken : plan.upper) ASSERT_FALSE(UserRangesTouch(order, *table, *taken));
      // If it lies between inputs, a fence keeps outputs off it; Install checks that.
      const bool within = table->largest_user().ToString() > smallest &&
                          table->smallest_user().ToString() < largest;
      ASSERT_TRUE(!within || !plan.fences.empty());
    }
    CheckNothingOlderStays(plan.level, plan.upper, upper);
    CheckNothingOlderStays(plan.output_level, plan.lower, lower);
    if (plan.trivial_move) {
      ASSERT_TRUE(plan.lower.empty());
      ASSERT_TRUE(plan.level > 0 || plan.upper.size() == 1);
      for (const TableRef& table : plan.upper) {
        const UserRange range{table->smallest_user().ToString(), table->largest_user().ToString()};
        const int below = plan.level + 2;
        ASSERT_LE(below >= kLevels ? 0 : SumBytes(version_->Overlapping(below, range)),
                  layout_.grandparent_overlap_tables_max * layout_.table_bytes_max);
      }
    }
  }

  // No unchosen table of the level has older entries of a user key of a chosen one.
  void CheckNothingOlderStays(int level, const std::vector<TableRef>& chosen,
                              const std::set<uint64_t>& numbers) const {
    for (const TableRef& table : version_->level(level)) {
      if (numbers.count(table->number())) continue;
      for (const TableRef& taken : chosen) {
        if (level == 0) {
          ASSERT_FALSE(UserRangesTouch(InternalOrder(), *table, *taken) &&
                       table->number() < taken->number());
        } else {
          const bool goes_on = InternalOrder().Compare(table->smallest(), taken->largest()) > 0 &&
                               table->smallest_user() == taken->largest_user();
          ASSERT_FALSE(goes_on) << "level " << level << ": " << Numbers(chosen) << " without "
                                << table->number();
        }
      }
    }
  }

  Random random_;
  LayoutOptions layout_;
  bool splits_keys_ = false;
  bool filters_ = false;
  std::set<SequenceNumber> filtered_;  // entries that a filter dropped
  VersionRef version_ = EmptyVersion();
  CompactPointers pointers_;
  std::vector<RunningJob> jobs_;
  std::map<uint64_t, Entries> contents_;
  uint64_t number_ = 0;
  SequenceNumber sequence_ = 0;
  std::map<std::string, std::map<SequenceNumber, ValueKind>> history_;
  std::set<SequenceNumber> snapshots_;
};

void Step(MiniStore* store) {
  const bool may_start = store->RunningJobs() < 4;
  const uint64_t what = store->random()->Uniform(10);
  if (what < 3) return store->Flush();
  if (what == 3) return store->TakeOrReleaseSnapshot();
  if (what < 7) {
    if (may_start) store->Start(what == 6 ? JobClass::kDeep : JobClass::kL0);
  } else if (what == 7) {
    if (store->random()->OneIn(4)) store->StartManual();
    if (store->random()->OneIn(4)) store->StartRewrite();
  } else if (store->FinishOne()) {
    store->CheckReads();
  }
}

TEST(PickerProperty, ConcurrentCompactionsNeverChangeWhatIsRead) {
  for (uint64_t seed = 1; seed <= Strided(60); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    MiniStore store(seed);
    for (int step = 0; step < 400; ++step) {
      Step(&store);
      if (::testing::Test::HasFailure()) return;
    }
  }
}

TEST(PickerProperty, WithoutWritesEveryLevelComesWithinItsTarget) {
  for (uint64_t seed = 1; seed <= Strided(60); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    MiniStore store(seed);
    for (int flush = 0; flush < 60; ++flush) store.Flush();
    int steps = 0;
    for (bool more = true; more;) {
      ASSERT_LT(++steps, 5000) << "it does not end";
      const bool started = store.Start(JobClass::kL0) || store.Start(JobClass::kDeep);
      const bool finished = (!started || store.random()->OneIn(2)) && store.FinishOne();
      more = started || finished;
      if (::testing::Test::HasFailure()) return;
    }
    store.CheckReads();
    store.CheckWithinTargets();
    if (::testing::Test::HasFailure()) return;
  }
}

}  // namespace
}  // namespace lull::testing
