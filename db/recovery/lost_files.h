// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// lost/: where a store keeps, for its owner, the files that it could not read to their end and
// needs no more. Used at open and in RepairDB, alone with the store.
//
// A log that an open sets aside gets a note, a file of its own, with the last sequence that the
// store held then. Later entries of the log were never in the store, and the store used their
// sequences again: the note tells the log's entries from writes made since.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "db/context.h"
#include "db/dbformat.h"
#include "leveldb/status.h"

namespace lull {

/// What a note is called: the log's name in lost/, with this after it.
constexpr char kReplayedToSuffix[] = ".replayed";

/// Gives each of `files`, names in the store's folder, a second name in lost/, durably: from then
/// on anybody may remove the first. An existing file in lost/ stays as it is; the new one is then
/// called NAME.2 and so on, unless it is there from a try that was interrupted. Passes over a file
/// that is gone. With `replayed_to`, each log gets a note.
leveldb::Status KeepUnderLost(const StoreContext& context, const std::vector<std::string>& files,
                              std::optional<SequenceNumber> replayed_to = std::nullopt);

}  // namespace lull
