// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "db/compaction/parts.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "db/compaction/key_sample.h"
#include "db/store/store.h"
#include "lull/lull.h"
#include "tests/db/support/job_sequence_checker.h"
#include "tests/db/support/scripted_store.h"
#include "tests/db/support/table_names.h"
#include "tests/db/support/version_text.h"
#include "tests/support/manual_clock.h"
#include "tests/support/units.h"

namespace lull::testing {
namespace {

/// "..c 30% c..m 50% m.. 20%"
std::string Show(const std::vector<PartRange>& parts) {
  std::string text;
  for (const PartRange& part : parts) {
    text += (text.empty() ? "" : " ") + part.begin.value_or("") + ".." + part.end.value_or("") +
            " " + std::to_string(std::lround(100 * (part.to - part.from))) + "%";
  }
  return text;
}

std::string Divide(const std::vector<WeightedKey>& keys, size_t parts_max) {
  return Show(DivideKeys(InternalOrder(), keys, parts_max));
}

TEST(DivideKeysTest, MakesPartsOfEqualWeight) {
  EXPECT_EQ(Divide({{"a", 1}, {"b", 1}, {"c", 1}, {"d", 1}}, 2), "..c 50% c.. 50%");
  EXPECT_EQ(Divide({{"d", 1}, {"b", 1}, {"a", 1}, {"c", 1}}, 2), "..c 50% c.. 50%") << "unsorted";
  EXPECT_EQ(Divide({{"a", 1}, {"b", 1}, {"c", 2}}, 2), "..c 50% c.. 50%");
  EXPECT_EQ(Divide({{"a", 1}, {"b", 1}, {"c", 1}, {"d", 1}}, 4),
            "..b 25% b..c 25% c..d 25% d.. 25%");
  // At the key closest to a third.
  EXPECT_EQ(Divide({{"a", 4}, {"b", 5}, {"c", 3}, {"d", 2}, {"e", 1}}, 3),
            "..b 27% b..c 33% c.. 40%");
}

TEST(DivideKeysTest, MakesFewerPartsIfTheKeysAllowNoMore) {
  EXPECT_EQ(Divide({}, 4), ".. 100%");
  EXPECT_EQ(Divide({{"a", 5}}, 4), ".. 100%");
  EXPECT_EQ(Divide({{"a", 0}, {"b", 0}}, 4), ".. 100%");
  EXPECT_EQ(Divide({{"a", 1}, {"b", 1}}, 1), ".. 100%");
  EXPECT_EQ(Divide({{"a", 1}, {"a", 1}, {"b", 1}, {"b", 1}}, 4), "..b 50% b.. 50%");
  EXPECT_EQ(Divide({{"a", 97}, {"b", 1}, {"c", 1}, {"d", 1}}, 4), ".. 100%") << "no part of 3%";
}

class PartsTest : public ::testing::Test {
 protected:
  static CompactionPlan PlanFor(const std::string& text) {
    LayoutOptions layout{.l0_trigger = 1, .l1_bytes_target = 1 << 30};
    return *Pick(*VersionFromText(text), JobClass::kL0, {}, {}, layout);
  }
  static std::string Parts(const CompactionPlan& plan, int workers) {
    return Show(PartsOf(plan, InternalOrder(), workers, 8 * kMiB));
  }
};

constexpr char kBurst[] =
    "L0: 9:[a..z]*20 8:[b..y]*20 L1: 1:[a..f]*10 2:[g..l]*10 3:[m..r]*10 4:[s..z]*10";

TEST_F(PartsTest, AMultipleOfTheWorkersEachWithEnoughToDo) {
  const CompactionPlan plan = PlanFor(kBurst);
  EXPECT_EQ(Parts(plan, 1), ".. 100%");
  EXPECT_EQ(Parts(plan, 2), "..g 25% g..m 25% m..s 25% s.. 25%") << "80 MiB allow 10";
  EXPECT_EQ(Parts(plan, 3), Parts(plan, 2)) << "there are only 4 tables in L1";
  EXPECT_EQ(Parts(plan, 16), Parts(plan, 2));
  EXPECT_EQ(Parts(PlanFor("L0: 9:[a..z]*10 L1: 1:[a..k]*2 2:[l..z]*2"), 2), ".. 100%") << "14 MiB";
  EXPECT_EQ(Parts(PlanFor("L0: 9:[a..z]*12 L1: 1:[a..k]*2 2:[l..z]*2"), 2), "..l 50% l.. 50%");
  EXPECT_EQ(Parts(PlanFor("L0: 9:[a..z]*26 L1: 1:[a..g]*2 2:[l..r]*2 3:[s..z]*2"), 3),
            "..l 33% l..s 33% s.. 33%");
}

TEST_F(PartsTest, OnlyL0IsDivided) {
  CompactionPlan plan = PlanFor(kBurst);
  plan.level = 1;
  EXPECT_EQ(Parts(plan, 2), ".. 100%");
  EXPECT_EQ(Parts(PlanFor("L0: 9:[a..z]*100"), 2), ".. 100%") << "a trivial move";
}

TEST_F(PartsTest, SamplesShowTheDistribution) {
  CompactionPlan plan = PlanFor("L0: 9:[a..z]*40 8:[a..z]*40");
  EXPECT_EQ(Parts(plan, 2), ".. 100%") << "nothing is known";
  plan.upper[0]->sample_keys = {"a", "t", "u", "v"};
  EXPECT_EQ(Parts(plan, 2), "..t 25% t..u 25% u..v 25% v.. 25%") << "both have as many below t";
  plan.upper[1]->sample_keys = {"a", "b"};
  EXPECT_EQ(Parts(plan, 2), "..b 38% b..t 25% t..u 13% u.. 25%");
}

TEST_F(PartsTest, WithoutSamplesTheNextLevelShowsTheDistribution) {
  EXPECT_EQ(Parts(PlanFor("L0: 9:[a..z]*40 8:[a..z]*40 L2: 1:[a..k] 2:[l..z]"), 2),
            "..l 50% l.. 50%");
}

TEST_F(PartsTest, APartHasOnlyTheTablesInItsRange) {
  const CompactionPlan whole = PlanFor(
      "L0: 9:[a..z]*20 8:[a..c]*20 L1: 1:[a..f]*10 2:[g..l]*10 L2: 5:[a..b] 6:[c..h] 7:[i..z]");
  const CompactionPlan first = PlanOfPart(whole, {{}, "g", 0, 1 / 3.0}, InternalOrder());
  EXPECT_EQ(Numbers(first.upper) + " + " + Numbers(first.lower), "9 8 + 1");
  EXPECT_EQ(Numbers(first.grandparents), "5 6");
  EXPECT_EQ(first.range.smallest_user + ".." + first.range.largest_user, "a..g");
  const CompactionPlan second = PlanOfPart(whole, {"g", {}, 1 / 3.0, 1}, InternalOrder());
  EXPECT_EQ(Numbers(second.upper) + " + " + Numbers(second.lower), "9 + 2");
  EXPECT_EQ(Numbers(second.grandparents), "6 7");
  EXPECT_EQ(second.range.smallest_user + ".." + second.range.largest_user, "g..z");
  EXPECT_EQ(first.input_bytes + second.input_bytes, whole.input_bytes);
  EXPECT_EQ(first.input_bytes, whole.input_bytes / 3);
}

// LevelDB can end a table between two versions of a key.
TEST_F(PartsTest, TablesThatShareTheFirstKeyOfAPartBelongToIt) {
  const CompactionPlan whole = PlanFor("L0: 9:[a..z]*20 L1: 1:[a..m@5] 2:[m@3..z]");
  EXPECT_EQ(Numbers(PlanOfPart(whole, {"m", {}}, InternalOrder()).lower), "1 2");
  EXPECT_EQ(Numbers(PlanOfPart(whole, {{}, "m"}, InternalOrder()).lower), "1");
}

TEST(KeySampleTest, IsEvenlySpacedWhateverTheSizeOfTheTable) {
  for (const uint64_t table_bytes : {100ull, 10'000ull, 1'000'000ull, 300'000'000ull}) {
    KeySample sample;
    const uint64_t step = std::max<uint64_t>(table_bytes / 100'000, 100);
    for (uint64_t at = 0; at < table_bytes; at += step) sample.Add(std::to_string(at), at);
    std::vector<std::string> keys = sample.Take();
    ASSERT_FALSE(keys.empty());
    EXPECT_EQ(keys.front(), "0");
    EXPECT_LE(keys.size(), KeySample::kKeysMax);
    if (table_bytes >= 1'000'000) {
      EXPECT_GE(keys.size(), KeySample::kKeysMax / 2);
    }
    keys.push_back(std::to_string(table_bytes));
    std::set<uint64_t> gaps;
    for (size_t i = 1; i < keys.size(); ++i)
      gaps.insert(std::stoull(keys[i]) - std::stoull(keys[i - 1]));
    gaps.erase(std::stoull(keys.back()) - std::stoull(keys[keys.size() - 2]));  // the rest
    if (!gaps.empty()) {
      EXPECT_LE(*gaps.rbegin(), 2 * *gaps.begin()) << table_bytes;
    }
  }
}

// ---- a store: parts run at once, pause, resume and fail, and the store closes meanwhile

using Counts = JobSequenceChecker::Counts;

class PartsStoreTest : public ScriptedStoreTest {
 protected:
  static constexpr uint64_t kEntries = 4000;
  static constexpr int kWorkers = 2;
  static constexpr int kTablesMin = 3;

  PartsStoreTest() {
    pace_.part_bytes_min = 64 * kKiB;
    scheduling_.compaction_threads = kWorkers;
    scheduling_.l0_trigger = kTablesMin;
    script_.Set(Script::Nothing());
  }
  ~PartsStoreTest() override {
    env_.tables.Open();
    db_.reset();  // delivers all events
    EXPECT_EQ(checker_->errors(), std::vector<std::string>());
    EXPECT_EQ(checker_->Open(), 0u);
  }

  /// Fills L0 with tables that each span all keys, and leaves nothing to flush.
  void FillL0() {
    Open();
    ASSERT_TRUE(AddListener(db_.get(), checker_).ok());
    for (uint64_t table = 0; table < 4; ++table)
      for (uint64_t i = table; i < kEntries; i += 4) Put(KeyOf(i), ValueOf(i));
    AwaitObeyed();  // it can have measured before the last writes
    Await("all sealed memtables are flushed",
          [&] { return script_.Seen().immutables == 0 && script_.Seen().l0_tables >= kTablesMin; });
  }
  void GrantL0(int jobs) {
    Directive wanted = Script::Nothing();
    wanted.l0 = {jobs, CpuPriority::kNormal};
    wanted.compactions_max = jobs;
    script_.Set(wanted);
  }
  void BeginTwoParts() {
    FillL0();
    env_.tables.Close();
    GrantL0(4);
    env_.tables.AwaitBlocked(kWorkers);
  }
  void PauseThem() {
    script_.Set(Script::Nothing());
    AwaitObeyed();
    env_.tables.Open();
    checker_->Await([](const Counts& counts) { return counts.pauses >= kWorkers; });
  }
  /// Call when the store is closed.
  void ExpectOnlyListedTables() {
    script_.Set(Script::Nothing());
    Open();
    const std::string text = Property("leveldb.sstables");
    const auto listed = static_cast<size_t>(std::count(text.begin(), text.end(), '['));
    EXPECT_EQ(Tables().size(), listed) << text;
    ExpectAll(db_.get(), kEntries);
  }
  std::set<std::string> Tables() { return TableNames(&env_, name_); }
  LayoutFigures Figures() {
    Store* store = nullptr;
    EXPECT_TRUE(Store::Of(db_.get(), "test", &store).ok());
    return store->GetLayoutFigures();
  }

  ManualClock clock_;  // for a test that sets it
  const std::shared_ptr<JobSequenceChecker> checker_ = std::make_shared<JobSequenceChecker>();
};

TEST_F(PartsStoreTest, AllWorkersMergeOneCompactionWithOneInstall) {
  BeginTwoParts();
  EXPECT_GE(TablesAt(0), kTablesMin);
  env_.tables.Open();
  checker_->Await([](const Counts& counts) { return counts.compactions_done >= kWorkers; });
  EXPECT_LE(TablesAt(0), 1) << "the parts end with the install";
  ASSERT_TRUE(WaitForIdle(db_.get()).ok());
  ExpectAll(db_.get(), kEntries);
  EXPECT_EQ(Figures().levels[0].merges, 1u);
  db_.reset();  // delivers all events
  EXPECT_EQ(checker_->counts().compactions_done, 2u * kWorkers) << "3 MiB allow more";
}

TEST_F(PartsStoreTest, PausedPartsContinue) {
  BeginTwoParts();
  PauseThem();
  EXPECT_GE(TablesAt(0), kTablesMin);
  EXPECT_EQ(checker_->counts().compactions_done, 0u);
  GrantL0(1);
  checker_->Await([](const Counts& counts) { return counts.compactions_done >= 2 * kWorkers; });
  ExpectAll(db_.get(), kEntries);
  EXPECT_EQ(Figures().levels[0].merges, 1u);
  db_.reset();
  EXPECT_EQ(checker_->counts().pauses, checker_->counts().resumes);
  EXPECT_EQ(checker_->counts().abandoned, 0u);
}

// With a trigger above the number of tables, L0 itself is not due, and a policy would grant
// nothing.
TEST_F(PartsStoreTest, PartsAreDueUntilAllHaveBegun) {
  BeginTwoParts();
  ASSERT_TRUE(SetOptions(db_.get(), "l0_trigger=9").ok());
  AwaitObeyed();
  EXPECT_TRUE(script_.Seen().l0_due);
  env_.tables.Open();
  Await("the install", [&] { return script_.Seen().l0_tables <= 1; });
  AwaitObeyed();
  EXPECT_FALSE(script_.Seen().l0_due);
}

TEST_F(PartsStoreTest, ClosingWithPausedPartsLeavesNoFileOfThem) {
  BeginTwoParts();
  PauseThem();
  db_.reset();
  ExpectOnlyListedTables();
}

TEST_F(PartsStoreTest, ClosingWithRunningPartsLeavesNoFileOfThem) {
  BeginTwoParts();
  // The close waits for their slices, which end no earlier than the gate opens.
  const auto opener =
      ThreadFactory::System()->Start("opener", CpuClass::kNormal, [this] { env_.tables.Open(); });
  db_.reset();
  ExpectOnlyListedTables();
}

TEST_F(PartsStoreTest, ACompactRangeOfL0RunsInParts) {
  scheduling_.l0_trigger = 9;  // otherwise an L0 compaction can come before it
  FillL0();
  db_->CompactRange(nullptr, nullptr);
  EXPECT_EQ(TablesAt(0), 0);
  ExpectAll(db_.get(), kEntries);
  EXPECT_EQ(Figures().levels[0].merges, 1u);
  db_.reset();
  EXPECT_GE(checker_->counts().compactions_done, 2u * kWorkers);
}

TEST_F(PartsStoreTest, APartThatFailsInstallsNothingAndIsRepeated) {
  pace_.clock = &clock_;
  pace_.retry_nanos = 10'000'000;
  Directive small_tables = Script::Everything();
  small_tables.table_bytes = 256 * kKiB;
  script_.Set(small_tables);
  Open();
  for (uint64_t i = 0; i < kEntries; ++i) Put(KeyOf(i), std::string(1000, 'a'));
  db_->CompactRange(nullptr, nullptr);
  db_.reset();
  const std::string input = name_ + "/" + *Tables().begin();  // of L1, so of one part
  script_.Set(Script::Nothing());
  FillL0();

  const std::string before = Property("leveldb.sstables");
  ASSERT_TRUE(env_.RenameFile(input, input + ".away").ok());
  const std::set<std::string> inputs = Tables();
  GrantL0(4);
  checker_->Await([](const Counts& counts) { return counts.failed >= 1; });
  Await("all parts have ended", [&] { return checker_->Open() == 0; });
  Await("the clean-up", [&] { return Tables() == inputs; });
  EXPECT_EQ(Property("leveldb.sstables"), before);
  EXPECT_EQ(checker_->counts().compactions_done, 0u);

  ASSERT_TRUE(env_.RenameFile(input + ".away", input).ok());
  clock_.Advance(100 * pace_.retry_nanos);
  checker_->Await([](const Counts& counts) { return counts.compactions_done > 0; });
  ASSERT_EQ(WaitForIdle(db_.get()).ToString(), "OK");
  ExpectAll(db_.get(), kEntries);
  EXPECT_LE(TablesAt(0), 1);
}

}  // namespace
}  // namespace lull::testing
