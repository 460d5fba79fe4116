// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// The coordinator's threads, with fake tenants and policies. The dispatcher makes the decisions:
// see tests/scheduler/testdata/dispatcher.
#include "scheduler/threads/coordinator.h"

#include <atomic>
#include <memory>

#include "tests/db/store/fake_tenant.h"

namespace lull {
namespace {

using testing::FakeTenant;
using testing::Script;

class CoordinatorTest : public testing::CoordinatorFixture {
 protected:
  void AwaitEnd() {
    Await("a job ends", [&] { return tenant_.ended_.load() == 1; });
  }
};

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
  AwaitEnd();
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
  AwaitEnd();
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

}  // namespace
}  // namespace lull
