// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// The memtables of a store: the active one, which takes writes, and the sealed ones, which wait for
// their flush. Two classes, for two threading rules:
//
//   MemTables         the list of memtables. The owner calls it under its mutex.
//   ActiveMemTable    the active one, for the leading writer only. No lock.
//
// Invariants:
//   - All entries of a sealed memtable are in WALs >= its wal_number. WAL numbers and sequences
//     ascend from the oldest memtable to the active one. So after the oldest `count` memtables are
//     in tables, the MANIFEST's log number can become LogNumberAfter(count).
//   - Memtables leave in the order in which they were sealed.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "db/base/dbformat.h"
#include "db/base/published_flags.h"
#include "db/memory/memtable.h"

namespace lull {

/// A sealed memtable that waits for its flush, and what the MANIFEST edit of that flush needs.
struct SealedMemTable {
  MemTableRef memtable;
  uint64_t memory_bytes = 0;
  uint64_t wal_number = 0;           ///< its entries are in WALs from this one on
  SequenceNumber last_sequence = 0;  ///< sequence of its newest entry
  uint64_t begun_seconds = 0;        ///< since 1970: its entries are not older
};

/// The limits on sealed memtables.
struct MemTableLimits {
  int immutables_max = 0;
  uint64_t memory_used_bytes = 0;  ///< by all stores that share the budget
  uint64_t memory_budget_bytes = 0;
};

class MemTables {
 public:
  explicit MemTables(PublishedFlags* flags) : flags_(flags) {}
  MemTables(const MemTables&) = delete;
  MemTables& operator=(const MemTables&) = delete;

  /// Sets the first active memtable, at the open. `now_seconds`: since 1970.
  void Begin(MemTableRef active, uint64_t wal_number, uint64_t now_seconds);
  /// Seals the active memtable. `next` becomes active, with its entries in WALs from `wal_number`
  /// on. Returns the size of the sealed one in bytes.
  uint64_t Seal(MemTableRef next, uint64_t wal_number, SequenceNumber last_sequence,
                uint64_t now_seconds);
  /// Sets the WAL that the active memtable's entries go to. REQUIRES: it has no entries yet.
  void SetActiveWal(uint64_t wal_number) { active_wal_number_ = wal_number; }
  /// Removes the oldest `count` sealed memtables, which are now in tables. Returns their size in
  /// bytes.
  uint64_t Flushed(size_t count);
  /// Releases all memtables, at the close.
  void Clear();

  const MemTableRef& active() const { return active_; }
  uint64_t active_begun_seconds() const { return active_begun_seconds_; }
  size_t immutable_count() const { return immutables_.size(); }
  uint64_t immutable_bytes() const { return immutable_bytes_; }
  std::vector<MemTableRef> ImmutablesNewestFirst() const;

  /// Returns the oldest sealed memtables, for one flush: at most `count_max` with at most
  /// `bytes_max` bytes in total, but at least one if any is sealed.
  std::vector<SealedMemTable> Oldest(size_t count_max, uint64_t bytes_max) const;
  /// The number of the oldest WAL that is still needed after the oldest `count` are in tables.
  uint64_t LogNumberAfter(size_t count) const;

  /// Whether the active memtable can be sealed. The memory budget already counts `counted_bytes` of
  /// it. If no memtable is sealed, it always can, however much memory other stores use.
  bool MaySeal(const MemTableLimits& limits, uint64_t counted_bytes) const;

  /// Numbers of seals and of flushed memtables since the open. If seals() was n after a memtable
  /// was sealed, it is in tables once flushes() is at least n.
  uint64_t seals() const { return seals_; }
  uint64_t flushes() const { return flushes_; }

 private:
  PublishedFlags* const flags_;
  MemTableRef active_;
  uint64_t active_wal_number_ = 0;
  uint64_t active_begun_seconds_ = 0;
  std::deque<SealedMemTable> immutables_;  // oldest first
  uint64_t immutable_bytes_ = 0;
  uint64_t seals_ = 0;
  uint64_t flushes_ = 0;
};

/// The active memtable as the leading writer uses it. It can grow past Options::write_buffer_size.
/// The memory budget counts that growth before it happens, so that several stores together cannot
/// exceed the budget.
class ActiveMemTable {
 public:
  /// `opened_with_bytes`: Options::write_buffer_size. The budget does not count memory up to here.
  explicit ActiveMemTable(uint64_t opened_with_bytes) : opened_with_bytes_(opened_with_bytes) {}

  MemTable& operator*() const { return *memtable_; }
  MemTable* operator->() const { return memtable_; }
  MemTable* get() const { return memtable_; }

  /// Continues with `memtable`, which is now active in MemTables. Returns the growth of the
  /// previous one in bytes.
  uint64_t Begin(MemTable* memtable);

  /// The bytes by which the memory budget must grow before the memtable can hold `bytes`; 0 if it
  /// already can. Add them to the budget first, then call Grow with them.
  uint64_t GrowthFor(uint64_t bytes) const;
  void Grow(uint64_t bytes) { grown_bytes_ += bytes; }
  uint64_t grown_bytes() const { return grown_bytes_; }

  /// Call after a failed WAL switch: the memtable does not count as full below `bytes`.
  void PutOffSeal(uint64_t bytes) { full_at_bytes_min_ = bytes; }
  /// Whether the memtable is full, given that memtables are full at `memtable_bytes`.
  bool IsFull(uint64_t memtable_bytes) const {
    return memtable_->MemoryBytes() >=
           (memtable_bytes > full_at_bytes_min_ ? memtable_bytes : full_at_bytes_min_);
  }

 private:
  MemTable* memtable_ = nullptr;
  uint64_t grown_bytes_ = 0;
  uint64_t full_at_bytes_min_ = 0;
  const uint64_t opened_with_bytes_;
};

}  // namespace lull
