// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// The coordinator's threads, with fake tenants and scripted policies. The dispatcher makes the
// decisions: see tests/scheduler/testdata/dispatcher.
#include "scheduler/threads/coordinator.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "db/store/store.h"
#include "gtest/gtest.h"
#include "lull/lull.h"
#include "tests/db/support/script_policy.h"
#include "tests/db/support/small_store.h"
#include "tests/db/support/store_properties.h"
#include "tests/support/fresh_directory.h"
#include "tests/support/manual_clock.h"
#include "tests/support/units.h"
#include "util/clock.h"
#include "util/mutex.h"
#include "util/thread.h"

namespace lull {
namespace {

using testing::Script;
using testing::ScriptedEvents;

// ---- fakes

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
  double share_done() const override { return 0; }
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

  bool MeasurePressure(Pressure* pressure) override {
    MutexLock lock(mutex_);
    for (const auto& offer : offers_)
      (offer->job_class == JobClass::kL0 ? pressure->l0_due : pressure->deep_due) = true;
    ScriptedEvents().Note();
    return false;
  }
  void ApplyDirective(const Directive&) override {}
  bool BeginJob(JobClass job_class, JobId id) override {
    MutexLock lock(mutex_);
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
  std::vector<JobId> BlockersOfL0(const std::vector<JobId>&) override { return {}; }
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

class CoordinatorTest : public ::testing::Test {
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

// ---- jobs

TEST_F(CoordinatorTest, CountsTheSlicesOfEachClass) {
  Start(2);
  auto l0 = tenant_.Offer(JobClass::kL0);
  auto deep = tenant_.Offer(JobClass::kDeep);
  Register();
  Await("both run", [&] { return l0->slices.load() > 3 && deep->slices.load() > 3; });
  wish_.Set(Script::Nothing());
  AwaitStill(*l0);
  AwaitStill(*deep);
  AwaitRounds(&wish_, 2);
  EXPECT_EQ(wish_.Seen().l0_slices_total, l0->slices.load());
  EXPECT_EQ(wish_.Seen().deep_slices_total, deep->slices.load());
}

TEST_F(CoordinatorTest, PausesWhatIsNotGrantedAndResumesItToItsEnd) {
  Start(1);
  auto job = tenant_.Offer(JobClass::kDeep);
  Register();
  AwaitRuns(*job);
  wish_.Set(Script::Nothing());
  AwaitStill(*job);
  EXPECT_FALSE(job->destroyed.load());
  wish_.Set(Script::Everything());
  AwaitRuns(*job);
  job->finish.store(true);
  Await("a job ends", [&] { return tenant_.ended_.load() == 1; });
  Await("it is deleted", [&] { return job->destroyed.load(); });
}

TEST_F(CoordinatorTest, MovesAJobToTheOtherCpuClass) {
  Start(1);
  auto job = tenant_.Offer(JobClass::kDeep);
  Register();
  AwaitRuns(*job);
  const unsigned normal = job->ran_on.load();
  Directive idle = Script::Everything();
  idle.deep.cpu = CpuPriority::kIdle;
  wish_.Set(idle);
  // There is one worker of each CPU class, so another thread means the other class.
  Await("the job goes on elsewhere", [&] { return job->ran_on.load() != normal; });
  job->finish.store(true);
  Await("a job ends", [&] { return tenant_.ended_.load() == 1; });
}

TEST_F(CoordinatorTest, ClosingWaitsForNobodyElsesWork) {
  Start(1);
  auto endless = tenant_.Offer(JobClass::kDeep);
  Register();
  AwaitRuns(*endless);
  FakeTenant closing;
  Register(&closing, &wish_);
  coordinator_->Unregister(&closing);  // returns while the other's job runs on
  EXPECT_FALSE(endless->destroyed.load());
  AwaitRuns(*endless);
}

TEST_F(CoordinatorTest, ALimitedJobComesBackAfterEachSlice) {
  Start(1, &clock_);
  Directive limited = Script::Everything();
  limited.rate = {kLentBytes, 0};
  wish_.Set(limited);
  auto job = tenant_.Offer(JobClass::kDeep, kLentBytes);
  Register();
  AwaitRounds(&wish_, 1);  // from here on it earns budget
  for (uint64_t slices = 1; slices <= 3; ++slices) {
    clock_.Advance(1'500'000'000);
    Await("a slice", [&] { return job->slices.load() == slices; });
    AwaitStill(*job);
    EXPECT_EQ(job->slices.load(), slices);
  }
}

TEST_F(CoordinatorTest, APolicyIsReplacedBetweenTwoRounds) {
  Start(1);
  Register();
  AwaitRounds(&wish_, 1);
  Script next;
  std::atomic<uint64_t> asked_at_change{1'000'000};
  coordinator_->SetPolicy(&tenant_, next.Make(), [&] { asked_at_change.store(next.asked()); });
  Await("the new one is asked", [&] { return next.asked() > 2; });
  EXPECT_EQ(asked_at_change.load(), 0u) << "what goes with it changes first";
  const uint64_t asked = wish_.asked();
  AwaitRounds(&next, 3);
  EXPECT_EQ(wish_.asked(), asked) << "the old one is not asked any more";
  coordinator_->Unregister(&tenant_);
}

// ---- closing
//
// Closing a store waits only for the slice in progress: not for the end of a pause, for budget to
// be earned, or for overdue work. The coordinator's clock stands still during these tests, so such
// a wait would never end. The transcript "closing" has other states in which a store closes.

constexpr uint64_t kVirtualNanosMax = 100 * testing::kMsNanos;

class CoordinatorClosingTest : public CoordinatorTest {
 protected:
  /// Starts an L0 and a deep job, which run a slice or more; they stop if `wanted` grants nothing.
  void StartBoth(const Directive& wanted) {
    Start(2, &clock_);
    wish_.Set(wanted);
    l0_ = tenant_.Offer(JobClass::kL0, kLentBytes);
    deep_ = tenant_.Offer(JobClass::kDeep, kLentBytes);
    Register();
  }

  void CloseAndCheck() {
    const uint64_t l0_slices = l0_->slices.load();
    const uint64_t deep_slices = deep_->slices.load();
    const uint64_t began = clock_.NowNanos();
    coordinator_->Unregister(&tenant_);
    EXPECT_LE(clock_.NowNanos() - began, kVirtualNanosMax);
    EXPECT_EQ(l0_->inside.load() + deep_->inside.load(), 0);
    EXPECT_TRUE(l0_slices == 0 || l0_->destroyed.load());
    EXPECT_TRUE(deep_slices == 0 || deep_->destroyed.load());
    EXPECT_EQ(tenant_.ended_.load(), 0);
  }

  std::shared_ptr<JobRecord> l0_;
  std::shared_ptr<JobRecord> deep_;
};

TEST_F(CoordinatorClosingTest, WhileNothingMayBegin) {
  StartBoth(Script::Nothing());
  AwaitRounds(&wish_, 3);
  CloseAndCheck();
  EXPECT_EQ(tenant_.abandoned_.load(), 0);
}

class ClosingPausedTest : public CoordinatorClosingTest,
                          public ::testing::WithParamInterface<bool> {};

INSTANTIATE_TEST_SUITE_P(Jobs, ClosingPausedTest, ::testing::Bool(),
                         [](const auto& info) { return info.param ? "Paused" : "Running"; });

TEST_P(ClosingPausedTest, WithBothJobs) {
  StartBoth(Script::Everything());
  Await("both ran", [&] { return l0_->slices.load() > 0 && deep_->slices.load() > 0; });
  if (GetParam()) {
    wish_.Set(Script::Nothing());
    AwaitStill(*l0_);
    AwaitStill(*deep_);
  }
  CloseAndCheck();
  EXPECT_EQ(tenant_.abandoned_.load(), 2);
}

TEST_F(CoordinatorClosingTest, InTheMiddleOfASlice) {
  StartBoth(Script::Everything());
  l0_->AllowSlices(0);
  deep_->AllowSlices(0);
  Await("both are held", [&] { return l0_->held.load() && deep_->held.load(); });
  // One more slice would never end. (Either job may have finished its first before it was held.)
  const uint64_t l0_slices = l0_->slices.load();
  const uint64_t deep_slices = deep_->slices.load();
  std::atomic<bool> closed{false};
  auto closer = testing::InThread([&] {
    coordinator_->Unregister(&tenant_);
    closed.store(true);
  });
  FakeTenant other;
  Script others;
  others.Set(Script::Nothing());
  Register(&other, &others);
  Await("the monitor releases it, as decisions of another store's policy show", [&] {
    const uint64_t asked = wish_.asked();
    AwaitRounds(&others, 5);
    return wish_.asked() == asked;
  });
  EXPECT_FALSE(closed.load());
  l0_->AllowSlices(l0_slices);
  deep_->AllowSlices(deep_slices);
  closer.reset();
  coordinator_->Unregister(&other);
  EXPECT_EQ(l0_->slices.load(), l0_slices);
  EXPECT_EQ(deep_->slices.load(), deep_slices);
}

// ---- whole stores, on one coordinator with a manual clock ----

class StoreClosingTest : public ::testing::Test {
 protected:
  StoreClosingTest() {
    CoordinatorOptions options;
    options.compaction_threads = 2;
    options.memory_budget_bytes = 4 << 20;
    options.clock = &clock_;
    EXPECT_TRUE(Coordinator::Shared(options, &coordinator_).ok());
  }

  std::unique_ptr<leveldb::DB> Open(const std::string& name, Script* wish) {
    leveldb::Options options = testing::SmallOptions(leveldb::Env::Default());
    options.write_buffer_size = 1 << 20;
    leveldb::DB* db = nullptr;
    const auto make = [wish](const std::string&, const PolicyOptions&) { return wish->Make(); };
    EXPECT_TRUE(
        Store::Open(options, OptionValues(), testing::FreshDirectory(name), &db, make).ok());
    return std::unique_ptr<leveldb::DB>(db);
  }
  /// Writes `count` KiB.
  static void Write(leveldb::DB* db, int count) {
    for (int i = 0; i < count; ++i) {
      const std::string key = "key" + std::to_string(i * 7919 % 1000);
      ASSERT_TRUE(db->Put({}, key, std::string(1000, 'v')).ok());
    }
  }
  template <class Holds>
  void Await(const char* what, const Holds& holds) {
    ScriptedEvents().Await(what, [&] {
      coordinator_->WakeMonitor();
      return holds();
    });
  }
  void CloseAndCheck(std::unique_ptr<leveldb::DB> db) {
    const uint64_t began = clock_.NowNanos();
    db.reset();
    EXPECT_LE(clock_.NowNanos() - began, kVirtualNanosMax);
  }

  ManualClock clock_;
  std::shared_ptr<Coordinator> coordinator_;
};

TEST_F(StoreClosingTest, WithSealedMemtablesThatNobodyMayFlush) {
  Script wish;
  Directive held = Script::Nothing();
  held.flush_bytes_min = uint64_t{1} << 40;
  wish.Set(held);
  auto db = Open("closing-sealed", &wish);
  const uint64_t asked = wish.asked();
  Await("the directive is in force", [&] { return wish.asked() >= asked + 2; });
  Write(db.get(), 1500);
  Await("a sealed memtable", [&] { return wish.Seen().immutables > 0; });
  CloseAndCheck(std::move(db));
}

TEST_F(StoreClosingTest, WhileAnotherStoresWriterIsStalled) {
  Script stalled_wish, wish;
  Directive stop = Script::Nothing();
  stop.l0_stop = 4;
  stalled_wish.Set(stop);
  wish.Set(Script::Nothing());
  auto stalled = Open("closing-stalled", &stalled_wish);
  auto db = Open("closing-other", &wish);
  for (int table = 0; table < 4; ++table) {
    Write(stalled.get(), 100);
    ASSERT_TRUE(Flush(stalled.get()).ok());
  }
  auto writer = testing::InThread([&] { Write(stalled.get(), 3000); });
  Write(db.get(), 100);
  Await("a writer that waits", [&] {
    const std::string stats = testing::Property(stalled.get(), "lull.stats");
    return stats.find("\"kind\":\"stop\"") != std::string::npos;
  });
  CloseAndCheck(std::move(db));
  stalled_wish.Set(Script::Everything());
  coordinator_->WakeMonitor();
  writer.reset();
  CloseAndCheck(std::move(stalled));
}

}  // namespace
}  // namespace lull
