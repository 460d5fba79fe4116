// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// TableCache: the open tables. Any thread. A reader of an open table takes no lock and writes no
// shared memory, since the TableFile points to the open table. Opening and evicting take a mutex.
//
// Two limits, each with its own hand of the clock algorithm:
//   - Descriptors: about max_open_files. An open table without one keeps its index and filter in
//     memory, and each read opens its file (closable_file.h).
//   - Memory: a table is evicted if more than max_open_files are open and they use more than
//     StorePace::reader_bytes_max. So at least as many tables stay open as in LevelDB.
//
// An evicted table is removed from its TableFile at once, and freed after a grace period. An
// iterator keeps a table for longer than one guarded read, so it holds a reference.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "db/base/context.h"
#include "db/read/closable_file.h"
#include "db/version/version.h"
#include "leveldb/iterator.h"
#include "leveldb/status.h"
#include "table/table_reader.h"
#include "util/grace.h"
#include "util/mutex.h"

namespace lull {

class CachedTable {
 public:
  /// `reader` owns `file`.
  CachedTable(std::unique_ptr<TableReader> reader, ClosableFile* file)
      : reader_(std::move(reader)), file_(file) {}
  const TableReader& reader() const { return *reader_; }
  ClosableFile* file() const { return file_; }

  void Ref() { references_.fetch_add(1, std::memory_order_relaxed); }
  void Unref() {
    if (references_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
  }

  /// Marks the table as used since the last TakeUse. Writes only if that changes it.
  void NoteUse() {
    if (!used_.load(std::memory_order_relaxed)) used_.store(true, std::memory_order_relaxed);
  }
  bool TakeUse() { return used_.exchange(false, std::memory_order_relaxed); }

 private:
  ~CachedTable() = default;
  const std::unique_ptr<TableReader> reader_;
  ClosableFile* const file_;
  std::atomic<int64_t> references_{1};  // one belongs to the TableFile
  std::atomic<bool> used_{true};
};

/// What a table contains, by its meta block. A table of other origin has none; then this estimates
/// it from a few of its blocks. Returns zeros if they cannot be read.
TableContents ReadContents(const TableReader& reader);

class TableCache final : private FileKeeper {
 public:
  /// `on_retired` is called when something waits for a Collect of `grace`, on any thread.
  TableCache(const StoreContext* context, GraceDomain* grace, std::function<void()> on_retired);
  /// REQUIRES: no TableFile opened here exists any more.
  ~TableCache() = default;

  /// As TableReader::Get. REQUIRES: the caller holds a guard of the grace domain; `file` exists.
  leveldb::Status Get(TableFile* file, const BlockReadOptions& options,
                      const leveldb::Slice& target, void* arg,
                      void (*visit)(void* arg, const leveldb::Slice& key,
                                    const leveldb::Slice& value));

  /// Never returns null: if the open fails, the iterator has an error status. REQUIRES: `file`
  /// outlives the iterator.
  std::unique_ptr<leveldb::Iterator> NewIterator(TableFile* file, const BlockReadOptions& options);

  /// Returns 0 if the table cannot be opened. REQUIRES: as Get.
  uint64_t ApproximateOffsetOf(TableFile* file, const leveldb::Slice& internal_key);

  /// Opens `file` before a read needs it. Does nothing if it is open, or if another table would
  /// have to be evicted. Never closes another table's file. Ignores failures: the first read
  /// reports them. REQUIRES: `file` exists.
  void OpenAhead(TableFile* file) LULL_EXCLUDES(mutex_);
  /// The same for `tables`, the new ones of `version`. Call before `version` is published, so that
  /// no read finds them closed.
  void OpenAhead(const Version& version, const std::vector<TableMeta>& tables);
  /// The same for `file`. REQUIRES: `file` exists.
  TableContents ReadContents(TableFile* file) LULL_EXCLUDES(mutex_);
  /// Loads the key filter of `file`, which an earlier open of the store wrote. Does nothing if the
  /// table has no filter or a damaged one: reads work without it, only slower. REQUIRES:
  /// `file` exists.
  void LoadKeyFilter(TableFile* file) LULL_EXCLUDES(mutex_);
  /// How many tables can have a descriptor.
  size_t capacity() const { return capacity_; }

  /// What open tables use. A table that was evicted while an iterator uses it is not included.
  struct Usage {
    size_t tables = 0;
    size_t descriptors = 0;
    uint64_t memory_bytes = 0;  ///< of indexes, filters and key arrays
    uint64_t opened = 0;        ///< since the store's open
    uint64_t evicted = 0;       ///< the same, to make room for others
  };
  Usage GetUsage() const LULL_EXCLUDES(mutex_);

  /// Opens a table for one compaction, with a descriptor of its own. Neither reads nor fills a
  /// cache. Uses the index of the open table if there is one; else it keeps the index of `part`
  /// only.
  leveldb::Status OpenPrivately(const TableFile& file, std::unique_ptr<TableReader>* reader,
                                const TablePart* part = nullptr) const;

  /// Closes `file`, which is being destroyed.
  void Forget(const TableFile& file) LULL_EXCLUDES(mutex_);

 private:
  leveldb::Status Find(TableFile* file, CachedTable** table) {
    *table = file->opened.load(std::memory_order_acquire);
    if (*table == nullptr) return OpenShared(file, table);
    (*table)->NoteUse();
    return leveldb::Status::OK();
  }
  leveldb::Status OpenShared(TableFile* file, CachedTable** table) LULL_EXCLUDES(mutex_);
  leveldb::Status OpenCached(const TableFile& file, CachedTable** table);
  leveldb::Status OpenFile(const TableFile& file, bool privately, std::string* path,
                           std::unique_ptr<leveldb::RandomAccessFile>* result) const;
  TableReadOptions ReadOptions(bool privately, std::string path) const;
  void Offer(ClosableFile* file, std::unique_ptr<leveldb::RandomAccessFile> opened) override
      LULL_EXCLUDES(mutex_);
  bool IsFullLocked() const LULL_REQUIRES(mutex_) {
    return open_.size() >= capacity_ && memory_bytes_ >= context_->pace.reader_bytes_max;
  }
  void ListLocked(TableFile* file, CachedTable* table) LULL_REQUIRES(mutex_);
  void UnlistLocked(size_t position, CachedTable* table) LULL_REQUIRES(mutex_);
  /// Removes one table from the cache. Returns false if readers use all of them meanwhile.
  bool EvictOneLocked() LULL_REQUIRES(mutex_);
  /// Closes the file of one table, which stays in the cache. Returns as EvictOneLocked.
  bool CloseOneLocked() LULL_REQUIRES(mutex_);

  const StoreContext* const context_;
  GraceDomain* const grace_;
  const std::function<void()> on_retired_;
  const size_t capacity_;

  mutable Mutex mutex_;
  std::vector<TableFile*> open_ LULL_GUARDED_BY(mutex_);
  size_t hand_ LULL_GUARDED_BY(mutex_) = 0;            // where the next eviction starts
  uint64_t memory_bytes_ LULL_GUARDED_BY(mutex_) = 0;  // of open_
  uint64_t opened_ LULL_GUARDED_BY(mutex_) = 0;
  uint64_t evicted_ LULL_GUARDED_BY(mutex_) = 0;
  std::vector<ClosableFile*> descriptors_ LULL_GUARDED_BY(mutex_);  // open files of open_
  size_t descriptor_hand_ LULL_GUARDED_BY(mutex_) = 0;              // where the next close starts
};

}  // namespace lull
