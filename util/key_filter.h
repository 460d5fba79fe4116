// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// KeyFilter: a Bloom filter of the user keys of a table. The bits of one key share a cache line, so
// a lookup costs at most one cache miss. Immutable; any thread. Table files contain it
// (docs/formats.md), so its hashes and bits must never change.
//
// It compares keys by their bytes, so use it only if the comparator does the same.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "leveldb/slice.h"
#include "util/coding.h"

namespace lull {

class KeyFilter {
 public:
  /// Name of the meta block with the bytes of a table's filter.
  static constexpr char kBlockName[] = "lull.key_filter";

  /// A key to look up in many filters, hashed once.
  class Query {
   public:
    explicit Query(const leveldb::Slice& user_key) : Query(HashOf(user_key)) {}

   private:
    friend class KeyFilter;
    explicit Query(uint32_t hash);

    uint32_t hash_;    // selects the line
    uint64_t places_;  // bits in the line, nine bits each
  };

  static uint32_t HashOf(const leveldb::Slice& user_key);

  /// The filter of the keys with these hashes. Uses 10 bits per key.
  explicit KeyFilter(std::span<const uint32_t> hashes);

  /// The filter whose bytes() these are. Null if their count is not that of a filter.
  static std::unique_ptr<const KeyFilter> FromBytes(const leveldb::Slice& bytes);
  /// Valid as long as the filter.
  leveldb::Slice bytes() const {
    return {reinterpret_cast<const char*>(lines_.data()), MemoryBytes()};
  }

  /// Always true for the filter's keys; true for 1% to 2% of other keys.
  bool MayContain(const Query& query) const {
    const Line& line = lines_[LineOf(query)];
    uint64_t places = query.places_;
    uint64_t found = 1;
    for (int probe = 0; probe < kProbes; ++probe, places >>= kPlaceBits) {
      found &= LittleEndian(line.words[places % kLineBits / 64]) >> (places % 64);
    }
    return (found & 1) != 0;
  }

  size_t MemoryBytes() const { return lines_.size() * sizeof(Line); }

 private:
  static constexpr uint64_t kBitsPerKey = 10;
  static constexpr int kProbes = 6;
  static constexpr int kPlaceBits = 9;
  static constexpr uint64_t kLineBits = 1 << kPlaceBits;

  struct alignas(kLineBits / 8) Line {
    std::array<uint64_t, kLineBits / 64> words{};  // little-endian, as in the file
  };

  explicit KeyFilter(std::vector<Line> lines) : lines_(std::move(lines)) {}
  size_t LineOf(const Query& query) const {
    return static_cast<size_t>(uint64_t{query.hash_} * lines_.size() >> 32);
  }

  std::vector<Line> lines_;
};

}  // namespace lull
