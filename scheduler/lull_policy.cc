// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "scheduler/lull_policy.h"

#include <algorithm>
#include <cmath>

namespace lull {
namespace {

constexpr double kSmoothingUs = 100e3;
constexpr double kMaximumHalfLifeUs = 60e6;
constexpr double kHardShare = 0.25;
constexpr double kHardShareOfFlush = 0.1;
constexpr uint64_t kBatchedFlushBytes = uint64_t{16} << 20;
constexpr double kWriteRateMin = 1 << 20;  // a writer always gets on, whatever was measured

/// How far `value` is on its way from `from` to `to`, in [0, 1].
double Progress(double value, double from, double to) {
  if (to <= from) return value >= to ? 1.0 : 0.0;
  return std::clamp((value - from) / (to - from), 0.0, 1.0);
}

double Ratio(double part, double whole) { return whole > 0 ? part / whole : 0.0; }

}  // namespace

Directive LullPolicy::OnEvent(EventKind, const Pressure& pressure, uint64_t now_us) {
  MeasureClients(pressure, now_us);
  in_lull_ = pressure.idle_us >= options_.lull.after_us || pressure.drain_requested;

  Directive wanted;
  wanted.compactions_max = options_.compaction_threads;
  wanted.l0_stop = options_.l0_stop;
  if (ClientsWriteHard(pressure)) {
    wanted.flush_bytes_min = std::min(kBatchedFlushBytes, pressure.memory_budget_bytes / 4);
  }
  GrantCompactions(pressure, &wanted);
  PaceWrites(pressure, &wanted);
  wanted.tick = !in_lull_ || pressure.l0_due || pressure.deep_due || pressure.immutables > 0;
  return wanted;
}

void LullPolicy::MeasureClients(const Pressure& pressure, uint64_t now_us) {
  if (!measured_) {
    measured_ = true;
    measured_at_us_ = now_us;
    measured_bytes_ = pressure.client_bytes_total;
    return;
  }
  const double elapsed_us = static_cast<double>(now_us - measured_at_us_);
  if (elapsed_us < 2000) return;  // too short to divide by
  const double rate =
      static_cast<double>(pressure.client_bytes_total - measured_bytes_) * 1e6 / elapsed_us;
  const double weight = 1.0 - std::exp(-elapsed_us / kSmoothingUs);
  client_bytes_per_sec_ += weight * (rate - client_bytes_per_sec_);
  client_bytes_per_sec_max_ *= std::exp2(-elapsed_us / kMaximumHalfLifeUs);
  client_bytes_per_sec_max_ = std::max(client_bytes_per_sec_max_, client_bytes_per_sec_);
  measured_at_us_ = now_us;
  measured_bytes_ = pressure.client_bytes_total;
}

bool LullPolicy::ClientsWriteHard(const Pressure& pressure) const {
  // The second comparison keeps a steady trickle, which is its own maximum, from being called hard.
  return !in_lull_ && client_bytes_per_sec_ > kHardShare * client_bytes_per_sec_max_ &&
         client_bytes_per_sec_ >
             kHardShareOfFlush * static_cast<double>(pressure.flush_bytes_per_sec);
}

void LullPolicy::GrantCompactions(const Pressure& pressure, Directive* wanted) const {
  const int workers = options_.compaction_threads;
  const double level = std::max(Ratio(pressure.l0_tables, options_.l0_stop),
                                Ratio(static_cast<double>(pressure.debt_bytes),
                                      static_cast<double>(options_.debt_bytes_max)));
  if (in_lull_) {
    wanted->l0 = {workers, CpuPriority::kNormal};
    wanted->deep = {workers, CpuPriority::kNormal};
  } else if (level >= 0.75) {
    wanted->l0 = {workers, CpuPriority::kNormal};
    const bool debt_is_at_its_cap = pressure.debt_bytes >= options_.debt_bytes_max;
    wanted->deep = {workers, debt_is_at_its_cap ? CpuPriority::kNormal : CpuPriority::kIdle};
  } else if (level >= 0.5 || !ClientsWriteHard(pressure)) {
    wanted->l0 = {workers, CpuPriority::kIdle};
    wanted->deep = {level >= 0.5 ? workers : 0, CpuPriority::kIdle};
  }
}

void LullPolicy::PaceWrites(const Pressure& pressure, Directive* wanted) const {
  if (pressure.flush_bytes_per_sec == 0) return;  // nothing to set the scale yet
  // The last third is what the running flush holds on to until its table is in place.
  const double memory_max = static_cast<double>(pressure.memory_budget_bytes) * 2 / 3;
  const double memory =
      Progress(static_cast<double>(pressure.memory_used_bytes), 0.5 * memory_max, memory_max);
  const double l0 = Progress(pressure.l0_tables, options_.l0_slowdown, options_.l0_stop);
  const double debt_max = static_cast<double>(options_.debt_bytes_max);
  const double debt =
      Progress(static_cast<double>(pressure.debt_bytes), 0.75 * debt_max, 1.5 * debt_max);

  double worst = memory;
  wanted->cause = StallCause::kMemory;
  if (l0 > worst) worst = l0, wanted->cause = StallCause::kL0;
  if (debt > worst) worst = debt, wanted->cause = StallCause::kDebt;
  if (worst == 0) {
    wanted->cause = StallCause::kNone;
    return;
  }
  // Twice the rate of flushing where pacing begins, that rate itself half way to the limit, none at
  // the limit: memory settles at three quarters of the way, whatever the clients try.
  const double rate = 2.0 * (1.0 - worst) * static_cast<double>(pressure.flush_bytes_per_sec);
  wanted->write_bytes_per_sec_max = static_cast<uint64_t>(std::max(rate, kWriteRateMin));
}

}  // namespace lull
