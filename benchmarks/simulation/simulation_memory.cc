// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Memtables and the flush thread: flushes and installs.
#include <algorithm>

#include "benchmarks/simulation/simulation.h"

namespace lull::sim {

double Simulation::MemtableBytesMax() const {
  return static_cast<double>(directive_.memtable_bytes > 0 ? directive_.memtable_bytes
                                                           : options_.limits.memtable_bytes);
}

/// Bytes that a full memtable can still take beyond its size.
double Simulation::AbsorbRoom() const {
  if (!directive_.absorb || sealed_.empty()) return 0;
  return std::max(
      0.0, static_cast<double>(options_.memory_budget_bytes) - sealed_bytes_ - MemtableBytesMax());
}

double Simulation::MemoryUsed() const {
  const double flushed = flush_ ? flush_->done * flush_->bytes : 0;
  return sealed_bytes_ - std::min(sealed_bytes_, flushed);
}

std::optional<StallCause> Simulation::NoRoom() const {
  if (tables_.version().TableCount(0) >= directive_.l0_stop) return StallCause::kL0;
  if (sealed_.size() >= static_cast<size_t>(directive_.immutables_max)) return StallCause::kMemory;
  const bool fits =
      sealed_.empty() || sealed_bytes_ + static_cast<double>(options_.limits.memtable_bytes) <=
                             static_cast<double>(options_.memory_budget_bytes);
  return fits ? std::nullopt : std::optional(StallCause::kMemory);
}

void Simulation::SealIfFull() {
  std::optional<StallCause> cause;
  if (active_bytes_ >= MemtableBytesMax() + AbsorbRoom()) {
    cause = NoRoom();
    if (!cause) {
      sealed_.push_back({active_bytes_, active_entries_});
      sealed_bytes_ += active_bytes_;
      active_bytes_ = active_entries_ = 0;
      shares_changed_ = true;
      WakeMonitor(now_ns_);
    }
  }
  result_.memory_bytes_max =
      std::max(result_.memory_bytes_max, static_cast<uint64_t>(sealed_bytes_ + active_bytes_));
  if (cause.has_value() == blocked_.has_value()) {
    if (cause) blocked_ = cause;
    return;
  }
  shares_changed_ = true;
  if (cause) {
    blocked_at_ns_ = now_ns_;
    WakeMonitor(now_ns_);
  } else {
    EndBlock();
  }
  blocked_ = cause;
}

void Simulation::EndBlock() {
  const double seconds = static_cast<double>(now_ns_ - blocked_at_ns_) * 1e-9;
  result_.longest_block_seconds = std::max(result_.longest_block_seconds, seconds);
  if (seconds > 0.1) result_.stalled_seconds += seconds;
}

bool Simulation::WantsFlush() const {
  if (sealed_.empty()) return false;
  return sealed_bytes_ >= static_cast<double>(directive_.flush_bytes_min) || blocked_ ||
         sealed_bytes_ >= static_cast<double>(options_.memory_budget_bytes) / 2;
}

/// As in the store: no limit if a client waits or memory is short.
double Simulation::FlushLimit() const {
  if (blocked_ || sealed_bytes_ >= static_cast<double>(options_.memory_budget_bytes) / 2) return 0;
  return static_cast<double>(directive_.flush_bytes_per_sec_max);
}

/// As in the store: at most a third of the memory, so that another third can fill meanwhile.
void Simulation::BeginFlush() {
  const double bytes_max = static_cast<double>(options_.memory_budget_bytes) / 3;
  Flush flush;
  for (const Sealed& sealed : sealed_) {
    if (flush.memtables > 0 && flush.bytes + sealed.bytes > bytes_max) break;
    ++flush.memtables;
    flush.bytes += sealed.bytes;
    flush.entries += sealed.entries;
  }
  const Costs& costs = options_.costs;
  const double entry_bytes = options_.load.key_bytes + options_.load.value_bytes;
  flush.distinct = tables_.Distinct(flush.entries);
  flush.thread.cpu_seconds =
      1e-9 * flush.entries * (costs.flush_entry_ns + costs.flush_byte_ns * entry_bytes);
  flush.thread.write_bytes = tables_.BytesOf(flush.distinct);
  flush.thread.device_seconds = flush.thread.write_bytes / options_.device.write_bytes_per_sec;
  flush.began_ns = now_ns_;
  flush_ = flush;
  shares_changed_ = true;
}

/// The flush thread installs finished compactions before it continues with a flush.
void Simulation::BeginInstall() {
  const bool flush_is_done = flush_ && flush_->done >= 1;
  if (installing_ || (to_install_.empty() && !flush_is_done)) return;
  installing_ = true;
  installing_flush_ = to_install_.empty();
  shares_changed_ = true;
  At(now_ns_ + static_cast<uint64_t>(options_.costs.install_us * 1000), EventKindOf::kInstalled);
}

void Simulation::FinishInstall() {
  installing_ = false;
  shares_changed_ = true;
  if (!installing_flush_) {
    tables_.Install(to_install_.front());
    to_install_.pop_front();
  } else {
    const Flush& flush = *flush_;
    tables_.AddFlushed(flush.distinct);
    entries_dropped_by_flush_ += flush.entries - flush.distinct;
    sealed_.erase(sealed_.begin(), sealed_.begin() + static_cast<std::ptrdiff_t>(flush.memtables));
    sealed_bytes_ = sealed_.empty() ? 0 : sealed_bytes_ - flush.bytes;
    // As in the store, a limited flush shows no rate.
    const bool is_limited = flush.thread.bytes_per_sec_max > 0;
    if (!is_limited || flush_bytes_per_sec_ == 0) {
      const double seconds = is_limited ? flush.thread.cpu_seconds + flush.thread.device_seconds
                                        : static_cast<double>(now_ns_ - flush.began_ns + 1) * 1e-9;
      const double rate = flush.bytes / seconds;
      flush_bytes_per_sec_ =
          flush_bytes_per_sec_ == 0 ? rate : 0.7 * flush_bytes_per_sec_ + 0.3 * rate;
    }
    flush_.reset();
  }
  result_.l0_tables_max = std::max(result_.l0_tables_max, tables_.version().TableCount(0));
  result_.debt_bytes_max = std::max(result_.debt_bytes_max, tables_.DebtBytes());
  result_.drained_at_seconds = Now();
  WakeMonitor(now_ns_);
}

/// Handles everything that became full or finished as time passed.
void Simulation::Settle() {
  JobsEnded();
  SealIfFull();
  if (!flush_ && WantsFlush()) BeginFlush();
  BeginInstall();
}

}  // namespace lull::sim
