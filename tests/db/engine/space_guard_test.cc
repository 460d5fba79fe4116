// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Compactions that the free disk space cannot hold do not begin.
#include "db/engine/space_guard.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <string>

#include "db/compaction/compaction_state.h"
#include "leveldb/db.h"
#include "lull/lull.h"
#include "tests/db/support/lines_logger.h"
#include "tests/db/support/scripted_store.h"
#include "tests/db/support/version_text.h"
#include "util/env_extension.h"

namespace lull {
namespace {

using testing::kMiB;
using testing::PlanText;
using testing::SetContents;
using testing::VersionFromText;

OutputLimit Room(uint64_t mib) {
  return {.bytes_max = mib * kMiB, .freeing_bytes_max = mib * kMiB};
}

// ---- the picker

std::string PickWith(const std::string& tables, JobClass job_class, const OutputLimit& room) {
  return PlanText(Pick(*VersionFromText(tables), job_class, {}, {}, {}, room));
}

TEST(PickWithinLimit, TheNextBestIfTheBestDoesNotFit) {
  const std::string deep = "L1: 1:[a..c]*6 2:[d..f]*5 3:[g..i]*6 L2: 4:[a..b]*9 5:[d..e] 6:[x..y]";
  EXPECT_EQ(PickWith(deep, JobClass::kDeep, Room(15)), "L1 1 + 4");
  EXPECT_EQ(PickWith(deep, JobClass::kDeep, Room(14)), "L1 2 + 5");
  EXPECT_EQ(PickWith(deep, JobClass::kDeep, Room(5)), "L1 3 move") << "it writes nothing";
  const std::string full = "L1: 1:[a..c]*6 2:[d..f]*6 L2: 4:[a..b] 5:[d..e]";
  EXPECT_EQ(PickWith(full, JobClass::kDeep, Room(6)), "nothing");
}

TEST(PickWithinLimit, ALevelThatIsLessUrgent) {
  const std::string levels =
      "L1: 1:[a..c]*90 L2: 2:[a..c]*40 3:[d..d]*80 4:[f..g]*5 L3: 5:[d..d] 6:[f..f]";
  EXPECT_EQ(PickWith(levels, JobClass::kDeep, {}), "L1 1 + 2");
  EXPECT_EQ(PickWith(levels, JobClass::kDeep, Room(81)), "L2 2 move");
}

TEST(PickWithinLimit, FewerTablesOfL0) {
  LayoutOptions layout;
  layout.l0_job_bytes_max = 100 * kMiB;
  const VersionRef version =
      VersionFromText("L0: 4:[a..z]*4 3:[a..z]*4 2:[a..z]*4 1:[a..z]*2 L1: 5:[a..z]*3");
  const auto pick = [&](uint64_t mib) {
    return PlanText(Pick(*version, JobClass::kL0, {}, {}, layout, Room(mib)));
  };
  EXPECT_EQ(pick(17), "L0 4 3 2 1 + 5");
  EXPECT_EQ(pick(16), "L0 2 1 + 5");
  EXPECT_EQ(pick(8), "L0 1 + 5");
  EXPECT_EQ(pick(4), "nothing");
}

TEST(PickWithinLimit, AStepOfAManualCompaction) {
  const VersionRef version =
      VersionFromText("L1: 1:[a..c]*4 2:[d..f]*4 3:[g..i]*4 L2: 4:[a..b] 5:[d..e] 6:[g..h]");
  const auto pick = [&](const OutputLimit& room) {
    return PickManual(*version, 1, {}, {}, {}, room);
  };
  EXPECT_EQ(PlanText(pick({}).plan), "L1 1 2 3 + 4 5 6");
  EXPECT_EQ(PlanText(pick(Room(14)).plan), "L1 1 + 4");
  EXPECT_EQ(pick(Room(14)).next_begin, "c");
  EXPECT_TRUE(pick(Room(4)).conflict);
}

TEST(PickWithinLimit, DeletionsLeaveLessToWrite) {
  const VersionRef version = VersionFromText("L1: 1:[a..c]*2 L2: 2:[a..c]*10");
  SetContents(*version, 1, {1000, 1000, 7});
  SetContents(*version, 2, {1000, 0, 0});
  const auto pick = [&](const OutputLimit& room) {
    return PlanText(PickReclaim(*version, {}, {}, {7}, room));
  };
  EXPECT_EQ(pick({.bytes_max = 0, .freeing_bytes_max = 0}), "L1 1 + 2") << "nothing is left";
  EXPECT_EQ(pick({.bytes_max = 0, .freeing_bytes_max = 0, .oldest_snapshot = 6}), "nothing")
      << "a snapshot needs the values";
  SetContents(*version, 1, {1000, 500, 7});
  EXPECT_EQ(pick({.bytes_max = 1 * kMiB, .freeing_bytes_max = 8 * kMiB}), "L1 1 + 2");
  EXPECT_EQ(pick({.bytes_max = 1 * kMiB, .freeing_bytes_max = 7 * kMiB}), "nothing");
  // Below them is nothing that they hide.
  const VersionRef alone = VersionFromText("L1: 1:[a..c]*4");
  SetContents(*alone, 1, {1000, 750, 7});
  const auto drop = [&](uint64_t mib) {
    return PlanText(PickReclaim(*alone, {}, {}, {7}, Room(mib)));
  };
  EXPECT_EQ(drop(1), "L1 1");
  EXPECT_EQ(drop(0), "nothing");
}

// ---- the compaction state

TEST(CompactionStateRoom, TellsWhatLacksRoom) {
  CompactionState compaction_state{LayoutOptions()};
  const VersionRef version = VersionFromText("L1: 1:[a..c]*12 L2: 2:[a..c]*3");
  const auto lacking = [&] {
    return compaction_state.BytesLackingSpace(JobClass::kDeep, *version, kMaxSequence,
                                              std::nullopt);
  };
  compaction_state.SetOutputLimit(Room(14));
  EXPECT_EQ(PlanText(compaction_state.Pick(JobClass::kDeep, *version)), "nothing");
  EXPECT_EQ(lacking(), 15 * kMiB);
  EXPECT_FALSE(compaction_state.IsIdle(*version, kMaxSequence));
  EXPECT_EQ(compaction_state.BytesLackingSpace(JobClass::kL0, *version, kMaxSequence, std::nullopt),
            std::nullopt);
  compaction_state.SetOutputLimit(Room(15));
  const auto plan = compaction_state.Pick(JobClass::kDeep, *version);
  EXPECT_EQ(PlanText(plan), "L1 1 + 2") << "a larger room is another pick";
  ASSERT_NE(compaction_state.Begin(JobClass::kDeep, *plan, testing::InternalOrder()), nullptr);
  compaction_state.SetOutputLimit(Room(14));
  EXPECT_EQ(lacking(), std::nullopt) << "it runs";
}

TEST(CompactionStateRoom, AManualRequestWaitsForRoomOrEnds) {
  CompactionState compaction_state{LayoutOptions()};
  const VersionRef version = VersionFromText("L1: 1:[a..c]*2 L2: 2:[a..c]*3");
  ManualRequest request;
  request.level = 1;
  compaction_state.AddRequest(&request);
  compaction_state.SetOutputLimit(Room(4));
  EXPECT_EQ(PlanText(compaction_state.PickManual(*version, leveldb::Status::OK())), "nothing");
  EXPECT_FALSE(request.done);
  EXPECT_EQ(
      compaction_state.BytesLackingSpace(JobClass::kManual, *version, kMaxSequence, std::nullopt),
      5 * kMiB);
  compaction_state.RefuseManual(leveldb::Status::IOError("full"));
  EXPECT_TRUE(request.done);
  EXPECT_TRUE(request.status.IsIOError());
  compaction_state.RemoveRequest(&request);
}

// ---- the guard

class FreeSpaceEnv final : public leveldb::EnvWrapper, public EnvExtension {
 public:
  FreeSpaceEnv() : EnvWrapper(leveldb::Env::Default()), EnvExtension(this) {}
  leveldb::Status SyncDirectory(const std::string&) override { return leveldb::Status::OK(); }
  std::optional<uint64_t> FreeBytes(const std::string&) override {
    ++asked;
    return free_bytes;
  }
  std::optional<uint64_t> free_bytes = 100 * kMiB;
  int asked = 0;
};

class SpaceGuardTest : public ::testing::Test {
 protected:
  static constexpr uint64_t kMs = 1'000'000;

