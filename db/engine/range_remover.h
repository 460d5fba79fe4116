// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// RangeRemover: DeleteRange and DeleteFilesInRange. Removes the tables inside a range of keys by
// one edit of the MANIFEST, without reading them. Which tables can go is decided by the functions
// of range_removal.h.
//
// A client's thread withholds the range from compactions, chooses the tables, and writes deletions
// for the keys that would stay visible. The flush thread installs the edit, and the client waits
// for that. One removal at a time.
#pragma once

#include <memory>
#include <optional>

#include "db/base/context.h"
#include "db/compaction/range_removal.h"
#include "db/engine/engine_parts.h"
#include "db/engine/store_state.h"
#include "db/engine/version_set.h"
#include "db/engine/write_path.h"
#include "leveldb/status.h"
#include "util/mutex.h"

namespace lull {

struct DeletedFiles;  // lull/lull.h

class RangeRemover {
 public:
  RangeRemover(const EngineParts& parts, WritePath* writes, VersionSet* versions);
  RangeRemover(const RangeRemover&) = delete;
  RangeRemover& operator=(const RangeRemover&) = delete;

  // Clients; see lull/lull.h.
  leveldb::Status DeleteRange(const KeyBounds& span) LULL_EXCLUDES(mutex_, state_->mutex());
  leveldb::Status DeleteFilesInRange(const KeyBounds& span, DeletedFiles* deleted)
      LULL_EXCLUDES(mutex_, state_->mutex());
  /// Held by each removal. Hold it to keep removals out. Before all other
  /// mutexes, except for TableIngester's.
  Mutex& mutex() LULL_RETURN_CAPABILITY(mutex_) { return mutex_; }

 private:
  /// Ends the withholding of the range.
  class Withheld;

  leveldb::Status Withhold(const KeyBounds& span, RangeRemoval* removal)
      LULL_EXCLUDES(state_->mutex());
  leveldb::Status DeleteWhatStays(const KeyBounds& span, const VersionEdit& removal)
      LULL_EXCLUDES(state_->mutex());
  leveldb::Status IterateStaying(const KeyBounds& span, const VersionEdit& removal,
                                 std::unique_ptr<leveldb::Iterator>* iterator)
      LULL_EXCLUDES(state_->mutex());
  leveldb::Status RemoveTables(RangeRemoval removal) LULL_EXCLUDES(state_->mutex());
  leveldb::Status NoteInLost() LULL_REQUIRES(mutex_);

  StoreContext* const context_;
  Coordinator* const coordinator_;
  StoreState* const state_;
  StoreReader* const reader_;
  WritePath* const writes_;
  VersionSet* const versions_;
  Mutex mutex_;
  bool is_noted_ LULL_GUARDED_BY(mutex_) = false;  // by NoteInLost
};

}  // namespace lull
