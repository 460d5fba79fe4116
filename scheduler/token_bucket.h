// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// How the bytes a second that policies allow to background work (RateBudget) are kept: arithmetic
// only, time is an argument. The dispatcher owns an IoBudget and asks it before each
// slice of a limited job; one thread.
//
// A slice is lent kLentBytes when it begins, and settles with what it wrote when it ends. It may
// begin while the balance is positive, however little is there, so a balance goes below zero by one
// slice and then nothing begins until it is paid. A balance saves up kSavedBytes at most: as much
// as passes between the moment a job could go on and the moment it does. A slice that wrote less
// than it was lent pays for what its time earned all the same, up to the loan: otherwise several
// that run at once would save up what they were lent and did not write.
//
// What always holds, over any stretch of time: jobs write no more than rate * time + kSliceBytes,
// where the rate is the larger of the two of a RateBudget, as long as no slice writes more than it
// was lent. (Two balances, of which each can be ahead by what it saved and one slice.) One that
// does write more, because an entry is large or a table ends, is waited for in full.
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

/// What a slice was lent. An L0 job has a minimum of its own, others get what is left.
struct Loan {
  JobClass job_class = JobClass::kDeep;
  uint64_t began_nanos = 0;
};

/// One RateBudget and what was drawn from it.
class TokenBucket {
 public:
  /// What was drawn so far stays drawn. `now_nanos` never decreases, here and below.
  void SetRate(const RateBudget& rate, uint64_t now_nanos);
  const RateBudget& rate() const { return rate_; }
  bool limited() const { return rate_.bytes_per_sec > 0; }

  /// In how many nanoseconds a slice may begin if nobody draws meanwhile; 0: now.
  uint64_t WaitNanos(JobClass job_class, uint64_t now_nanos);

  Loan Begin(JobClass job_class, uint64_t now_nanos);
  void End(const Loan& loan, uint64_t written_bytes, uint64_t now_nanos);

  /// What was written without asking. However much it is, no more than kSliceBytes of it holds up
  /// others: a long flush must not silence compactions for a time that nobody can foresee.
  void Draw(uint64_t written_bytes);

 private:
  struct Balance {
    double bytes = 0;  // earned less written
    int lent = 0;      // slices that began and did not end

    double available() const { return bytes - static_cast<double>(lent) * kLentBytes; }
    void Earn(uint64_t bytes_per_sec, double nanos);
    void Settle(uint64_t bytes_per_sec, double nanos, double written);
    void Pay(double written, double debt_max);
    double NanosUntilPositive(uint64_t bytes_per_sec) const;
  };
  void Refill(uint64_t now_nanos);

  RateBudget rate_;
  Balance total_;       // everyone's
  Balance guaranteed_;  // what L0 jobs draw from too, and may begin on when total_ is used up
  uint64_t refilled_at_nanos_ = 0;
};

/// One budget for all stores that share it: each store has what its policy allows it, and together
/// they have the largest of those, so that more stores do not mean more load on the device. A store
/// whose policy sets no limit lifts the common one. One that has no work counts for neither: what
/// it might do is no reason to let others do more. Where stores compete, each gets a share in
/// proportion to what its policy allows it, and one that comes back after a pause has no claim on
/// what it did not use.
class IoBudget {
 public:
  void Add(StoreId store);
  void Remove(StoreId store, uint64_t now_nanos);
  /// `has_work`: there is something, or will be before the next call, that would use the rate.
  void SetRate(StoreId store, const RateBudget& rate, bool has_work, uint64_t now_nanos);

  /// A store that is not limited need not ask for anything.
  bool IsLimited(StoreId store) const { return stores_.at(store).own.limited(); }
  /// As for TokenBucket. REQUIRES, before Begin: the wait is 0.
  uint64_t WaitNanos(StoreId store, JobClass job_class, uint64_t now_nanos);
  Loan Begin(StoreId store, JobClass job_class, uint64_t now_nanos);
  void End(StoreId store, const Loan& loan, uint64_t written_bytes, uint64_t now_nanos);
  void Draw(StoreId store, uint64_t written_bytes);

  /// Whose turn it is: of stores that could begin, the one with the least. 0 for all while there is
  /// no common limit.
  double Turn(StoreId store) const;

 private:
  struct Store {
    TokenBucket own;
    bool has_rate = false;  // its policy was asked
    bool has_work = false;
    double finish = 0;  // when its last slice ends, in time that passes as stores are served
  };
  void SetCommonRate(uint64_t now_nanos);
  static double Cost(const Store& store, double bytes) {
    return bytes / static_cast<double>(store.own.rate().bytes_per_sec);
  }

  std::map<StoreId, Store> stores_;
  TokenBucket common_;
  double start_ = 0;  // of the slice that began last, in the same time
};

}  // namespace lull
