// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// The order of a table's keys, without a virtual call for the default order. The tables of a store
// have internal keys: the user key and an 8-byte trailer (sequence and kind), ordered by ascending
// user key, then descending trailer. Tables built with leveldb::TableBuilder have plain user keys.
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

  /// REQUIRES for internal keys: both have at least the trailer. Code that reads keys from files
  /// checks that.
  int Compare(const leveldb::Slice& a, const leveldb::Slice& b) const {
    if (!internal_) return CompareUser(a, b);
    const int by_user = CompareUser(UserKey(a), UserKey(b));
    if (by_user != 0) return by_user;
    const uint64_t trailer_a = DecodeFixed64(a.data() + a.size() - kTrailerBytes);
    const uint64_t trailer_b = DecodeFixed64(b.data() + b.size() - kTrailerBytes);
    return trailer_a > trailer_b ? -1 : (trailer_a < trailer_b ? 1 : 0);
  }

  /// The part of a key that filters and the user's comparator use.
  leveldb::Slice UserKey(const leveldb::Slice& key) const {
    return internal_ ? leveldb::Slice(key.data(), key.size() - kTrailerBytes) : key;
  }

  /// True if a key read from a file can be compared.
  bool Comparable(const leveldb::Slice& key) const {
    return !internal_ || key.size() >= kTrailerBytes;
  }

  /// For index blocks: replaces `a` with a short key k, a <= k < b. REQUIRES: a < b.
  void ShortenSeparator(std::string* a, const leveldb::Slice& b) const;
  /// Replaces `a` with a short key k >= a.
  void ShortenSuccessor(std::string* a) const;

  static constexpr size_t kTrailerBytes = 8;

 private:
  const leveldb::Comparator* user_;
  bool bytewise_;
  bool internal_;
};

}  // namespace lull
