// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "scheduler/policies/tuned_policy.h"

#include <algorithm>
#include <utility>

namespace lull {
namespace {

constexpr uint64_t kSilenceUs = 20'000;
constexpr uint64_t kTicksAfterUs = 1'000'000;  // behind the last write: windows end in time
constexpr uint64_t kMemtablesOfBudget = 4;
// A step is as large as makes a difference that can be told: tables twice as large do not.
constexpr int kTableDoublings = 2;
constexpr OnlineTuner::Ranges kRanges = {{{0, 1}, {-1, 3}}};

uint64_t Shifted(uint64_t value, int levels) {
  return levels >= 0 ? value << levels : value >> -levels;
}

}  // namespace

TunedPolicy::TunedPolicy(std::unique_ptr<Policy> policy, const PolicyOptions& options)
    : policy_(std::move(policy)), options_(options), tuner_(options.tuning_window_us, kRanges) {}

Directive TunedPolicy::OnEvent(EventKind event, const Pressure& pressure, uint64_t now_us) {
  Directive wanted = policy_->OnEvent(event, AsIfUnshifted(pressure), now_us);
  const bool reads = pressure.client_read_bytes_total > read_bytes_seen_;
  read_bytes_seen_ = pressure.client_read_bytes_total;
  const bool busy = reads || pressure.idle_us < kSilenceUs;
  tuner_.Observe(pressure.client_bytes_total + read_bytes_seen_, busy, now_us);
  Shift(pressure, &wanted);
  wanted.tick |= busy || pressure.idle_us < kTicksAfterUs;
  return wanted;
}

/// A policy that asks whether the active memtable is full means one of its own size.
Pressure TunedPolicy::AsIfUnshifted(const Pressure& pressure) const {
  Pressure seen = pressure;
  seen.active_bytes =
      static_cast<uint64_t>(static_cast<double>(pressure.active_bytes) / memtable_shift_);
  return seen;
}

void TunedPolicy::Shift(const Pressure& pressure, Directive* wanted) {
  memtable_shift_ = 1;
  // What the store was opened with stays in force where nothing is shifted.
  if (const int level = tuner_.level(OnlineTuner::kMemtable); level != 0) {
    const uint64_t own =
        wanted->memtable_bytes > 0 ? wanted->memtable_bytes : options_.memtable_bytes;
    const uint64_t most = std::max(own, pressure.memory_budget_bytes / kMemtablesOfBudget);
    wanted->memtable_bytes = std::min(Shifted(own, level), most);
    memtable_shift_ = static_cast<double>(wanted->memtable_bytes) / static_cast<double>(own);
  }
  if (const int level = tuner_.level(OnlineTuner::kTable); level != 0) {
    const uint64_t own = wanted->table_bytes > 0 ? wanted->table_bytes : options_.table_bytes;
    wanted->table_bytes = Shifted(own, kTableDoublings * level);
  }
}

PolicyState TunedPolicy::State() const {
  PolicyState state = policy_->State();
  const auto percent = [&](OnlineTuner::Knob knob, int doublings = 1) {
    return Shifted(uint64_t{100}, doublings * tuner_.level(knob));
  };
  state.push_back({"tuned_memtable_percent", percent(OnlineTuner::kMemtable)});
  state.push_back({"tuned_table_percent", percent(OnlineTuner::kTable, kTableDoublings)});
  state.push_back({"tuning_tries_a_step", tuner_.trying()});
  state.push_back({"tuning_steps_tried", tuner_.steps_tried()});
  state.push_back({"tuning_steps_kept", tuner_.steps_kept()});
  return state;
}

}  // namespace lull
