// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "db/engine/cache_loan.h"

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>

#include "tests/support/units.h"
#include "util/resizable_cache.h"

namespace lull {
namespace {

using testing::kMiB;
using testing::kSecondNanos;

constexpr size_t kOwnBytes = 8 * kMiB;

class CacheLoanTest : public ::testing::Test {
 protected:
  std::optional<uint64_t> Adapt(uint64_t at_nanos, uint64_t unused_mib) {
    return loan_.Adapt(at_nanos, {.budget_bytes = 64 * kMiB, .unused_bytes = unused_mib * kMiB});
  }
  uint64_t lent_mib() const { return loan_.lent_bytes() / kMiB; }
  /// Puts blocks of 64 KiB into the cache; returns how many MiB stay.
  uint64_t Fill() {
    for (int i = 0; i < 2000; ++i) {
      cache_->Release(cache_->Insert(std::to_string(i), nullptr, 64 << 10,
                                     [](const leveldb::Slice&, void*) {}));
    }
    return cache_->TotalCharge() / kMiB;
  }
  void LendAll() {
    Adapt(1, 64);
    Adapt(1 + kSecondNanos, 64);
  }

  const std::unique_ptr<ResizableCache> cache_ = NewResizableCache(kOwnBytes);
  CacheLoan loan_{cache_.get(), kOwnBytes};
};

TEST_F(CacheLoanTest, LendsAllButAQuarterAfterACalmSecond) {
  EXPECT_EQ(Adapt(1, 64), kSecondNanos);
  EXPECT_EQ(lent_mib(), 0u);
  EXPECT_EQ(Adapt(1 + kSecondNanos / 4, 64), kSecondNanos - kSecondNanos / 4);
  EXPECT_EQ(Adapt(1 + kSecondNanos, 64), std::nullopt);
  EXPECT_EQ(lent_mib(), 48u);
  EXPECT_GT(Fill(), 48u);
  EXPECT_LE(cache_->TotalCharge(), 56 * kMiB);
  EXPECT_EQ(Adapt(1 + 9 * kSecondNanos, 64), std::nullopt);  // nothing more to lend
}

TEST_F(CacheLoanTest, LendsOnlyWhatWasUnusedForTheWholeSecond) {
  Adapt(1, 64);
  Adapt(1 + kSecondNanos / 2, 40);
  Adapt(1 + kSecondNanos, 64);
  EXPECT_EQ(lent_mib(), 24u);
}

TEST_F(CacheLoanTest, TakesMemoryBackAtOnceAndInSteps) {
  LendAll();
  Fill();
  EXPECT_EQ(Adapt(2 * kSecondNanos, 57), 0u);
  EXPECT_EQ(lent_mib(), 44u);
  EXPECT_LE(cache_->TotalCharge(), 52 * kMiB);
  EXPECT_EQ(Adapt(2 * kSecondNanos, 57), std::nullopt);
  EXPECT_EQ(lent_mib(), 41u);
  while (Adapt(2 * kSecondNanos, 0)) {
  }
  EXPECT_EQ(lent_mib(), 0u);
  EXPECT_LE(cache_->TotalCharge(), kOwnBytes);
}

TEST_F(CacheLoanTest, AShrinkEndsTheCalm) {
  LendAll();
  while (Adapt(3 * kSecondNanos, 20)) {
  }
  EXPECT_EQ(lent_mib(), 4u);
  EXPECT_EQ(Adapt(4 * kSecondNanos, 64), kSecondNanos);
  EXPECT_EQ(Adapt(4 * kSecondNanos + kSecondNanos / 2, 16), std::nullopt);
  EXPECT_EQ(Adapt(5 * kSecondNanos, 64), kSecondNanos);
  EXPECT_EQ(lent_mib(), 0u);
}

TEST_F(CacheLoanTest, LendsNothingToAClientsCache) {
  CacheLoan loan(nullptr, 0);
  EXPECT_EQ(loan.Adapt(1, {64 * kMiB, 64 * kMiB}), std::nullopt);
  EXPECT_EQ(loan.Adapt(9 * kSecondNanos, {64 * kMiB, 64 * kMiB}), std::nullopt);
  EXPECT_EQ(loan.lent_bytes(), 0u);
}

}  // namespace
}  // namespace lull
