// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// WalSizes and WalExtent: how large WALs are, how many are prepared, and when one grows, as
// functions of values: no files, locks or clocks. Any thread. WalSizeInputs publishes the values.
//
// Space is preallocated for a memtable's records. It is limited to a share of the tables' size, so
// that a store with little data stays small; while clients rest, to a smaller share. When disk
// space is short, one WAL is preallocated, as a reserve, and the current one grows with its
// records.
//
// Units are bytes.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "util/env_extension.h"

namespace lull {

struct WalSizes {
  uint64_t memtable_bytes = 0;         ///< size of the memtable whose records a WAL takes
  uint64_t table_bytes = UINT64_MAX;   ///< of all tables; UINT64_MAX: unknown
  uint64_t last_wal_bytes = 0;         ///< of the previous memtable's WALs; 0: none
  bool clients_sync = false;           ///< they synced the current WAL or the previous one
  bool clients_rest = false;           ///< they do not write
  bool disk_low = false;               ///< disk space is short
  bool prepared_were_used_up = false;  ///< at least once since the open
  bool operator==(const WalSizes&) const = default;

  /// How new WALs are written. If clients sync, with write(2): syncing a mapping that was faulted
  /// in would also write its zeros.
  LogFileMode Mode() const { return clients_sync ? LogFileMode::kWrite : LogFileMode::kMapped; }
  /// What to preallocate for a WAL that is created ahead.
  uint64_t Capacity(LogFileMode mode) const;
  /// What to preallocate for a WAL that is created while a client waits.
  uint64_t FirstCapacity(LogFileMode mode) const;
  /// How many WALs to keep ready.
  size_t PreparedCount() const;
  /// Whether the current WAL, with this capacity, is too large for a store at rest.
  bool IsTooLargeForRest(uint64_t capacity) const;
  /// Whether a released WAL's file of this size is worth recycling.
  bool FitsReuse(uint64_t file_bytes) const;
  /// The free disk space that WALs leave for the next open, when disk space is short.
  uint64_t KeptFreeBytes() const;
};

/// The preallocated part of a WAL's file. It grows while the WAL takes records, by the flush thread
/// if that comes in time, otherwise by the leading writer. Records past it grow the file.
struct WalExtent {
  uint64_t bytes = 0;      ///< preallocated
  uint64_t bytes_max = 0;  ///< to which that can grow

  bool CanGrow() const { return bytes < bytes_max; }
  /// File size at which the leading writer first looks at a new WAL's extent.
  uint64_t FirstLook() const { return CanGrow() ? AskAt() : bytes; }
  /// Whether records up to `end_bytes`, with their headers, exceed it.
  bool IsExceededBy(uint64_t end_bytes) const;
  /// The size to which the leading writer itself must extend it for records up to `end_bytes`. 0:
  /// it need not or cannot.
  uint64_t NeededFor(uint64_t end_bytes) const;
  struct Look {
    uint64_t at_bytes;  ///< file size at which to look again
    bool asks;          ///< the flush thread should double the extent
    bool operator==(const Look&) const = default;
  };
  /// What the leading writer does next when records end at `end_bytes`.
  Look NextLook(uint64_t end_bytes) const;
  /// Its size once the next request is met.
  uint64_t BytesSoon() const;
  /// The disk space of the file by estimate. Without a preallocated part, it can grow to the size
  /// of its memtable.
  uint64_t FileBytes(uint64_t memtable_bytes) const { return bytes > 0 ? bytes : memtable_bytes; }

 private:
  uint64_t AskAt() const;
};

/// The values of WalSizes as threads publish them. Any thread.
struct WalSizeInputs {
  std::atomic<uint64_t> memtable_bytes;
  std::atomic<uint64_t> table_bytes{UINT64_MAX};
  std::atomic<uint64_t> last_wal_bytes{0};
  std::atomic<bool> clients_sync{false};
  std::atomic<bool> clients_rest{false};
  std::atomic<bool> disk_low{false};
  std::atomic<bool> prepared_were_used_up{false};

  WalSizes Sizes() const;
};

}  // namespace lull
