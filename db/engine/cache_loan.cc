// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "db/engine/cache_loan.h"

#include <algorithm>

namespace lull {
namespace {

constexpr uint64_t kCalmNanos = 1'000'000'000;
constexpr uint64_t kShrinkStepBytes = 4 << 20;
// A smaller change is not worth the evictions.
constexpr uint64_t kGrowStepBytes = 1 << 20;

}  // namespace

std::optional<uint64_t> CacheLoan::Adapt(uint64_t now_nanos, const Share& share) {
  if (cache_ == nullptr) return std::nullopt;
  const uint64_t reserve = share.budget_bytes / 4;
  const uint64_t lendable = share.unused_bytes - std::min(share.unused_bytes, reserve);
  const uint64_t lent = lent_bytes_;
  if (lendable < lent) {
    calm_since_nanos_ = 0;
    Lend(std::max(lendable, lent - std::min(lent, kShrinkStepBytes)));
    return lent_bytes_ > lendable ? std::optional<uint64_t>(0) : std::nullopt;
  }
  if (lendable < lent + kGrowStepBytes) {
    calm_since_nanos_ = 0;
    return std::nullopt;
  }
  if (calm_since_nanos_ == 0) {
    calm_since_nanos_ = now_nanos;
    lendable_min_bytes_ = lendable;
  }
  lendable_min_bytes_ = std::min(lendable_min_bytes_, lendable);
  const uint64_t calm = now_nanos - calm_since_nanos_;
  if (calm < kCalmNanos) return kCalmNanos - calm;
  calm_since_nanos_ = 0;
  Lend(lendable_min_bytes_);
  return std::nullopt;
}

void CacheLoan::Lend(uint64_t bytes) {
  lent_bytes_ = bytes;
  cache_->SetCapacity(own_bytes_ + static_cast<size_t>(bytes));
}

}  // namespace lull
