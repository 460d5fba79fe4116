// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "benchmarks/loadgen/key_value.h"

#include <algorithm>
#include <cassert>

#include "benchmarks/loadgen/rng.h"

namespace lull::bench {
namespace {

constexpr size_t kPoolBytes = 1 << 20;
constexpr size_t kPieceBytes = 100;  // about one value of the default size

// "00", "01", … "99": formatting two digits per step halves the divisions.
constexpr std::array<char, 200> kPairs = [] {
  std::array<char, 200> pairs{};
  for (size_t i = 0; i < 100; ++i) {
    pairs[2 * i] = static_cast<char>('0' + i / 10);
    pairs[2 * i + 1] = static_cast<char>('0' + i % 10);
  }
  return pairs;
}();

}  // namespace

KeyText::KeyText(size_t prefix_bytes) : text_(prefix_bytes, 'a') { text_.append(kDigits, '0'); }

std::string_view KeyText::Of(uint64_t number) {
  char* end = text_.data() + text_.size();
  for (size_t i = 0; i < kDigits; i += 2) {
    const uint64_t pair = number % 100;
    number /= 100;
    *--end = kPairs[2 * pair + 1];
    *--end = kPairs[2 * pair];
  }
  return text_;
}

ValuePool::ValuePool(double compressed_share, size_t longest, uint64_t seed) {
  Rng rng(seed);
  const double share = std::clamp(compressed_share, 0.01, 1.0);
  const size_t distinct = std::max<size_t>(1, static_cast<size_t>(kPieceBytes * share));
  const size_t wanted = std::max(kPoolBytes, 2 * longest);
  pool_.reserve(wanted + kPieceBytes);
  while (pool_.size() < wanted) {
    // Random printable characters, repeated to fill the piece. A compressor keeps the first copy
    // only.
    const size_t piece = pool_.size();
    for (size_t i = 0; i < distinct; ++i) pool_.push_back(static_cast<char>(' ' + rng.Below(95)));
    for (size_t i = distinct; i < kPieceBytes; ++i) pool_.push_back(pool_[piece + i % distinct]);
  }
}

std::string_view ValuePool::Next(size_t size) {
  assert(size <= pool_.size());
  if (position_ + size > pool_.size()) position_ = 0;
  const std::string_view value(pool_.data() + position_, size);
  position_ += size;
  return value;
}

}  // namespace lull::bench
