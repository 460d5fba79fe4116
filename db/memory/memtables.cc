// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "db/memory/memtables.h"

#include <algorithm>
#include <utility>

namespace lull {

void MemTables::Begin(MemTableRef active, uint64_t wal_number, uint64_t now_seconds) {
  active_ = std::move(active);
  active_wal_number_ = wal_number;
  active_begun_seconds_ = now_seconds;
}

uint64_t MemTables::Seal(MemTableRef next, uint64_t wal_number, SequenceNumber last_sequence,
                         uint64_t now_seconds) {
  SealedMemTable& sealed = immutables_.emplace_back();  // can throw; the lines below cannot
  sealed.memory_bytes = active_->MemoryBytes();
  sealed.wal_number = std::exchange(active_wal_number_, wal_number);
  sealed.last_sequence = last_sequence;
  sealed.begun_seconds = std::exchange(active_begun_seconds_, now_seconds);
  sealed.memtable = std::exchange(active_, std::move(next));
  immutable_bytes_ += sealed.memory_bytes;
  flags_->immutables.store(static_cast<int>(immutables_.size()), std::memory_order_relaxed);
  ++seals_;
  return sealed.memory_bytes;
}

uint64_t MemTables::Flushed(size_t count) {
  uint64_t freed = 0;
  for (size_t i = 0; i < count; ++i) {
    freed += immutables_.front().memory_bytes;
    immutables_.pop_front();
  }
  immutable_bytes_ -= freed;
  flags_->immutables.store(static_cast<int>(immutables_.size()), std::memory_order_relaxed);
  flushes_ += count;
  return freed;
}

void MemTables::Clear() {
  immutables_.clear();
  active_ = nullptr;
}

std::vector<MemTableRef> MemTables::ImmutablesNewestFirst() const {
  std::vector<MemTableRef> immutables;
  immutables.reserve(immutables_.size());
  for (auto sealed = immutables_.rbegin(); sealed != immutables_.rend(); ++sealed) {
    immutables.push_back(sealed->memtable);
  }
  return immutables;
}

std::vector<SealedMemTable> MemTables::Oldest(size_t count_max, uint64_t bytes_max) const {
  std::vector<SealedMemTable> oldest;
  uint64_t bytes = 0;
  for (const SealedMemTable& next : immutables_) {
    if (oldest.size() >= count_max) break;
    if (!oldest.empty() && bytes + next.memory_bytes > bytes_max) break;
    bytes += next.memory_bytes;
    oldest.push_back(next);
  }
  return oldest;
}

uint64_t MemTables::LogNumberAfter(size_t count) const {
  return immutables_.size() > count ? immutables_[count].wal_number : active_wal_number_;
}

bool MemTables::MaySeal(const MemTableLimits& limits, uint64_t counted_bytes) const {
  if (immutables_.size() >= static_cast<size_t>(limits.immutables_max)) return false;
  const uint64_t bytes = active_->MemoryBytes();
  return immutables_.empty() || limits.memory_used_bytes + bytes - std::min(bytes, counted_bytes) <=
                                    limits.memory_budget_bytes;
}

uint64_t ActiveMemTable::Begin(MemTable* memtable) {
  memtable_ = memtable;
  full_at_bytes_min_ = 0;
  return std::exchange(grown_bytes_, 0);
}

uint64_t ActiveMemTable::GrowthFor(uint64_t bytes) const {
  constexpr uint64_t kStepBytes = 64 << 10;
  const uint64_t counted = opened_with_bytes_ + grown_bytes_;
  return bytes <= counted ? 0 : bytes - counted + kStepBytes;
}

}  // namespace lull
