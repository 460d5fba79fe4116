// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "scheduler/policies/adoc_policy.h"

#include <algorithm>

#include "scheduler/policies/rates.h"

namespace lull {
namespace {

constexpr int kThreadsAtFirst = 2;  // RocksDB's default, the start value of the paper
constexpr double kPaceMin = 1 << 20;

}  // namespace

AdocPolicy::AdocPolicy(const PolicyOptions& options)
    : options_(options),
      batch_step_bytes_(options.adoc.batch_step_bytes > 0 ? options.adoc.batch_step_bytes
                                                          : options.memtable_bytes),
      threads_(std::min(kThreadsAtFirst, options.compaction_threads)),
      batch_bytes_(options.memtable_bytes) {}

void AdocPolicy::Sample(const Pressure& pressure) {
  seen_.l0 |= pressure.l0_tables >= options_.l0_slowdown;
  seen_.redundancy |= pressure.debt_bytes >= options_.debt_bytes_max;
  seen_.memory |= pressure.immutables > 0 && pressure.active_bytes >= batch_bytes_;
}

void AdocPolicy::TurnKnobs(const Pressure& pressure) {
  const uint64_t batch_max = std::max(
      options_.memtable_bytes,
      std::min(options_.memtable_bytes * static_cast<uint64_t>(options_.adoc.batch_factor_max),
               pressure.memory_budget_bytes / 2));
  if (seen_.l0 || seen_.redundancy || seen_.memory) {
    last_overflow_ = seen_.l0 ? "l0" : seen_.redundancy ? "redundancy" : "memory";
  }
  if (seen_.l0 || seen_.redundancy) {
    threads_ += options_.adoc.threads_step;
    if (!seen_.l0) batch_bytes_ /= 2;
  } else if (seen_.memory) {
    threads_ /= 2;
    batch_bytes_ += batch_step_bytes_;
  }
  threads_ = std::clamp(threads_, 1, options_.compaction_threads);
  batch_bytes_ = std::clamp(batch_bytes_, options_.memtable_bytes, batch_max);
}

void AdocPolicy::PaceWrites(const Pressure& pressure, Directive* wanted) const {
  const bool l0_is_long = pressure.l0_tables >= options_.l0_slowdown;
  const bool debt_is_large = pressure.debt_bytes >= options_.debt_bytes_max;
  if (!l0_is_long && !debt_is_large) return;
  const double debt_max = static_cast<double>(options_.debt_bytes_max);
  const double l0 = Progress(pressure.l0_tables, options_.l0_slowdown, options_.l0_stop);
  const double debt = Progress(static_cast<double>(pressure.debt_bytes), debt_max, 2 * debt_max);
  wanted->cause = l0_is_long && l0 >= debt ? StallCause::kL0 : StallCause::kDebt;
  const double rate = static_cast<double>(options_.adoc.slowed_bytes_per_sec);
  const double rate_min = std::min(rate, kPaceMin);
  wanted->write_bytes_per_sec_max =
      static_cast<uint64_t>(std::max(rate * (1.0 - std::max(l0, debt)), rate_min));
}

Directive AdocPolicy::OnEvent(EventKind, const Pressure& pressure, uint64_t now_us) {
  if (!began_) window_began_us_ = now_us;
  began_ = true;
  Sample(pressure);
  if (now_us - window_began_us_ >= options_.adoc.window_us) {
    TurnKnobs(pressure);
    seen_ = Overflows();
    window_began_us_ = now_us;
  }

  Directive wanted;
  wanted.l0 = wanted.deep = {threads_, CpuPriority::kNormal};
  wanted.compactions_max = threads_;
  wanted.immutables_max = options_.adoc.immutables_max;
  wanted.l0_stop = options_.l0_stop;
  wanted.memtable_bytes = batch_bytes_;
  wanted.table_bytes = static_cast<uint64_t>(static_cast<double>(options_.table_bytes) *
                                             static_cast<double>(batch_bytes_) /
                                             static_cast<double>(options_.memtable_bytes));
  PaceWrites(pressure, &wanted);
  wanted.tick = pressure.immutables > 0 || pressure.idle_us < options_.adoc.window_us ||
                pressure.l0_due || pressure.deep_due;
  return wanted;
}

PolicyState AdocPolicy::State() const {
  return {
      {"compactions", static_cast<uint64_t>(threads_)},
      {"batch_bytes", batch_bytes_},
      {"last_overflow", last_overflow_},
  };
}

}  // namespace lull
