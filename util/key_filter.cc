// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "util/key_filter.h"

#include <algorithm>
#include <cstring>

#include "util/coding.h"
#include "util/hash.h"

namespace lull {
namespace {

constexpr uint32_t kSeed = 0x4c756c6c;
constexpr uint64_t kLinesMax = 1 << 24;  // 1 GiB; LineOf must not overflow

}  // namespace

uint32_t KeyFilter::HashOf(const leveldb::Slice& user_key) {
  return Hash(user_key.data(), user_key.size(), kSeed);
}

KeyFilter::Query::Query(uint32_t hash)
    : hash_(hash),
      // The high bits of the hash select the line. Multiplication by 2^64 / phi mixes all of them
      // into the high bits of the product, which select the places.
      places_((hash_ * UINT64_C(0x9e3779b97f4a7c15)) >> (64 - kProbes * kPlaceBits)) {}

KeyFilter::KeyFilter(std::span<const uint32_t> hashes)
    : lines_(std::clamp<uint64_t>(hashes.size() / (kLineBits / kBitsPerKey) + 1, 1, kLinesMax)) {
  for (const uint32_t hash : hashes) {
    const Query query(hash);
    Line& line = lines_[LineOf(query)];
    uint64_t places = query.places_;
    for (int probe = 0; probe < kProbes; ++probe, places >>= kPlaceBits) {
      line.words[places % kLineBits / 64] |= LittleEndian(UINT64_C(1) << (places % 64));
    }
  }
}

std::unique_ptr<const KeyFilter> KeyFilter::FromBytes(const leveldb::Slice& bytes) {
  const size_t lines = bytes.size() / sizeof(Line);
  if (lines == 0 || lines > kLinesMax || bytes.size() % sizeof(Line) != 0) return nullptr;
  std::vector<Line> copy(lines);
  std::memcpy(copy.data(), bytes.data(), bytes.size());
  return std::unique_ptr<const KeyFilter>(new KeyFilter(std::move(copy)));
}

}  // namespace lull
