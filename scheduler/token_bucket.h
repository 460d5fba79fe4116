// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Accounting for the write rates that policies set (RateBudget). Pure arithmetic: time is an
// argument. The dispatcher owns an IoBudget and asks it before each slice of a limited job. One
// thread.
//
// A slice borrows kLentBytes when it begins, and settles for what it wrote when it ends. It can
// begin while the balance is positive, however small. So the balance can go negative by one slice;
// then no slice begins until it is positive again. A balance saves at most kSavedBytes, about what
// accrues between the moment a job may continue and its start. A slice that wrote less than its
// loan pays at least what its time earned, up to the loan. Otherwise several slices that run at
// once would save what they borrowed and did not write.
//
// Invariant: in any period, jobs write at most rate * time + kSliceBytes, as long as no slice
// writes more than its loan. Here rate is the larger of the two rates of a RateBudget. (There are
// two balances; each can be ahead by its savings and one slice.) If a slice writes more, because an
// entry is large or a table ends, later slices wait for all of it.
#pragma once

#include <cstdint>
#include <map>

#include "scheduler/job.h"
#include "scheduler/policy.h"

namespace lull {

enum class StoreId : uint64_t {};

inline constexpr uint64_t kLentBytes = 96 << 10;
inline constexpr uint64_t kSavedBytes = 32 << 10;
inline constexpr uint64_t kSliceBytes = 2 * (kLentBytes + kSavedBytes);

/// The loan of a slice. L0 jobs have a guaranteed minimum; others get the rest.
struct Loan {
  JobClass job_class = JobClass::kDeep;
  uint64_t began_nanos = 0;
};

/// One RateBudget and its balances.
class TokenBucket {
 public:
  /// Keeps the current balances. `now_nanos` never decreases, here and below.
  void SetRate(const RateBudget& rate, uint64_t now_nanos);
  const RateBudget& rate() const { return rate_; }
  bool limited() const { return rate_.bytes_per_sec > 0; }

  /// Nanoseconds until a slice can begin if no other draws meanwhile; 0: now.
  uint64_t WaitNanos(JobClass job_class, uint64_t now_nanos);

  Loan Begin(JobClass job_class, uint64_t now_nanos);
  void End(const Loan& loan, uint64_t written_bytes, uint64_t now_nanos);

  /// Charges bytes written without a loan. At most kSliceBytes of them delay others: a long flush
  /// must not stop compactions for an unpredictable time.
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
/// device. If a store's policy sets no limit, there is no common limit. A store without work counts
/// for neither: its rate is no reason to let others do more. If stores compete, each gets a share
/// proportional to its policy's rate. A store that returns after a pause has no claim on what it
/// did not use.
class IoBudget {
 public:
  void Add(StoreId store);
  void Remove(StoreId store, uint64_t now_nanos);
  /// `has_work`: the store has work that would use the rate, or will have before the next call.
  void SetRate(StoreId store, const RateBudget& rate, bool has_work, uint64_t now_nanos);

  /// A store without a limit need not ask.
  bool IsLimited(StoreId store) const { return stores_.at(store).own.limited(); }
  /// As for TokenBucket. REQUIRES, for Begin: the wait is 0.
  uint64_t WaitNanos(StoreId store, JobClass job_class, uint64_t now_nanos);
  Loan Begin(StoreId store, JobClass job_class, uint64_t now_nanos);
  void End(StoreId store, const Loan& loan, uint64_t written_bytes, uint64_t now_nanos);
  void Draw(StoreId store, uint64_t written_bytes);

  /// Among stores that could begin, the one with the smallest value goes next. 0 for all if there
  /// is no common limit.
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
