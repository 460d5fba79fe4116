// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "scheduler/token_bucket.h"

#include <algorithm>
#include <cmath>

namespace lull {
namespace {

// About a hundred years: practically never, and adding it to a time does not overflow.
constexpr double kNeverNanos = 3e18;

double Earned(uint64_t bytes_per_sec, double nanos) {
  return static_cast<double>(bytes_per_sec) * nanos * 1e-9;
}

}  // namespace

void TokenBucket::Balance::Earn(uint64_t bytes_per_sec, double nanos) {
  const double room = std::max(0.0, kSavedBytes - available());
  bytes += std::min(Earned(bytes_per_sec, nanos), room);
}

/// Charges in full for what a slice wrote in `nanos`: the job itself waits for it.
void TokenBucket::Balance::Settle(uint64_t bytes_per_sec, double nanos, double written) {
  const double paid_with_time = std::min<double>(kLentBytes, Earned(bytes_per_sec, nanos));
  --lent;
  Pay(std::max(written, paid_with_time), std::max<double>(kSliceBytes, written));
}

/// Charges for `written`, but increases the debt to no more than `debt_max`.
void TokenBucket::Balance::Pay(double written, double debt_max) {
  bytes = std::max(bytes - written, std::min(bytes, -debt_max));
  bytes -= std::max(0.0, available() - kSavedBytes);
}

double TokenBucket::Balance::NanosUntilPositive(uint64_t bytes_per_sec) const {
  if (available() >= 1) return 0;
  if (bytes_per_sec == 0) return kNeverNanos;
  const double nanos = (1 - available()) * 1e9 / static_cast<double>(bytes_per_sec);
  return std::min(kNeverNanos, std::ceil(nanos));
}

void TokenBucket::Refill(uint64_t now_nanos) {
  const double elapsed = static_cast<double>(now_nanos - refilled_at_nanos_);
  refilled_at_nanos_ = now_nanos;
  total_.Earn(rate_.bytes_per_sec, elapsed);
  guaranteed_.Earn(rate_.urgent_bytes_per_sec_min, elapsed);
}

void TokenBucket::SetRate(const RateBudget& rate, uint64_t now_nanos) {
  Refill(now_nanos);
  rate_ = rate;
}

uint64_t TokenBucket::WaitNanos(JobClass job_class, uint64_t now_nanos) {
  if (!limited()) return 0;
  Refill(now_nanos);
  double wait = total_.NanosUntilPositive(rate_.bytes_per_sec);
  if (job_class == JobClass::kL0) {
    wait = std::min(wait, guaranteed_.NanosUntilPositive(rate_.urgent_bytes_per_sec_min));
  }
  return static_cast<uint64_t>(wait);
}

Loan TokenBucket::Begin(JobClass job_class, uint64_t now_nanos) {
  ++total_.lent;
  if (job_class == JobClass::kL0) ++guaranteed_.lent;
  return {job_class, now_nanos};
}

void TokenBucket::End(const Loan& loan, uint64_t written_bytes, uint64_t now_nanos) {
  Refill(now_nanos);
  const auto written = static_cast<double>(written_bytes);
  const auto nanos = static_cast<double>(now_nanos - loan.began_nanos);
  total_.Settle(rate_.bytes_per_sec, nanos, written);
  if (loan.job_class != JobClass::kL0) return;
  guaranteed_.Settle(rate_.urgent_bytes_per_sec_min, nanos, written);
}

void TokenBucket::Draw(uint64_t written_bytes) {
  if (!limited()) return;
  total_.Pay(static_cast<double>(written_bytes), kSliceBytes);
  guaranteed_.Pay(static_cast<double>(written_bytes), kSliceBytes);
}

void IoBudget::Add(StoreId store) { stores_.emplace(store, Store{}); }

void IoBudget::Remove(StoreId store, uint64_t now_nanos) {
  stores_.erase(store);
  SetCommonRate(now_nanos);
}

void IoBudget::SetRate(StoreId store, const RateBudget& rate, bool has_work, uint64_t now_nanos) {
  Store& known = stores_.at(store);
  if (known.has_rate && known.own.rate() == rate && known.has_work == has_work) return;
  known.has_rate = true;
  known.has_work = has_work;
  known.own.SetRate(rate, now_nanos);
  SetCommonRate(now_nanos);
}

void IoBudget::SetCommonRate(uint64_t now_nanos) {
  RateBudget largest;
  for (const auto& [id, store] : stores_) {
    if (!store.has_rate || !store.has_work) continue;
    if (!store.own.limited()) {
      largest = RateBudget{};
      break;
    }
    const RateBudget& rate = store.own.rate();
    largest.bytes_per_sec = std::max(largest.bytes_per_sec, rate.bytes_per_sec);
    largest.urgent_bytes_per_sec_min =
        std::max(largest.urgent_bytes_per_sec_min, rate.urgent_bytes_per_sec_min);
  }
  common_.SetRate(largest, now_nanos);
}

uint64_t IoBudget::WaitNanos(StoreId store, JobClass job_class, uint64_t now_nanos) {
  return std::max(stores_.at(store).own.WaitNanos(job_class, now_nanos),
                  common_.WaitNanos(job_class, now_nanos));
}

Loan IoBudget::Begin(StoreId store, JobClass job_class, uint64_t now_nanos) {
  Store& served = stores_.at(store);
  start_ = std::max(start_, served.finish);
  served.finish = start_ + Cost(served, kLentBytes);
  common_.Begin(job_class, now_nanos);
  return served.own.Begin(job_class, now_nanos);
}

void IoBudget::End(StoreId store, const Loan& loan, uint64_t written_bytes, uint64_t now_nanos) {
  Store& served = stores_.at(store);
  served.own.End(loan, written_bytes, now_nanos);
  common_.End(loan, written_bytes, now_nanos);
  if (!served.own.limited()) return;  // the limit was removed meanwhile
  served.finish += Cost(served, static_cast<double>(written_bytes) - kLentBytes);
}

void IoBudget::Draw(StoreId store, uint64_t written_bytes) {
  stores_.at(store).own.Draw(written_bytes);
  common_.Draw(written_bytes);
}

double IoBudget::Turn(StoreId store) const {
  const Store& asking = stores_.at(store);
  return common_.limited() ? std::max(start_, asking.finish) : 0;
}

}  // namespace lull
