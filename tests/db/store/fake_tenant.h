// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Fakes for tests of the coordinator: tenants that offer the jobs of a test, and jobs that record
// what happens to them. Their policies are scripts (script_policy.h).
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <functional>
#include <iterator>
#include <limits>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "scheduler/threads/coordinator.h"
#include "tests/db/support/script_policy.h"
#include "util/clock.h"
#include "util/mutex.h"
#include "util/thread.h"

namespace lull::testing {

/// The test's view and control of a job. Outlives the job.
struct JobRecord {
  /// Only the first `count` slices can end.
  void AllowSlices(uint64_t count) {
    slices_max.store(count);
    ScriptedEvents().Note();
  }

  JobClass job_class = JobClass::kDeep;
  std::atomic<uint64_t> slices{0};                                         ///< begun
  std::atomic<uint64_t> slices_max{std::numeric_limits<uint64_t>::max()};  ///< see AllowSlices
  std::atomic<int> inside{0};
  std::atomic<bool> held{false};    ///< in a slice that must not end yet
  std::atomic<uint64_t> starts{0};  ///< by the coordinator, resumes included
  std::atomic<bool> paused{false};  ///< since the last start
  std::atomic<unsigned> ran_on{0};  ///< the thread's ordinal
  std::atomic<bool> finish{false};
  std::atomic<bool> destroyed{false};
  std::atomic<uint64_t> bytes_per_slice{0};
  std::atomic<uint64_t> written{0};
  std::atomic<double> share_done{0};
  std::atomic<bool> blocks_l0{false};
};

class FakeJob final : public Job {
 public:
  explicit FakeJob(std::shared_ptr<JobRecord> record) : record_(std::move(record)) {}
  ~FakeJob() override {
    record_->destroyed.store(true);
    ScriptedEvents().Note();
  }

  leveldb::Status RunSlice(const SliceBudget&, Progress* progress) override {
    EXPECT_EQ(record_->inside.fetch_add(1), 0) << "two threads in one job";
    record_->ran_on.store(ThreadOrdinal());
    const uint64_t slice = record_->slices.fetch_add(1) + 1;
    Compute();
    ScriptedEvents().Note();
    if (slice > record_->slices_max.load()) {
      record_->held.store(true);
      ScriptedEvents().Note();
      ScriptedEvents().Await("a slice may end",
                             [&] { return slice <= record_->slices_max.load(); });
      record_->held.store(false);
    }
    record_->written.fetch_add(record_->bytes_per_slice.load());
    record_->inside.fetch_sub(1);
    *progress = record_->finish.load() ? Progress::kDone : Progress::kMore;
    return leveldb::Status::OK();
  }
  uint64_t written_bytes() const override { return record_->written.load(); }
  double share_done() const override { return record_->share_done.load(); }
  JobRecord& record() const { return *record_; }

 private:
  /// Some ten microseconds of work: the slice's computation.
  void Compute() {
    for (int i = 0; i < 10'000; ++i) state_ = state_ * 6364136223846793005u + 1;
  }

  const std::shared_ptr<JobRecord> record_;
  volatile uint64_t state_ = 0;
};

class FakeTenant final : public Tenant {
 public:
  std::shared_ptr<JobRecord> Offer(JobClass job_class, uint64_t bytes_per_slice = 0) {
    auto record = std::make_shared<JobRecord>();
    record->job_class = job_class;
    record->bytes_per_slice.store(bytes_per_slice);
    MutexLock lock(mutex_);
    offers_.push_back(record);
    return record;
  }

  std::atomic<bool> rests{false};
  std::atomic<uint64_t> measured{0};  ///< how often

