// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// The arithmetic of the I/O budget: the bytes that can be written in a time, who waits for whom,
// and the shares. Time is a number that the tests advance.
#include "scheduler/token_bucket.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tests/support/rng.h"
#include "tests/support/units.h"

namespace lull::testing {
namespace {

/// What a store writes in ten seconds that always has work: it begins a slice of `bytes` whenever
/// it may, and ends it at once.
uint64_t RunGreedily(TokenBucket* bucket, JobClass job_class, uint64_t bytes) {
  uint64_t written = 0;
  for (uint64_t now = 0; now < 10 * kSecondNanos;) {
    const uint64_t wait = bucket->WaitNanos(job_class, now);
    now += wait;
    if (wait > 0) continue;
    bucket->End(bucket->Begin(job_class, now), bytes, now);
    written += bytes;
  }
  return written;
}

TEST(TokenBucketTest, KeepsToItsRateWhateverASliceWrites) {
  // 4096: a table with no flushed bytes yet; 8 * kLentBytes: one huge entry.
  for (uint64_t bytes : {uint64_t{4096}, kLentBytes / 2, kLentBytes, 8 * kLentBytes}) {
    TokenBucket bucket;
    bucket.SetRate({10 * kMiB, 0}, 0);
    const uint64_t written = RunGreedily(&bucket, JobClass::kDeep, bytes);
    EXPECT_LE(written, 100 * kMiB + std::max(kSliceBytes, bytes)) << bytes;
    EXPECT_GE(written, 100 * kMiB - kSliceBytes) << bytes;
  }
}

TEST(TokenBucketTest, SavesNoMoreThanItSays) {
  TokenBucket bucket;
  bucket.SetRate({10 * kMiB, 0}, 0);
  EXPECT_EQ(bucket.WaitNanos(JobClass::kDeep, 3600 * kSecondNanos), 0u);
  uint64_t at_once = 0;
  while (bucket.WaitNanos(JobClass::kDeep, 3600 * kSecondNanos) == 0) {
    bucket.End(bucket.Begin(JobClass::kDeep, 3600 * kSecondNanos), 1024, 3600 * kSecondNanos);
    at_once += 1024;
  }
  EXPECT_LE(at_once, kSavedBytes + 1024);
}

TEST(TokenBucketTest, ASliceUnderWayKeepsOthersFromBeginning) {
  TokenBucket bucket;
  bucket.SetRate({kMiB, 0}, 0);
  bucket.WaitNanos(JobClass::kDeep, kSecondNanos);
  const Loan loan = bucket.Begin(JobClass::kDeep, kSecondNanos);
  EXPECT_GT(bucket.WaitNanos(JobClass::kDeep, kSecondNanos), 0u);
  bucket.End(loan, 0, kSecondNanos);  // it wrote nothing, so the loan is available again
  EXPECT_EQ(bucket.WaitNanos(JobClass::kDeep, kSecondNanos), 0u);
}

TEST(TokenBucketTest, UrgentWorkHasItsMinimum) {
  TokenBucket bucket;
  bucket.SetRate({1, 5 * kMiB}, 0);  // the policy leaves only the minimum
  const uint64_t written = RunGreedily(&bucket, JobClass::kL0, kLentBytes);
  EXPECT_GE(written, 50 * kMiB - kSliceBytes);
  EXPECT_LE(written, 50 * kMiB + kSliceBytes);
}

TEST(TokenBucketTest, DeepWorkGetsWhatIsLeft) {
  TokenBucket bucket;
  bucket.SetRate({20 * kMiB, 5 * kMiB}, 0);
  uint64_t deep = 0;
  for (uint64_t now = 0; now < 10 * kSecondNanos; now += kSecondNanos / 1000) {
    bucket.Draw(15 * kMiB / 1000);  // flushes
    if (bucket.WaitNanos(JobClass::kDeep, now) > 0) continue;
    bucket.End(bucket.Begin(JobClass::kDeep, now), kLentBytes, now);
    deep += kLentBytes;
  }
  EXPECT_LE(deep, 50 * kMiB + kSliceBytes);
  EXPECT_GE(deep, 45 * kMiB);
}

TEST(TokenBucketTest, FlushesTakeOfTheMinimumToo) {
  TokenBucket bucket;
  bucket.SetRate({1, 5 * kMiB}, 0);
  bucket.Draw(kMiB);
  const uint64_t wait = bucket.WaitNanos(JobClass::kL0, 0);
  EXPECT_GT(wait, 0u);
  EXPECT_LE(wait, kSliceBytes * kSecondNanos / (5 * kMiB) + 1000);
}

TEST(TokenBucketTest, ALongFlushHoldsUpOthersForOneSliceOnly) {
  TokenBucket bucket;
  bucket.SetRate({kMiB, 0}, 0);
  bucket.Draw(1024 * kMiB);
  EXPECT_LE(bucket.WaitNanos(JobClass::kDeep, 0), kSecondNanos / 4 + 1000);
}

TEST(TokenBucketTest, AHigherRateShortensTheWait) {
  TokenBucket bucket;
  bucket.SetRate({1, 0}, 0);
  bucket.Draw(kSliceBytes);
  const uint64_t before = bucket.WaitNanos(JobClass::kDeep, 0);
  bucket.SetRate({100 * kMiB, 0}, 0);
  EXPECT_LT(bucket.WaitNanos(JobClass::kDeep, 0), before / 1000);
  bucket.SetRate({0, 0}, 0);
  EXPECT_FALSE(bucket.limited());
  EXPECT_EQ(bucket.WaitNanos(JobClass::kDeep, 0), 0u);
}

/// In any stretch of a random history, also of changing rates, no more bytes than the larger rate
/// allows, plus one slice.
TEST(TokenBucketTest, NoStretchOfTimeExceedsTheRateByMoreThanASlice) {
  for (uint64_t seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Rng rng(SubSeed(0x70cc, seed));
    double bytes_per_nano = 0;
    TokenBucket bucket;
    struct Slice {
      Loan loan;
      uint64_t ends, bytes;
    };
    std::vector<Slice> running;
    uint64_t now = 0;
    // The largest of (written since t) - rate * (now - t) over all t, by one pass.
    double excess = 0;
    for (int step = 0; step < 20'000; ++step) {
      const uint64_t elapsed =
          rng.OneIn(50) ? rng.Below(kSecondNanos / 10) : rng.Below(kSecondNanos / 1000);
      now += elapsed;
      excess = std::max(0.0, excess - bytes_per_nano * static_cast<double>(elapsed));
      if (step == 0 || rng.OneIn(500)) {
        const RateBudget rate{kMiB + rng.Below(100 * kMiB), rng.Below(60 * kMiB)};
        bucket.SetRate(rate, now);
        bytes_per_nano =
            static_cast<double>(std::max(rate.bytes_per_sec, rate.urgent_bytes_per_sec_min)) * 1e-9;
      }
      for (auto slice = running.begin(); slice != running.end();) {
        if (slice->ends > now) {
          ++slice;
          continue;
        }
        bucket.End(slice->loan, slice->bytes, now);
        slice = running.erase(slice);
      }
      const JobClass job_class = rng.OneIn(2) ? JobClass::kL0 : JobClass::kDeep;
      if (running.size() >= 4 || bucket.WaitNanos(job_class, now) > 0) continue;
      const Loan loan = bucket.Begin(job_class, now);
      const uint64_t bytes = rng.OneIn(3) ? kLentBytes : rng.Below(kLentBytes + 1);
      excess += static_cast<double>(bytes);  // counted when it begins, the worst case
      running.push_back({loan, now + rng.Below(kSecondNanos / 200), bytes});
      ASSERT_LE(excess, static_cast<double>(kSliceBytes)) << "at step " << step;
    }
  }
}

// ---- several stores ----

class IoBudgetTest : public ::testing::Test {
 protected:
  struct Greedy {
    StoreId id{};
    uint64_t written = 0;
    bool rests = false;
  };

