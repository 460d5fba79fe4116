// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Generates keys and values in a few nanoseconds, without allocating, and identically for every
// store, so that a write's latency measures the store and not the generator. One object belongs to
// one thread; a returned view is valid until the next call.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace lull::bench {

// The key of number n: `prefix_bytes` times 'a', then n in 16 decimal digits. REQUIRES: n < 10^16.
class KeyText {
 public:
  static constexpr size_t kDigits = 16;

  explicit KeyText(size_t prefix_bytes);
  std::string_view Of(uint64_t number);

 private:
  std::string text_;
};

// Values that compress to about `compressed_share` of their size. Cut in turn from a pool of at
// least 1 MiB.
class ValuePool {
 public:
  // The same arguments give the same values. `longest` is the largest size that Next() accepts.
  ValuePool(double compressed_share, size_t longest, uint64_t seed);
  std::string_view Next(size_t size);

 private:
  std::string pool_;
  size_t position_ = 0;
};

}  // namespace lull::bench
