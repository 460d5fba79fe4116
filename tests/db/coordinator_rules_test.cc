// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// What no policy can do, and what the I/O budget does: see coordinator_rules.cc. The coordinator's
// clock is advanced by the tests, so that an hour passes when they say so.
#include <memory>
#include <vector>

#include "tests/db/fake_tenant.h"

namespace lull {
namespace {

using testing::Everything;
using testing::FakeTenant;
using testing::JobRecord;
using testing::Nothing;
using testing::Wish;
using testing::WishPolicy;

constexpr uint64_t kMilli = 1'000'000;
constexpr uint64_t kSecond = 1'000'000'000;
constexpr uint64_t kMiB = 1 << 20;

class CoordinatorRulesTest : public testing::CoordinatorFixture {
 protected:
  void Start(int threads) { CoordinatorFixture::Start(threads, &clock_); }

  static Directive Limited(uint64_t bytes_per_sec, uint64_t urgent_min = 0) {
    Directive wanted = Everything();
    wanted.rate = {bytes_per_sec, urgent_min};
    return wanted;
  }
  std::shared_ptr<JobRecord> OfferWriter(FakeTenant* tenant, JobClass job_class) {
    auto record = std::make_shared<JobRecord>();
    record->job_class = job_class;
    record->bytes_per_slice.store(kLentBytes);
    tenant->Offer(record);
    return record;
  }
  /// At a byte a second, a slice may begin after two.
  void EarnTheFirstByte() {
    AwaitRounds(&wish_, 1);
    clock_.Advance(2 * kSecond);
  }
  /// Lets `nanos` pass in steps, each until nothing more moves.
  void Pass(uint64_t nanos, const std::vector<std::shared_ptr<JobRecord>>& jobs) {
    for (int step = 0; step < 10; ++step) {
      clock_.Advance(nanos / 10);
      for (const auto& job : jobs) AwaitStill(*job);
    }
  }
};

// ---- the I/O budget ----

TEST_F(CoordinatorRulesTest, ALimitedJobWritesWhatItsRateAllows) {
  Start(2);
  FakeTenant tenant;
  wish_.Set(Limited(10 * kMiB));
  auto first = OfferWriter(&tenant, JobClass::kDeep);
  auto second = OfferWriter(&tenant, JobClass::kDeep);
  Register(&tenant);
  AwaitStill(*first);
  EXPECT_LE(first->written + second->written, kSliceBytes) << "no time has passed";
  for (int tenths = 1; tenths <= 5; ++tenths) {
    // In steps shorter than a slice takes to pay for, since little is saved up.
    for (int i = 0; i < 20; ++i) {
      clock_.Advance(5 * kMilli);
      AwaitStill(*first);
      AwaitStill(*second);
    }
    const uint64_t allowed = tenths * kMiB;
    EXPECT_LE(first->written + second->written, allowed + kSliceBytes);
    EXPECT_GE(first->written + second->written + kSliceBytes, allowed * 9 / 10);
  }
  coordinator_->Unregister(&tenant);
}

TEST_F(CoordinatorRulesTest, AJobInDebtLeavesItsWorkerToOthers) {
  Start(1);
  FakeTenant limited, other;
  Wish other_wish;
  other_wish.Set(Everything());
  wish_.Set(Limited(1));
  auto slow = OfferWriter(&limited, JobClass::kDeep);
  Register(&limited);
  EarnTheFirstByte();
  Await("the job runs", [&] { return slow->slices.load() > 0; });
  AwaitStill(*slow);
  EXPECT_EQ(wish_.Seen().deep_running, 1) << "it is slowed, not paused";
  EXPECT_EQ(limited.pauses_.load(), 0);
  auto fast = other.Offer(JobClass::kDeep);
  Register(&other, &other_wish);
  Await("the other's job runs", [&] { return fast->slices.load() > 100; });
  AwaitStill(*slow);
  coordinator_->Unregister(&limited);  // returns although the job could not pay for a day
  EXPECT_TRUE(slow->destroyed.load());
  coordinator_->Unregister(&other);
}

TEST_F(CoordinatorRulesTest, AJobInDebtGoesOnWhenTheLimitIsLifted) {
  Start(1);
  FakeTenant tenant;
  wish_.Set(Limited(1));
  auto job = OfferWriter(&tenant, JobClass::kDeep);
  Register(&tenant);
  EarnTheFirstByte();
  Await("the job runs", [&] { return job->slices.load() > 0; });
  AwaitStill(*job);
  const uint64_t before = job->slices.load();
  wish_.Set(Everything());
  Await("it runs on", [&] { return job->slices.load() > before + 10; });
  wish_.Set(Limited(1));
  AwaitStill(*job);
  const int pauses = tenant.pauses_.load();
  wish_.Set(Nothing());
  Await("what waited for the budget waits for a grant",
        [&] { return wish_.Seen().deep_paused == 1; });
  EXPECT_EQ(tenant.pauses_.load(), pauses + 1);
  coordinator_->Unregister(&tenant);
}

TEST_F(CoordinatorRulesTest, L0HasItsMinimumAndDeepWhatIsLeft) {
  Start(2);
  FakeTenant tenant;
  wish_.Set(Limited(1, 10 * kMiB));
  auto deep = OfferWriter(&tenant, JobClass::kDeep);
  auto l0 = OfferWriter(&tenant, JobClass::kL0);
  Register(&tenant);
  AwaitStill(*l0);
  const uint64_t deep_before = deep->written.load();
  Pass(100 * kMilli, {l0, deep});
  EXPECT_GE(l0->written.load(), 6 * kMiB / 10);
  EXPECT_LE(l0->written.load(), kMiB + kSliceBytes);
  EXPECT_LE(deep->written.load(), deep_before + kLentBytes);
  coordinator_->Unregister(&tenant);
}

TEST_F(CoordinatorRulesTest, FlushesDrawFromTheBudget) {
  Start(1);
  FakeTenant tenant;
  wish_.Set(Limited(10 * kMiB));
  Register(&tenant);
  tenant.flush_bytes_.store(kMiB);
  AwaitRounds(&wish_, 2);
  EXPECT_EQ(wish_.Seen().background_bytes_total, kMiB);
  auto deep = OfferWriter(&tenant, JobClass::kDeep);
  AwaitStill(*deep);
  EXPECT_EQ(deep->slices.load(), 0u);
  clock_.Advance(kSliceBytes * kSecond / (10 * kMiB) + kMilli);
  Await("the flush is paid for", [&] { return deep->slices.load() > 0; });
  AwaitStill(*deep);
  EXPECT_EQ(wish_.Seen().background_bytes_total, kMiB + deep->written.load());
  coordinator_->Unregister(&tenant);
}

TEST_F(CoordinatorRulesTest, TwoStoresShareOneBudget) {
  Start(2);
  FakeTenant a, b;
  Wish wish_b;
  wish_.Set(Limited(10 * kMiB));
  wish_b.Set(Limited(10 * kMiB));
  auto job_a = OfferWriter(&a, JobClass::kDeep);
  auto job_b = OfferWriter(&b, JobClass::kDeep);
  Register(&a);
  Register(&b, &wish_b);
  AwaitStill(*job_a);
  AwaitStill(*job_b);
  for (int i = 0; i < 50; ++i) {
    clock_.Advance(10 * kMilli);
    AwaitStill(*job_a);
    AwaitStill(*job_b);
  }
  // A slice or two were written before both were known.
  EXPECT_LE(job_a->written + job_b->written, 5 * kMiB + 2 * kSliceBytes);
  EXPECT_NEAR(static_cast<double>(job_a->written), static_cast<double>(job_b->written),
              2 * kSliceBytes);
  coordinator_->Unregister(&a);
  coordinator_->Unregister(&b);
}

TEST_F(CoordinatorRulesTest, AnIdleStoreLiftsNobodysLimit) {
  Start(2);
  FakeTenant a, b, idle;
  Wish wish_b, free;
  wish_.Set(Limited(10 * kMiB));
  wish_b.Set(Limited(10 * kMiB));
  free.Set(Everything());
  Register(&idle, &free);
  AwaitRounds(&free, 2);
  auto job_a = OfferWriter(&a, JobClass::kDeep);
  auto job_b = OfferWriter(&b, JobClass::kDeep);
  Register(&a);
  Register(&b, &wish_b);
  Pass(kSecond / 10, {job_a, job_b});
  EXPECT_LE(job_a->written + job_b->written, kMiB + 2 * kSliceBytes);
  EXPECT_GE(job_a->written + job_b->written, kMiB / 2);
  coordinator_->Unregister(&a);
  coordinator_->Unregister(&b);
  coordinator_->Unregister(&idle);
}

// ---- ageing ----

TEST_F(CoordinatorRulesTest, WhatStandsStillForLongGetsASlice) {
  Start(1);
  FakeTenant tenant;
  wish_.Set(Nothing());
  auto deep = tenant.Offer(JobClass::kDeep);
  auto l0 = tenant.Offer(JobClass::kL0);
  Register(&tenant);
  AwaitStill(*deep);
  EXPECT_EQ(deep->slices + l0->slices, 0u);
  clock_.Advance(10 * kSecond);
  Await("both got a slice", [&] { return deep->slices.load() > 0 && l0->slices.load() > 0; });
  AwaitStill(*deep);
  AwaitStill(*l0);
  EXPECT_FALSE(deep->destroyed.load());
  coordinator_->Unregister(&tenant);
}

TEST_F(CoordinatorRulesTest, TheBudgetStarvesNobodyEither) {
  Start(1);
  FakeTenant tenant;
  wish_.Set(Limited(1));
  auto deep = OfferWriter(&tenant, JobClass::kDeep);
  Register(&tenant);
  EarnTheFirstByte();
  Await("the job runs", [&] { return deep->slices.load() > 0; });
  AwaitStill(*deep);
  const uint64_t before = deep->slices.load();
  clock_.Advance(10 * kSecond);
  Await("a slice", [&] { return deep->slices.load() > before; });
  coordinator_->Unregister(&tenant);
}

TEST_F(CoordinatorRulesTest, AnotherStoresJobMakesRoomForWhatIsOverdue) {
  Start(1);
  FakeTenant busy, starved;
  auto endless = busy.Offer(JobClass::kDeep);
  Register(&busy);
  Await("the job runs", [&] { return endless->slices.load() > 0; });
  auto deep = starved.Offer(JobClass::kDeep);
  Register(&starved);
  AwaitStill(*deep);
  EXPECT_EQ(deep->slices.load(), 0u) << "deep jobs do not pre-empt each other";
  clock_.Advance(10 * kSecond);
  Await("a slice", [&] { return deep->slices.load() > 0; });
  coordinator_->Unregister(&busy);
  coordinator_->Unregister(&starved);
}

// One L0 job after the other of one store, on the only worker, is what the other store waits for.
TEST_F(CoordinatorRulesTest, WhatIsOverdueGoesBeforeL0OfAnotherStore) {
  Start(1);
  FakeTenant busy, starved;
  auto running = busy.Offer(JobClass::kL0);
  Register(&busy);
  Await("the job runs", [&] { return running->slices.load() > 0; });
  auto deep = starved.Offer(JobClass::kDeep);
  Register(&starved);
  for (int job = 0; job < 3; ++job) {
    auto next = busy.Offer(JobClass::kL0);
    running->finish.store(true);
    Await("the next one runs", [&] { return next->slices.load() > 0; });
    running = next;
  }
  EXPECT_EQ(deep->slices.load(), 0u);
  clock_.Advance(10 * kSecond);
  AwaitRounds(&wish_, 3);
  busy.Offer(JobClass::kL0);
  running->finish.store(true);
  Await("a slice", [&] { return deep->slices.load() > 0; });
  coordinator_->Unregister(&busy);
  coordinator_->Unregister(&starved);
}

TEST_F(CoordinatorRulesTest, AClientThatWaitsIsServedWhateverThePolicySays) {
  Start(1);
  FakeTenant tenant;
  wish_.Set(Nothing());
  tenant.drain_.store(true);
  auto deep = tenant.Offer(JobClass::kDeep);
  Register(&tenant);
  AwaitRounds(&wish_, 3);
  EXPECT_EQ(deep->slices.load(), 0u);
  clock_.Advance(100 * kMilli);
  Await("it runs on and on", [&] { return deep->slices.load() > 50; });
  tenant.drain_.store(false);
  AwaitStill(*deep);
  coordinator_->Unregister(&tenant);
}

TEST_F(CoordinatorRulesTest, L0AtItsStopOutranksPauses) {
  Start(1);
  FakeTenant tenant, other;
  Wish others;
  others.Set(Everything());
  Directive paused = Nothing();
  paused.l0_stop = 12;
  paused.rate = {1, 0};
  wish_.Set(paused);
  tenant.l0_tables_.store(12);
  auto endless = other.Offer(JobClass::kDeep);
  Register(&other, &others);
  Await("another store's job runs", [&] { return endless->slices.load() > 0; });
  auto l0 = tenant.Offer(JobClass::kL0);
  Register(&tenant);
  AwaitStill(*l0);
  EXPECT_EQ(l0->slices.load(), 0u);
  clock_.Advance(kSecond);
  // One more in the queue keeps it due.
  tenant.Offer(JobClass::kL0);
  Await("it runs on and on", [&] { return l0->slices.load() > 50; });
  tenant.l0_tables_.store(11);
  AwaitStill(*l0);
  coordinator_->Unregister(&tenant);
  coordinator_->Unregister(&other);
}

// ---- conflict ----

class ConflictTest : public CoordinatorRulesTest {
 protected:
  /// A deep job that ran, was paused, and stands in the way of an L0 job that is due from then on.
  std::shared_ptr<JobRecord> PausedInTheWay(double share_done) {
    wish_.Set(Everything());
    auto deep = tenant_.Offer(JobClass::kDeep);
    deep->blocks_l0.store(true);
    deep->share_done.store(share_done);
    Await("the deep job runs", [&] { return deep->slices.load() > 0; });
    Directive l0_only = Everything();
    l0_only.deep.jobs_max = 0;
    wish_.Set(l0_only);
    AwaitStill(*deep);
    return deep;
  }