  Greedy* Add(uint64_t bytes_per_sec) {
    stores_.push_back(std::make_unique<Greedy>());
    stores_.back()->id = StoreId{stores_.size()};
    budget_.Add(stores_.back()->id);
    budget_.SetRate(stores_.back()->id, {bytes_per_sec, 0}, true, now_);
    return stores_.back().get();
  }

  /// As the coordinator does: begins each store that may, in turn. Returns what all wrote.
  uint64_t Run(uint64_t nanos) {
    uint64_t written = 0;
    for (const uint64_t until = now_ + nanos; now_ < until; now_ += 100'000) {
      while (Greedy* next = NextToBegin()) {
        budget_.End(next->id, budget_.Begin(next->id, JobClass::kDeep, now_), kLentBytes, now_);
        next->written += kLentBytes;
        written += kLentBytes;
      }
    }
    return written;
  }

  Greedy* NextToBegin() {
    Greedy* next = nullptr;
    for (const auto& store : stores_) {
      if (store->rests || budget_.WaitNanos(store->id, JobClass::kDeep, now_) > 0) continue;
      if (next == nullptr || budget_.Turn(store->id) < budget_.Turn(next->id)) next = store.get();
    }
    return next;
  }

  IoBudget budget_;
  std::vector<std::unique_ptr<Greedy>> stores_;
  uint64_t now_ = 0;
};

TEST_F(IoBudgetTest, SharesAreInProportionToWhatPoliciesAllow) {
  Greedy* const large = Add(30 * kMiB);
  Greedy* const small = Add(10 * kMiB);
  const uint64_t written = Run(10 * kSecondNanos);
  EXPECT_LE(written, 300 * kMiB + kSliceBytes);
  EXPECT_GE(written, 285 * kMiB);
  EXPECT_NEAR(static_cast<double>(large->written) / static_cast<double>(small->written), 3, 0.2);
}

TEST_F(IoBudgetTest, WhatOneStoreLeavesAnotherTakesUpToItsOwnLimit) {
  Add(30 * kMiB)->rests = true;
  Add(10 * kMiB);
  const uint64_t written = Run(10 * kSecondNanos);
  EXPECT_LE(written, 100 * kMiB + kSliceBytes);
  EXPECT_GE(written, 95 * kMiB);
}

TEST_F(IoBudgetTest, WhoComesBackHasNoClaimOnWhatItDidNotUse) {
  Add(20 * kMiB);
  Greedy* const b = Add(20 * kMiB);
  b->rests = true;
  Run(10 * kSecondNanos);
  b->rests = false;
  const uint64_t written = Run(kSecondNanos);
  EXPECT_NEAR(static_cast<double>(written - b->written), static_cast<double>(b->written),
              kSliceBytes);
}

TEST_F(IoBudgetTest, AStoreThatIsAllowedNextToNothingSlowsNobodyElse) {
  Add(1);
  Greedy* const other = Add(20 * kMiB);
  Run(10 * kSecondNanos);
  EXPECT_GE(other->written, 190 * kMiB);
}

TEST_F(IoBudgetTest, AStoreWithoutALimitLiftsTheCommonOne) {
  Greedy* const a = Add(20 * kMiB);
  Add(20 * kMiB);
  const StoreId free{99};
  budget_.Add(free);
  EXPECT_LE(Run(kSecondNanos), 20 * kMiB + kSliceBytes) << "it has not been asked yet";
  budget_.SetRate(free, {0, 0}, true, now_);
  EXPECT_FALSE(budget_.IsLimited(free));
  EXPECT_EQ(budget_.Turn(a->id), budget_.Turn(free)) << "it does not always come first";
  EXPECT_GE(Run(kSecondNanos), 39 * kMiB);
  budget_.Remove(free, now_);
  EXPECT_LE(Run(kSecondNanos), 20 * kMiB + kSliceBytes);
}

// Like a store under "silk" whose clients are quiet, or one that was just opened.
TEST_F(IoBudgetTest, AnIdleStoreLiftsNothing) {
  Greedy* const a = Add(20 * kMiB);
  Greedy* const b = Add(20 * kMiB);
  const StoreId idle{99};
  budget_.Add(idle);
  for (const RateBudget& rate : {RateBudget{0, 0}, RateBudget{100 * kMiB, 0}}) {
    budget_.SetRate(idle, rate, false, now_);
    EXPECT_LE(Run(kSecondNanos), 20 * kMiB + kSliceBytes);
  }
  budget_.SetRate(idle, {100 * kMiB, 0}, true, now_);
  EXPECT_GE(Run(kSecondNanos), 39 * kMiB) << "now it has work";
  // While all are idle there is no limit to apply; the first store with work gets its own limit.
  for (const StoreId store : {a->id, b->id, idle})
    budget_.SetRate(store, {20 * kMiB, 0}, false, now_);
  budget_.SetRate(a->id, {20 * kMiB, 0}, true, now_);
  b->rests = true;
  EXPECT_LE(Run(kSecondNanos), 20 * kMiB + kSliceBytes);
}

}  // namespace
}  // namespace lull::testing
