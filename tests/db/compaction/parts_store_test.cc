// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// A store that divides its L0 compactions into parts: they run at once, pause, resume and fail, and
// the store closes meanwhile.
#include <algorithm>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "db/store/store.h"
#include "gtest/gtest.h"
#include "lull/lull.h"
#include "tests/db/support/job_sequence_checker.h"
#include "tests/db/support/scripted_store.h"
#include "tests/db/support/table_names.h"
#include "util/clock.h"

namespace lull {
namespace {

using testing::kKiB;
using Counts = testing::JobSequenceChecker::Counts;

class PartsStoreTest : public testing::ScriptedStoreTest {
 protected:
  static constexpr uint64_t kEntries = 4000;
  static constexpr int kWorkers = 2;
  static constexpr int kTablesMin = 3;

  PartsStoreTest() {
    pace_.part_bytes_min = 64 * kKiB;
    scheduling_.compaction_threads = kWorkers;
    scheduling_.l0_trigger = kTablesMin;
    script_.Set(testing::Script::Nothing());
  }
  ~PartsStoreTest() override {
    env_.tables.Open();
    db_.reset();
  }

  /// Fills L0 with tables that each span all keys, and leaves nothing to flush.
  void FillL0() {
    Open();
    ASSERT_TRUE(AddListener(db_.get(), checker_).ok());
    for (uint64_t table = 0; table < 4; ++table) {
      for (uint64_t i = table; i < kEntries; i += 4)
        ASSERT_TRUE(db_->Put(leveldb::WriteOptions(), KeyOf(i), ValueOf(i)).ok());
    }
    AwaitObeyed();  // it can have measured before the last writes
    Await("all sealed memtables are flushed",
          [&] { return script_.Seen().immutables == 0 && script_.Seen().l0_tables >= kTablesMin; });
  }
  void GrantL0(int jobs) {
    Directive wanted = testing::Script::Nothing();
    wanted.l0 = {jobs, CpuPriority::kNormal};
    wanted.compactions_max = jobs;
    script_.Set(wanted);
  }
  void BeginTwoParts() {
    env_.tables.Close();
    GrantL0(4);
    env_.tables.AwaitBlocked(kWorkers);
  }
  void PauseThem() {
    script_.Set(testing::Script::Nothing());
    AwaitObeyed();
    env_.tables.Open();
    checker_->Await([](const Counts& counts) { return counts.pauses >= kWorkers; });
  }
  int L0Tables() {
    std::string text;
    EXPECT_TRUE(db_->GetProperty("leveldb.num-files-at-level0", &text));
    return std::stoi(text);
  }
  /// Call when the store is closed.
  void ExpectOnlyListedTables() {
    EXPECT_EQ(checker_->errors(), std::vector<std::string>());
    EXPECT_EQ(checker_->Open(), 0u);
    script_.Set(testing::Script::Nothing());
    Open();
    std::string text;
    ASSERT_TRUE(db_->GetProperty("leveldb.sstables", &text));
    const auto listed = static_cast<size_t>(std::count(text.begin(), text.end(), '['));
    EXPECT_EQ(Tables().size(), listed) << text;
    ExpectAll(db_.get(), kEntries);
  }
  std::set<std::string> Tables() { return testing::TableNames(&env_, name_); }
  LayoutFigures Figures() {
    Store* store = nullptr;
    EXPECT_TRUE(Store::Of(db_.get(), "test", &store).ok());
    return store->GetLayoutFigures();
  }

