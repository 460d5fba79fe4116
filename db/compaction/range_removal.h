// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// RangeRemoval: removing all tables inside a range of keys by one MANIFEST edit, without reading
// them. Used by DeleteRange and DeleteFilesInRange. Which tables can go is decided here by pure
// functions; RangeRemover (db/engine/range_remover.h) uses them.
//
// Invariants:
//   - While a client chooses tables and until their edit is installed, no compaction uses a table
//     that has a key in the range. The compaction state withholds the range.
//   - A removal never makes an older version of a key visible. Snapshots and iterators that exist
//     when it is published keep what they see.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "db/compaction/picker.h"
#include "db/version/version.h"
#include "db/version/version_edit.h"

namespace lull {

/// The smallest and the largest key of `span` that tables of `version` can have. nullopt if none
/// can have any. `largest` can be the end of the span. Fast, since it is called under a mutex.
std::optional<UserRange> TouchedRange(const Version& version, const KeyBounds& span);

/// An edit that removes tables, and how much of the span it removes and leaves.
struct RangeRemoval {
  VersionEdit edit;
  uint64_t removed_bytes = 0;
  uint64_t left_files = 0;  ///< tables that stay, though they can have keys of the span
  uint64_t left_bytes = 0;
};

/// Removes all tables inside `span`. An older version of a key, in a table that stays, becomes
/// visible: the caller must write deletions for such keys first.
RangeRemoval RemoveAllInside(const Version& version, const KeyBounds& span);

/// Removes those tables inside `span` that no job uses and whose keys are in no older table that
/// stays. `running`: ranges of running jobs.
RangeRemoval RemoveWhatHidesNothing(const Version& version, const KeyBounds& span,
                                    const std::vector<RunningRange>& running);

}  // namespace lull
