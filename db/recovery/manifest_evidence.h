// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Evidence in a store's directory that its MANIFEST lacks edits: an end that was lost, or an old
// MANIFEST in place of the current one. Edits are durable before the logs and tables that they make
// obsolete are deleted, so no crash and no power loss of Lull leaves such evidence. Opening the
// store would hide acknowledged writes. Any thread.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "db/base/context.h"
#include "db/version/manifest.h"
#include "leveldb/status.h"

namespace lull {

/// Files of a store's directory, beside its MANIFEST.
struct DirectoryFiles {
  std::vector<uint64_t> wals;       ///< that the MANIFEST needs, oldest first
  std::vector<std::string> tables;  ///< names of those that the MANIFEST does not list
};

/// Returns Corruption, with file, cause and remedy, if one of these holds:
///  - A log that the MANIFEST names is missing.
///  - That log begins after a gap: its first write is newer than the next one after the tables. But
///    see MayBeginAfterGap.
///  - The MANIFEST needs no log, and a table that it does not list is newer than it.
leveldb::Status CheckManifestIsCurrent(const StoreContext& context, const ManifestState& manifest,
                                       const DirectoryFiles& files);

/// Whether the log that the MANIFEST names can begin with `record` after a gap. LevelDB's can if
/// its first write has failed: LevelDB then counts the sequence as used.
bool MayBeginAfterGap(const StoreContext& context, const ManifestState& manifest,
                      const leveldb::Slice& record);

/// The sequence of a log's first record, or 0.
SequenceNumber FirstSequence(const StoreContext& context, const std::string& path);

/// The largest sequence in a table, or 0 if it cannot be read, such as one that a crash left
/// unfinished. Reads all of the table.
SequenceNumber NewestSequence(const StoreContext& context, const std::string& table);

}  // namespace lull
