// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// The sorted buffer that takes writes. One thread inserts at a time (the leading writer); any
// number read meanwhile, without a lock. An entry, once inserted, never moves or changes. Freed as
// a whole.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

#include "db/dbformat.h"
#include "db/write/skiplist.h"
#include "leveldb/iterator.h"
#include "leveldb/slice.h"
#include "leveldb/status.h"
#include "util/arena.h"

namespace lull {

class MemTable {
 public:
  /// Memory is taken from the pool, and given back to it.
  explicit MemTable(const KeyOrder& order,
                    std::shared_ptr<BlockPool> pool = std::make_shared<BlockPool>());
  MemTable(const MemTable&) = delete;
  MemTable& operator=(const MemTable&) = delete;

  /// REQUIRES: no other thread is inserting; (key, sequence) is new; lengths as batch::Validate
  /// lets them pass.
  void Add(SequenceNumber sequence, ValueKind kind, const leveldb::Slice& user_key,
           const leveldb::Slice& value);

  enum class Found { kNothing, kValue, kDeleted };
  /// The newest entry of the key that is visible at its sequence. Any thread.
  Found Get(const LookupKey& key, std::string* value) const;

  /// Over internal keys. The memtable must outlive it.
  std::unique_ptr<leveldb::Iterator> NewIterator() const;

  /// Bytes held. Any thread.
  size_t MemoryBytes() const { return arena_.MemoryBytes(); }
  /// About how many of them hold entries from `start` on and before `limit`, internal keys. Any
  /// thread.
  uint64_t ApproximateBytes(const leveldb::Slice& start, const leveldb::Slice& limit) const {
    return static_cast<uint64_t>(list_.ShareBetween(start, limit) *
                                 static_cast<double>(MemoryBytes()));
  }
  /// Any thread; an entry is counted once it can be read.
  uint64_t EntryCount() const { return entries_.load(std::memory_order_relaxed); }

 private:
  Arena arena_;
  SkipList list_;
  std::atomic<uint64_t> entries_{0};
};

using MemTableRef = std::shared_ptr<MemTable>;

}  // namespace lull