  SpaceGuardTest() {
    context_.options.info_log = &log_;
    context_.extension = &env_;
    context_.pace.retry_nanos = 400 * kMs;
    context_.flush_thread = &thread_;
    room_.Sample(kMs, 0, 0);
    guard_.Sample(kMs);
  }
  static SpaceGuard::Use LargeStore() { return {.table_bytes = 1000 * kMiB}; }

  FreeSpaceEnv env_;
  testing::LinesLogger log_;
  StoreContext context_{leveldb::Options()};
  FlushThread thread_;  // not started
  EventHub hub_;
  ActivityStats activity_{Clock::System(), &hub_};
  DiskSpace room_{&context_};
  SpaceGuard guard_{&context_, &room_, &activity_};
};

TEST_F(SpaceGuardTest, LimitsNothingWhereAllTablesFitOrFreeSpaceIsUnknown) {
  EXPECT_FALSE(guard_.OutputLimitFor({.table_bytes = 100 * kMiB}).IsLimited());
  EXPECT_TRUE(guard_.OutputLimitFor({.table_bytes = 101 * kMiB}).IsLimited());
  context_.extension = nullptr;
  DiskSpace unknown(&context_);
  SpaceGuard blind(&context_, &unknown, &activity_);
  blind.Sample(1);
  EXPECT_FALSE(blind.OutputLimitFor(LargeStore()).IsLimited());
  context_.extension = &env_;
  env_.free_bytes = std::nullopt;
  room_.Sample(3 * kMs, 0, 0);
  guard_.Sample(3 * kMs);
  EXPECT_FALSE(guard_.OutputLimitFor(LargeStore()).IsLimited());
}

TEST_F(SpaceGuardTest, LeavesWhatOthersNeed) {
  SpaceGuard::Use use = LargeStore();
  use.unwritten_bytes = 30 * kMiB;
  use.unflushed_bytes = 22 * kMiB;
  use.memtable_bytes = 8 * kMiB;
  OutputLimit room = guard_.OutputLimitFor(use);
  EXPECT_EQ(room.bytes_max, 32 * kMiB) << "100 - 30 - 22 - 2 * 8";
  EXPECT_LE(room.freeing_bytes_max, 62 * kMiB) << "100 - 30 - 8";
  EXPECT_GT(room.freeing_bytes_max, 62 * kMiB * 15 / 16);
  use.memtable_bytes = use.unflushed_bytes = 1000 * kMiB;
  room = guard_.OutputLimitFor(use);
  EXPECT_LE(room.bytes_max, 6 * kMiB) << "the reserve is at most 64 MiB";
  EXPECT_GT(room.bytes_max, 5 * kMiB);
  use.unwritten_bytes = 101 * kMiB;
  EXPECT_EQ(guard_.OutputLimitFor(use).bytes_max, 0u);
  EXPECT_EQ(guard_.OutputLimitFor(use).freeing_bytes_max, 0u);
}

TEST_F(SpaceGuardTest, AsksForANewFigureIfTheLastIsOld) {
  guard_.Sample(101 * kMs);
  EXPECT_FALSE(room_.Sample(kMs + 1, 0, 0)) << "not asked for";
  EXPECT_EQ(env_.asked, 1);
  env_.free_bytes = 8 * kMiB;
  guard_.Sample(101 * kMs + 1);
  EXPECT_FALSE(guard_.Refused(JobClass::kL0, 500, 101 * kMs, 0)) << "the figure is old";
  EXPECT_TRUE(room_.Sample(101 * kMs + 2, 0, 0));
  EXPECT_EQ(env_.asked, 2);
  guard_.Sample(101 * kMs + 3);
  EXPECT_EQ(guard_.OutputLimitFor(LargeStore()).bytes_max, 8 * kMiB);
  EXPECT_TRUE(guard_.Refused(JobClass::kL0, 500, 102 * kMs, 0));
}

TEST_F(SpaceGuardTest, ReportsAWaitThatLastsAndItsEnd) {
  EXPECT_EQ(guard_.bytes_awaited(), 0u);
  EXPECT_FALSE(guard_.Refused(JobClass::kL0, 500, 10 * kMs, 100 * kMs));
  EXPECT_EQ(guard_.bytes_awaited(), 500u);
  EXPECT_FALSE(guard_.Refused(JobClass::kDeep, 900, 60 * kMs, 100 * kMs));
  EXPECT_EQ(guard_.bytes_awaited(), 900u);
  guard_.LogChange();
  EXPECT_EQ(log_.Count(""), 0);
  EXPECT_TRUE(guard_.Refused(JobClass::kL0, 500, 110 * kMs, 100 * kMs));
  guard_.LogChange();
  EXPECT_EQ(log_.Count("Compactions wait for disk space: "), 1);
  EXPECT_FALSE(guard_.Refused(JobClass::kL0, 500, 120 * kMs, 100 * kMs));
  EXPECT_TRUE(guard_.Refused(JobClass::kDeep, 900, 160 * kMs, 100 * kMs));
  EXPECT_TRUE(guard_.Refused(JobClass::kL0, 500, 210 * kMs, 100 * kMs)) << "for the next client";
  guard_.NotRefused(JobClass::kDeep);
  guard_.LogChange();
  EXPECT_EQ(guard_.bytes_awaited(), 500u);
  EXPECT_EQ(log_.Count(""), 1) << "once";
  guard_.NotRefused(JobClass::kL0);
  guard_.NotRefused(JobClass::kL0);
  guard_.LogChange();
  guard_.LogChange();
  EXPECT_EQ(guard_.bytes_awaited(), 0u);
  EXPECT_EQ(log_.Count("No compaction waits for disk space any more"), 1);
  EXPECT_EQ(log_.Count(""), 2);
  EXPECT_FALSE(guard_.Refused(JobClass::kL0, 500, 900 * kMs, 100 * kMs)) << "a new wait";
  guard_.Postpone(JobClass::kL0, 990 * kMs);
  EXPECT_FALSE(guard_.Refused(JobClass::kL0, 500, 1080 * kMs, 100 * kMs));
  EXPECT_TRUE(guard_.Refused(JobClass::kL0, 500, 1090 * kMs, 100 * kMs));
  guard_.LogChange();
  EXPECT_EQ(log_.Count(""), 2) << "too soon for another line";
  EXPECT_TRUE(guard_.Refused(JobClass::kL0, 500, 60'110 * kMs, 100 * kMs));
  guard_.LogChange();
  EXPECT_EQ(log_.Count("Compactions wait for disk space: "), 2);
}

// ---- a store

class GuardedStoreTest : public testing::ScriptedStoreTest {
 protected:
  GuardedStoreTest() {
    pace_.retry_nanos = 40'000;  // free space is measured every 10 us
    options_.info_log = &log_;
    scheduling_.l0_trigger = 2;
  }
  ~GuardedStoreTest() override { db_.reset(); }

  /// L1 has about 4 MB. Then `free_bytes` are free.
  void FillL1(uint64_t free_bytes) {
    Open();
    Write(0, 4000);
    db_->CompactRange(nullptr, nullptr);
    ASSERT_EQ(TablesAt(0), 0);
    env_.free_bytes.store(free_bytes);
  }
  /// Two tables of L0, which make its compaction due, over all of L1.
  void MakeL0Due() {
    for (int table = 0; table < 2; ++table) {
      for (uint64_t key : {0, 1999, 3999}) Put(KeyOf(key), "new");
      ASSERT_TRUE(Flush(db_.get()).ok());
    }
  }
  testing::LinesLogger log_;
};

TEST_F(GuardedStoreTest, ACompactionWaitsForSpace) {
  FillL1(5 * kMiB);
  EXPECT_EQ(Space()["disk_free_bytes"], 5 * kMiB);
  EXPECT_EQ(Space()["awaited_bytes"], 0);
  env_.free_bytes.store(0);
  EXPECT_EQ(Space()["disk_free_bytes"], 1) << "0 means unknown";
  env_.free_bytes.store(5 * kMiB);
  MakeL0Due();
  Await("it waits", [this] { return log_.Count("Compactions wait for disk space: ") == 1; });
  EXPECT_GE(Space()["awaited_bytes"], 4'000'000);
  EXPECT_EQ(TablesAt(0), 2);
  const leveldb::Status status = WaitForIdle(db_.get());
  EXPECT_TRUE(IsOutOfResources(status)) << status.ToString();
  env_.free_bytes.store(8 * kMiB);
  Await("it runs", [this] { return TablesAt(0) == 0; });
  EXPECT_TRUE(WaitForIdle(db_.get()).ok());
  EXPECT_EQ(Space()["awaited_bytes"], 0);
  EXPECT_EQ(log_.Count("Compactions wait for disk space: "), 1);
  log_.lines.Await("the end of the wait", [this] {
    return log_.Count("No compaction waits for disk space any more") == 1;
  });
}

TEST_F(GuardedStoreTest, CompactRangeEndsIfItDoesNotFit) {
  FillL1(5 * kMiB);
  for (uint64_t key : {0, 3999}) Put(KeyOf(key), "new");
  db_->CompactRange(nullptr, nullptr);
  EXPECT_EQ(log_.Count("CompactRange ends early: "), 1);
  EXPECT_EQ(TablesAt(0), 1);
  env_.free_bytes.store(8 * kMiB);
  db_->CompactRange(nullptr, nullptr);
  EXPECT_EQ(log_.Count("CompactRange ends early: "), 1);
  EXPECT_EQ(TablesAt(0), 0);
}

TEST_F(GuardedStoreTest, AWriterThatNeedsACompactionGetsTheError) {
  FillL1(3 * kMiB);
  MakeL0Due();
  leveldb::Status status;
  for (uint64_t i = 0; status.ok() && i < 100'000; ++i)
    status = db_->Put({}, KeyOf(i % 4000), ValueOf(i));
  EXPECT_TRUE(IsOutOfResources(status)) << status.ToString();
  env_.free_bytes.store(UINT64_MAX);
  Await("writes succeed", [&] { return db_->Put({}, KeyOf(1), ValueOf(1)).ok(); });
}

TEST_F(GuardedStoreTest, WhatFreesSpaceBeginsNevertheless) {
  FillL1(1 * kMiB + 512 * 1024);
  Delete(0, 4000);
  ASSERT_TRUE(Flush(db_.get()).ok());
  EXPECT_TRUE(WaitForIdle(db_.get()).ok());
  EXPECT_EQ(Space()["tables"]["count"], 0);
}

}  // namespace
}  // namespace lull
