// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "benchmarks/simulation/paper_policies.h"

#include <utility>

namespace lull::sim {
namespace {

constexpr uint64_t kSlowedBytesPerSec = 16u << 20;  // RocksDB's delayed_write_rate

class RocksDbPolicy final : public Policy {
 public:
  explicit RocksDbPolicy(const PolicyOptions& options) : options_(options) {}

  Directive OnEvent(EventKind, const Pressure& pressure, uint64_t) override {
    Directive wanted;
    wanted.immutables_max = 1;
    wanted.l0_stop = options_.l0_stop;
    wanted.compactions_max = options_.compaction_threads;
    wanted.l0.jobs_max = wanted.deep.jobs_max = options_.compaction_threads;
    if (pressure.l0_tables >= options_.l0_slowdown) wanted.cause = StallCause::kL0;
    if (pressure.debt_bytes >= options_.debt_bytes_max) wanted.cause = StallCause::kDebt;
    if (wanted.cause != StallCause::kNone) wanted.write_bytes_per_sec_max = kSlowedBytesPerSec;
    return wanted;
  }

 private:
  const PolicyOptions options_;
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

}  // namespace

std::unique_ptr<Policy> MakeRocksDbPolicy(const PolicyOptions& options) {
  return std::make_unique<RocksDbPolicy>(options);
}

std::unique_ptr<Policy> MakeRateOnly(const PolicyOptions& options, std::unique_ptr<Policy> whole) {
  return std::make_unique<RateOnlyPolicy>(options, std::move(whole));
}

std::unique_ptr<Policy> MakePriorityOnly(std::unique_ptr<Policy> whole) {
  return std::make_unique<PriorityOnlyPolicy>(std::move(whole));
}

}  // namespace lull::sim
