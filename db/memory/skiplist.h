// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// SkipList: memtable entries in an arena. One thread inserts at a time; any thread reads without a
// lock. Entries are never removed and never move.
//
// A node is one allocation: the links of its upper levels, highest first, then the lowest link,
// the sizes, the internal key and the value. So a key comparison costs one cache miss, and the
// links of a higher node are directly before it.
//
// A link is stored (release) only after its target node is complete, so a reader that follows it
// (acquire) sees the whole node. A reader that meets a partly linked node only misses a shortcut.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <optional>

#include "db/base/dbformat.h"
#include "leveldb/slice.h"
#include "table/key_order.h"
#include "util/arena.h"
#include "util/random.h"

namespace lull {

class SkipList {
 private:
  struct Node;

 public:
  /// `arena` outlives the list, and serves no other list.
  SkipList(const KeyOrder& order, Arena* arena);
  SkipList(const SkipList&) = delete;
  SkipList& operator=(const SkipList&) = delete;

  const KeyOrder& order() const { return order_; }

  /// Copies the entry. REQUIRES: no other thread inserts; the internal key is new; both lengths fit
  /// in 32 bits. Remembers the position of the last insert, so ascending keys cost O(1).
  void Insert(const leveldb::Slice& user_key, uint64_t trailer, const leveldb::Slice& value);

  struct Entry {
    uint64_t trailer;
    leveldb::Slice value;
  };
  /// The first entry of the same user key at or after `internal_key`. Any thread.
  std::optional<Entry> Find(const leveldb::Slice& internal_key) const;

  /// Estimates the share of entries in [start, limit), given as internal keys, from a sample of the
  /// nodes. A subrange never gets a larger share than its range. Any thread.
  double ShareBetween(const leveldb::Slice& start, const leveldb::Slice& limit) const;

  /// A position in the list. One cursor per thread, any number at once. Sees at least all entries
  /// inserted before it was positioned.
  class Cursor {
   public:
    explicit Cursor(const SkipList* list) : list_(list) {}
    bool Valid() const { return node_ != nullptr; }
    leveldb::Slice key() const;    ///< internal key. REQUIRES: Valid()
    leveldb::Slice value() const;  ///< REQUIRES: Valid()
    void Next();                   ///< REQUIRES: Valid()
    void Prev();                   ///< REQUIRES: Valid(). Costs a search.
    void Seek(const leveldb::Slice& internal_key);
    void SeekToFirst();
    void SeekToLast();

   private:
    const SkipList* list_;
    const Node* node_ = nullptr;
  };

 private:
  /// Enough for 16 million entries, since one node in four reaches the next level.
  static constexpr int kHeightMax = 12;

  Node* MakeNode(int height, const leveldb::Slice& user_key, uint64_t trailer,
                 const leveldb::Slice& value);
  /// Whether the node sorts before the internal key at `key`: `user_size` bytes, then the trailer.
  bool IsBefore(const Node& node, const char* key, size_t user_size) const;
  bool LastInsertPrecedes(const Node& node) const;
  /// Two nodes that were neighbors at one moment, with the key's position between them. `before`
  /// can be head_; `after` can be null.
  struct Place {
    Node* before;
    Node* after;
  };
  /// Sets before[level] for each level in use, unless `before` is null.
  Place FindPlace(const char* key, size_t user_size, Node** before) const;
  template <class IsBeforeKey>
  Place FindPlaceBy(IsBeforeKey is_before_key, Node** before) const;

  const KeyOrder order_;
  Arena* const arena_;
  Node* const head_;
  std::atomic<int> height_{1};  // levels in use; a reader that sees an old value loses a shortcut

  // Inserting thread only. Per level: the last node at or before the latest insert.
  std::array<Node*, kHeightMax> latest_;
  Random random_{0x4c756c6c};
};

}  // namespace lull
