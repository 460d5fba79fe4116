// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// The snapshots that clients hold. Guarded by the store's mutex, so that a compaction reads the
// oldest one and its Version together.
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <utility>

#include "db/dbformat.h"
#include "leveldb/db.h"

namespace lull {

class StoreSnapshot final : public leveldb::Snapshot {
 public:
  explicit StoreSnapshot(SequenceNumber sequence, uint64_t taken_nanos = 0)
      : sequence_(sequence), taken_nanos_(taken_nanos) {}
  SequenceNumber sequence() const { return sequence_; }
  uint64_t taken_nanos() const { return taken_nanos_; }

 private:
  const SequenceNumber sequence_;
  const uint64_t taken_nanos_;
};

class SnapshotList {
 public:
  const StoreSnapshot* Add(SequenceNumber sequence, uint64_t now_nanos) {
    snapshots_.emplace(sequence, now_nanos);
    return new StoreSnapshot(sequence, now_nanos);
  }
  void Remove(const StoreSnapshot* snapshot) {
    snapshots_.erase(snapshots_.find({snapshot->sequence(), snapshot->taken_nanos()}));
    delete snapshot;
  }
  bool empty() const { return snapshots_.empty(); }
  /// The sequence up to which all readers see the same entries.
  SequenceNumber OldestOr(SequenceNumber published) const {
    return snapshots_.empty() ? published : snapshots_.begin()->first;
  }
  size_t count() const { return snapshots_.size(); }
  /// When the oldest one was taken. REQUIRES: count() > 0.
  uint64_t oldest_taken_nanos() const { return snapshots_.begin()->second; }

 private:
  std::multiset<std::pair<SequenceNumber, uint64_t>> snapshots_;  // sequence, time
};

}  // namespace lull
