// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.

#include "util/hash.h"

#include "util/coding.h"

namespace lull {

uint32_t Hash(const char* data, size_t size, uint32_t seed) {
  constexpr uint32_t kMultiplier = 0xc6a4a793u;
  uint32_t hash = seed ^ static_cast<uint32_t>(size * kMultiplier);
  const size_t tail_bytes = size % 4;
  const char* const tail = data + (size - tail_bytes);
  for (; data != tail; data += 4) {
    hash = (hash + DecodeFixed32(data)) * kMultiplier;
    hash ^= hash >> 16;
  }
  if (tail_bytes != 0) {
    char word[4] = {};  // the remaining bytes, unsigned, lowest first
    std::memcpy(word, tail, tail_bytes);
    hash = (hash + DecodeFixed32(word)) * kMultiplier;
    hash ^= hash >> 24;
  }
  return hash;
}

}  // namespace lull
