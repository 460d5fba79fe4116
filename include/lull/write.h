// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Writes that fail instead of waiting: a service then sheds load instead of queueing it.
#pragma once

#include <cstdint>

#include "leveldb/db.h"
#include "leveldb/export.h"
#include "leveldb/options.h"
#include "leveldb/status.h"
#include "leveldb/write_batch.h"
#include "lull/listener.h"

namespace lull {

/// Why TryWrite gave up.
struct BusyWrite {
  bool is_busy = false;  ///< the write would have waited too long; nothing was written
  WriteStallCause cause = WriteStallCause::kOther;  ///< kOther: other writes were first
  /// When room is expected, in microseconds from now: the remaining time of a delay, or that of the
  /// running flush or compaction that makes room, at its speed so far. 0: unknown.
  uint64_t room_micros = 0;
};

/// As leveldb::DB::Write, but gives up if the write could not begin within `wait_micros_max`
/// microseconds: then nothing was written, `*busy` tells why, and the status is an IOError. A write
/// waits before it begins while the policy slows writes, while other writes are first, and at the
/// limits of memory, L0 and disk space. 0 waits for none of these. The limit does not cover the
/// write itself: one that has begun, alone or in a group with others, ends, and with
/// WriteOptions::sync it waits for the disk.
///
/// A write that gives up leaves the order of the others as it is. Any other error is that of Write;
/// `busy`, which can be null, tells them apart. Any thread.
LEVELDB_EXPORT leveldb::Status TryWrite(leveldb::DB* db, const leveldb::WriteOptions& options,
                                        leveldb::WriteBatch* updates, uint64_t wait_micros_max,
                                        BusyWrite* busy = nullptr);

}  // namespace lull
