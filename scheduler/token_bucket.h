// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Accounting for the write rates that policies set (RateBudget). Pure arithmetic: time is an
// argument. The dispatcher owns an IoBudget and asks it before each slice of a limited job. One
// thread.
//
// A slice borrows kLentBytes when it begins. When it ends, it returns the loan and pays for what it
// wrote. It can begin while the balance is positive, however small. So the balance can go negative
// by one slice; then no slice begins until it is positive again. A balance saves at most
// kSavedBytes, about what it earns between the moment when a job can continue and its start.
//
// A slice that wrote less than its loan pays at least what the balance earned during the slice, up
// to the loan. Otherwise, while several slices run at once, the balance would save what they
// borrowed and did not write.
//
// Invariant: in any period, jobs write at most rate * time + kSliceBytes, if no slice writes more
// than its loan. Here rate is the larger of the two rates of a RateBudget. (There are two balances;
// each can be ahead by its savings and one slice.) If a slice writes more, because an entry is
// large or a table ends, later slices wait for all of it.
#pragma once

#include <cstdint>
#include <map>

#include "scheduler/job.h"
#include "scheduler/policy.h"

namespace lull {

enum class StoreId : uint64_t {};

/// The loan of a slice, in bytes.
inline constexpr uint64_t kLentBytes = 96 << 10;
/// The most that a balance saves, in bytes.
inline constexpr uint64_t kSavedBytes = 32 << 10;
/// How far jobs can be ahead of the rate, in bytes; see the invariant.
inline constexpr uint64_t kSliceBytes = 2 * (kLentBytes + kSavedBytes);

/// The loan of a running slice. L0 jobs have a guaranteed minimum rate; other jobs get the rest.
struct Loan {
  JobClass job_class = JobClass::kDeep;
  uint64_t began_nanos = 0;
};

/// One RateBudget and its balances.
class TokenBucket {
 public:
  /// Changes the rate and keeps the balances. `now_nanos` never decreases from call to call, here
  /// and below.
  void SetRate(const RateBudget& rate, uint64_t now_nanos);
  const RateBudget& rate() const { return rate_; }
  bool limited() const { return rate_.bytes_per_sec > 0; }

  /// Nanoseconds until a slice can begin, if no other job draws from the bucket meanwhile; 0: now.
  uint64_t WaitNanos(JobClass job_class, uint64_t now_nanos);

  /// Call at the beginning and the end of a slice. `written_bytes`: written by this slice.
  Loan Begin(JobClass job_class, uint64_t now_nanos);
  void End(const Loan& loan, uint64_t written_bytes, uint64_t now_nanos);

  /// Charges bytes written without a loan. They put a balance into debt by at most kSliceBytes: a
  /// long flush must not stop compactions for an unpredictable time.
  void Draw(uint64_t written_bytes);

 private:
  struct Balance {
    double bytes = 0;  // earned minus written
    int lent = 0;      // slices that began and have not ended

    double available() const { return bytes - static_cast<double>(lent) * kLentBytes; }
    void Earn(uint64_t bytes_per_sec, double nanos);
    void Settle(uint64_t bytes_per_sec, double nanos, double written);
    void Pay(double written, double debt_max);
    double NanosUntilPositive(uint64_t bytes_per_sec) const;
  };
  void Refill(uint64_t now_nanos);

  RateBudget rate_;
  Balance total_;       // shared by all jobs
  Balance guaranteed_;  // L0 jobs draw from it too, and can begin on it when total_ is used up
  uint64_t refilled_at_nanos_ = 0;
};

/// One budget for all stores that share it. Each store is limited to its policy's rate. Together
/// they are limited to the largest of those rates, so that more stores do not mean more load on the
/// device. If a store's policy sets no limit, there is no common limit. Stores without work do not
/// count in these two rules, since their rates are no reason to let others do more. Stores that
/// compete get shares in proportion to their policies' rates. A store that returns after a pause
/// has no claim to what it did not use.
class IoBudget {
 public:
  void Add(StoreId store);
  void Remove(StoreId store, uint64_t now_nanos);
  /// `has_work`: the store has work that would use the rate, or will have before the next call.
  void SetRate(StoreId store, const RateBudget& rate, bool has_work, uint64_t now_nanos);

  /// Whether the store's slices need a loan.
  bool IsLimited(StoreId store) const { return stores_.at(store).own.limited(); }
  /// As for TokenBucket. REQUIRES, for Begin: WaitNanos is 0.
  uint64_t WaitNanos(StoreId store, JobClass job_class, uint64_t now_nanos);
  Loan Begin(StoreId store, JobClass job_class, uint64_t now_nanos);
  void End(StoreId store, const Loan& loan, uint64_t written_bytes, uint64_t now_nanos);
  void Draw(StoreId store, uint64_t written_bytes);

  /// Among the stores that could begin a slice, the one with the smallest value goes next. 0 for
  /// all stores if there is no common limit.
  double Turn(StoreId store) const;

 private:
  struct Store {
    TokenBucket own;
    bool has_rate = false;  // its policy has been asked
    bool has_work = false;
    double finish = 0;  // end of its last slice, in virtual time
  };
  void SetCommonRate(uint64_t now_nanos);
  static double Cost(const Store& store, double bytes) {
    return bytes / static_cast<double>(store.own.rate().bytes_per_sec);
  }

  std::map<StoreId, Store> stores_;
  TokenBucket common_;
  double start_ = 0;  // start of the last slice, in virtual time (advances as stores are served)
};

}  // namespace lull
