// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Closing a store waits only for the slice in progress: not for the end of a pause, for budget to
// be earned, or for overdue work. The coordinator's clock stands still during these tests, so such
// a wait would never end.
#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "db/store/store.h"
#include "lull/lull.h"
#include "tests/db/store/fake_tenant.h"
#include "tests/support/fresh_directory.h"
#include "tests/support/units.h"

namespace lull {
namespace {

using testing::FakeTenant;
using testing::JobRecord;
using testing::kMsNanos;
using testing::kSecondNanos;
using testing::Script;

constexpr uint64_t kVirtualNanosMax = 100 * kMsNanos;

class CoordinatorClosingTest : public testing::CoordinatorFixture {
 protected:
  static Directive AByteASecond() {
    Directive wanted = Script::Everything();
    wanted.rate = {1, 1};
    return wanted;
  }

  /// Starts an L0 and a deep job, which run a slice or more; they stop if `wanted` grants nothing.
  void StartBoth(const Directive& wanted) {
    Start(2, &clock_);
    wish_.Set(wanted);
    l0_ = tenant_.Offer(JobClass::kL0, kLentBytes);
    deep_ = tenant_.Offer(JobClass::kDeep, kLentBytes);
    Register();
  }
  void RunBoth() {
    StartBoth(Script::Everything());
    Await("both ran", [&] { return l0_->slices.load() > 0 && deep_->slices.load() > 0; });
  }
  /// One slice costs more than is earned in hours.
  void RunOneIntoDebt() {
    StartBoth(AByteASecond());
    AwaitRounds(&wish_, 1);
    clock_.Advance(2 * kSecondNanos);
    Await("one ran", [&] { return l0_->slices.load() + deep_->slices.load() > 0; });
    AwaitBothStill();
  }
  void AwaitBothStill() {
    AwaitStill(*l0_);
    AwaitStill(*deep_);
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
  /// Closes while something cannot end. Returns when the monitor has released the store; decisions
  /// of another store's policy show that. The close waits until `release`.
  void CloseDuring(const std::function<void()>& release) {
    std::atomic<bool> closed{false};
    auto closer = ThreadFactory::System()->Start("closer", CpuClass::kNormal, [&] {
      coordinator_->Unregister(&tenant_);
      closed.store(true);
    });
    FakeTenant other;
    Script others;
    others.Set(Script::Nothing());
    Register(&other, &others);
    Await("the monitor releases it", [&] {
      const uint64_t asked = wish_.asked();
      AwaitRounds(&others, 5);
      return wish_.asked() == asked;
    });
    EXPECT_FALSE(closed.load());
    release();
    closer.reset();
    coordinator_->Unregister(&other);
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

TEST_F(CoordinatorClosingTest, WhileEverythingIsPaused) {
  RunBoth();
  wish_.Set(Script::Nothing());
  AwaitBothStill();
  CloseAndCheck();
  EXPECT_EQ(tenant_.abandoned_.load(), 2);
}

TEST_F(CoordinatorClosingTest, WhileEverythingRuns) {
  RunBoth();
  CloseAndCheck();
  EXPECT_EQ(tenant_.abandoned_.load(), 2);
}

TEST_F(CoordinatorClosingTest, WhileTheBudgetIsOwedForHours) {
  RunOneIntoDebt();
  CloseAndCheck();
}

TEST_F(CoordinatorClosingTest, WhileWhatOwesIsPausedAsWell) {
  RunOneIntoDebt();
  wish_.Set(Script::Nothing());
  AwaitBothStill();
  CloseAndCheck();
}

TEST_F(CoordinatorClosingTest, WhileJobsMoveToTheOtherCpuPriority) {
  RunBoth();
  Directive idle = Script::Everything();
  idle.l0.cpu = idle.deep.cpu = CpuPriority::kIdle;
  wish_.Set(idle);
  AwaitRounds(&wish_, 1);
  CloseAndCheck();
}

TEST_F(CoordinatorClosingTest, WhileADeepJobStandsInTheWayOfL0) {
  Start(1, &clock_);
  deep_ = tenant_.Offer(JobClass::kDeep, kLentBytes);
  deep_->blocks_l0.store(true);
  deep_->share_done.store(0.9);
  Register();
  AwaitRuns(*deep_);
  wish_.Set(Script::Nothing());
  AwaitStill(*deep_);
  l0_ = tenant_.Offer(JobClass::kL0, kLentBytes);
  AwaitRounds(&wish_, 3);
  CloseAndCheck();
}

TEST_F(CoordinatorClosingTest, InTheMiddleOfASlice) {
  StartBoth(Script::Everything());
  l0_->AllowSlices(0);
  deep_->AllowSlices(0);
  Await("both are held", [&] { return l0_->held.load() && deep_->held.load(); });
  // One more slice would never end. (Either job may have finished its first before it was held.)
  const uint64_t l0_slices = l0_->slices.load();
  const uint64_t deep_slices = deep_->slices.load();
  CloseDuring([&] {
    l0_->AllowSlices(l0_slices);
    deep_->AllowSlices(deep_slices);
  });
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
    leveldb::Options options;
    options.create_if_missing = true;
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
      ASSERT_TRUE(db->Put(leveldb::WriteOptions(), key, std::string(1000, 'v')).ok());
    }
  }
  template <class Holds>
  void Await(const char* what, const Holds& holds) {
    testing::ScriptedEvents().Await(what, [&] {
      coordinator_->WakeMonitor();
      return holds();
    });
  }
  void AwaitAsked(Script* wish, uint64_t rounds) {
    const uint64_t asked = wish->asked();
    Await("rounds of the monitor", [&] { return wish->asked() >= asked + rounds; });
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
  AwaitAsked(&wish, 2);  // the directive is in force
  Write(db.get(), 1500);
  Await("a sealed memtable", [&] { return wish.Seen().immutables > 0; });
  CloseAndCheck(std::move(db));
}

// A stalled writer of one store must not delay the close of another.
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
  auto writer = ThreadFactory::System()->Start("writer", CpuClass::kNormal,
                                               [&] { Write(stalled.get(), 3000); });
  Write(db.get(), 100);
  Await("a writer that waits", [&] {
    std::string stats;
    return stalled->GetProperty("lull.stats", &stats) &&
           stats.find("\"kind\":\"stop\"") != std::string::npos;
  });
  CloseAndCheck(std::move(db));
  stalled_wish.Set(Script::Everything());
  coordinator_->WakeMonitor();
  writer.reset();
  CloseAndCheck(std::move(stalled));
}

}  // namespace
}  // namespace lull
