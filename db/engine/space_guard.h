// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// SpaceGuard: keeps compactions from filling the disk. It decides how much the next compaction can
// write beside what running ones, logs and the next flush still need. It notes which classes wait
// for space, and logs when a wait begins and ends. Monitor, except for bytes_awaited.
//
// A refused compaction costs nothing. Without the guard it would fill the disk, fail, and delete
// its output again; writes to logs would fail meanwhile.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "db/base/context.h"
#include "db/base/disk_space.h"
#include "db/compaction/picker.h"
#include "db/report/activity_stats.h"
#include "leveldb/status.h"
#include "scheduler/job.h"

namespace lull {

class SpaceGuard {
 public:
  /// What uses the free space besides the compaction that would begin.
  struct Use {
    uint64_t unwritten_bytes = 0;  ///< outputs of running compactions
    uint64_t unflushed_bytes = 0;  ///< sealed memtables
    uint64_t memtable_bytes = 0;
    uint64_t table_bytes = 0;  ///< of all tables; no compaction writes more
    SequenceNumber oldest_snapshot = kMaxSequence;
  };

  SpaceGuard(const StoreContext* context, DiskSpace* disk, ActivityStats* activity)
      : context_(context), disk_(disk), activity_(activity) {}

  /// Takes the last figure of free space. Asks for a new one if it is older than a quarter of
  /// StorePace::retry_nanos.
  void Sample(uint64_t now_nanos);
  /// The figure is too old to begin a compaction; a new one is on its way.
  bool is_old() const { return is_old_; }
  OutputLimit OutputLimitFor(const Use& use) const;

  /// A compaction of that class did not begin, since its output of `bytes` does not fit. Returns
  /// true after each `patience_nanos` in which the class was refused: then report the error.
  bool Refused(JobClass job_class, uint64_t bytes, uint64_t now_nanos, uint64_t patience_nanos);
  /// A wait of the class does not count yet: running compactions can end it.
  void Postpone(JobClass job_class, uint64_t now_nanos);
  /// One began, or none is due.
  void NotRefused(JobClass job_class);
  leveldb::Status Error(uint64_t bytes) const;
  /// Logs whether a wait has begun or all have ended.
  void LogChange();

  /// The largest output that waits for space; 0 if none does. Any thread.
  uint64_t bytes_awaited() const { return bytes_awaited_.load(std::memory_order_relaxed); }

 private:
  struct Wait {
    uint64_t bytes = 0;  // 0: the class does not wait
    uint64_t since_nanos = 0;
  };

  static constexpr size_t kClasses = static_cast<size_t>(JobClass::kDeep) + 1;
  void Publish();

  const StoreContext* const context_;
  DiskSpace* const disk_;
  ActivityStats* const activity_;
  bool is_old_ = false;                 // the figure
  uint64_t asked_at_nanos_ = 0;         // for a new one; 0: not
  std::optional<uint64_t> free_bytes_;  // nullopt: unknown
  std::array<Wait, kClasses> waits_{};
  bool is_reported_ = false;
  uint64_t reported_at_nanos_ = 0;
  std::string line_;  // for LogChange
  std::atomic<uint64_t> bytes_awaited_{0};
};

}  // namespace lull
