// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Which entries of a merge must be kept. Fed with internal keys in order; one object a merge, one
// thread at a time. Holds for flushes (nothing below is known: deletions stay) and compactions.
//
// An entry may go when a newer entry of the same user key is visible to every snapshot that could
// see it, or when it is a deletion visible to every snapshot and no deeper level may hold its key.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "db/dbformat.h"
#include "db/version/version.h"

namespace lull {

class DropRule {
 public:
  /// Entries at or below `oldest_snapshot` look the same to all snapshots. `below` (may be null: a
  /// flush) and `output_level` tell whether a deeper level may hold a key; calls with ascending
  /// keys cost O(1) amortised each.
  DropRule(const KeyOrder& order, SequenceNumber oldest_snapshot, VersionRef below,
           int output_level);

  /// Whether the next entry is dropped. A key that cannot be parsed is kept, and hides nothing.
  /// Keys out of order (a damaged table) cost a search, and never a deletion that is still needed.
  bool ShouldDrop(const leveldb::Slice& internal_key);

  /// Whether the entry last asked about has the same user key as the one before: then an output
  /// must not be cut here.
  bool SameUserKeyAsBefore() const { return same_user_key_; }

  /// Whether that entry is none that a store writes there: malformed, with an impossible sequence,
  /// or in front of the one before it.
  bool IsDamaged() const { return damaged_; }

 private:
  bool DeeperLevelsMayHold(const leveldb::Slice& user_key);
  void PlaceCursors(const leveldb::Slice& user_key);

  const KeyOrder order_;
  const SequenceNumber oldest_snapshot_;
  const VersionRef below_;
  const int output_level_;
  std::array<size_t, kLevels>
      cursors_{};           ///< first table of a deeper level that does not end before the key
  std::string cursor_key_;  ///< the key the cursors stand at
  bool cursors_placed_ = false;
  std::string user_key_;
  bool have_user_key_ = false;
  uint64_t trailer_ = 0;  ///< of the entry last asked about
  bool same_user_key_ = false;
  bool damaged_ = false;
  bool hidden_ =
      false;  ///< an entry of user_key_ was met that every snapshot sees: older ones are hidden
};

}  // namespace lull
