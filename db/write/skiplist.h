// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// A skip list of memtable entries in an arena: one inserter at a time, lock-free readers. Entries
// are never removed and never move.
//
// A node is one piece of memory: the links of its upper levels, highest first, then the link of the
// lowest level, the sizes, the internal key and the value. So a visit that compares keys costs one
// cache miss, and the links of a rarely high node stand right in front of it.
//
// A link is stored (release) only after the node it leads to is complete; whoever follows it
// (acquire) sees the whole node. A reader that meets a half-linked node merely misses a shortcut.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

#include "db/dbformat.h"
#include "leveldb/slice.h"
#include "table/key_order.h"
#include "util/arena.h"
#include "util/random.h"

namespace lull {

class SkipList {
 private:
  struct Node;

 public:
  /// `arena` outlives the list and belongs to it alone.
  SkipList(const KeyOrder& order, Arena* arena);
  SkipList(const SkipList&) = delete;
  SkipList& operator=(const SkipList&) = delete;

  const KeyOrder& order() const { return order_; }

  /// Copies the entry in. REQUIRES: no other thread inserts; no equal internal key is there; the
  /// internal key's and the value's length fit 32 bits. The position of the last insert is
  /// remembered, so that ascending keys cost O(1).
  void Insert(const leveldb::Slice& user_key, uint64_t trailer, const leveldb::Slice& value);

  /// About which share of the entries sorts from `start` on and before `limit`, internal keys: as
  /// far as one node in four rises. A part of a range never has more than the whole. Any thread.
  double ShareBetween(const leveldb::Slice& start, const leveldb::Slice& limit) const;

  /// A position in the list; any thread, many at once. Sees at least what was inserted before it
  /// was placed.
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
  /// With one node in four a level higher than its neighbour, enough for 16 million entries.
  static constexpr int kHeightMax = 12;

  Node* MakeNode(int height, const leveldb::Slice& user_key, uint64_t trailer,
                 const leveldb::Slice& value);
  /// Whether the node sorts before the internal key whose user key has `user_size` bytes at `key`,
  /// with the trailer behind them.
  bool IsBefore(const Node& node, const char* key, size_t user_size) const;
  bool LastInsertPrecedes(const Node& node) const;
  /// Two nodes that were neighbours at one moment, the key's place between them: `before` may be
  /// head_, `behind` null.
  struct Place {
    Node* before;
    Node* behind;
  };
  /// Fills `before` for each level in use if it is given.
  Place FindPlace(const char* key, size_t user_size, Node** before) const;

  const KeyOrder order_;
  Arena* const arena_;
  Node* const head_;
  std::atomic<int> height_{1};  // levels in use; a reader may see an old one, and loses a shortcut

  // Inserter only. For each level the last node that does not sort behind the latest insert: that
  // insert itself where it is high enough.
  std::array<Node*, kHeightMax> latest_;
  Random random_{0x4c756c6c};
};

}  // namespace lull
