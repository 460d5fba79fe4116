// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// The coordinator with tenants and policies made for the purpose: who runs, who makes room, who is
// left alone. Waits are for conditions, never for time.
#include "db/coordinator.h"

#include <atomic>
#include <functional>
#include <memory>
#include <set>
#include <vector>

#include "gtest/gtest.h"
#include "util/mutex.h"
#include "util/thread.h"

namespace lull {
namespace {

/// A policy that wants what the test last said.
struct Wish {
  Mutex mutex;
  Directive directive;
  std::atomic<uint64_t> asked{0};

  void Set(const Directive& wanted) {
    MutexLock lock(mutex);
    directive = wanted;
  }
};

class WishPolicy final : public Policy {
 public:
  explicit WishPolicy(Wish* wish) : wish_(wish) {}
  Directive OnEvent(EventKind, const Pressure&, uint64_t) override {
    MutexLock lock(wish_->mutex);
    wish_->asked.fetch_add(1);
    return wish_->directive;
  }

 private:
  Wish* const wish_;
};

/// What a test sees of a job, alive or not.
struct JobRecord {
  std::atomic<uint64_t> slices{0};
  std::atomic<int> inside{0};
  std::atomic<unsigned> ran_on{0};  ///< the thread's ordinal
  std::atomic<bool> finish{false};
  std::atomic<bool> destroyed{false};
  JobClass job_class = JobClass::kDeep;
};

class FakeJob final : public Job {
 public:
  explicit FakeJob(std::shared_ptr<JobRecord> record)
      : Job(record->job_class), record_(std::move(record)) {}
  ~FakeJob() override { record_->destroyed.store(true); }

  leveldb::Status RunSlice(const SliceBudget&, Progress* progress) override {
    EXPECT_EQ(record_->inside.fetch_add(1), 0) << "two threads in one job";
    record_->ran_on.store(ThreadOrdinal());
    record_->slices.fetch_add(1);
    record_->inside.fetch_sub(1);
    *progress = record_->finish.load() ? Progress::kDone : Progress::kMore;
    Clock::System()->SleepForNanos(50'000);  // stands for the slice's work
    return leveldb::Status::OK();
  }

 private:
  const std::shared_ptr<JobRecord> record_;
};

class FakeTenant final : public Tenant {
 public:
  std::shared_ptr<JobRecord> Offer(JobClass job_class) {
    auto record = std::make_shared<JobRecord>();
    record->job_class = job_class;
    MutexLock lock(mutex_);
    offers_.push_back(record);
    return record;
  }

  void MeasurePressure(Pressure* pressure) override {
    pressure->client_bytes_total = bytes_.load();
    MutexLock lock(mutex_);
    for (const auto& offer : offers_) {
      if (offer->job_class == JobClass::kL0) pressure->l0_due = true;
    }
  }
  void ApplyDirective(const Directive&) override {}
  std::unique_ptr<Job> NextJob(JobClass job_class) override {
    MutexLock lock(mutex_);
    for (auto offer = offers_.begin(); offer != offers_.end(); ++offer) {
      if ((*offer)->job_class != job_class) continue;
      auto job = std::make_unique<FakeJob>(*offer);
      offers_.erase(offer);
      return job;
    }
    return nullptr;
  }
  void JobEnded(std::unique_ptr<Job>, const leveldb::Status&) override { ended_.fetch_add(1); }
  void AbandonJob(std::unique_ptr<Job>) override { abandoned_.fetch_add(1); }
  std::optional<uint64_t> RunFlushSlice() override {
    flush_calls_.fetch_add(1);
    return std::nullopt;
  }
  const std::atomic<uint64_t>& ClientBytes() const override { return bytes_; }

  std::atomic<uint64_t> bytes_{0};
  std::atomic<int> ended_{0};
  std::atomic<int> abandoned_{0};
  std::atomic<int> flush_calls_{0};

 private:
  Mutex mutex_;
  std::vector<std::shared_ptr<JobRecord>> offers_ LULL_GUARDED_BY(mutex_);
};

Directive Everything() {
  Directive wanted;
  wanted.l0 = {4, CpuPriority::kNormal};
  wanted.deep = {4, CpuPriority::kNormal};
  wanted.compactions_max = 4;
  wanted.tick = true;
  return wanted;
}

class CoordinatorTest : public ::testing::Test {
 protected:
  void Start(int threads) {
    CoordinatorOptions options;
    options.compaction_threads = threads;
    coordinator_ = std::make_unique<Coordinator>(options);
    wish_.Set(Everything());
  }
  void Register(FakeTenant* tenant) {
    coordinator_->Register(tenant, std::make_unique<WishPolicy>(&wish_));
  }
  /// Waits until `holds`; a minute without it is a failure.
  void Await(const char* what, const std::function<bool()>& holds) {
    for (int i = 0; i < 60'000; ++i) {
      if (holds()) return;
      coordinator_->WakeMonitor();
      Clock::System()->SleepForNanos(1'000'000);
    }
    FAIL() << "never came: " << what;
  }
  /// True when the job got no slice during `asks` further decisions of the monitor.
  void AwaitStill(const JobRecord& record) {
    Await("the job stands still", [&] {
      const uint64_t slices = record.slices.load();
      const uint64_t asked = wish_.asked.load();
      while (wish_.asked.load() < asked + 5) {
        coordinator_->WakeMonitor();
        Clock::System()->SleepForNanos(1'000'000);
      }
      return record.slices.load() == slices;
    });
  }

