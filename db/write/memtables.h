// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// A store's memtables: the active one, which takes writes, and the sealed ones, which wait for
// their flush. Two classes, because two sets of rules guard them.
//
//   MemTables         which there are. The owner calls it under its mutex.
//   ActiveMemTable    the leading writer's own view of the active one: no lock.
//
// What always holds:
//   - A sealed memtable's entries are all in WALs >= its wal_number. Numbers and sequences ascend
//     from the oldest to the active one, so the MANIFEST's log number may become what
//     LogNumberAfter says once the oldest ones are in tables.
//   - Memtables leave in the order in which they were sealed.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "db/dbformat.h"
#include "db/gates.h"
#include "db/write/memtable.h"

namespace lull {

/// A sealed memtable on its way to L0, and what the MANIFEST must learn with it.
struct SealedMemTable {
  MemTableRef memtable;
  uint64_t memory_bytes = 0;
  uint64_t wal_number = 0;           ///< its entries stand in this WAL
  SequenceNumber last_sequence = 0;  ///< nothing in it is newer
};

/// How much may be sealed and wait.
struct MemTableRoom {
  int immutables_max = 0;
  uint64_t memory_used_bytes = 0;  ///< by all stores that share the budget
  uint64_t memory_budget_bytes = 0;
};

class MemTables {
 public:
  explicit MemTables(StoreGates* gates) : gates_(gates) {}
  MemTables(const MemTables&) = delete;
  MemTables& operator=(const MemTables&) = delete;

  /// The first active one; at open.
  void Begin(MemTableRef active, uint64_t wal_number);
  /// `next` takes over, with WALs from `wal_number` on. Returns the bytes of the sealed one.
  uint64_t Seal(MemTableRef next, uint64_t wal_number, SequenceNumber last_sequence);
  /// Writes of the active one go to that WAL from here on. REQUIRES: none of them came before.
  void SetActiveWal(uint64_t wal_number) { active_wal_number_ = wal_number; }
  /// The oldest `count` are in tables. Returns the bytes that they held.
  uint64_t Flushed(size_t count);
  /// Releases all of them; at close.
  void Clear();

  const MemTableRef& active() const { return active_; }
  size_t immutable_count() const { return immutables_.size(); }
  uint64_t immutable_bytes() const { return immutable_bytes_; }
  std::vector<MemTableRef> ImmutablesNewestFirst() const;

  /// The oldest ones, for one flush: at least one if there is any, and at most `count_max` of at
  /// most `bytes_max` together.
  std::vector<SealedMemTable> Oldest(size_t count_max, uint64_t bytes_max) const;
  /// The oldest WAL that is needed once the oldest `count` are in tables.
  uint64_t LogNumberAfter(size_t count) const;

  /// Whether the active one, which counts in the memory budget with `counted_bytes` already, may
  /// be sealed. A store that has nothing sealed may always seal one, however much others hold.
  bool HasRoom(const MemTableRoom& room, uint64_t counted_bytes) const;

  /// Since the store was opened. A memtable that was sealed when `seals` became n is in tables
  /// when `flushes` is n.
  uint64_t seals() const { return seals_; }
  uint64_t flushes() const { return flushes_; }

 private:
  StoreGates* const gates_;
  MemTableRef active_;
  uint64_t active_wal_number_ = 0;
  std::deque<SealedMemTable> immutables_;  // oldest first
  uint64_t immutable_bytes_ = 0;
  uint64_t seals_ = 0;
  uint64_t flushes_ = 0;
};

/// What the leading writer inserts into, and by how much it has outgrown the size that memtables
/// had when the store was opened. That growth counts in the memory budget before it is there, so
/// several stores cannot exceed the budget together.
class ActiveMemTable {
 public:
  /// `opened_with_bytes`: Options::write_buffer_size, which is not counted.
  explicit ActiveMemTable(uint64_t opened_with_bytes) : opened_with_bytes_(opened_with_bytes) {}

  MemTable& operator*() const { return *memtable_; }
  MemTable* operator->() const { return memtable_; }
  MemTable* get() const { return memtable_; }

  /// `memtable` is MemTables' active one from here on, and has not grown. Returns the growth of the
  /// one before.
  uint64_t Begin(MemTable* memtable);

  /// Bytes to add to the memory budget, and then to report by Grow, before the memtable may hold
  /// `bytes`. 0: none.
  uint64_t GrowthFor(uint64_t bytes) const;
  void Grow(uint64_t bytes) { grown_bytes_ += bytes; }
  uint64_t grown_bytes() const { return grown_bytes_; }

  /// Its WAL could not be switched: it is not full before it holds `bytes`.
  void PutOffSeal(uint64_t bytes) { full_at_bytes_min_ = bytes; }
  /// Whether it is full at a size of `memtable_bytes`.
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
