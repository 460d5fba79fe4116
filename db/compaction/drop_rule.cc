// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.

#include "db/compaction/drop_rule.h"

#include <algorithm>
#include <utility>

namespace lull {

using leveldb::Slice;

DropRule::DropRule(const KeyOrder& order, SequenceNumber oldest_snapshot, VersionRef below,
                   int output_level)
    : order_(order),
      oldest_snapshot_(oldest_snapshot),
      below_(std::move(below)),
      output_level_(output_level) {}

bool DropRule::ShouldDrop(const Slice& internal_key) {
  ParsedInternalKey entry;
  if (!ParseInternalKey(internal_key, &entry)) {
    have_user_key_ = false;
    same_user_key_ = false;
    damaged_ = true;
    return false;
  }
  const uint64_t trailer = PackTrailer(entry.sequence, entry.kind);
  const int step = have_user_key_ ? order_.CompareUser(entry.user_key, user_key_) : 1;
  same_user_key_ = step == 0;
  damaged_ =
      step < 0 || (same_user_key_ && trailer > trailer_) || entry.sequence > kMaxStoredSequence;
  trailer_ = trailer;
  if (!same_user_key_) {
    user_key_.assign(entry.user_key.data(), entry.user_key.size());
    have_user_key_ = true;
    hidden_ = false;
  }
  if (hidden_) return true;
  if (entry.sequence > oldest_snapshot_) return false;

  // Every snapshot sees this entry or a newer one, so older entries are hidden. This also holds
  // for a deletion that is dropped because no deeper level has its key.
  hidden_ = true;
  return entry.kind == ValueKind::kDeletion && !DeeperLevelsMayHold(entry.user_key);
}

bool DropRule::IsFilterable() const {
  // Of the first entry of its key, hidden_ says whether every snapshot sees it.
  const bool is_first = !same_user_key_ && !damaged_;
  return is_first && hidden_ && trailer_ == PackTrailer(trailer_ >> 8, ValueKind::kValue);
}

void DropRule::PlaceCursors(const Slice& user_key) {
  for (int level = output_level_ + 1; level < kLevels; ++level) {
    const auto& tables = below_->level(level);
    const auto ends_before = [&](const TableRef& table) {
      return order_.CompareUser(table->largest_user(), user_key) < 0;
    };
    cursors_[level] =
        std::partition_point(tables.begin(), tables.end(), ends_before) - tables.begin();
  }
}

bool DropRule::DeeperLevelsMayHold(const Slice& user_key) {
  if (below_ == nullptr) return true;
  if (!cursors_placed_ || order_.CompareUser(user_key, cursor_key_) < 0) PlaceCursors(user_key);
  cursors_placed_ = true;
  cursor_key_.assign(user_key.data(), user_key.size());

  for (int level = output_level_ + 1; level < kLevels; ++level) {
    const auto& tables = below_->level(level);
    size_t& cursor = cursors_[level];
    while (cursor < tables.size() &&
           order_.CompareUser(tables[cursor]->largest_user(), user_key) < 0) {
      ++cursor;
    }
    if (cursor < tables.size() &&
        order_.CompareUser(tables[cursor]->smallest_user(), user_key) <= 0) {
      return true;
    }
  }
  return false;
}

}  // namespace lull