  Wish wish_;
  std::unique_ptr<Coordinator> coordinator_;
};

TEST_F(CoordinatorTest, RunsAJobToItsEnd) {
  Start(1);
  FakeTenant tenant;
  auto job = tenant.Offer(JobClass::kDeep);
  job->finish.store(true);
  Register(&tenant);
  Await("the job ends", [&] { return tenant.ended_.load() == 1; });
  EXPECT_TRUE(job->destroyed.load());
  coordinator_->Unregister(&tenant);
}

TEST_F(CoordinatorTest, PausesWhatIsNotGrantedAndResumesIt) {
  Start(1);
  FakeTenant tenant;
  auto job = tenant.Offer(JobClass::kDeep);
  Register(&tenant);
  Await("the job runs", [&] { return job->slices.load() > 0; });

  Directive nothing;
  nothing.tick = true;
  wish_.Set(nothing);
  AwaitStill(*job);
  EXPECT_FALSE(job->destroyed.load());

  const uint64_t paused_at = job->slices.load();
  wish_.Set(Everything());
  Await("the job goes on", [&] { return job->slices.load() > paused_at; });
  job->finish.store(true);
  Await("the job ends", [&] { return tenant.ended_.load() == 1; });
  coordinator_->Unregister(&tenant);
}

TEST_F(CoordinatorTest, MovesAJobToTheOtherCpuClass) {
  Start(1);
  FakeTenant tenant;
  auto job = tenant.Offer(JobClass::kDeep);
  Register(&tenant);
  Await("the job runs", [&] { return job->slices.load() > 0; });
  const unsigned normal = job->ran_on.load();
  Directive idle = Everything();
  idle.deep.cpu = CpuPriority::kIdle;
  wish_.Set(idle);
  // One worker of each class: elsewhere is the other class.
  Await("the job goes on elsewhere", [&] { return job->ran_on.load() != normal; });
  job->finish.store(true);
  Await("the job ends", [&] { return tenant.ended_.load() == 1; });
  coordinator_->Unregister(&tenant);
}

TEST_F(CoordinatorTest, L0TakesTheWorkerOfADeepJob) {
  Start(1);
  FakeTenant tenant;
  auto deep = tenant.Offer(JobClass::kDeep);
  Register(&tenant);
  Await("the deep job runs", [&] { return deep->slices.load() > 0; });
  auto l0 = tenant.Offer(JobClass::kL0);
  Await("the L0 job runs", [&] { return l0->slices.load() > 0; });
  AwaitStill(*deep);
  l0->finish.store(true);
  Await("the L0 job ends", [&] { return tenant.ended_.load() == 1; });
  const uint64_t paused_at = deep->slices.load();
  Await("the deep job goes on", [&] { return deep->slices.load() > paused_at; });
  coordinator_->Unregister(&tenant);
  EXPECT_EQ(tenant.abandoned_.load(), 1);
  EXPECT_TRUE(deep->destroyed.load());
}

TEST_F(CoordinatorTest, ClosingWaitsForNobodyElsesWork) {
  Start(1);
  FakeTenant busy, closing;
  auto endless = busy.Offer(JobClass::kDeep);
  Register(&busy);
  Await("the job runs", [&] { return endless->slices.load() > 0; });
  Register(&closing);
  coordinator_->Unregister(&closing);  // returns while the other's job runs on
  EXPECT_FALSE(endless->destroyed.load());
  const uint64_t before = endless->slices.load();
  Await("the other's job runs on", [&] { return endless->slices.load() > before; });
  coordinator_->Unregister(&busy);
}

TEST_F(CoordinatorTest, ClosingAbandonsRunningAndPausedJobs) {
  Start(1);
  FakeTenant tenant;
  auto deep = tenant.Offer(JobClass::kDeep);
  Register(&tenant);
  Await("the deep job runs", [&] { return deep->slices.load() > 0; });
  auto l0 = tenant.Offer(JobClass::kL0);
  Await("the L0 job runs", [&] { return l0->slices.load() > 0; });
  coordinator_->Unregister(&tenant);
  EXPECT_EQ(tenant.abandoned_.load(), 2);
  EXPECT_TRUE(deep->destroyed.load());
  EXPECT_TRUE(l0->destroyed.load());
}

TEST_F(CoordinatorTest, TenantsTakeTurns) {
  Start(1);
  FakeTenant first, second;
  auto served = first.Offer(JobClass::kDeep);
  auto again = first.Offer(JobClass::kDeep);
  auto other = second.Offer(JobClass::kDeep);
  Register(&first);
  Await("the first tenant is served", [&] { return served->slices.load() > 0; });
  const uint64_t asked = wish_.asked.load();
  Register(&second);
  Await("the monitor knows both", [&] { return wish_.asked.load() >= asked + 4; });
  served->finish.store(true);
  Await("the other has its turn", [&] { return other->slices.load() > 0; });
  EXPECT_EQ(again->slices.load(), 0u);
  other->finish.store(true);
  Await("the first has another", [&] { return again->slices.load() > 0; });
  coordinator_->Unregister(&first);
  coordinator_->Unregister(&second);
}

TEST_F(CoordinatorTest, SealedMemtablesWakeTheFlushThread) {
  Start(1);
  FakeTenant tenant;
  Register(&tenant);
  Await("the first call", [&] { return tenant.flush_calls_.load() > 0; });
  const int before = tenant.flush_calls_.load();
  coordinator_->WakeFlush();
  Await("a call", [&] { return tenant.flush_calls_.load() > before; });
  coordinator_->Unregister(&tenant);
}

}  // namespace
}  // namespace lull
