// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Compaction: one plan, from the picker to the install. One or more CompactionJobs, its *parts*, do
// the work. A large compaction of L0 has several parts, each with its own range of user keys
// (parts.h); any other has one. All parts use the one range of the plan, and one edit installs
// them. No lock, clock or files: the owner calls it under its mutex.
//
// Invariants:
//   - A compaction is installed only after all its parts have merged their ranges.
//   - If a part fails or is abandoned, the compaction is cancelled: no part begins, and running
//     parts end at their next slice. It is over, and its range can be freed, when the scheduler has
//     returned all parts.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "db/compaction/entry_filter.h"
#include "db/compaction/picker.h"
#include "db/compaction/table_outputs.h"
#include "leveldb/status.h"
#include "scheduler/job.h"

namespace lull {

class CompactionJob;

class Compaction {
 public:
  using Parts = std::vector<std::unique_ptr<CompactionJob>>;

  Compaction(JobClass job_class, CompactionPlan plan);
  ~Compaction();

  JobClass job_class() const { return job_class_; }
  const CompactionPlan& plan() const { return plan_; }

  /// Adds the next part in key order. REQUIRES: no part has begun.
  void AddPart(std::unique_ptr<CompactionJob> part);

  bool HasPartToBegin() const { return begun_ < parts_.size() && !is_cancelled(); }
  /// Returns the next part for the scheduler. REQUIRES: HasPartToBegin.
  CompactionJob* BeginPart();
  /// The scheduler returns a part that has begun. `merged`: it has merged its whole range.
  /// Otherwise cancels the compaction; `status` is then the part's error, or OK if it was
  /// abandoned.
  void EndPart(bool merged, const leveldb::Status& status);

  /// Estimate of the bytes of `plan().level` that the parts have merged so far.
  uint64_t MovedBytes() const;
  /// Estimate of the bytes that the parts have still to write.
  uint64_t UnwrittenBytes() const;
  /// Whether all parts have merged their ranges.
  bool IsMerged() const { return merged_ == parts_.size() && !is_cancelled(); }
  /// Whether it is cancelled and the scheduler has returned all parts.
  bool IsOver() const;
  /// Any thread.
  bool is_cancelled() const { return cancelled_.load(std::memory_order_acquire); }
  /// The error of the part that failed first.
  const leveldb::Status& status() const { return status_; }

  /// In key order.
  const Parts& parts() const { return parts_; }
  /// REQUIRES: IsOver.
  Parts TakeParts();

  // Of all parts. REQUIRES: IsMerged.
  std::vector<TableOutputs*> Outputs() const;
  uint64_t OutputBytes() const;
  uint64_t BusyMicros() const;
  FilterTotals Dropped() const;

 private:
  double ShareRead() const;

  const JobClass job_class_;
  const CompactionPlan plan_;
  Parts parts_;
  size_t begun_ = 0;
  size_t out_ = 0;  // parts that the scheduler has
  size_t merged_ = 0;
  leveldb::Status status_;
  std::atomic<bool> cancelled_{false};
};

}  // namespace lull
