// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// lost/: the directory for files that the store could not read to their end and no longer needs.
// Used at the open, by RepairDB and by removals of ranges, one thread at a time.
//
// A file that an open moves to lost/ gets a note, a file with the store's last sequence at that
// time. Later entries were never in the store, which then used their sequences for other writes.
// The note distinguishes the two. Nothing in the store shows a removal of a range, so notes get a
// second line then. A store that loses power daily adds to lost/ each time, so the
// oldest files with notes are removed when all of them exceed kLostBytesMax. Others always stay.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "db/base/context.h"
#include "db/base/dbformat.h"
#include "db/base/filename.h"
#include "leveldb/status.h"

namespace lull {

constexpr uint64_t kLostBytesMax = 64 << 20;

/// Gives each of `files`, names in the store's directory, a second name in lost/, durably. The
/// caller can then remove the first name. Existing files in lost/ are not changed: a new file gets
/// the name NAME.2 and so on, unless an interrupted attempt already put it there. Skips files that
/// do not exist. With `replayed_to`, each file gets a note, WALs without an entry are not kept, and
/// the others are cut to what they hold.
leveldb::Status KeepUnderLost(const StoreContext& context, const std::vector<std::string>& files,
                              std::optional<SequenceNumber> replayed_to = std::nullopt);

/// Writes into all notes that a range was removed after them, durably.
leveldb::Status NoteRangeRemoval(const StoreContext& context);

/// Moves a directory or the like, which has the name of a file, to lost/, durably.
leveldb::Status MoveToLost(const StoreContext& context, const std::string& name);

/// The files in lost/ of the store at `store`, without notes.
FileTotals LostTotals(leveldb::Env* env, const std::string& store);

}  // namespace lull
