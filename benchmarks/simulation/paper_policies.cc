// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "benchmarks/simulation/paper_policies.h"

#include <algorithm>
#include <functional>
#include <memory>
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

Directive PlainDirective(const PolicyOptions& options, const Pressure& pressure) {
  Directive wanted;
  wanted.immutables_max = 1;
  wanted.l0_stop = options.l0_stop;
  wanted.compactions_max = options.compaction_threads;
  wanted.l0.jobs_max = wanted.deep.jobs_max = options.compaction_threads;
  KeepLimits(options, pressure, &wanted);
  return wanted;
}

class RocksDbPolicy final : public Policy {
 public:
  explicit RocksDbPolicy(const PolicyOptions& options) : options_(options) {}

  Directive OnEvent(EventKind, const Pressure& pressure, uint64_t) override {
    return PlainDirective(options_, pressure);
  }

 private:
  const PolicyOptions options_;
};

class AutoTunedPolicy final : public Policy {
 public:
  AutoTunedPolicy(const PolicyOptions& options, double bandwidth_bytes_per_sec)
      : options_(options), max_(bandwidth_bytes_per_sec), limit_(max_ / 2), used_(kTunePeriodUs) {}

  Directive OnEvent(EventKind, const Pressure& pressure, uint64_t now_us) override {
    if (used_.Sample(pressure.background_bytes_total, now_us)) Tune(used_.bytes_per_sec() / limit_);
    Directive wanted = PlainDirective(options_, pressure);
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

  const PolicyOptions options_;
  const double max_;
  double limit_;
  RateMeter used_;
};

/// Applies a change to each directive of another policy.
class ChangedPolicy final : public Policy {
 public:
  using Change = std::function<void(const Pressure&, Directive*)>;

  ChangedPolicy(std::unique_ptr<Policy> whole, Change change)
      : whole_(std::move(whole)), change_(std::move(change)) {}

  Directive OnEvent(EventKind event, const Pressure& pressure, uint64_t now_us) override {
    Directive wanted = whole_->OnEvent(event, pressure, now_us);
    change_(pressure, &wanted);
    return wanted;
  }

 private:
  const std::unique_ptr<Policy> whole_;
  const Change change_;
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
  const auto change = [options](const Pressure& pressure, Directive* wanted) {
    wanted->l0_stop = std::min(wanted->l0_stop, options.l0_stop);
    KeepLimits(options, pressure, wanted);
  };
  return std::make_unique<ChangedPolicy>(std::move(whole), change);
}

std::unique_ptr<Policy> MakeRateOnly(const PolicyOptions& options, std::unique_ptr<Policy> whole) {
  const auto change = [options](const Pressure& pressure, Directive* wanted) {
    Directive plain = PlainDirective(options, pressure);
    plain.rate = wanted->rate;
    plain.tick = wanted->tick;
    *wanted = plain;
  };
  return std::make_unique<ChangedPolicy>(std::move(whole), change);
}

std::unique_ptr<Policy> MakePriorityOnly(std::unique_ptr<Policy> whole) {
  return std::make_unique<ChangedPolicy>(
      std::move(whole), [](const Pressure&, Directive* wanted) { wanted->rate = RateBudget(); });
}

std::unique_ptr<Policy> MakeBatchOnly(std::unique_ptr<Policy> whole) {
  return std::make_unique<ChangedPolicy>(std::move(whole), [](const Pressure&, Directive* wanted) {
    wanted->l0.jobs_max = wanted->deep.jobs_max = wanted->compactions_max = kAdocsFirstCompactions;
  });
}

}  // namespace lull::sim
