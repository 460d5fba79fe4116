// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// The snapshots that clients hold. Guarded by the store's mutex, so that a compaction reads the
// oldest one and its Version together.
//
// Compactions keep what a snapshot sees, but the removal of a range does not. So before a removal
// is published, each snapshot gets a reference to the view of that moment, and reads it from then
// on. A reader that finds no view in the snapshot uses the store's, which it loaded before.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <set>

#include "db/base/dbformat.h"
#include "db/read/read_view.h"
#include "leveldb/db.h"

namespace lull {

class StoreSnapshot final : public leveldb::Snapshot {
 public:
  explicit StoreSnapshot(SequenceNumber sequence, uint64_t taken_nanos = 0)
      : sequence_(sequence), taken_nanos_(taken_nanos) {}
  ~StoreSnapshot() override {
    if (ReadView* const view = kept_view()) view->Unref();
  }
  SequenceNumber sequence() const { return sequence_; }
  uint64_t taken_nanos() const { return taken_nanos_; }
  /// Null until a removal. Any thread.
  ReadView* kept_view() const { return kept_view_.load(std::memory_order_acquire); }
  /// An earlier view stays: it has all that the snapshot sees.
  void KeepView(ReadView* view) {
    if (kept_view() != nullptr) return;
    view->Ref();
    kept_view_.store(view, std::memory_order_release);
  }

 private:
  const SequenceNumber sequence_;
  const uint64_t taken_nanos_;
  std::atomic<ReadView*> kept_view_{nullptr};
};

class SnapshotList {
 public:
  const StoreSnapshot* Add(SequenceNumber sequence, uint64_t now_nanos) {
    return *snapshots_.insert(new StoreSnapshot(sequence, now_nanos)).first;
  }
  /// Destroy the result without the mutex: it can have the last reference to many tables.
  [[nodiscard]] std::unique_ptr<const StoreSnapshot> Remove(const StoreSnapshot* snapshot) {
    snapshots_.erase(const_cast<StoreSnapshot*>(snapshot));
    return std::unique_ptr<const StoreSnapshot>(snapshot);
  }
  /// See StoreSnapshot::KeepView. `view`: the published one.
  void KeepView(ReadView* view) {
    for (StoreSnapshot* const snapshot : snapshots_) snapshot->KeepView(view);
  }
  bool empty() const { return snapshots_.empty(); }
  /// The sequence up to which all readers see the same entries.
  SequenceNumber OldestOr(SequenceNumber published) const {
    return snapshots_.empty() ? published : (*snapshots_.begin())->sequence();
  }
  size_t count() const { return snapshots_.size(); }
  /// When the oldest one was taken. REQUIRES: count() > 0.
  uint64_t oldest_taken_nanos() const { return (*snapshots_.begin())->taken_nanos(); }

 private:
  struct IsOlder {
    bool operator()(const StoreSnapshot* a, const StoreSnapshot* b) const {
      if (a->sequence() != b->sequence()) return a->sequence() < b->sequence();
      if (a->taken_nanos() != b->taken_nanos()) return a->taken_nanos() < b->taken_nanos();
      return std::less<>()(a, b);
    }
  };
  std::set<StoreSnapshot*, IsOlder> snapshots_;
};

}  // namespace lull
