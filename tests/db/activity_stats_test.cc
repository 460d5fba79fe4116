// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Jobs and stalls reported by hand, on a manual clock.
#include "db/report/activity_stats.h"

#include <memory>
#include <utility>
#include <vector>

#include "db/compaction/merge_job.h"
#include "db/context.h"
#include "gtest/gtest.h"
#include "tests/db/job_sequence_checker.h"

namespace lull {
namespace {

constexpr uint64_t kMs = 1'000'000;

Directive Slowing(StallCause cause) {
  Directive directive;
  directive.write_bytes_per_sec_max = 1000;
  directive.cause = cause;
  return directive;
}

class ActivityStatsTest : public ::testing::Test {
 protected:
  ActivityStatsTest() : context_(leveldb::Options()) {
    EXPECT_TRUE(stats_.AddListener(checker_).ok());
  }
  ~ActivityStatsTest() override {
    stats_.Close();
    hub_.Stop();
    EXPECT_EQ(checker_->Open(), 0u);
    EXPECT_EQ(checker_->errors(), std::vector<std::string>());
  }

  std::unique_ptr<FlushJob> MakeFlush(uint64_t memory_bytes) {
    std::vector<SealedMemTable> sealed(1);
    sealed[0].memtable = std::make_shared<MemTable>(context_.order);
    sealed[0].memory_bytes = memory_bytes;
    return std::make_unique<FlushJob>(&context_, std::move(sealed), 0);
  }
  StallTotals Totals(StallKind kind, WriteStallCause cause) {
    return stats_.Report(0).stall_totals[static_cast<size_t>(kind)][static_cast<size_t>(cause)];
  }

