// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// The user's bound on the disk space of a store: when it is near or reached, and that writers then
// wait for space, but not for what cannot be freed.
#include "db/base/space_bound.h"

#include <gtest/gtest.h>

#include <fstream>
#include <memory>
#include <string>

#include "leveldb/db.h"
#include "lull/lull.h"
#include "tests/db/support/scripted_store.h"
#include "tests/db/support/table_names.h"
#include "tests/support/manual_clock.h"
#include "util/thread.h"

namespace lull::testing {
namespace {

SpaceBound Of(uint64_t percent) {
  SpaceBound bound;
  bound.SetPercentMax(percent);
  return bound;
}

TEST(SpaceBoundTest, WithoutOneNothingIsReached) {
  const SpaceBound none;
  EXPECT_FALSE(none.is_set());
  EXPECT_FALSE(none.IsNear({.file_bytes = 1 << 30}));
  EXPECT_FALSE(none.IsReached({.file_bytes = 1 << 30}));
}

TEST(SpaceBoundTest, IsAShareOfTheLiveEntries) {
  const SpaceBound bound = Of(300);
  EXPECT_EQ(bound.BytesMax({.live_bytes = 1000 * kMiB, .memtable_bytes = kMiB}), 3000 * kMiB);
  // A compaction begins while its output still fits.
  const auto use = [](uint64_t file_bytes) {
    return SpaceBound::Use{.file_bytes = file_bytes,
                           .output_bytes = 500 * kMiB,
                           .live_bytes = 1000 * kMiB,
                           .memtable_bytes = kMiB};
  };
  EXPECT_FALSE(bound.IsNear(use(2490 * kMiB)));
  EXPECT_FALSE(bound.IsReached(use(2497 * kMiB)));
  EXPECT_TRUE(bound.IsNear(use(2497 * kMiB)));
  EXPECT_TRUE(bound.IsReached(use(2498 * kMiB)));
}

TEST(SpaceBoundTest, LeavesRoomForTheLogsAndCompactionsOfASmallStore) {
  const SpaceBound bound = Of(200);
  constexpr uint64_t kLiveAndMaxMib[][2] = {{0, 16}, {10, 28}, {20, 44}, {100, 200}};
  for (const auto& [live, max] : kLiveAndMaxMib)
    EXPECT_EQ(bound.BytesMax({.live_bytes = live * kMiB, .memtable_bytes = kMiB}), max * kMiB);
  EXPECT_FALSE(bound.IsReached({.file_bytes = 13 * kMiB, .memtable_bytes = kMiB}));
  EXPECT_TRUE(bound.IsReached({.file_bytes = 14 * kMiB, .memtable_bytes = kMiB}));
}

TEST(SpaceBoundTest, CompactionsWaitForDeletionsForAShortTime) {
  SpaceBound bound = Of(200);
  bound.Installed(1'000'000'000);
  SpaceBound::Use use = {.file_bytes = 30 * kMiB,
                         .doomed_bytes = 10 * kMiB,
                         .output_bytes = 20 * kMiB,
                         .live_bytes = 20 * kMiB,
                         .memtable_bytes = kMiB};
  EXPECT_TRUE(bound.HoldsCompactions(use, 1'050'000'000));
  EXPECT_FALSE(bound.HoldsCompactions(use, 1'100'000'000)) << "an iterator can keep the files";
  use.doomed_bytes = 4 * kMiB;
  EXPECT_FALSE(bound.HoldsCompactions(use, 1'050'000'000)) << "little will be free";
  use = {.file_bytes = 19 * kMiB,
         .doomed_bytes = 10 * kMiB,
         .output_bytes = 20 * kMiB,
         .live_bytes = 20 * kMiB};
  EXPECT_FALSE(bound.HoldsCompactions(use, 1'050'000'000)) << "the output fits";
}

class BoundedStoreTest : public ScriptedStoreTest {
 protected:
  void OpenBounded(const Directive& wanted) {
    scheduling_.space_percent_max = 200;
    script_.Set(wanted);
    Open();
  }
  /// Writes 3 MB and deletes them again, `rounds` times. Each goes to tables of its own: a flush
  /// drops the values whose deletions it also gets.
  void Churn(int rounds) {
    for (int round = 0; round < rounds; ++round) {
      WriteTable(0, 3000);
      Delete(0, 3000);
      ASSERT_TRUE(Flush(db_.get()).ok());
    }
  }
  void WriteTable(uint64_t from, uint64_t until) {
    Write(from, until);
    ASSERT_TRUE(Flush(db_.get()).ok());
  }
  bool IsWriterStopped() { return Stats()["stalls"]["stop"]["debt"]["count"] > 0; }
};

TEST_F(BoundedStoreTest, AWriterWaitsForSpaceAtTheBound) {
  OpenBounded(Everything());
  env_.removals.Close();
  const std::unique_ptr<ThreadHandle> writer =
      ThreadFactory::System()->Start("writer", CpuClass::kNormal, [&] { Churn(10); });
  Await("the writer waits", [&] { return IsWriterStopped(); });
  Await("compactions must free space", [&] { return script_.Seen().space_is_low; });
  EXPECT_LE(TotalSize(".ldb"), 16 * kMiB) << "obsolete tables count as well";
  EXPECT_EQ(script_.Seen().file_bytes_max, 16 * kMiB);
  env_.removals.Open();
}

// The open leaves 32 tables open. They are the newest, without the deletions.
TEST_F(BoundedStoreTest, HiddenEntriesOfTablesThatNobodyHasOpenedDoNotCount) {
  ManualClock clock;  // it stands still, so that no work is overdue during a slow flush
  pace_.clock = &clock;
  script_.Set(script_.Nothing());
  scheduling_.l0_trigger = scheduling_.l0_slowdown = scheduling_.l0_stop = 60;
  options_.max_open_files = 74;
  Open();
  Churn(1);
  for (int i = 0; i < 40; ++i) WriteTable(3000 + i, 3001 + i);
  db_.reset();
  Open();
  script_.AwaitObeyed();
  EXPECT_GT(script_.Seen().live_bytes, 3 * kMiB);
  ASSERT_TRUE(SetOptions(db_.get(), "space_percent_max=200").ok());
  Await("what is live is known", [&] { return script_.Seen().live_bytes < kMiB; });
  db_.reset();
}

TEST_F(BoundedStoreTest, AWriterDoesNotWaitForASnapshot) {
  OpenBounded(Everything());
  const leveldb::Snapshot* const snapshot = db_->GetSnapshot();
  Churn(1);
  const leveldb::Snapshot* const second = db_->GetSnapshot();
  Write(0, 20'000);
  Delete(0, 20'000);
  const leveldb::Snapshot* const third = db_->GetSnapshot();
  Churn(3);
  for (const leveldb::Snapshot* const each : {snapshot, second, third}) db_->ReleaseSnapshot(each);
}

TEST_F(BoundedStoreTest, AWriterDoesNotWaitForWhatDamageKeepsFromRunning) {
  OpenBounded(script_.Nothing());
  for (int round = 0; round < 2; ++round) WriteTable(0, 3000);
  db_.reset();
  for (const std::string& name : TableNames(&env_, name_)) {
    std::fstream table(name_ + "/" + name, std::ios::in | std::ios::out | std::ios::binary);
    table.seekp(5000);
    table << "damage";
  }
  OpenBounded(Everything());
  Churn(8);
}

TEST_F(BoundedStoreTest, AWriterAtTheBoundGetsTheErrorOfTheFlush) {
  pace_.retry_nanos = 3'600'000'000'000;
  scheduling_.memory_budget_bytes = 256 * kMiB;
  OpenBounded(Everything());
  env_.tables_fail.store(true);
  leveldb::Status status;
  uint64_t written = 0;
  for (; status.ok() && written < 64'000; ++written)
    status = db_->Put({}, KeyOf(written), ValueOf(written));
  EXPECT_NE(status.ToString().find("not now"), std::string::npos) << status.ToString();
  EXPECT_LT(written, 32'000u) << "there is memory for 64 MB";
  env_.tables_fail.store(false);
  ASSERT_TRUE(WaitForIdle(db_.get()).ok()) << "tries again";
  EXPECT_TRUE(db_->Put({}, "key", "value").ok());
}

TEST_F(BoundedStoreTest, TheBoundCanChangeWhileTheStoreIsOpen) {
  OpenBounded(Everything());
  env_.removals.Close();
  ASSERT_TRUE(SetOptions(db_.get(), "space_percent_max=0").ok());
  Churn(8);
  EXPECT_GT(TotalSize(".ldb"), 16 * kMiB) << "nobody waits for the files that cannot be deleted";
  ASSERT_TRUE(SetOptions(db_.get(), "space_percent_max=200").ok());
  Await("compactions must free space", [&] { return script_.Seen().space_is_low; });
  env_.removals.Open();
}

}  // namespace
}  // namespace lull::testing
