// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Internal keys, as stored in the memtable and the tables. An internal key is the user key followed
// by 8 bytes, little-endian: sequence << 8 | kind. Among entries with the same user key, the one
// with the larger sequence sorts first.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "leveldb/slice.h"
#include "table/key_order.h"
#include "util/coding.h"

namespace lull {

using SequenceNumber = uint64_t;
constexpr SequenceNumber kMaxSequence = (uint64_t{1} << 56) - 1;
/// The store writes no sequence above this, and treats a higher one in a file as damage. It is far
/// more than any store needs.
constexpr SequenceNumber kMaxStoredSequence = kMaxSequence / 2;

/// The format's levels: L0 (tables may overlap) to L6.
constexpr int kLevels = 7;

enum class ValueKind : uint8_t { kDeletion = 0, kValue = 1 };

/// The kind in a search key. It sorts before every other entry of the same sequence.
constexpr ValueKind kKindForSeek = ValueKind::kValue;

inline uint64_t PackTrailer(SequenceNumber sequence, ValueKind kind) {
  return (sequence << 8) | static_cast<uint64_t>(kind);
}

inline ValueKind KindOf(uint64_t trailer) { return static_cast<ValueKind>(trailer & 0xff); }

struct ParsedInternalKey {
  leveldb::Slice user_key;
  SequenceNumber sequence = 0;
  ValueKind kind = ValueKind::kValue;
};

/// Returns false if `key` is too short or its kind is unknown.
inline bool ParseInternalKey(const leveldb::Slice& key, ParsedInternalKey* parsed) {
  if (key.size() < KeyOrder::kTrailerBytes) return false;
  const uint64_t trailer = DecodeFixed64(key.data() + key.size() - KeyOrder::kTrailerBytes);
  const uint8_t kind = static_cast<uint8_t>(trailer & 0xff);
  parsed->user_key = leveldb::Slice(key.data(), key.size() - KeyOrder::kTrailerBytes);
  parsed->sequence = trailer >> 8;
  parsed->kind = static_cast<ValueKind>(kind);
  return kind <= static_cast<uint8_t>(ValueKind::kValue);
}

/// REQUIRES: key.size() >= KeyOrder::kTrailerBytes.
inline leveldb::Slice UserKeyOf(const leveldb::Slice& internal_key) {
  return leveldb::Slice(internal_key.data(), internal_key.size() - KeyOrder::kTrailerBytes);
}

inline void AppendInternalKey(std::string* out, const leveldb::Slice& user_key,
                              SequenceNumber sequence, ValueKind kind) {
  out->append(user_key.data(), user_key.size());
  PutFixed64(out, PackTrailer(sequence, kind));
}

inline std::string MakeInternalKey(const leveldb::Slice& user_key, SequenceNumber sequence,
                                   ValueKind kind) {
  std::string key;
  key.reserve(user_key.size() + KeyOrder::kTrailerBytes);
  AppendInternalKey(&key, user_key, sequence, kind);
  return key;
}

/// The key for people: 'user key' @ sequence : kind.
std::string KeyText(const leveldb::Slice& internal_key);

/// A search key on the stack: the internal key that sorts just before every entry of `user_key`
/// visible at `sequence`.
class LookupKey {
 public:
  LookupKey(const leveldb::Slice& user_key, SequenceNumber sequence);
  ~LookupKey();
  LookupKey(const LookupKey&) = delete;
  LookupKey& operator=(const LookupKey&) = delete;

  leveldb::Slice internal_key() const { return leveldb::Slice(data_, size_); }
  leveldb::Slice user_key() const { return leveldb::Slice(data_, size_ - KeyOrder::kTrailerBytes); }
  SequenceNumber sequence() const {
    return DecodeFixed64(data_ + size_ - KeyOrder::kTrailerBytes) >> 8;
  }

 private:
  char* data_;
  size_t size_;
  char inline_[200];
};

/// User keys from `begin` to just before `end`; a missing one is unbounded.
struct KeyBounds {
  std::optional<std::string> begin;
  std::optional<std::string> end;

  static KeyBounds Of(const leveldb::Slice* begin, const leveldb::Slice* end) {
    KeyBounds bounds;
    if (begin != nullptr) bounds.begin = begin->ToString();
    if (end != nullptr) bounds.end = end->ToString();
    return bounds;
  }
  /// Of the keys that begin with `prefix`, in bytewise order.
  static KeyBounds OfPrefix(const leveldb::Slice& prefix);

  bool Includes(const KeyOrder& order, const leveldb::Slice& user_key) const {
    return (!begin || order.CompareUser(user_key, *begin) >= 0) &&
           (!end || order.CompareUser(user_key, *end) < 0);
  }
  bool IsEmpty(const KeyOrder& order) const {
    return begin && end && order.CompareUser(*begin, *end) >= 0;
  }
};

}  // namespace lull
