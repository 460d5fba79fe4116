// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// LevelDB's Bloom filter. On disk: the bit array, then one byte with the number of probes. A key's
// probes start at its hash and step by the hash rotated by 17 bits, both modulo the number of bits.
// All of this is part of the file format.

#include <algorithm>
#include <cstdint>

#include "leveldb/filter_policy.h"
#include "leveldb/slice.h"
#include "util/hash.h"

namespace leveldb {
namespace {

constexpr uint32_t kHashSeed = 0xbc9f1d34u;
constexpr unsigned kProbesMax = 30;    // larger counts are reserved for other encodings
constexpr size_t kFilterBitsMin = 64;  // keeps the false positives of tiny filters low

/// The probe positions of one key, in order.
class Probes {
 public:
  Probes(const Slice& key, size_t bits)
      : hash_(lull::Hash(key.data(), key.size(), kHashSeed)),
        step_((hash_ >> 17) | (hash_ << 15)),
        bits_(bits) {}

  size_t Next() {
    const size_t position = hash_ % bits_;
    hash_ += step_;
    return position;
  }

 private:
  uint32_t hash_;
  const uint32_t step_;
  const size_t bits_;
};

class BloomFilterPolicy final : public FilterPolicy {
 public:
  explicit BloomFilterPolicy(int bits_per_key)
      : bits_per_key_(static_cast<size_t>(std::max(bits_per_key, 0))),
        // ln 2 probes per bit per key minimize false positives. Rounded down, because probes also
        // cost time.
        probes_(std::clamp(static_cast<unsigned>(static_cast<double>(bits_per_key_) * 0.69), 1u,
                           kProbesMax)) {}

  const char* Name() const override { return "leveldb.BuiltinBloomFilter2"; }

  void CreateFilter(const Slice* keys, int n, std::string* dst) const override {
    const auto key_count = static_cast<size_t>(n);
    const size_t bytes = (std::max(key_count * bits_per_key_, kFilterBitsMin) + 7) / 8;
    const size_t start = dst->size();
    dst->resize(start + bytes, '\0');
    char* const array = dst->data() + start;
    for (size_t i = 0; i < key_count; i++) {
      Probes probes(keys[i], bytes * 8);
      for (unsigned probe = 0; probe < probes_; probe++) {
        const size_t bit = probes.Next();
        array[bit / 8] = static_cast<char>(array[bit / 8] | 1 << bit % 8);
      }
    }
    dst->push_back(static_cast<char>(probes_));
  }

  bool KeyMayMatch(const Slice& key, const Slice& filter) const override {
    if (filter.empty()) return false;  // filter of an empty key set
    const size_t bytes = filter.size() - 1;
    const unsigned probe_count = static_cast<unsigned char>(filter[bytes]);
    if (bytes == 0 || probe_count > kProbesMax)
      return true;  // unknown encoding: nothing is excluded
    Probes probes(key, bytes * 8);
    for (unsigned probe = 0; probe < probe_count; probe++) {
      const size_t bit = probes.Next();
      if ((filter[bit / 8] >> bit % 8 & 1) == 0) return false;
    }
    return true;
  }

 private:
  const size_t bits_per_key_;
  const unsigned probes_;
};

}  // namespace

FilterPolicy::~FilterPolicy() = default;

const FilterPolicy* NewBloomFilterPolicy(int bits_per_key) {
  return new BloomFilterPolicy(bits_per_key);
}

}  // namespace leveldb
