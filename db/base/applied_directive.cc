// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "db/base/applied_directive.h"

#include <algorithm>

namespace lull {
namespace {

// Bounds for the sizes that a policy sets. Below the minimum, files cost more than their content.
constexpr uint64_t kMemTableBytesMin = 64 << 10;
constexpr uint64_t kTableBytesMin = 64 << 10;
constexpr uint64_t kSizeBytesMax = 1 << 30;

uint64_t SizeWithin(uint64_t wanted, uint64_t default_bytes, uint64_t min, uint64_t max) {
  return wanted == 0 ? default_bytes : std::clamp(wanted, min, std::max(min, max));
}

}  // namespace

AppliedDirective::AppliedDirective(const Defaults& defaults)
    : defaults_(defaults),
      ask_at_bytes_(defaults.memtable_bytes),
      memtable_bytes_(defaults.memtable_bytes),
      table_bytes_(defaults.table_bytes) {}

bool AppliedDirective::Apply(const Directive& directive, uint64_t memory_budget_bytes) {
  const uint64_t memtable_bytes_max =
      std::min(kSizeBytesMax, std::max(defaults_.memtable_bytes, memory_budget_bytes / 2));
  const uint64_t memtable_bytes = SizeWithin(directive.memtable_bytes, defaults_.memtable_bytes,
                                             kMemTableBytesMin, memtable_bytes_max);
  memtable_bytes_.store(memtable_bytes, std::memory_order_relaxed);
  ask_at_bytes_.store(std::min(memtable_bytes, defaults_.memtable_bytes),
                      std::memory_order_relaxed);
  table_bytes_.store(
      SizeWithin(directive.table_bytes, defaults_.table_bytes, kTableBytesMin, kSizeBytesMax),
      std::memory_order_relaxed);
  // A writer waits at most until the one sealed memtable is flushed.
  immutables_max_.store(std::max(directive.immutables_max, 1), std::memory_order_relaxed);
  l0_stop_.store(directive.l0_stop, std::memory_order_relaxed);
  offers_core_.store(directive.offers_core, std::memory_order_relaxed);
  const bool absorbed = absorbs_.exchange(directive.absorb, std::memory_order_relaxed);
  const uint64_t flush_bytes_min =
      flush_bytes_min_.exchange(directive.flush_bytes_min, std::memory_order_relaxed);
  flush_bytes_per_sec_max_.store(directive.flush_bytes_per_sec_max, std::memory_order_relaxed);
  return directive.flush_bytes_min < flush_bytes_min || (directive.absorb && !absorbed);
}

}  // namespace lull
