// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// ReadView: what a reader sees: the active memtable, the sealed ones and a Version. Immutable, and
// replaced as a whole, so an entry that moves from a memtable to a table is always in one of them.
// Any thread. A single read pins its view with a GraceGuard; an iterator holds a reference.
//
// A reader pins its view before it reads the published sequence. Then the view has every entry at
// or below that sequence that was written before the pin, and no entry visible at that sequence was
// dropped from it. Entries written after the pin can be in a newer memtable; the read need not see
// them, since their writes overlap it.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "db/memory/memtable.h"
#include "db/read/level_iterator.h"
#include "db/read/table_cache.h"
#include "db/version/version.h"
#include "leveldb/db.h"
#include "leveldb/iterator.h"

namespace lull {

class FilterQuery;  // of a get; read_view.cc

class ReadView {
 public:
  /// `immutables`: newest first.
  ReadView(MemTableRef active, std::vector<MemTableRef> immutables, VersionRef version)
      : active_(std::move(active)),
        immutables_(std::move(immutables)),
        version_(std::move(version)) {}

  void Ref() { references_.fetch_add(1, std::memory_order_relaxed); }
  void Unref() {
    if (references_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
  }

  const Version& version() const { return *version_; }
  /// Newest first.
  const std::vector<MemTableRef>& immutables() const { return immutables_; }

  /// Returns NotFound if the key has no entry visible at its sequence, or the newest such entry is
  /// a deletion. `value` can be null. REQUIRES: the caller holds a guard; `options.counts` has
  /// kReadCounts counters.
  leveldb::Status Get(TableCache* tables, const BlockReadOptions& options, const LookupKey& key,
                      std::string* value) const;

  /// Get of each key, at one sequence. Reads in the order of the keys, since neighbors share tables
  /// and blocks. After the first key whose block is not cached, begins to read the blocks of all
  /// others, so that the device works on them at once. REQUIRES: as Get.
  std::vector<leveldb::Status> MultiGet(TableCache* tables, const BlockReadOptions& options,
                                        std::span<const leveldb::Slice> keys,
                                        SequenceNumber sequence,
                                        std::vector<std::string>* values) const;

  /// Iterates over internal keys, at least those within `bounds`; leaves out tables that have none.
  /// `bounds` need not outlive the call. The iterator holds a reference to this view. Of equal
  /// keys, the newest source comes first. Calls `open` for L0 tables now, for others when the
  /// iterator reaches them. Shows every entry that is visible at `sequence`, which must have been
  /// published before the call; and others, but only of tables. Skips what cannot be read
  /// (OnError::kSkip); `open` must do so within a table.
  std::unique_ptr<leveldb::Iterator> NewIterator(const OpenTableIterator& open,
                                                 SequenceNumber sequence,
                                                 const KeyBounds& bounds = {});

  /// `options` must outlive the iterator.
  std::unique_ptr<leveldb::Iterator> NewIterator(TableCache* tables,
                                                 const BlockReadOptions* options,
                                                 SequenceNumber sequence,
                                                 const KeyBounds& bounds = {}) {
    // Small enough for std::function to store without an allocation.
    return NewIterator(
        [tables, options](TableFile* file) { return tables->NewIterator(file, *options); },
        sequence, bounds);
  }
  /// How many L0 tables can have keys within `bounds`.
  int L0TablesIn(const KeyBounds& bounds) const;

  /// Approximate size in bytes of the entries in `range`, in table files and memtables. REQUIRES:
  /// the caller holds a guard.
  uint64_t ApproximateBytes(TableCache* tables, const leveldb::Range& range) const;

  /// Size of the tables' key filters, in bytes. REQUIRES: the caller holds a guard, or no
  /// filter is dropped meanwhile.
  size_t KeyFilterBytes() const;
  /// Size of the memtables and those filters, in bytes. REQUIRES: as for KeyFilterBytes.
  size_t MemoryBytes() const;

 private:
  void Prefetch(TableCache* tables, const BlockReadOptions& options, const LookupKey& key) const;
  ~ReadView() = default;
  MemTable::Found FindInMemory(const LookupKey& key, FilterQuery* query, std::string* value) const;
  uint64_t ApproximateOffsetOf(TableCache* tables, const leveldb::Slice& internal_key) const;

  const MemTableRef active_;
  const std::vector<MemTableRef> immutables_;
  const VersionRef version_;
  std::atomic<int64_t> references_{1};
};

/// How to read blocks for a client's read with `options`.
BlockReadOptions HowToRead(const leveldb::ReadOptions& options, const leveldb::Options& store);

}  // namespace lull
