// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// SkipList: memtable entries in an arena. One thread inserts at a time; any thread reads without a
// lock. Entries are never freed and never move.
//
// The list links user keys, not entries: the newest entry of each key is a node of the list, and
// the older ones form a chain from it. So neither searches nor scans pass old versions.
//
//   head -> a@7 -> b@9 ---> c@2
//                   |
//                  b@5 -> b@3
//
// A new entry of a key takes its predecessor's place in the list. The replaced node keeps its links
// as they are, for the readers at it. Through them, a reader can miss only keys that were inserted
// after the replacement, thus after the reader was positioned.
//
// A node is one allocation: the links of its upper levels, highest first, then the lowest link,
// the sizes, the internal key, the value and the chain. So a key comparison costs one cache miss,
// and the links of a higher node are directly before it.
//
// A link is stored (release) only after its target node is complete, so a reader that follows it
// (acquire) sees the whole node. A reader that meets a partly linked node only misses a shortcut.
// A chain is complete before its newest entry is linked, and never changes.
//
// A chain is a skew-binary list (Myers 1983, "An applicative random-access stack"): entries form
// perfect binary trees, in preorder from new to old. The root of a tree knows the first entry after
// the tree. So an old snapshot finds its entry among n in O(log n), and a new entry costs O(1).
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

  /// Copies the entry. REQUIRES: no other thread inserts; `trailer` is above those of the user
  /// key's other entries; both lengths fit in 32 bits. Remembers the position of the last insert,
  /// so ascending keys cost O(1).
  void Insert(const leveldb::Slice& user_key, uint64_t trailer, const leveldb::Slice& value);

  struct Entry {
    uint64_t trailer;
    leveldb::Slice value;
  };
  /// The first entry of the same user key at or after `internal_key`. Any thread.
  std::optional<Entry> Find(const leveldb::Slice& internal_key) const;

  /// Estimates the share of user keys in [start, limit), given as internal keys, from a sample of
  /// the nodes. A subrange never gets a larger share than its range. Any thread.
  double ShareBetween(const leveldb::Slice& start, const leveldb::Slice& limit) const;

  /// A position in the list. One cursor per thread, any number at once. Shows the entries that a
  /// reader at a sequence in [oldest, newest] can see: of each user key those above `oldest`, and
  /// the newest one at or below it, but none above `newest`. Sees at least all entries inserted
  /// before it was positioned.
  class Cursor {
   public:
    Cursor(const SkipList* list, SequenceNumber oldest, SequenceNumber newest)
        : list_(list),
          oldest_(PackTrailer(oldest, kKindForSeek)),
          newest_(PackTrailer(newest, kKindForSeek)) {}
    bool Valid() const { return entry_ != nullptr; }
    leveldb::Slice key() const;    ///< internal key. REQUIRES: Valid()
    leveldb::Slice value() const;  ///< REQUIRES: Valid()
    void Next();                   ///< REQUIRES: Valid()
    /// REQUIRES: Valid(). Costs a search, or a walk over the key's newer entries.
    void Prev();
    void Seek(const leveldb::Slice& internal_key);
    void SeekToFirst();
    void SeekToLast();

   private:
    const Node* NewestShown() const;
    const Node* NodeBefore() const;
    void ShowForward();
    void ShowBackward();

    const SkipList* const list_;
    const uint64_t oldest_;  // trailers, above all of their sequence
    const uint64_t newest_;
    const Node* node_ = nullptr;  // of the current user key, in the list when the cursor came to it
    const Node* entry_ = nullptr;  // in its chain
  };

 private:
  /// Enough for 16 million entries, since one node in four reaches the next level.
  static constexpr int kHeightMax = 12;

  Node* MakeNode(int height, const leveldb::Slice& user_key, uint64_t trailer,
                 const leveldb::Slice& value);
  /// Whether the node's user key is before the one at `key`, which a trailer follows.
  bool IsBefore(const Node& node, const char* key, size_t user_size) const;
  bool IsSame(const Node& node, const char* key, size_t user_size) const;
  bool IsAfterLastInsert(const Node& node) const;
  /// Two nodes that were neighbors at one moment. The user key is after `before`, which can be
  /// head_, and not after `after`, which can be null.
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

  // Inserting thread only. Per level: the last node at or before the latest insert. Only nodes of
  // the list, never replaced ones.
  std::array<Node*, kHeightMax> latest_;
  Random random_{0x4c756c6c};
};

}  // namespace lull
