// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// EmptyRanges: keys between which a store has many deleted entries and no live one, as at the front
// of a queue. An iterator jumps over such a range instead of skipping each entry.
//
// Iterators that skip many deletions report the range between two live keys. The range is known to
// be empty from sequence S on, if an iterator as of S found it empty, and every later write is
// checked against it. Writes are checked from the first report on. If some may have been missed,
// the range is only watched, until an iterator as of a later sequence finds it empty too.
//
// Invariant: while a range is known, no value in it has a sequence above `since`. The leading
// writer ends a range before it publishes a value in it. So an iterator first takes its sequence,
// then asks for the range.
#pragma once

#include <atomic>
#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "db/base/dbformat.h"
#include "leveldb/slice.h"
#include "util/fork.h"
#include "util/grace.h"
#include "util/mutex.h"

namespace lull {

/// Shared by iterators.
class EmptyRange {
 public:
  EmptyRange(KeyBounds span_in, SequenceNumber since_in)
      : span(std::move(span_in)), since(since_in) {}
  void Ref() const { references_.fetch_add(1, std::memory_order_relaxed); }
  void Unref() const {
    if (references_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
  }

  const KeyBounds span;
  const SequenceNumber since;

 private:
  ~EmptyRange() = default;
  mutable std::atomic<int64_t> references_{1};
};

class EmptyRanges {
 public:
  /// `on_retired` is called when something waits for a Collect of `grace`.
  EmptyRanges(const KeyOrder& order, GraceDomain* grace, std::function<void()> on_retired);
  /// REQUIRES: no reader holds a guard.
  ~EmptyRanges();
  EmptyRanges(const EmptyRanges&) = delete;
  EmptyRanges& operator=(const EmptyRanges&) = delete;

  /// Returns the known range, with a reference, if it is empty as of `sequence`. Otherwise null.
  /// REQUIRES: the caller holds a guard, and took `sequence` before the call.
  const EmptyRange* Known(SequenceNumber sequence);

  /// An iterator as of `sequence` found nothing live from `begin` to just before `end`, which can
  /// be missing. Any thread.
  void Report(const leveldb::Slice& begin, const std::optional<leveldb::Slice>& end,
              SequenceNumber sequence) LULL_EXCLUDES(mutex_);

  /// Call before the entries of `record`, a write batch, become visible. Leading writer.
  void Check(const leveldb::Slice& record) {
    if (checks_.load(std::memory_order_acquire)) CheckSlowly(record);
  }
  /// Call before entries that no Check gets become visible. Leading writer.
  void Forget() LULL_EXCLUDES(mutex_);

 private:
  struct Watched {
    KeyBounds span;
    /// Every write above this sequence is checked. nullopt: not yet known.
    std::optional<SequenceNumber> checked_from;
  };

  void CheckSlowly(const leveldb::Slice& record) LULL_EXCLUDES(mutex_);
  void SetKnown(const EmptyRange* range) LULL_REQUIRES(mutex_);
  void StopChecks() LULL_REQUIRES(mutex_);
  void Confirm(const leveldb::Slice& begin, const std::optional<leveldb::Slice>& end,
               SequenceNumber sequence) LULL_REQUIRES(mutex_);

  const uint32_t opened_in_ = ForkGeneration();
  const KeyOrder order_;
  GraceDomain* const grace_;
  const std::function<void()> on_retired_;
  std::atomic<bool> checks_{false};
  std::atomic<const EmptyRange*> known_{nullptr};  // stored under mutex_
  std::atomic<uint64_t> checks_since_use_{0};
  Mutex mutex_;
  std::optional<Watched> watched_ LULL_GUARDED_BY(mutex_);
  /// The last sequence that was checked, since checks_ was set. nullopt: none yet.
  std::optional<SequenceNumber> checked_ LULL_GUARDED_BY(mutex_);
};

}  // namespace lull
