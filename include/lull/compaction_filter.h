// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// A compaction filter drops values while compactions rewrite them. It removes entries that have
// expired, without reads or deletes: docs/examples/cpp/expiry.cc.
//
// WHAT IT SEES. Values, not deletions. Of each key only the newest version in the compaction, and
// only if no snapshot is older than that version. Flushes do not call it, nor do compactions that
// only move tables. So an entry can stay readable long after the filter would drop it; a reader
// that must not use it checks the value too. CompactRange asks about every entry in its range that
// no snapshot is older than: with a filter, it also rewrites the tables of the deepest level.
//
// WHAT A DROP DOES. The entry is deleted as by a Delete at the time of its Put: no older value of
// the key reappears, also after a crash, or in LevelDB. The drop takes effect at the end of the
// compaction, for snapshots too; see FilterContext::snapshot_may_see. An iterator that exists then
// still shows the entry.
//
// DECISIONS. Each is made for the entry at hand and remembered nowhere: a value that was kept is
// asked about again by a later compaction, and a compaction that fails or is abandoned asks again.
// So decisions can change over time. Only a drop is final.
//
// THREADS. Background threads call the filter, several at once, and hold no lock of the store.
// Compactions wait for each call, so return quickly. A filter must not call its store. The store
// shares ownership, so any thread can run the destructor.
//
// ERRORS. If the filter throws, the compaction fails. Its error names the filter and the cause, and
// its output is deleted; nothing is lost. From then on the store compacts without the filter, until
// the next SetCompactionFilter. LOG says so, and so does the member `filter` of the property
// lull.stats. Writes do not fail. A CompactRange that meets the error ends early.
//
// COMPATIBILITY. A filter is not part of the store: set it after each open. Later versions can add
// fields at the end of FilterContext.
#pragma once

#include <memory>

#include "leveldb/db.h"
#include "leveldb/export.h"
#include "leveldb/slice.h"
#include "leveldb/status.h"

namespace lull {

enum class FilterDecision {
  kKeep = 0,
  kDrop = 1,
};

/// What is known about an entry besides its key and value.
struct FilterContext {
  int output_level = 0;  ///< the level that the compaction writes to
  /// Whether a snapshot existed when the compaction began. It may see the entry now, and would no
  /// longer see it after a drop. The same holds for a snapshot taken while the compaction runs, of
  /// which this field does not tell.
  bool snapshot_may_see = false;
};

/// Base class of filters. The top of this file has the rules.
class LEVELDB_EXPORT CompactionFilter {
 public:
  CompactionFilter() = default;
  virtual ~CompactionFilter();
  CompactionFilter(const CompactionFilter&) = delete;
  CompactionFilter& operator=(const CompactionFilter&) = delete;

  /// A name for LOG, errors and statistics. Called once, by SetCompactionFilter.
  virtual const char* Name() const = 0;
  /// Whether to keep the entry. `key` and `value` are valid during the call.
  virtual FilterDecision Filter(const FilterContext& context, const leveldb::Slice& key,
                                const leveldb::Slice& value) const = 0;
};

/// Sets the filter of compactions that begin from now on, in place of the former one; null removes
/// it. Compactions that already run keep the filter with which they began: they can call it, and
/// drop entries, after the return. The store releases a filter when it was replaced or removed and
/// these compactions have ended, or when the store is closed.
LEVELDB_EXPORT leveldb::Status SetCompactionFilter(leveldb::DB* db,
                                                   std::shared_ptr<const CompactionFilter> filter);

}  // namespace lull
