// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Reads. None takes a lock of the store: see read_view.h for why the view is pinned before the
// sequence is read.
#include "db/read/db_iterator.h"
#include "db/store.h"

namespace lull {
namespace {

SequenceNumber SequenceOfSnapshot(const leveldb::Snapshot* snapshot) {
  return static_cast<const StoreSnapshot*>(snapshot)->sequence();
}

}  // namespace

leveldb::Status Store::Get(const leveldb::ReadOptions& options, const leveldb::Slice& key,
                           std::string* value) {
  const LatencyTimer timer(LatencyOf(&Latencies::get), coordinator_->clock());
  const GraceGuard guard(grace_);
  const ReadView* const view = view_.load(std::memory_order_acquire);
  const SequenceNumber sequence = options.snapshot != nullptr
                                      ? SequenceOfSnapshot(options.snapshot)
                                      : published_sequence_.load(std::memory_order_acquire);
  uint64_t l0_misses = 0;
  leveldb::Status status = view->Get(&tables_, HowToRead(options, context_->options),
                                     LookupKey(key, sequence), value, &l0_misses);
  if (l0_misses > 0) l0_misses_.Add(l0_misses);
  if (status.ok()) read_bytes_.Add(value->size());
  return status;
}

leveldb::Iterator* Store::NewIterator(const leveldb::ReadOptions& options) {
  const GraceGuard guard(grace_);
  ReadView* const view = view_.load(std::memory_order_acquire);
  const SequenceNumber sequence = options.snapshot != nullptr
                                      ? SequenceOfSnapshot(options.snapshot)
                                      : published_sequence_.load(std::memory_order_acquire);
  // It searches all of them at once, where one would do.
  if (const int tables = view->version().TableCount(0); tables > 1)
    l0_misses_.Add(kMissesOfASeek * static_cast<uint64_t>(tables - 1));
  return NewDbIterator(context_->order,
                       view->NewIterator(&tables_, HowToRead(options, context_->options)), sequence,
                       &read_bytes_)
      .release();
}

const leveldb::Snapshot* Store::GetSnapshot() {
  if (IsInherited()) return nullptr;  // reads without a snapshot see the same, since no write works
  MutexLock lock(mutex_);
  return snapshots_.Add(published_sequence_.load(std::memory_order_acquire));
}

void Store::ReleaseSnapshot(const leveldb::Snapshot* snapshot) {
  if (snapshot == nullptr || IsInherited()) return;
  MutexLock lock(mutex_);
  snapshots_.Remove(static_cast<const StoreSnapshot*>(snapshot));
}

LayoutFigures Store::GetLayoutFigures() const {
  MutexLock lock(mutex_);
  return layout_stats_.figures();
}

void Store::GetApproximateSizes(const leveldb::Range* ranges, int count, uint64_t* sizes) {
  for (int i = 0; i < count; ++i) {
    const GraceGuard guard(grace_);  // for no longer than one range takes: it holds up all freeing
    const ReadView* const view = view_.load(std::memory_order_acquire);
    sizes[i] = view->ApproximateBytes(&tables_, ranges[i]);
  }
}

}  // namespace lull
