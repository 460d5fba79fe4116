// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// CacheLoan: lends the unused part of the memory budget to the store's block cache. Between bursts
// the memtables use little of the budget, and the page cache is a slow substitute: each block that
// it serves costs a system call, a copy and a decompression.
//
// Rules:
//   - A quarter of the budget is never lent. A burst fills that quarter while the cache shrinks, so
//     memtables and cache together stay within the budget.
//   - The loan shrinks as soon as memtables need the memory, in steps of about 0.5 ms.
//   - It grows after a second in which the memtables left the memory unused. So the cache does not
//     lose its blocks at each flush under steady writes.
//
// Flush thread only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "util/resizable_cache.h"

namespace lull {

class CacheLoan {
 public:
  /// `cache` has a capacity of `own_bytes` and outlives this object. Null if the client supplied
  /// the cache: then nothing is lent.
  CacheLoan(ResizableCache* cache, size_t own_bytes) : cache_(cache), own_bytes_(own_bytes) {}
  CacheLoan(const CacheLoan&) = delete;
  CacheLoan& operator=(const CacheLoan&) = delete;

  /// This store's shares of the memory budget and of its unused part, in bytes.
  struct Share {
    uint64_t budget_bytes = 0;
    uint64_t unused_bytes = 0;
  };
  /// Changes the cache's capacity. Returns the nanoseconds until the next call, 0 if the loan must
  /// shrink further; nullopt if nothing changes until the share does.
  std::optional<uint64_t> Adapt(uint64_t now_nanos, const Share& share);

  uint64_t lent_bytes() const { return lent_bytes_; }

 private:
  void Lend(uint64_t bytes);

  ResizableCache* const cache_;
  const size_t own_bytes_;
  uint64_t lent_bytes_ = 0;
  uint64_t calm_since_nanos_ = 0;    // more than lent_bytes_ could be lent since then; 0: not
  uint64_t lendable_min_bytes_ = 0;  // the minimum since then
};

}  // namespace lull
