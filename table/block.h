// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// An uncompressed block, and the cursor over it. A block is a sequence of entries
//
//   shared key bytes | fresh key bytes | value bytes | the fresh bytes | the value
//
// (the three lengths are varint32), then restart points (fixed32 offsets of entries that share
// nothing), then their number (fixed32). A key is the first `shared` bytes of the previous key,
// then the fresh (unshared) bytes. A Block is immutable and thread-safe; one thread uses a cursor.
//
// The cursor checks everything it reads. On damage it becomes invalid, and damage() returns the
// cause. Each step advances by at least three bytes, so every walk ends.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>

#include "leveldb/slice.h"
#include "table/key_order.h"
#include "util/coding.h"

namespace lull {

/// A view of a block's contents, which it does not own.
class Block {
 public:
  /// An empty block.
  Block() = default;

  /// Checks the overall structure of `contents`. Returns the cause of damage, or
  /// nullptr.
  const char* Parse(const leveldb::Slice& contents);

  const char* entries() const { return entries_; }
  const char* entries_end() const { return entries_end_; }
  uint32_t restart_count() const { return restart_count_; }
  /// REQUIRES: i < restart_count(). The result is not checked.
  uint32_t restart(uint32_t i) const {
    return DecodeFixed32(entries_end_ + size_t{i} * sizeof(uint32_t));
  }

 private:
  const char* entries_ = nullptr;
  /// Start of the restart points; at least 8 bytes follow, unless the block is empty.
  const char* entries_end_ = nullptr;
  uint32_t restart_count_ = 0;
};

class BlockCursor {
 public:
  BlockCursor() = default;
  BlockCursor(const BlockCursor&) = delete;
  BlockCursor& operator=(const BlockCursor&) = delete;

  /// Sets the block; its contents must outlive the use of the cursor. Afterwards the cursor is not
  /// Valid(). Keys that `order` cannot compare count as damage.
  void Reset(const Block& block, const KeyOrder& order) {
    block_ = block;
    key_bytes_min_ = order.internal() ? KeyOrder::kTrailerBytes : 0;
    entry_ = nullptr;
    damage_ = nullptr;
  }

  bool Valid() const { return entry_ != nullptr; }
  /// Why the cursor is not valid; nullptr if it is only not positioned, or past an end.
  const char* damage() const { return damage_; }

  // REQUIRES, for the next four: Valid().
  leveldb::Slice key() const { return leveldb::Slice(key_, key_bytes_); }
  leveldb::Slice value() const { return leveldb::Slice(value_, value_bytes_); }
  void Next() { Advance(); }
  void Prev();

  void SeekToFirst() {
    if (GoToStart()) Advance();
  }
  void SeekToLast();
  /// Moves to the first entry with key >= target.
  void Seek(const KeyOrder& order, const leveldb::Slice& target);

 private:
  static constexpr size_t kInlineKeyBytes = 120;
  static constexpr size_t kCopyStep = 8;

  bool Fail(const char* why) {
    entry_ = nullptr;
    damage_ = why;
    return false;
  }
  bool GoToStart() {
    entry_ = nullptr;
    damage_ = nullptr;
    next_ = block_.entries();
    key_bytes_ = 0;
    return next_ != block_.entries_end();
  }
  bool GoToRestart(uint32_t restart);
  /// Gets the key at a restart point; returns false if it is unreadable.
  bool RestartKey(uint32_t restart, leveldb::Slice* key);
  void SeekNear(const KeyOrder& order, const leveldb::Slice& target, uint32_t restart);
  bool Advance();
  bool AdvanceTo(const char* place);
  /// Reads the three lengths of the entry at `in`. Returns the position after them, or nullptr if
  /// the entry does not fit in the block.
  const char* ReadLengths(const char* in, uint32_t* shared, uint32_t* fresh,
                          uint32_t* value_bytes) const;
  void AssembleKey(const char* in, size_t shared, size_t fresh);
  void GrowKeyMemory(size_t bytes, size_t keep);

