// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// CacheLoan: lends the unused part of the memory budget to the store's block cache. Between bursts
// the memtables use little of the budget, and the page cache is slower than the block cache: each
// block costs a system call, a copy and a decompression.
//
// Rules:
//   - A quarter of the budget is never lent. A burst fills that quarter while the cache shrinks, so
//     memtables and cache together stay within the budget, unless the flush thread waits for the
//     device meanwhile.
//   - The loan shrinks as soon as memtables need the memory, in steps of about 0.5 ms.
//   - It grows after a second in which the memtables did not need the memory. Under steady writes
//     it would otherwise grow after each flush, shrink before the next, and lose its blocks.
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
    bool operator==(const Share&) const = default;
  };
  /// Adapts the cache's capacity. Returns the nanoseconds until the next call: 0 if the loan must
  /// shrink further, nullopt if only a new share can change it.
  std::optional<uint64_t> Adapt(uint64_t now_nanos, const Share& share);

  uint64_t lent_bytes() const { return lent_bytes_; }

 private:
  void Lend(uint64_t bytes);

  ResizableCache* const cache_;
  const size_t own_bytes_;
  uint64_t lent_bytes_ = 0;
  uint64_t calm_since_nanos_ = 0;    // since then, more could be lent; 0: it cannot
  uint64_t lendable_min_bytes_ = 0;  // the minimum in that time
};

}  // namespace lull
