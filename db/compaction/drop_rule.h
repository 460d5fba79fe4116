// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// DropRule: which entries a merge drops. It receives internal keys in order. One object per merge;
// one thread at a time. Used by compactions and by flushes. A flush does not know the deeper
// levels, so it keeps all deletions.
//
// An entry can be dropped in two cases: a newer entry of the same user key is visible to every
// snapshot that could see it, or it is a deletion visible to every snapshot and no deeper level
// can hold its key.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "db/base/dbformat.h"
#include "db/version/version.h"

namespace lull {

class DropRule {
 public:
  /// All snapshots see the same at or below sequence `oldest_snapshot`. `below` and `output_level`
  /// show whether a deeper level can hold a key; `below` is null for a flush. With ascending keys
  /// each call costs amortized O(1).
  DropRule(const KeyOrder& order, SequenceNumber oldest_snapshot, VersionRef below,
           int output_level);

  /// Returns whether to drop the next entry. A malformed key is kept and hides nothing. Keys out of
  /// order (a damaged table) cost a search, but never drop a deletion that is still needed.
  bool ShouldDrop(const leveldb::Slice& internal_key);

  /// Whether a compaction filter may drop the last entry: it is a value, the newest entry of its
  /// key in this merge, and visible to every snapshot. REQUIRES: ShouldDrop returned false for it.
  bool IsFilterable() const;
  /// Whether the last entry needs a deletion in its place if a filter drops it: a deeper level can
  /// hold an older value, which would become visible.
  bool NeedsDeletion() { return DeeperLevelsMayHold(user_key_); }

  /// Whether the last two entries have the same user key. An output must not be cut between them.
  bool SameUserKeyAsBefore() const { return same_user_key_; }

  /// Whether the last entry is damaged: malformed, with an impossible sequence, or out of order.
  bool IsDamaged() const { return damaged_; }

 private:
  bool DeeperLevelsMayHold(const leveldb::Slice& user_key);
  void PlaceCursors(const leveldb::Slice& user_key);

  const KeyOrder order_;
  const SequenceNumber oldest_snapshot_;
  const VersionRef below_;
  const int output_level_;
  std::array<size_t, kLevels> cursors_{};  ///< per level: first table that ends at or after the key
  std::string cursor_key_;                 ///< the key of the cursors
  bool cursors_placed_ = false;
  std::string user_key_;
  bool have_user_key_ = false;
  uint64_t trailer_ = 0;  ///< of the last entry
  bool same_user_key_ = false;
  bool damaged_ = false;
  bool hidden_ = false;  ///< every snapshot sees an entry of user_key_, so older ones are hidden
};

}  // namespace lull