  Block block_;
  size_t key_bytes_min_ = 0;
  const char* entry_ = nullptr;  ///< the current entry
  const char* next_ = nullptr;   ///< the one after it
  const char* key_ = "";  ///< points into the block if the key is whole there, else to key_memory_
  size_t key_bytes_ = 0;
  const char* value_ = "";
  size_t value_bytes_ = 0;
  const char* damage_ = nullptr;
  char* key_memory_ = inline_key_;
  size_t key_capacity_ = kInlineKeyBytes;
  std::unique_ptr<char[]> heap_key_;
  char inline_key_[kInlineKeyBytes];
};

inline const char* BlockCursor::ReadLengths(const char* in, uint32_t* shared, uint32_t* fresh,
                                            uint32_t* value_bytes) const {
  const char* end = block_.entries_end();
  // Loading four bytes is safe: at least eight bytes follow the entries.
  const uint32_t word = DecodeFixed32(in);
  if ((word & 0x808080u) == 0) {
    *shared = word & 0xff;
    *fresh = (word >> 8) & 0xff;
    *value_bytes = (word >> 16) & 0xff;
    in += 3;
  } else {
    in = DecodeVarint32(in, end, shared);
    if (in != nullptr) in = DecodeVarint32(in, end, fresh);
    if (in != nullptr) in = DecodeVarint32(in, end, value_bytes);
    if (in == nullptr) return nullptr;
  }
  return static_cast<int64_t>(uint64_t{*fresh} + *value_bytes) <= end - in ? in : nullptr;
}

inline void BlockCursor::AssembleKey(const char* in, size_t shared, size_t fresh) {
  const size_t needed = shared + fresh + kCopyStep;
  if (needed > key_capacity_) GrowKeyMemory(needed, shared);
  if (key_ != key_memory_) {
    std::memcpy(key_memory_, key_, shared);
    key_ = key_memory_;
  }
  // Copying in steps of 8 is faster than memcpy for a few bytes. Reads past the fresh bytes stay in
  // the block (see ReadLengths), and the key memory has room for one extra step.
  for (size_t i = 0; i < fresh; i += kCopyStep)
    std::memcpy(key_memory_ + shared + i, in + i, kCopyStep);
}

inline bool BlockCursor::Advance() {
  if (next_ >= block_.entries_end()) {
    entry_ = nullptr;
    return false;
  }
  uint32_t shared, fresh, value_bytes;
  const char* in = ReadLengths(next_, &shared, &fresh, &value_bytes);
  if (in == nullptr) return Fail("entry reaches beyond its block");
  const size_t key_bytes = size_t{shared} + fresh;
  if (shared > key_bytes_) return Fail("entry shares more than the key before it has");
  if (key_bytes < key_bytes_min_) return Fail("key is too short");
  if (shared == 0) {
    key_ = in;
  } else {
    AssembleKey(in, shared, fresh);
  }
  key_bytes_ = key_bytes;
  value_ = in + fresh;
  value_bytes_ = value_bytes;
  entry_ = next_;
  next_ = value_ + value_bytes;
  return true;
}

inline bool BlockCursor::RestartKey(uint32_t restart, leveldb::Slice* key) {
  const uint32_t offset = block_.restart(restart);
  if (offset >= static_cast<size_t>(block_.entries_end() - block_.entries()))
    return Fail("restart point out of range");
  uint32_t shared, fresh, value_bytes;
  const char* in = ReadLengths(block_.entries() + offset, &shared, &fresh, &value_bytes);
  if (in == nullptr || shared != 0 || fresh < key_bytes_min_)
    return Fail("restart point without a complete key");
  *key = leveldb::Slice(in, fresh);
  return true;
}

inline bool BlockCursor::GoToRestart(uint32_t restart) {
  const uint32_t offset = block_.restart(restart);
  if (offset >= static_cast<size_t>(block_.entries_end() - block_.entries()))
    return Fail("restart point out of range");
  next_ = block_.entries() + offset;
  key_bytes_ = 0;
  return true;
}

inline void BlockCursor::Seek(const KeyOrder& order, const leveldb::Slice& target) {
  if (!GoToStart()) return;
  uint32_t low = 0;
  uint32_t high = block_.restart_count();
  while (low < high) {
    const uint32_t middle = low + (high - low) / 2;
    leveldb::Slice key;
    if (!RestartKey(middle, &key)) return;
    if (order.Compare(key, target) < 0) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  SeekNear(order, target, low);
}

/// Finishes Seek. REQUIRES: `restart` is the first restart point with key >= target
/// (restart_count() if none).
inline void BlockCursor::SeekNear(const KeyOrder& order, const leveldb::Slice& target,
                                  uint32_t restart) {
  if (!GoToStart()) return;
  if (restart == 0) {
    Advance();
    return;
  }
  const char* known =
      restart < block_.restart_count() ? block_.entries() + block_.restart(restart) : nullptr;
  // The entry at the previous restart point is known to be smaller.
  if (!GoToRestart(restart - 1) || !Advance()) return;
  while (Advance()) {
    if (entry_ == known || order.Compare(key(), target) >= 0) return;
  }
}

}  // namespace lull
