// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// The snapshots that clients hold. Guarded by the store's mutex, so that a compaction reads the
// oldest one and its Version together.
#pragma once

#include <set>

#include "db/dbformat.h"
#include "leveldb/db.h"

namespace lull {

class StoreSnapshot final : public leveldb::Snapshot {
 public:
  explicit StoreSnapshot(SequenceNumber sequence) : sequence_(sequence) {}
  SequenceNumber sequence() const { return sequence_; }

 private:
  const SequenceNumber sequence_;
};

class SnapshotList {
 public:
  const StoreSnapshot* Add(SequenceNumber sequence) {
    sequences_.insert(sequence);
    return new StoreSnapshot(sequence);
  }
  void Remove(const StoreSnapshot* snapshot) {
    sequences_.erase(sequences_.find(snapshot->sequence()));
    delete snapshot;
  }
  bool empty() const { return sequences_.empty(); }
  /// The sequence up to which all readers see the same entries.
  SequenceNumber OldestOr(SequenceNumber published) const {
    return sequences_.empty() ? published : *sequences_.begin();
  }

 private:
  std::multiset<SequenceNumber> sequences_;
};

}  // namespace lull