  bool MeasurePressure(Pressure* pressure) override {
    measured.fetch_add(1);
    MutexLock lock(mutex_);
    for (const auto& offer : offers_) {
      if (offer->job_class == JobClass::kManual) pressure->manual_due = true;
      if (offer->job_class == JobClass::kL0) pressure->l0_due = true;
      if (offer->job_class == JobClass::kDeep) pressure->deep_due = true;
    }
    ScriptedEvents().Note();
    return rests.load();
  }
  void ApplyDirective(const Directive&) override {}
  bool BeginJob(JobClass job_class, JobId id) override {
    MutexLock lock(mutex_);
    const bool blocked = std::ranges::any_of(
        jobs_, [](const auto& job) { return job.second->record().blocks_l0.load(); });
    if (job_class == JobClass::kL0 && blocked) return false;
    const auto offer = std::ranges::find(offers_, job_class, &JobRecord::job_class);
    if (offer == offers_.end()) return false;
    jobs_[id] = std::make_unique<FakeJob>(*offer);
    offers_.erase(offer);
    return true;
  }
  Job* StartJob(JobId id, CpuPriority) override {
    MutexLock lock(mutex_);
    JobRecord& record = jobs_.at(id)->record();
    record.paused.store(false);
    record.starts.fetch_add(1);
    return jobs_.at(id).get();
  }
  void JobPaused(JobId id) override {
    MutexLock lock(mutex_);
    jobs_.at(id)->record().paused.store(true);
    ScriptedEvents().Note();
  }
  void JobEnded(JobId id, const leveldb::Status& status) override {
    EXPECT_TRUE(status.ok());
    End(id, &ended_);
  }
  void AbandonJob(JobId id) override { End(id, &abandoned_); }
  std::vector<JobId> BlockersOfL0(const std::vector<JobId>& deep) override {
    MutexLock lock(mutex_);
    std::vector<JobId> blockers;
    std::ranges::copy_if(deep, std::back_inserter(blockers), [&](JobId id) LULL_REQUIRES(mutex_) {
      return jobs_.at(id)->record().blocks_l0.load();
    });
    return blockers;
  }
  uint64_t ClientBytes() const override { return 0; }

  std::atomic<int> ended_{0};
  std::atomic<int> abandoned_{0};

 private:
  void End(JobId id, std::atomic<int>* events) {
    std::unique_ptr<FakeJob> ended;  // destroyed without the mutex
    {
      MutexLock lock(mutex_);
      ended = std::move(jobs_.extract(id).mapped());
    }
    events->fetch_add(1);
    ScriptedEvents().Note();
  }

  Mutex mutex_;
  std::vector<std::shared_ptr<JobRecord>> offers_ LULL_GUARDED_BY(mutex_);
  std::map<JobId, std::unique_ptr<FakeJob>> jobs_ LULL_GUARDED_BY(mutex_);
};

class CoordinatorFixture : public ::testing::Test {
 protected:
  void TearDown() override { coordinator_->Unregister(&tenant_); }
  void Start(int threads, Clock* clock = Clock::System()) {
    CoordinatorOptions options;
    options.compaction_threads = threads;
    options.clock = clock;
    coordinator_ = std::make_unique<Coordinator>(options);
    ASSERT_TRUE(coordinator_->StartThreads().ok());
    wish_.Set(Script::Everything());
  }
  void Register(FakeTenant* tenant, Script* wish) { coordinator_->Register(tenant, wish->Make()); }
  void Register() { Register(&tenant_, &wish_); }
  void AwaitRuns(const JobRecord& record) {
    const uint64_t before = record.slices.load();
    Await("the job runs", [&] { return record.slices.load() > before; });
  }
  /// Waits until `holds`. Some tests stop the clock, so each check wakes the monitor.
  void Await(const char* what, const std::function<bool()>& holds) {
    ScriptedEvents().Await(what, [&] {
      coordinator_->WakeMonitor();
      return holds();
    });
  }
  /// Waits for `rounds` further decisions of the monitor.
  void AwaitRounds(Script* wish, uint64_t rounds) {
    const uint64_t asked = wish->asked();
    Await("rounds of the monitor", [&] { return wish->asked() >= asked + rounds; });
  }
  /// Waits until no worker runs the job: it never began, was paused, or ran its one slice under a
  /// limit.
  void AwaitStill(const JobRecord& record) {
    AwaitRounds(&wish_, 2);
    const bool limited = wish_.Wanted().rate.bytes_per_sec > 0;
    Await("the job does not run", [&] {
      const uint64_t starts = record.starts.load();
      if (record.inside.load() > 0) return false;
      return starts == 0 || record.paused.load() || (limited && starts == record.slices.load());
    });
  }

  ManualClock clock_;  // for tests that start the coordinator with it
  Script wish_;
  FakeTenant tenant_;
  std::unique_ptr<Coordinator> coordinator_;
};

}  // namespace lull::testing
