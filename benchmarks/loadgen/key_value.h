// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Keys and values. Both are made without allocating and in a few nanoseconds, and in the same way
// for every store, so that a measured write is the store's and not the generator's. One object
// belongs to one thread; a returned view stays valid until the next call.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace lull::bench {

// The key of number n: `prefix_bytes` times 'a', then n in 16 decimal digits. Numbers stay below
// 10^16.
class KeyText {
 public:
  static constexpr size_t kDigits = 16;

  explicit KeyText(size_t prefix_bytes);
  std::string_view Of(uint64_t number);

 private:
  std::string text_;
};

// Values that compress to about a given share of their size, cut one after another from a pool of 1
// MiB or more.
class ValuePool {
 public:
  // Same arguments, same values. `longest` is the largest size that Next() will be asked for.
  ValuePool(double compressed_share, size_t longest, uint64_t seed);
  std::string_view Next(size_t size);

 private:
  std::string pool_;
  size_t position_ = 0;
};

}  // namespace lull::bench
