// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Jobs and stalls reported by hand, on a manual clock.
#include "db/report/activity_stats.h"

#include <memory>
#include <utility>
#include <vector>

#include "db/base/context.h"
#include "db/compaction/merge_job.h"
#include "gtest/gtest.h"
#include "tests/db/support/job_sequence_checker.h"
#include "tests/support/manual_clock.h"

namespace lull::testing {
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
  StallTotals Slowdowns(WriteStallCause cause) { return Totals(StallKind::kSlowdown, cause); }
  size_t StallsNow() { return stats_.Report(0).stalls.size(); }
  void Advance(uint64_t ms) { clock_.Advance(ms * 1'000'000); }

  StoreContext context_;
  ManualClock clock_;
  EventHub hub_;
  ActivityStats stats_{&clock_, &hub_};
  std::shared_ptr<JobSequenceChecker> checker_ = std::make_shared<JobSequenceChecker>();
};

TEST_F(ActivityStatsTest, AJobFromBeginToEnd) {
  const auto job = MakeFlush(1000);
  stats_.JobStarted(*job, CpuPriority::kNormal);
  Advance(10);
  stats_.JobPaused(*job);
  Advance(30);
  ActivityReport report = stats_.Report(0);
  ASSERT_EQ(report.jobs.size(), 1u);
  EXPECT_TRUE(report.jobs[0].paused);
  EXPECT_EQ(report.jobs[0].info.paused_us, 30'000u);  // counted while the pause lasts
  EXPECT_EQ(report.job_totals[0].paused_nanos, 30 * kMs);
  stats_.JobStarted(*job, CpuPriority::kIdle);
  Advance(5);
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

class ReadingJob final : public MergeJob {
 public:
  ReadingJob(StoreContext* context, JobKind kind)
      : MergeJob(context, 0, DropRule(context->order, 0, nullptr, 0)), kind_(kind) {}
  JobInfo Describe() const override {
    JobInfo info;
    info.kind = kind_;
    info.input_bytes = 1000;
    return info;
  }
  uint64_t input_bytes_read() const override { return read; }

  uint64_t read = 0;

 private:
  leveldb::Status OpenInput(std::unique_ptr<leveldb::Iterator>*) override { return {}; }
  bool CutBefore(const leveldb::Slice&, uint64_t, bool) override { return false; }

  const JobKind kind_;
};

TEST_F(ActivityStatsTest, RoomComesAtTheEndOfTheFirstJobThatMakesIt) {
  ReadingJob flush(&context_, JobKind::kFlush), l0(&context_, JobKind::kL0Compaction);
  ReadingJob deep(&context_, JobKind::kDeepCompaction);
  for (const ReadingJob* job : {&flush, &l0, &deep}) stats_.JobStarted(*job, CpuPriority::kNormal);
  const auto in_ms = [this](WriteStallCause cause) { return stats_.MicrosToRoom(cause) / 1000; };
  Advance(10);
  EXPECT_EQ(in_ms(WriteStallCause::kMemory), 0u) << "nothing is known of its speed";
  flush.read = 500;
  l0.read = 250;
  deep.read = 100;
  EXPECT_EQ(in_ms(WriteStallCause::kMemory), 10u);
  EXPECT_EQ(in_ms(WriteStallCause::kL0), 30u);
  EXPECT_EQ(in_ms(WriteStallCause::kDebt), 30u);
  EXPECT_EQ(in_ms(WriteStallCause::kOther), 0u);
  stats_.JobPaused(l0);
  EXPECT_EQ(in_ms(WriteStallCause::kL0), 0u) << "it can pause for any time";
  EXPECT_EQ(in_ms(WriteStallCause::kDebt), 90u);
  for (const ReadingJob* job : {&flush, &l0, &deep}) stats_.JobAbandoned(*job);
}

TEST_F(ActivityStatsTest, FailedAndAbandonedJobs) {
  const auto failed = MakeFlush(1000), abandoned = MakeFlush(1000), open = MakeFlush(1000);
  for (const auto* job : {&failed, &abandoned, &open})
    stats_.JobStarted(**job, CpuPriority::kNormal);
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
  Advance(1);
  stats_.PartMerged(*part);
  Advance(5);
  stats_.JobPaused(*part);
  Advance(5);
  stats_.JobAbandoned(*part);  // the checker compares both times
  EXPECT_EQ(stats_.Report(0).job_totals[0].paused_nanos, 0u);
}

TEST_F(ActivityStatsTest, AStopLastsAsLongAsItsWriteWaits) {
  {
    StoppedWrite write(&stats_);
    EXPECT_EQ(Totals(StallKind::kStop, WriteStallCause::kMemory).count, 0u);
    write.Because(StallCause::kMemory);
    write.Because(StallCause::kMemory);
    Advance(7);
    const StallTotals now = Totals(StallKind::kStop, WriteStallCause::kMemory);
    EXPECT_EQ(now.count, 1u);
    EXPECT_EQ(now.held_nanos, 7 * kMs);
    EXPECT_EQ(now.held_writes, 1u);
    EXPECT_EQ(StallsNow(), 1u);
    write.Because(StallCause::kL0);
    Advance(2);
  }
  Advance(100);
  EXPECT_EQ(Totals(StallKind::kStop, WriteStallCause::kMemory).held_nanos, 7 * kMs);
  EXPECT_EQ(Totals(StallKind::kStop, WriteStallCause::kL0).held_nanos, 2 * kMs);
  EXPECT_EQ(StallsNow(), 0u);
}

TEST_F(ActivityStatsTest, ASlowdownIsOneStallForEachCauseHoweverManyWritesItHolds) {
  stats_.SetDirective(Slowing(StallCause::kDebt));
  EXPECT_EQ(StallsNow(), 0u);  // no write was delayed yet
  {
    const SlowedWrite first(&stats_);
    Advance(2);
    const SlowedWrite second(&stats_);  // two at the same time do not count twice
    Advance(3);
  }
  Advance(50);
  {
    const SlowedWrite third(&stats_);
    Advance(1);
    stats_.SetDirective(Slowing(StallCause::kDebt));
    EXPECT_EQ(StallsNow(), 1u);
    stats_.SetDirective(Slowing(StallCause::kL0));
    checker_->Await([](const auto& counts) { return counts.stall_ends == 1; });
    EXPECT_EQ(checker_->LastStall().elapsed_us, 56'000u);
    EXPECT_EQ(checker_->LastStall().held_us, 6'000u);
    Advance(4);
    stats_.SetDirective(Directive());
    Advance(1);
    EXPECT_EQ(StallsNow(), 1u) << "the stall ends with the write";
  }
  EXPECT_EQ(StallsNow(), 0u);
  const StallTotals debt = Slowdowns(WriteStallCause::kDebt);
  EXPECT_EQ(debt.count, 1u);
  EXPECT_EQ(debt.held_writes, 3u);
  EXPECT_EQ(debt.held_nanos, 6 * kMs);
  EXPECT_EQ(Slowdowns(WriteStallCause::kL0).count, 1u);
  EXPECT_EQ(Slowdowns(WriteStallCause::kL0).held_nanos, 5 * kMs);
}

TEST_F(ActivityStatsTest, RatesAreOfTheLastSecond) {
  uint64_t bytes = 0;
  for (int i = 0; i < 50; ++i) {
    Advance(100);
    stats_.Sample(bytes += 1000);
  }
  EXPECT_NEAR(stats_.Report(bytes).rates.user_bytes_per_sec, 10'000, 1);
  for (int i = 0; i < 20; ++i) {
    Advance(100);
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
  stats_.SetDirective(Slowing(StallCause::kL0));
  const SlowedWrite write(&stats_);
  const auto late = std::make_shared<JobSequenceChecker>();
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
  for (const std::string policy : {"lull", "lull", "silk"})
    stats_.SetOptions(policy, "policy=" + policy);
  checker_->Await([](const auto& counts) { return counts.option_changes == 1; });
}

}  // namespace
}  // namespace lull::testing
