// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// StoreReader: reads of an open store. Owns what readers share: the current view, the published
// sequence, the open tables, and the grace domain that makes all of them usable without a lock.
//
// Any thread reads. A thread that changes the memtables or the Version publishes the view, under
// the store's mutex. Only the leading writer publishes sequences.
//
// Invariants:
//   - The view contains every published entry: each change of its parts publishes a new view.
//   - The published sequence only grows. Every entry at or below it is in a memtable or a table.
//   - A reader pins its view before it reads the sequence (read_view.h explains why), and before it
//     looks for a view in its snapshot.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "db/base/context.h"
#include "db/base/dbformat.h"
#include "db/base/thread_roles.h"
#include "db/memory/memtables.h"
#include "db/read/empty_ranges.h"
#include "db/read/read_counts.h"
#include "db/read/read_view.h"
#include "db/read/readable.h"
#include "db/read/snapshots.h"
#include "db/read/table_cache.h"
#include "db/version/version.h"
#include "leveldb/db.h"
#include "leveldb/iterator.h"
#include "leveldb/options.h"
#include "leveldb/slice.h"
#include "leveldb/status.h"
#include "util/grace.h"

namespace lull {

class StoreReader final : public Readable {
 public:
  /// `on_retired` is called when something waits for Collect, on any thread, with any lock held.
  StoreReader(const StoreContext* context, std::function<void()> on_retired);
  /// REQUIRES: Close was called.
  ~StoreReader() = default;
  StoreReader(const StoreReader&) = delete;
  StoreReader& operator=(const StoreReader&) = delete;

  leveldb::Status Get(const leveldb::ReadOptions& options, const leveldb::Slice& key,
                      std::string* value) override;
  std::vector<leveldb::Status> MultiGet(const leveldb::ReadOptions& options,
                                        std::span<const leveldb::Slice> keys,
                                        std::vector<std::string>* values) override;
  std::unique_ptr<leveldb::Iterator> NewIterator(const leveldb::ReadOptions& options,
                                                 const KeyBounds& bounds) override;
  /// Approximate size of the keys in `range`.
  uint64_t ApproximateBytes(const leveldb::Range& range);
  /// Calls visit(const ReadView&) with the current view.
  template <class Visit>
  void WithView(Visit visit) {
    const GraceGuard guard(grace_);
    visit(*view_.load(std::memory_order_acquire));
  }

  SequenceNumber published() const { return published_sequence_.load(std::memory_order_acquire); }
  /// Leading writer, or the opening thread.
  void PublishSequence(SequenceNumber sequence) {
    published_sequence_.store(sequence, std::memory_order_release);
  }

  /// REQUIRES: the caller holds the store's mutex.
  void PublishView(const MemTables& memtables, VersionRef version);
  /// Lets each snapshot read the current view from now on, whatever later views lack. REQUIRES: the
  /// caller holds the store's mutex.
  void KeepViewFor(SnapshotList* snapshots) {
    snapshots->KeepView(view_.load(std::memory_order_relaxed));
  }
  /// Opens `tables`, the new ones of `version`, so that no read finds them closed. Does nothing if
  /// no read needed a table since the last call: a burst of writes can add hundreds of tables,
  /// whose indexes would only take memory. REQUIRES: `version` is not yet published.
  void OpenAhead(const Version& version, const std::vector<TableMeta>& tables)
      LULL_REQUIRES(kFlushThread);
  /// Gives a sealed memtable a filter, if clients got keys since the last call; but not a large
  /// one, since that would hold up its flush. Returns 0 if others have none either, else nullopt.
  std::optional<uint64_t> FilterMemTables() LULL_REQUIRES(kFlushThread);
  /// Drops the filters of tables that moved out of L0, since deeper levels could hold any number of
  /// filters. REQUIRES: the view with the move is published.
  void DropKeyFilters(const std::vector<TableRef>& tables);

  /// The leading writer checks its entries.
  EmptyRanges* empty_ranges() { return &empty_ranges_; }
  TableCache* tables() { return &tables_; }
  const ReadCounts& counts() const { return counts_; }

  /// Frees what no reader can see any more. Returns true if something must still wait. Flush
  /// thread, or the closing thread.
  bool Collect() { return grace_.Collect() > 0; }
  /// Calls `done` from a later Collect, once the reads that now run have ended and the views that
  /// were replaced before are destroyed.
  void AfterPresentReads(std::function<void()> done) { grace_.Retire(std::move(done)); }
  /// Releases the view. REQUIRES: no read runs or comes later.
  void Close();

 private:
  /// What a read sees.
  struct Moment {
    ReadView* view = nullptr;
    SequenceNumber sequence = 0;
    bool is_kept = false;  ///< the view is a snapshot's
  };
  /// REQUIRES: the caller holds a guard.
  Moment MomentOf(const leveldb::ReadOptions& options) const;

  const StoreContext* const context_;
  const std::function<void()> on_retired_;
  GraceDomain grace_;
  TableCache tables_;
  EmptyRanges empty_ranges_;
  ReadCounts counts_;
  std::atomic<ReadView*> view_{nullptr};
  std::atomic<SequenceNumber> published_sequence_{0};
  uint64_t table_reads_ LULL_GUARDED_BY(kFlushThread) = 0;  // as of the last OpenAhead
  uint64_t gets_ LULL_GUARDED_BY(kFlushThread) = 0;         // about, as of the last FilterMemTables
};

}  // namespace lull
