// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// What a reader sees: the active memtable, the sealed ones and a Version, replaced as a whole, so
// that an entry on its way from memtable to table is never in neither. Immutable. A single read
// pins its view by a GraceGuard; an iterator takes a reference.
//
// A reader pins its view before it reads the published sequence. Then every entry at or below that
// sequence which the view lacks was written after the view was pinned, and nothing that the
// sequence should see was dropped from it.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "db/read/level_iterator.h"
#include "db/read/table_cache.h"
#include "db/version/version.h"
#include "db/write/memtable.h"
#include "leveldb/db.h"
#include "leveldb/iterator.h"

namespace lull {

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

  /// NotFound when the newest entry visible at the key's sequence is a deletion or there is none.
  /// Tables of L0 that were searched in vain are added to `*l0_misses`; those that a filter spared
  /// are not. REQUIRES: a guard.
  leveldb::Status Get(TableCache* tables, const BlockReadOptions& options, const LookupKey& key,
                      std::string* value, uint64_t* l0_misses = nullptr) const;

  /// Over internal keys, newest source first; holds a reference to this view until it is deleted.
  /// Calls `open` for the tables of L0 now, and for others when the iterator reaches them. Shows
  /// every entry at or below a sequence that was published before the call, and perhaps later ones.
  /// Skips what cannot be read (OnError::kSkip); `open` must do so within a table.
  std::unique_ptr<leveldb::Iterator> NewIterator(const OpenTableIterator& open);

  std::unique_ptr<leveldb::Iterator> NewIterator(TableCache* tables,
                                                 const BlockReadOptions& options) {
    // So little that std::function holds it without an allocation.
    return NewIterator(
        [tables, verify = options.verify_checksums, fill = options.fill_cache](TableFile* file) {
          BlockReadOptions read;
          read.verify_checksums = verify;
          read.fill_cache = fill;
          read.skip_damaged_blocks = true;
          return tables->NewIterator(file, read);
        });
  }

  /// About how many bytes of table files and memtables hold the keys of `range`. REQUIRES: a guard.
  uint64_t ApproximateBytes(TableCache* tables, const leveldb::Range& range) const;

  /// Of the filters of L0's tables. REQUIRES: a guard, or that none is dropped meanwhile.
  size_t KeyFilterBytes() const;
  /// Of memtables and those filters. REQUIRES: the same.
  size_t MemoryBytes() const;

 private:
  ~ReadView() = default;
  uint64_t ApproximateOffsetOf(TableCache* tables, const leveldb::Slice& internal_key) const;

  const MemTableRef active_;
  const std::vector<MemTableRef> immutables_;
  const VersionRef version_;
  std::atomic<int64_t> references_{1};
};

/// How a store reads blocks for its clients.
BlockReadOptions HowToRead(const leveldb::ReadOptions& options, const leveldb::Options& store);

}  // namespace lull
