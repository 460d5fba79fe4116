// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "benchmarks/simulation/paper_policies.h"

#include <algorithm>
#include <utility>

#include "scheduler/policies/rates.h"

namespace lull::sim {
namespace {

constexpr uint64_t kSlowedBytesPerSec = 16u << 20;  // RocksDB's delayed_write_rate
constexpr uint64_t kHardDebtFactor = 4;             // its hard limit as a multiple of the soft one
constexpr uint64_t kStoppedBytesPerSec = 1;
constexpr int kAdocsFirstCompactions = 2;

void KeepLimits(const PolicyOptions& options, const Pressure& pressure, Directive* wanted) {
  StallCause cause = StallCause::kNone;
  uint64_t rate = kSlowedBytesPerSec;
  if (pressure.l0_tables >= options.l0_slowdown) cause = StallCause::kL0;
  if (pressure.debt_bytes >= options.debt_bytes_max) cause = StallCause::kDebt;
  if (pressure.debt_bytes / kHardDebtFactor >= options.debt_bytes_max) rate = kStoppedBytesPerSec;
  if (cause == StallCause::kNone) return;
  wanted->cause = cause;
  wanted->write_bytes_per_sec_max = rate;
}

class RocksDbPolicy final : public Policy {
 public:
  explicit RocksDbPolicy(const PolicyOptions& options) : options_(options) {}

  Directive OnEvent(EventKind, const Pressure& pressure, uint64_t) override {
    Directive wanted;
    wanted.immutables_max = 1;
    wanted.l0_stop = options_.l0_stop;
    wanted.compactions_max = options_.compaction_threads;
    wanted.l0.jobs_max = wanted.deep.jobs_max = options_.compaction_threads;
    KeepLimits(options_, pressure, &wanted);
    return wanted;
  }

 private:
  const PolicyOptions options_;
};

class AutoTunedPolicy final : public Policy {
 public:
  AutoTunedPolicy(const PolicyOptions& options, double bandwidth_bytes_per_sec)
      : plain_(options), max_(bandwidth_bytes_per_sec), limit_(max_ / 2), used_(kTunePeriodUs) {}

  Directive OnEvent(EventKind event, const Pressure& pressure, uint64_t now_us) override {
    if (used_.Sample(pressure.background_bytes_total, now_us)) Tune(used_.bytes_per_sec() / limit_);
    Directive wanted = plain_.OnEvent(event, pressure, now_us);
    wanted.rate = {static_cast<uint64_t>(limit_), 0};
    return wanted;
  }

 private:
  static constexpr uint64_t kTunePeriodUs = 10'000'000;  // a hundred refills of 100 ms
  static constexpr double kStep = 1.05;
  static constexpr double kWellUsed = 0.9;
  static constexpr double kLittleUsed = 0.5;
  static constexpr double kLimitRange = 20;

  void Tune(double used_share) {
    if (used_share >= kWellUsed) limit_ *= kStep;
    if (used_share < kLittleUsed) limit_ /= kStep;
    limit_ = std::clamp(limit_, max_ / kLimitRange, max_);
  }

  RocksDbPolicy plain_;
  const double max_;
  double limit_;
  RateMeter used_;
};

class LimitedPolicy final : public Policy {
 public:
  LimitedPolicy(const PolicyOptions& options, std::unique_ptr<Policy> whole)
      : options_(options), whole_(std::move(whole)) {}

  Directive OnEvent(EventKind event, const Pressure& pressure, uint64_t now_us) override {
    Directive wanted = whole_->OnEvent(event, pressure, now_us);
    wanted.l0_stop = std::min(wanted.l0_stop, options_.l0_stop);
    KeepLimits(options_, pressure, &wanted);
    return wanted;
  }

 private:
  const PolicyOptions options_;
  const std::unique_ptr<Policy> whole_;
};

class RateOnlyPolicy final : public Policy {
 public:
  RateOnlyPolicy(const PolicyOptions& options, std::unique_ptr<Policy> whole)
      : plain_(options), whole_(std::move(whole)) {}

  Directive OnEvent(EventKind event, const Pressure& pressure, uint64_t now_us) override {
    Directive wanted = plain_.OnEvent(event, pressure, now_us);
    const Directive whole = whole_->OnEvent(event, pressure, now_us);
    wanted.rate = whole.rate;
    wanted.tick = whole.tick;
    return wanted;
  }

 private:
  RocksDbPolicy plain_;
  const std::unique_ptr<Policy> whole_;
};

class PriorityOnlyPolicy final : public Policy {
 public:
  explicit PriorityOnlyPolicy(std::unique_ptr<Policy> whole) : whole_(std::move(whole)) {}

  Directive OnEvent(EventKind event, const Pressure& pressure, uint64_t now_us) override {
    Directive wanted = whole_->OnEvent(event, pressure, now_us);
    wanted.rate = RateBudget();
    return wanted;
  }

 private:
  const std::unique_ptr<Policy> whole_;
};

class BatchOnlyPolicy final : public Policy {
 public:
  explicit BatchOnlyPolicy(std::unique_ptr<Policy> whole) : whole_(std::move(whole)) {}

  Directive OnEvent(EventKind event, const Pressure& pressure, uint64_t now_us) override {
    Directive wanted = whole_->OnEvent(event, pressure, now_us);
    wanted.l0.jobs_max = wanted.deep.jobs_max = wanted.compactions_max = kAdocsFirstCompactions;
    return wanted;
  }

 private:
  const std::unique_ptr<Policy> whole_;
};

}  // namespace

std::unique_ptr<Policy> MakeRocksDbPolicy(const PolicyOptions& options) {
  return std::make_unique<RocksDbPolicy>(options);
}

std::unique_ptr<Policy> MakeAutoTunedRocksDbPolicy(const PolicyOptions& options,
                                                   double bandwidth_bytes_per_sec) {
  return std::make_unique<AutoTunedPolicy>(options, bandwidth_bytes_per_sec);
}

std::unique_ptr<Policy> MakeWithRocksDbLimits(const PolicyOptions& options,
                                              std::unique_ptr<Policy> whole) {
  return std::make_unique<LimitedPolicy>(options, std::move(whole));
}

std::unique_ptr<Policy> MakeRateOnly(const PolicyOptions& options, std::unique_ptr<Policy> whole) {
  return std::make_unique<RateOnlyPolicy>(options, std::move(whole));
}

std::unique_ptr<Policy> MakePriorityOnly(std::unique_ptr<Policy> whole) {
  return std::make_unique<PriorityOnlyPolicy>(std::move(whole));
}

std::unique_ptr<Policy> MakeBatchOnly(std::unique_ptr<Policy> whole) {
  return std::make_unique<BatchOnlyPolicy>(std::move(whole));
}

}  // namespace lull::sim
