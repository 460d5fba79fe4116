// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Reads of an open store. Owns what readers share: the current view, the published sequence, the
// open tables, and the grace domain that lets all of them be used without a lock.
//
// Any thread reads. Who changes the memtables or the Version publishes the view, under the store's
// mutex; the leading writer alone publishes sequences.
//
// What always holds:
//   - The view holds every published entry: it is published together with each change of what it
//     is made of.
//   - The published sequence only grows. Everything at or below it is in a memtable or a table.
//   - A reader pins its view before it reads the sequence; read_view.h says why.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "db/context.h"
#include "db/dbformat.h"
#include "db/read/read_view.h"
#include "db/read/table_cache.h"
#include "db/version/version.h"
#include "db/write/memtables.h"
#include "leveldb/db.h"
#include "leveldb/iterator.h"
#include "leveldb/options.h"
#include "leveldb/slice.h"
#include "leveldb/status.h"
#include "util/grace.h"
#include "util/striped_counter.h"

namespace lull {

class StoreReader {
 public:
  /// `on_retired` is called when something waits for Collect; any thread, any lock held.
  StoreReader(const StoreContext* context, std::function<void()> on_retired);
  /// REQUIRES: Close was called.
  ~StoreReader() = default;
  StoreReader(const StoreReader&) = delete;
  StoreReader& operator=(const StoreReader&) = delete;

  leveldb::Status Get(const leveldb::ReadOptions& options, const leveldb::Slice& key,
                      std::string* value);
  std::unique_ptr<leveldb::Iterator> NewIterator(const leveldb::ReadOptions& options);
  /// About how many bytes hold the keys of `range`.
  uint64_t ApproximateBytes(const leveldb::Range& range);
  /// Calls visit(const ReadView&) with the present view.
  template <class Visit>
  void WithView(Visit visit) {
    const GraceGuard guard(grace_);
    visit(*view_.load(std::memory_order_acquire));
  }

  SequenceNumber published() const { return published_sequence_.load(std::memory_order_acquire); }
  /// The leading writer, or the opening thread.
  void PublishSequence(SequenceNumber sequence) {
    published_sequence_.store(sequence, std::memory_order_release);
  }

  /// REQUIRES: the mutex that guards both.
  void PublishView(const MemTables& memtables, VersionRef version);
  /// Of tables that were moved out of L0, whose filters would not be bounded in number there.
  /// REQUIRES: the view with the move is published.
  void DropKeyFilters(const std::vector<TableRef>& tables);

  TableCache* tables() { return &tables_; }
  uint64_t read_bytes() const { return read_bytes_.Sum(); }
  /// Tables of L0 that reads searched in vain.
  uint64_t l0_misses() const { return l0_misses_.Sum(); }

  /// Frees what no reader can see any more. True if something is left that must wait. Flush thread,
  /// or the closing one.
  bool Collect() { return grace_.Collect() > 0; }
  /// Releases the view. REQUIRES: nobody reads any more.
  void Close();

 private:
  SequenceNumber SequenceFor(const leveldb::ReadOptions& options) const;

  const StoreContext* const context_;
  const std::function<void()> on_retired_;
  GraceDomain grace_;
  TableCache tables_;
  StripedCounter read_bytes_;
  StripedCounter l0_misses_;
  std::atomic<ReadView*> view_{nullptr};
  std::atomic<SequenceNumber> published_sequence_{0};
};

}  // namespace lull
