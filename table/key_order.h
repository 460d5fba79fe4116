// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// How the keys of a table compare, without a virtual call where the usual order is used. A store's
// tables hold internal keys: the user's key and an 8-byte trailer (sequence and kind), the user's
// order ascending, then the trailer descending. Tables that programs build through
// leveldb::TableBuilder hold bare user keys.
#pragma once

#include <cstdint>
#include <string>

#include "leveldb/comparator.h"
#include "leveldb/slice.h"
#include "util/coding.h"

namespace lull {

class KeyOrder {
 public:
  enum class Keys { kUser, kInternal };

  KeyOrder(const leveldb::Comparator* user, Keys keys)
      : user_(user),
        bytewise_(user == leveldb::BytewiseComparator()),
        internal_(keys == Keys::kInternal) {}

  const leveldb::Comparator* user() const { return user_; }
  bool bytewise() const { return bytewise_; }
  bool internal() const { return internal_; }

  int CompareUser(const leveldb::Slice& a, const leveldb::Slice& b) const {
    return bytewise_ ? a.compare(b) : user_->Compare(a, b);
  }

  /// REQUIRES for internal keys: both hold at least the trailer (checked where keys are read from
  /// files).
  int Compare(const leveldb::Slice& a, const leveldb::Slice& b) const {
    if (!internal_) return CompareUser(a, b);
    const int by_user = CompareUser(UserKey(a), UserKey(b));
    if (by_user != 0) return by_user;
    const uint64_t trailer_a = DecodeFixed64(a.data() + a.size() - kTrailerBytes);
    const uint64_t trailer_b = DecodeFixed64(b.data() + b.size() - kTrailerBytes);
    return trailer_a > trailer_b ? -1 : (trailer_a < trailer_b ? 1 : 0);
  }

  /// The part of a key that filters and the user's comparator see.
  leveldb::Slice UserKey(const leveldb::Slice& key) const {
    return internal_ ? leveldb::Slice(key.data(), key.size() - kTrailerBytes) : key;
  }

  /// Whether a key read from a file can be compared at all.
  bool Comparable(const leveldb::Slice& key) const {
    return !internal_ || key.size() >= kTrailerBytes;
  }

  /// A short key k with a <= k < b (REQUIRES: a < b), for index blocks; `a` is replaced by it.
  void ShortenSeparator(std::string* a, const leveldb::Slice& b) const;
  /// A short key k >= a.
  void ShortenSuccessor(std::string* a) const;

  static constexpr size_t kTrailerBytes = 8;

 private:
  const leveldb::Comparator* user_;
  bool bytewise_;
  bool internal_;
};

}  // namespace lull
