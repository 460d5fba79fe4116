// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// MemTable: the sorted buffer that takes writes. One thread inserts at a time (the leading writer).
// Any thread reads meanwhile, without a lock. An entry never moves or changes after its insert.
// Memory is freed as a whole.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

#include "db/base/dbformat.h"
#include "db/memory/skiplist.h"
#include "leveldb/iterator.h"
#include "leveldb/slice.h"
#include "leveldb/status.h"
#include "util/arena.h"
#include "util/key_filter.h"

namespace lull {

class MemTable {
 public:
  /// Takes its memory from the pool, and returns it there.
  explicit MemTable(const KeyOrder& order,
                    std::shared_ptr<BlockPool> pool = std::make_shared<BlockPool>());
  ~MemTable() { delete filter_.load(std::memory_order_relaxed); }
  MemTable(const MemTable&) = delete;
  MemTable& operator=(const MemTable&) = delete;

  /// REQUIRES: no other thread inserts; `sequence` is above those of the key's other entries;
  /// lengths are within batch::Validate's limits.
  void Add(SequenceNumber sequence, ValueKind kind, const leveldb::Slice& user_key,
           const leveldb::Slice& value);

  enum class Found { kNothing, kValue, kDeleted };
  /// Finds the newest entry of the key at or below its sequence. Any thread.
  Found Get(const LookupKey& key, std::string* value) const;

  /// Makes a filter of all keys, so that gets of others need not search. One thread, once.
  /// REQUIRES: sealed; bytewise order.
  void BuildFilter();
  /// Null until BuildFilter. Any thread.
  const KeyFilter* filter() const { return filter_.load(std::memory_order_acquire); }

  /// Iterates over the internal keys that readers at sequences in [oldest, newest] can see; see
  /// SkipList::Cursor. The memtable must outlive the iterator.
  std::unique_ptr<leveldb::Iterator> NewIterator(SequenceNumber oldest,
                                                 SequenceNumber newest) const;

  /// Memory in use. Any thread.
  size_t MemoryBytes() const { return arena_.MemoryBytes(); }
  /// Estimates how much of it holds entries in [start, limit), given as internal keys, as if all
  /// user keys used the same. Any thread.
  uint64_t ApproximateBytes(const leveldb::Slice& start, const leveldb::Slice& limit) const {
    return static_cast<uint64_t>(list_.ShareBetween(start, limit) *
                                 static_cast<double>(MemoryBytes()));
  }
  /// Counts the entries that can be read. Any thread.
  uint64_t EntryCount() const { return entries_.load(std::memory_order_relaxed); }
  /// Counts the deletions among them. Any thread.
  uint64_t DeletionCount() const { return deletions_.load(std::memory_order_relaxed); }

 private:
  Arena arena_;
  SkipList list_;
  std::atomic<uint64_t> entries_{0};
  std::atomic<uint64_t> deletions_{0};
  std::atomic<const KeyFilter*> filter_{nullptr};  // owned
};

using MemTableRef = std::shared_ptr<MemTable>;

}  // namespace lull
