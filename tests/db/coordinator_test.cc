// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// The coordinator's threads, with fake tenants and policies. The dispatcher makes the decisions:
// see tests/scheduler/testdata/dispatcher.
#include "scheduler/threads/coordinator.h"

#include <memory>
#include <set>

#include "tests/db/fake_tenant.h"

namespace lull {
namespace {

using testing::FakeTenant;
using testing::Script;

class CoordinatorTest : public testing::CoordinatorFixture {};

TEST_F(CoordinatorTest, RunsAJobToItsEnd) {
  Start(1);
  FakeTenant tenant;
  auto job = tenant.Offer(JobClass::kDeep);
  job->finish.store(true);
  Register(&tenant);
  Await("the job ends", [&] { return tenant.ended_.load() == 1 && job->destroyed.load(); });
  coordinator_->Unregister(&tenant);
}

TEST_F(CoordinatorTest, CountsTheSlicesOfEachClass) {
  Start(2);
  FakeTenant tenant;
  auto l0 = tenant.Offer(JobClass::kL0);
  auto deep = tenant.Offer(JobClass::kDeep);
  Register(&tenant);
  Await("both run", [&] { return l0->slices.load() > 3 && deep->slices.load() > 3; });
  wish_.Set(Script::Nothing());
  AwaitStill(*l0);
  AwaitStill(*deep);
  AwaitRounds(&wish_, 2);
  EXPECT_EQ(wish_.Seen().l0_slices_total, l0->slices.load());
  EXPECT_EQ(wish_.Seen().deep_slices_total, deep->slices.load());
  coordinator_->Unregister(&tenant);
}

TEST_F(CoordinatorTest, PausesWhatIsNotGrantedAndResumesIt) {
  Start(1);
  FakeTenant tenant;
  auto job = tenant.Offer(JobClass::kDeep);
  Register(&tenant);
  Await("the job runs", [&] { return job->slices.load() > 0; });

  wish_.Set(Script::Nothing());
  AwaitStill(*job);
  EXPECT_FALSE(job->destroyed.load());

  const uint64_t paused_at = job->slices.load();
  wish_.Set(Script::Everything());
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
  Directive idle = Script::Everything();
  idle.deep.cpu = CpuPriority::kIdle;
  wish_.Set(idle);
  // There is one worker of each CPU class, so another thread means the other class.
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

TEST_F(CoordinatorTest, ALimitedJobComesBackAfterEachSlice) {
  Start(1, &clock_);
  FakeTenant tenant;
  Directive limited = Script::Everything();
  limited.rate = {kLentBytes, 0};
  wish_.Set(limited);
  auto job = tenant.Offer(JobClass::kDeep);
  job->bytes_per_slice.store(kLentBytes);
  Register(&tenant);
  AwaitRounds(&wish_, 1);  // from here on it earns budget
  for (uint64_t slices = 1; slices <= 3; ++slices) {
    clock_.Advance(1'500'000'000);
    Await("a slice", [&] { return job->slices.load() == slices; });
    AwaitStill(*job);
    EXPECT_EQ(job->slices.load(), slices);
  }
  coordinator_->Unregister(&tenant);
}

TEST_F(CoordinatorTest, APolicyIsReplacedBetweenTwoRounds) {
  Start(1);
  FakeTenant tenant;
  Register(&tenant);
  AwaitRounds(&wish_, 1);
  Script next;
  std::atomic<uint64_t> asked_at_change{1'000'000};
  coordinator_->SetPolicy(&tenant, next.Make(), [&] { asked_at_change.store(next.asked()); });
  Await("the new one is asked", [&] { return next.asked() > 2; });
  EXPECT_EQ(asked_at_change.load(), 0u) << "what goes with it changes first";
  const uint64_t asked = wish_.asked();
  AwaitRounds(&next, 3);
  EXPECT_EQ(wish_.asked(), asked) << "the old one is not asked any more";
  coordinator_->Unregister(&tenant);
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