  FakeTenant tenant_;
};

TEST_F(ConflictTest, APausedJobThatHasHardlyBegunIsDiscarded) {
  Start(1);
  Register(&tenant_);
  auto deep = PausedInTheWay(0.3);
  auto l0 = tenant_.Offer(JobClass::kL0);
  Await("the L0 job runs", [&] { return l0->slices.load() > 0; });
  EXPECT_TRUE(deep->destroyed.load());
  EXPECT_EQ(tenant_.abandoned_.load(), 1);
  coordinator_->Unregister(&tenant_);
}

TEST_F(ConflictTest, OneThatIsHalfDoneIsFinishedInTheL0JobsPlace) {
  Start(1);
  Register(&tenant_);
  auto deep = PausedInTheWay(0.6);
  const uint64_t paused_at = deep->slices.load();
  auto l0 = tenant_.Offer(JobClass::kL0);
  Await("the deep job runs, ungranted", [&] { return deep->slices.load() > paused_at + 10; });
  EXPECT_EQ(l0->slices.load(), 0u);
  deep->finish.store(true);
  Await("the L0 job runs", [&] { return l0->slices.load() > 0; });
  EXPECT_EQ(tenant_.ended_.load(), 1);
  EXPECT_EQ(tenant_.abandoned_.load(), 0);
  coordinator_->Unregister(&tenant_);
}

TEST_F(ConflictTest, OfTwoInTheWayOneAfterAnotherTheSecondIsFinished) {
  Start(1);
  Register(&tenant_);
  PausedInTheWay(0.1);
  auto l0 = tenant_.Offer(JobClass::kL0);
  Await("the L0 job runs", [&] { return l0->slices.load() > 0; });
  l0->finish.store(true);
  Await("it ends", [&] { return tenant_.ended_.load() == 1; });
  auto second = PausedInTheWay(0.1);
  const uint64_t paused_at = second->slices.load();
  auto next = tenant_.Offer(JobClass::kL0);
  Await("the second runs, ungranted", [&] { return second->slices.load() > paused_at + 10; });
  second->finish.store(true);
  Await("the L0 job runs", [&] { return next->slices.load() > 0; });
  EXPECT_EQ(tenant_.abandoned_.load(), 1);
  coordinator_->Unregister(&tenant_);
}

TEST_F(ConflictTest, ARunningJobInTheWayRunsAtTheL0JobsPriority) {
  Start(1);
  Register(&tenant_);
  auto deep = PausedInTheWay(0.9);
  Directive wanted = Everything();
  wanted.deep.cpu = CpuPriority::kIdle;
  wish_.Set(wanted);
  const uint64_t paused_at = deep->slices.load();
  Await("it runs", [&] { return deep->slices.load() > paused_at; });
  const unsigned idle_worker = deep->ran_on.load();
  tenant_.Offer(JobClass::kL0);
  Await("it runs on a worker of the other kind",
        [&] { return deep->ran_on.load() != idle_worker; });
  coordinator_->Unregister(&tenant_);
}

// ---- pre-emption ----

TEST_F(CoordinatorRulesTest, OneOfTwoDeepJobsMakesRoom) {
  Start(2);
  FakeTenant tenant;
  auto first = tenant.Offer(JobClass::kDeep);
  auto second = tenant.Offer(JobClass::kDeep);
  Register(&tenant);
  Await("both run", [&] { return first->slices.load() > 0 && second->slices.load() > 0; });
  auto l0 = tenant.Offer(JobClass::kL0);
  Await("the L0 job runs", [&] { return l0->slices.load() > 0; });
  AwaitStill(*second);
  const uint64_t runs_on = first->slices.load();
  Await("the one that began first runs on", [&] { return first->slices.load() > runs_on + 10; });
  EXPECT_EQ(wish_.Seen().l0_running, 1);
  EXPECT_EQ(wish_.Seen().deep_running, 1);
  EXPECT_EQ(wish_.Seen().deep_paused, 1);
  coordinator_->Unregister(&tenant);
}

TEST_F(CoordinatorRulesTest, ADeepJobMakesRoomInItsStoresOwnShare) {
  Start(4);
  FakeTenant tenant;
  Directive one_job = Everything();
  one_job.compactions_max = 1;
  wish_.Set(one_job);
  auto deep = tenant.Offer(JobClass::kDeep);
  Register(&tenant);
  Await("the deep job runs", [&] { return deep->slices.load() > 0; });
  auto l0 = tenant.Offer(JobClass::kL0);
  Await("the L0 job runs", [&] { return l0->slices.load() > 0; });
  AwaitStill(*deep);
  coordinator_->Unregister(&tenant);
}

// On a saturated machine a worker of idle priority may not get the CPU to end its slice.
TEST_F(CoordinatorRulesTest, L0DoesNotWaitForTheSliceOfAnIdleJobThatWasAskedToPause) {
  Start(1);
  FakeTenant tenant;
  Directive idle = Everything();
  idle.deep.cpu = CpuPriority::kIdle;
  wish_.Set(idle);
  auto deep = tenant.Offer(JobClass::kDeep);
  deep->slices_max.store(0);
  Register(&tenant);
  Await("the deep job is inside its first slice", [&] { return deep->inside.load() == 1; });
  auto l0 = tenant.Offer(JobClass::kL0);
  Await("the L0 job runs", [&] { return l0->slices.load() > 0; });
  deep->slices_max.store(1);  // a second slice would never end
  Await("the deep job pauses", [&] { return tenant.pauses_.load() == 1; });
  AwaitRounds(&wish_, 5);
  EXPECT_EQ(deep->slices.load(), 1u) << "two jobs run where one may";
  coordinator_->Unregister(&tenant);
}

TEST_F(CoordinatorRulesTest, NobodyMakesRoomForAJobThatCannotPay) {
  Start(1);
  FakeTenant limited, other;
  Wish others;
  others.Set(Everything());
  wish_.Set(Limited(1));
  auto endless = other.Offer(JobClass::kDeep);
  Register(&limited);
  limited.flush_bytes_.store(kMiB);
  AwaitRounds(&wish_, 2);
  Register(&other, &others);
  Await("another store's job runs", [&] { return endless->slices.load() > 0; });
  auto l0 = OfferWriter(&limited, JobClass::kL0);
  AwaitStill(*l0);
  EXPECT_EQ(l0->slices.load(), 0u);
  coordinator_->Unregister(&limited);
  coordinator_->Unregister(&other);
}

// ---- several stores, closing, changing ----

TEST_F(CoordinatorRulesTest, ClosingEndsWithTheSliceAtHand) {
  Start(1);
  FakeTenant closing, other;
  auto job = closing.Offer(JobClass::kDeep);
  job->slices_max.store(0);
  Wish others;
  Register(&closing);
  Register(&other, &others);
  Await("the job is inside its first slice", [&] { return job->inside.load() == 1; });
  std::atomic<bool> closed{false};
  auto closer = ThreadFactory::System()->Start("closer", CpuClass::kNormal, [&] {
    coordinator_->Unregister(&closing);
    closed.store(true);
  });
  Await("a closing store's policy is not asked any more", [&] {
    const uint64_t asked = wish_.asked.load();
    AwaitRounds(&others, 5);
    return wish_.asked.load() == asked;
  });
  EXPECT_FALSE(closed.load()) << "its job still runs";
  job->slices_max.store(1);  // a second slice would never end
  closer.reset();
  EXPECT_EQ(job->slices.load(), 1u);
  EXPECT_TRUE(job->destroyed.load());
  EXPECT_EQ(closing.abandoned_.load(), 1);
  coordinator_->Unregister(&other);
}

TEST_F(CoordinatorRulesTest, ClosingWaitsForNoFlushOfAnotherStore) {
  Start(1);
  FakeTenant hangs, closing;
  hangs.flush_hangs_.store(true);
  Register(&hangs);
  Register(&closing);
  Await("the flush thread hangs", [&] { return hangs.flush_calls_.load() > 0; });
  coordinator_->Unregister(&closing);
  const int calls = closing.flush_calls_.load();
  hangs.flush_hangs_.store(false);
  const int before = hangs.flush_calls_.load();
  Await("the flush thread goes on", [&] {
    coordinator_->WakeFlush();
    return hangs.flush_calls_.load() > before + 2;
  });
  EXPECT_EQ(closing.flush_calls_.load(), calls) << "called after it was closed";
  coordinator_->Unregister(&hangs);
}

TEST_F(CoordinatorRulesTest, AStoreWhoseJobsFailStopsNobodyElse) {
  Start(1);
  FakeTenant fails, works;
  std::vector<std::shared_ptr<JobRecord>> good;
  for (int i = 0; i < 20; ++i) {
    fails.Offer(JobClass::kDeep)->fails.store(true);
    good.push_back(works.Offer(JobClass::kDeep));
    good.back()->finish.store(true);
  }
  Register(&fails);
  Register(&works);
  Await("all of the other's jobs are done", [&] { return works.ended_.load() == 20; });
  EXPECT_GT(fails.failed_.load(), 0);
  coordinator_->Unregister(&fails);
  coordinator_->Unregister(&works);
}

TEST_F(CoordinatorRulesTest, APolicyIsReplacedBetweenTwoRounds) {
  Start(1);
  FakeTenant tenant;
  Register(&tenant);
  AwaitRounds(&wish_, 1);
  Wish next;
  std::atomic<uint64_t> asked_at_change{1'000'000};
  coordinator_->SetPolicy(&tenant, std::make_unique<WishPolicy>(&next),
                          [&] { asked_at_change.store(next.asked.load()); });
  Await("the new one is asked", [&] { return next.asked.load() > 2; });
  EXPECT_EQ(asked_at_change.load(), 0u) << "what goes with it changes first";
  const uint64_t asked = wish_.asked.load();
  AwaitRounds(&next, 3);
  EXPECT_EQ(wish_.asked.load(), asked) << "the old one is not asked any more";
  coordinator_->Unregister(&tenant);
}

// ---- what a policy is told ----

TEST_F(CoordinatorRulesTest, AWriteUnderWayIsNoSilence) {
  Start(1);
  FakeTenant tenant;
  Directive wanted = Nothing();
  wanted.tick = true;
  wish_.Set(wanted);
  Register(&tenant);
  AwaitRounds(&wish_, 2);
  clock_.Advance(kSecond);
  AwaitRounds(&wish_, 2);
  EXPECT_GE(wish_.Seen().idle_us, 1'000'000u);
  tenant.writing_.store(true);
  clock_.Advance(kSecond);
  AwaitRounds(&wish_, 2);
  EXPECT_EQ(wish_.Seen().idle_us, 0u);
  tenant.writing_.store(false);
  AwaitRounds(&wish_, 2);
  clock_.Advance(30 * kMilli);
  AwaitRounds(&wish_, 2);
  EXPECT_GE(wish_.Seen().idle_us, 30'000u);
  EXPECT_LT(wish_.Seen().idle_us, 1'000'000u);
}

}  // namespace
}  // namespace lull
