// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Which user keys a table may hold: a Bloom filter that lives in memory only, for tables that are
// looked into often and not for long. Each key's bits are in one cache line, so that an answer
// costs one miss at most.
//
// Built by one thread; read by any number once it is built. Keys are told apart by their bytes, so
// it is of use only where a comparator does the same.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "leveldb/slice.h"

namespace lull {

class KeyFilter {
 public:
  /// What is asked of many filters, computed once.
  class Query {
   public:
    explicit Query(const leveldb::Slice& user_key);

   private:
    friend class KeyFilter;
    uint32_t hash_;    // the line
    uint64_t places_;  // in it, nine bits each
  };

  /// Takes 10 bits a key. With more keys than `keys_max` it is still right, but lets more through.
  explicit KeyFilter(uint64_t keys_max);

  void Add(const leveldb::Slice& user_key);

  /// Never false for a key that was added; true for one or two in a hundred of the others.
  bool MayContain(const Query& query) const {
    const Line& line = lines_[LineOf(query)];
    uint64_t places = query.places_;
    uint64_t found = 1;
    for (int probe = 0; probe < kProbes; ++probe, places >>= kPlaceBits) {
      found &= line.words[places % kLineBits / 64] >> (places % 64);
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
    std::array<uint64_t, kLineBits / 64> words{};
  };

  size_t LineOf(const Query& query) const { return query.hash_ * lines_.size() >> 32; }

  std::vector<Line> lines_;
};

}  // namespace lull
