// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "db/wal/wal_sizes.h"

#include <algorithm>

namespace lull {
namespace {

// A memtable's records need less space in the WAL than in memory, but the last batch can exceed it.
constexpr uint64_t kSlackBytes = 256 << 10;
constexpr uint64_t kMarginBytes = 16 << 10;

// The limit on preallocation, since a few WALs of this size always exist. A larger memtable's
// records grow the file past it.
constexpr uint64_t kAheadBytesMax = 64 << 20;
// What a WAL that was not prepared has at first.
constexpr uint64_t kFirstBytes = 32 << 10;

// While the flush thread syncs a table, a fast writer fills a few WALs.
constexpr uint64_t kPreparedMin = 2;
constexpr uint64_t kPreparedMax = 6;
// Prepared WALs take at most this share of the tables' size (but a few are always allowed), and at
// rest this one.
constexpr uint64_t kTablesPerPrepared = 4;
constexpr uint64_t kTablesPerPreparedInRest = 16;
// At rest, the current WAL takes at most this share, or this many bytes.
constexpr uint64_t kTablesPerCurrentInRest = 8;
constexpr uint64_t kRestBytes = 256 << 10;

/// How much longer than the last one a WAL can become.
uint64_t HeadroomBytes(uint64_t last_wal_bytes) { return last_wal_bytes / 64 + kMarginBytes; }

uint64_t WithHeaders(uint64_t bytes) { return bytes + bytes / 1024 + 64; }

}  // namespace

/// If all of it is first written with zeros, no more than the last memtable needed.
uint64_t WalSizes::Capacity(LogFileMode mode) const {
  const uint64_t bytes_max = std::min(memtable_bytes + kSlackBytes, kAheadBytesMax);
  if (mode == LogFileMode::kMapped || last_wal_bytes == 0) return bytes_max;
  return std::min(bytes_max, last_wal_bytes + HeadroomBytes(last_wal_bytes));
}

/// Writing and syncing zeros takes longer than it saves in later syncs.
uint64_t WalSizes::FirstCapacity(LogFileMode mode) const {
  if (mode == LogFileMode::kWrite || disk_low) return 0;
  return std::min(Capacity(mode), kFirstBytes);
}

/// Once all prepared WALs were used up, more are kept ready, permanently: a program that has bursts
/// has more of them.
size_t WalSizes::PreparedCount() const {
  if (disk_low) return 1;
  const uint64_t capacity = Capacity(Mode());
  const uint64_t count_max = prepared_were_used_up ? kPreparedMax : kPreparedMin;
  if (clients_rest) return std::min(table_bytes / kTablesPerPreparedInRest / capacity, count_max);
  return std::clamp(table_bytes / kTablesPerPrepared / capacity, kPreparedMin, count_max);
}

bool WalSizes::IsTooLargeForRest(uint64_t capacity) const {
  return capacity > std::max(table_bytes / kTablesPerCurrentInRest, kRestBytes);
}

/// Half of the headroom suffices: otherwise WALs of slightly different sizes would often lose a
/// file.
bool WalSizes::FitsReuse(uint64_t file_bytes) const {
  const uint64_t wanted = Capacity(LogFileMode::kWrite);
  const uint64_t needed = last_wal_bytes + HeadroomBytes(last_wal_bytes) / 2;
  return file_bytes >= std::min(wanted, needed) && file_bytes <= 2 * wanted;
}

/// For a log, a MANIFEST and an info log, not for tables.
uint64_t WalSizes::KeptFreeBytes() const {
  constexpr uint64_t kKeptBytesMax = 256 << 10;
  return std::min(memtable_bytes, kKeptBytesMax);
}

/// How much is used when the leading writer asks for more: a quarter. A flush thread that gets its
/// core late then still comes in time. But a WAL with few records asks later.
uint64_t WalExtent::AskAt() const { return std::max(bytes / 4, std::min(bytes / 2, kFirstBytes)); }

bool WalExtent::IsExceededBy(uint64_t end_bytes) const { return WithHeaders(end_bytes) > bytes; }

uint64_t WalExtent::NeededFor(uint64_t end_bytes) const {
  if (!CanGrow() || !IsExceededBy(end_bytes)) return 0;
  return std::max(2 * bytes, WithHeaders(end_bytes));
}

WalExtent::Look WalExtent::NextLook(uint64_t end_bytes) const {
  // Past the extent, the leading writer looks at times whether the file may take more.
  constexpr uint64_t kLookEveryBytes = 64 << 10;
  if (!CanGrow()) return {std::max(end_bytes, bytes) + kLookEveryBytes, false};
  if (end_bytes < AskAt()) return {AskAt(), false};
  // Before the end: the flush thread can have made room, of which a quarter is used.
  return {std::min(2 * bytes - WithHeaders(bytes), end_bytes + bytes / 8), true};
}

uint64_t WalExtent::BytesSoon() const { return std::max(bytes, std::min(2 * bytes, bytes_max)); }

WalSizes WalSizeInputs::Sizes() const {
  return {.memtable_bytes = memtable_bytes.load(std::memory_order_relaxed),
          .table_bytes = table_bytes.load(std::memory_order_relaxed),
          .last_wal_bytes = last_wal_bytes.load(std::memory_order_relaxed),
          .clients_sync = clients_sync.load(std::memory_order_relaxed),
          .clients_rest = clients_rest.load(std::memory_order_relaxed),
          .disk_low = disk_low.load(std::memory_order_relaxed),
          .prepared_were_used_up = prepared_were_used_up.load(std::memory_order_relaxed)};
}

}  // namespace lull
