// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.

#include "leveldb/comparator.h"

#include <algorithm>
#include <string>

#include "leveldb/slice.h"

namespace leveldb {
namespace {

constexpr unsigned kByteMax = 0xff;

/// Truncates *key after the byte at `position`, which is less than 0xff, and increments that byte.
/// The result is the shortest key that sorts after all keys with the replaced prefix.
void CutAndIncrement(std::string* key, size_t position) {
  key->resize(position + 1);
  key->back() = static_cast<char>(static_cast<unsigned char>(key->back()) + 1);
}

class BytewiseOrder final : public Comparator {
 public:
  int Compare(const Slice& left, const Slice& right) const override { return left.compare(right); }

  void FindShortestSeparator(std::string* start, const Slice& limit) const override {
    const size_t common_max = std::min(start->size(), limit.size());
    size_t at = 0;
    while (at < common_max && (*start)[at] == limit[at]) at++;
    if (at == common_max) return;  // one is a prefix of the other: no shorter separator exists
    const auto low = static_cast<unsigned char>((*start)[at]);
    const auto high = static_cast<unsigned char>(limit[at]);
    if (low + 1u < high) CutAndIncrement(start, at);
  }

  void FindShortSuccessor(std::string* key) const override {
    const auto at = std::find_if(key->begin(), key->end(), [](char byte) {
      return static_cast<unsigned char>(byte) != kByteMax;
    });
    if (at != key->end()) CutAndIncrement(key, static_cast<size_t>(at - key->begin()));
  }

  const char* Name() const override { return "leveldb.BytewiseComparator"; }
};

}  // namespace

Comparator::~Comparator() = default;

const Comparator* BytewiseComparator() {
  static const Comparator* const order =
      new BytewiseOrder;  // never destroyed: stores can outlive main
  return order;
}

}  // namespace leveldb