  ManualClock clock_;  // for a test that sets it
  const std::shared_ptr<testing::JobSequenceChecker> checker_ =
      std::make_shared<testing::JobSequenceChecker>();
};

TEST_F(PartsStoreTest, AllWorkersMergeOneCompactionWithOneInstall) {
  FillL0();
  BeginTwoParts();
  EXPECT_GE(L0Tables(), kTablesMin);
  env_.tables.Open();
  checker_->Await([](const Counts& counts) { return counts.compactions_done >= kWorkers; });
  EXPECT_LE(L0Tables(), 1) << "the parts end with the install";
  ASSERT_TRUE(WaitForIdle(db_.get()).ok());
  ExpectAll(db_.get(), kEntries);
  EXPECT_EQ(Figures().levels[0].merges, 1u);
  db_.reset();  // delivers all events
  EXPECT_EQ(checker_->counts().compactions_done, 2u * kWorkers) << "3 MiB allow more";
  EXPECT_EQ(checker_->errors(), std::vector<std::string>());
}

TEST_F(PartsStoreTest, PausedPartsContinue) {
  FillL0();
  BeginTwoParts();
  PauseThem();
  EXPECT_GE(L0Tables(), kTablesMin);
  EXPECT_EQ(checker_->counts().compactions_done, 0u);
  GrantL0(1);
  checker_->Await([](const Counts& counts) { return counts.compactions_done >= 2 * kWorkers; });
  ExpectAll(db_.get(), kEntries);
  EXPECT_EQ(Figures().levels[0].merges, 1u);
  db_.reset();
  EXPECT_EQ(checker_->counts().pauses, checker_->counts().resumes);
  EXPECT_EQ(checker_->counts().abandoned, 0u);
  EXPECT_EQ(checker_->errors(), std::vector<std::string>());
}

// With a trigger above the number of tables, L0 itself is not due, and a policy would grant
// nothing.
TEST_F(PartsStoreTest, PartsAreDueUntilAllHaveBegun) {
  FillL0();
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
  FillL0();
  BeginTwoParts();
  PauseThem();
  db_.reset();
  ExpectOnlyListedTables();
}

TEST_F(PartsStoreTest, ClosingWithRunningPartsLeavesNoFileOfThem) {
  FillL0();
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
  EXPECT_EQ(L0Tables(), 0);
  ExpectAll(db_.get(), kEntries);
  EXPECT_EQ(Figures().levels[0].merges, 1u);
  db_.reset();
  EXPECT_GE(checker_->counts().compactions_done, 2u * kWorkers);
  EXPECT_EQ(checker_->errors(), std::vector<std::string>());
}

TEST_F(PartsStoreTest, APartThatFailsInstallsNothingAndIsRepeated) {
  pace_.clock = &clock_;
  pace_.retry_nanos = 10'000'000;
  Directive small_tables = testing::Script::Everything();
  small_tables.table_bytes = 256 * kKiB;
  script_.Set(small_tables);
  Open();
  for (uint64_t i = 0; i < kEntries; ++i)
    ASSERT_TRUE(db_->Put(leveldb::WriteOptions(), KeyOf(i), std::string(1000, 'a')).ok());
  db_->CompactRange(nullptr, nullptr);
  db_.reset();
  const std::string input = name_ + "/" + *Tables().begin();  // of L1, so of one part
  script_.Set(testing::Script::Nothing());
  FillL0();

  std::string before, after;
  ASSERT_TRUE(db_->GetProperty("leveldb.sstables", &before));
  ASSERT_TRUE(env_.RenameFile(input, input + ".away").ok());
  const std::set<std::string> inputs = Tables();
  GrantL0(4);
  checker_->Await([](const Counts& counts) { return counts.failed >= 1; });
  Await("all parts have ended", [&] { return checker_->Open() == 0; });
  Await("the clean-up", [&] { return Tables() == inputs; });
  ASSERT_TRUE(db_->GetProperty("leveldb.sstables", &after));
  EXPECT_EQ(after, before);
  EXPECT_EQ(checker_->counts().compactions_done, 0u);

  ASSERT_TRUE(env_.RenameFile(input + ".away", input).ok());
  clock_.Advance(100 * pace_.retry_nanos);
  checker_->Await([](const Counts& counts) { return counts.compactions_done > 0; });
  const leveldb::Status status = WaitForIdle(db_.get());
  ASSERT_TRUE(status.ok()) << status.ToString();
  ExpectAll(db_.get(), kEntries);
  EXPECT_LE(L0Tables(), 1);
  db_.reset();
  EXPECT_EQ(checker_->errors(), std::vector<std::string>());
}

}  // namespace
}  // namespace lull