  StoreContext context_;
  ManualClock clock_;
  EventHub hub_;
  ActivityStats stats_{&clock_, &hub_};
  std::shared_ptr<testing::JobSequenceChecker> checker_ =
      std::make_shared<testing::JobSequenceChecker>();
};

TEST_F(ActivityStatsTest, AJobFromBeginToEnd) {
  const auto job = MakeFlush(1000);
  stats_.JobStarted(*job, CpuPriority::kNormal);
  clock_.Advance(10 * kMs);
  stats_.JobPaused(*job);
  clock_.Advance(30 * kMs);
  ActivityReport report = stats_.Report(0);
  ASSERT_EQ(report.jobs.size(), 1u);
  EXPECT_TRUE(report.jobs[0].paused);
  EXPECT_EQ(report.jobs[0].info.paused_us, 30'000u);  // counted while the pause lasts
  EXPECT_EQ(report.job_totals[0].paused_nanos, 30 * kMs);
  stats_.JobStarted(*job, CpuPriority::kIdle);
  clock_.Advance(5 * kMs);
  report = stats_.Report(0);
  EXPECT_FALSE(report.jobs[0].paused);
  EXPECT_TRUE(report.jobs[0].info.idle_priority);
  stats_.JobEnded(*job, leveldb::Status::OK());
  report = stats_.Report(0);
  EXPECT_TRUE(report.jobs.empty());
  EXPECT_EQ(report.job_totals[0].done, 1u);
  EXPECT_EQ(report.job_totals[0].pauses, 1u);
  EXPECT_EQ(report.job_totals[0].read_bytes, 1000u);
  checker_->Await([](const auto& counts) { return counts.done == 1; });
  const JobInfo end = checker_->LastEnd(JobKind::kFlush);
  EXPECT_EQ(end.elapsed_us, 45'000u);
  EXPECT_EQ(end.paused_us, 30'000u);
  EXPECT_EQ(checker_->counts().resumes, 1u);
}

TEST_F(ActivityStatsTest, FailedAndAbandonedJobs) {
  const auto failed = MakeFlush(1000);
  const auto abandoned = MakeFlush(1000);
  const auto open = MakeFlush(1000);
  for (const auto* job : {&failed, &abandoned, &open}) {
    stats_.JobStarted(**job, CpuPriority::kNormal);
  }
  stats_.JobEnded(*failed, leveldb::Status::IOError("no room"));
  stats_.JobPaused(*abandoned);
  stats_.JobAbandoned(*abandoned);
  stats_.JobAbandoned(*abandoned);  // already gone: no effect
  stats_.Close();
  const ActivityReport report = stats_.Report(0);
  EXPECT_EQ(report.job_totals[0].failed, 1u);
  EXPECT_EQ(report.job_totals[0].abandoned, 2u);
  EXPECT_EQ(report.job_totals[0].read_bytes, 0u);
}

// A close can pause the last parts, and abandon all.
TEST_F(ActivityStatsTest, APartThatHasMergedIsNotPausedAnyMore) {
  const auto part = MakeFlush(1000);
  stats_.JobStarted(*part, CpuPriority::kNormal);
  clock_.Advance(1'000'000);
  stats_.PartMerged(*part);
  clock_.Advance(5'000'000);
  stats_.JobPaused(*part);
  clock_.Advance(5'000'000);
  stats_.JobAbandoned(*part);  // the checker compares both times
  EXPECT_EQ(stats_.Report(0).job_totals[0].paused_nanos, 0u);
}

TEST_F(ActivityStatsTest, AStopLastsAsLongAsItsWriteWaits) {
  {
    StoppedWrite write(&stats_);
    EXPECT_EQ(Totals(StallKind::kStop, WriteStallCause::kMemory).count, 0u);
    write.Because(StallCause::kMemory);
    write.Because(StallCause::kMemory);
    clock_.Advance(7 * kMs);
    const StallTotals now = Totals(StallKind::kStop, WriteStallCause::kMemory);
    EXPECT_EQ(now.count, 1u);
    EXPECT_EQ(now.held_nanos, 7 * kMs);
    EXPECT_EQ(now.held_writes, 1u);
    EXPECT_EQ(stats_.Report(0).stalls.size(), 1u);
    write.Because(StallCause::kL0);
    clock_.Advance(2 * kMs);
  }
  clock_.Advance(100 * kMs);
  EXPECT_EQ(Totals(StallKind::kStop, WriteStallCause::kMemory).held_nanos, 7 * kMs);
  EXPECT_EQ(Totals(StallKind::kStop, WriteStallCause::kL0).held_nanos, 2 * kMs);
  EXPECT_TRUE(stats_.Report(0).stalls.empty());
}

TEST_F(ActivityStatsTest, ASlowdownIsOneStallHoweverManyWritesItHolds) {
  stats_.DirectiveIs(Slowing(StallCause::kDebt));
  EXPECT_TRUE(stats_.Report(0).stalls.empty());  // no write was delayed yet
  {
    const SlowedWrite first(&stats_);
    clock_.Advance(2 * kMs);
    const SlowedWrite second(&stats_);  // two at the same time do not count twice
    clock_.Advance(3 * kMs);
  }
  clock_.Advance(50 * kMs);
  {
    const SlowedWrite third(&stats_);
    clock_.Advance(1 * kMs);
  }
  StallTotals totals = Totals(StallKind::kSlowdown, WriteStallCause::kDebt);
  EXPECT_EQ(totals.count, 1u);
  EXPECT_EQ(totals.held_writes, 3u);
  EXPECT_EQ(totals.held_nanos, 6 * kMs);
  stats_.DirectiveIs(Slowing(StallCause::kDebt));
  EXPECT_EQ(stats_.Report(0).stalls.size(), 1u);
  stats_.DirectiveIs(Directive());
  EXPECT_TRUE(stats_.Report(0).stalls.empty());
  checker_->Await([](const auto& counts) { return counts.stall_ends == 1; });
  EXPECT_EQ(checker_->LastStall().elapsed_us, 56'000u);
  EXPECT_EQ(checker_->LastStall().held_us, 6'000u);
}

TEST_F(ActivityStatsTest, ASlowdownForAnotherCauseIsAnotherStall) {
  stats_.DirectiveIs(Slowing(StallCause::kMemory));
  {
    const SlowedWrite write(&stats_);
    clock_.Advance(2 * kMs);
    stats_.DirectiveIs(Slowing(StallCause::kL0));
    clock_.Advance(4 * kMs);
    // Lifted while the write still sleeps: the stall ends with the write.
    stats_.DirectiveIs(Directive());
    clock_.Advance(1 * kMs);
    EXPECT_EQ(stats_.Report(0).stalls.size(), 1u);
  }
  EXPECT_TRUE(stats_.Report(0).stalls.empty());
  EXPECT_EQ(Totals(StallKind::kSlowdown, WriteStallCause::kMemory).held_nanos, 2 * kMs);
  EXPECT_EQ(Totals(StallKind::kSlowdown, WriteStallCause::kL0).held_nanos, 5 * kMs);
  EXPECT_EQ(Totals(StallKind::kSlowdown, WriteStallCause::kL0).count, 1u);
}

TEST_F(ActivityStatsTest, RatesAreOfTheLastSecond) {
  uint64_t bytes = 0;
  for (int i = 0; i < 50; ++i) {
    clock_.Advance(100 * kMs);
    stats_.Sample(bytes += 1000);
  }
  EXPECT_NEAR(stats_.Report(bytes).rates.user_bytes_per_sec, 10'000, 1);
  for (int i = 0; i < 20; ++i) {
    clock_.Advance(100 * kMs);
    stats_.Sample(bytes);
  }
  EXPECT_EQ(stats_.Report(bytes).rates.user_bytes_per_sec, 0);
}

TEST_F(ActivityStatsTest, WhoComesLateIsToldWhatIsUnderWay) {
  const auto running = MakeFlush(1);
  const auto paused = MakeFlush(2);
  stats_.JobStarted(*running, CpuPriority::kNormal);
  stats_.JobStarted(*paused, CpuPriority::kNormal);
  stats_.JobPaused(*paused);
  stats_.DirectiveIs(Slowing(StallCause::kL0));
  const SlowedWrite write(&stats_);
  const auto late = std::make_shared<testing::JobSequenceChecker>();
  EXPECT_TRUE(stats_.AddListener(late).ok());
  EXPECT_TRUE(stats_.AddListener(late).IsInvalidArgument());
  late->Await([](const auto& counts) {
    return counts.begins == 2 && counts.pauses == 1 && counts.stall_begins == 1;
  });
  stats_.JobStarted(*paused, CpuPriority::kNormal);
  stats_.JobEnded(*paused, leveldb::Status::OK());
  stats_.JobEnded(*running, leveldb::Status::OK());
  late->Await([](const auto& counts) { return counts.done == 2; });
  // The listener must not count the pause twice: the job's own count includes it already.
  EXPECT_EQ(late->errors(), std::vector<std::string>());
}

TEST_F(ActivityStatsTest, OptionsAreAnEventOnlyWhenTheyChange) {
  stats_.OptionsAre("lull", "policy=lull");
  stats_.OptionsAre("lull", "policy=lull");
  EXPECT_EQ(stats_.Report(0).policy, "lull");
  stats_.OptionsAre("silk", "policy=silk");
  EXPECT_EQ(stats_.Report(0).options, "policy=silk");
  checker_->Await([](const auto& counts) { return counts.option_changes == 1; });
}

}  // namespace
}  // namespace lull
