// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Compaction: one plan, from the picker to the install. One or more CompactionJobs, its *parts*, do
// the work. A large compaction of L0 has several parts, each with its own range of user keys
// (parts.h); any other has one. The compaction state reserves one range for all parts, and one edit
// installs them.
//
// CompactionsInFlight: the compactions of a store that have begun and are neither installed nor
// over. No lock, clock or files: the owner calls both classes under its mutex.
//
// Invariants:
//   - A compaction is installed only after all its parts have merged their ranges.
//   - If a part fails or is abandoned, the compaction is cancelled: no part begins, and running
//     parts end at their next slice. It is over, and its range can be freed, when the coordinator
//     has returned all parts.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <list>
#include <memory>
#include <vector>

#include "db/compaction/entry_filter.h"
#include "db/compaction/picker.h"
#include "db/version/version_edit.h"
#include "leveldb/status.h"
#include "scheduler/job.h"

namespace lull {

class CompactionJob;

class Compaction {
 public:
  using Parts = std::vector<std::unique_ptr<CompactionJob>>;

  Compaction(JobClass job_class, CompactionPlan plan);
  ~Compaction();
  Compaction(const Compaction&) = delete;
  Compaction& operator=(const Compaction&) = delete;

  JobClass job_class() const { return job_class_; }
  const CompactionPlan& plan() const { return plan_; }

  /// Adds the next part in key order. REQUIRES: the compaction is not in flight yet.
  void AddPart(std::unique_ptr<CompactionJob> part);

  bool HasPartToBegin() const { return begun_ < parts_.size() && !is_cancelled(); }
  /// Passes the next part to the coordinator. REQUIRES: HasPartToBegin.
  std::unique_ptr<CompactionJob> BeginPart();
  /// Takes a part back from the coordinator. `merged`: it has merged its whole range. Otherwise
  /// cancels the compaction; `status` is then the part's error, or OK if it was abandoned.
  void TakeBack(std::unique_ptr<CompactionJob> part, bool merged, const leveldb::Status& status);

  /// Estimate of the bytes of `plan().level` that the parts have merged so far.
  uint64_t MovedBytes() const;
  /// Estimate of the bytes that the parts have still to write.
  uint64_t UnwrittenBytes() const;
  /// Whether all parts have merged their ranges.
  bool IsMerged() const { return merged_ == parts_.size() && !is_cancelled(); }
  /// Whether it is cancelled and the coordinator has returned all parts.
  bool IsOver() const;
  /// Any thread.
  bool is_cancelled() const { return cancelled_.load(std::memory_order_acquire); }
  /// The error of the part that failed first.
  const leveldb::Status& status() const { return status_; }

  /// In key order; null where the coordinator has the part.
  const Parts& parts() const { return parts_; }
  Parts TakeParts();

  // Sums over all parts. REQUIRES: IsMerged.
  std::vector<TableMeta> Outputs() const;
  uint64_t OutputBytes() const;
  uint64_t BusyMicros() const;
  FilterTotals Dropped() const;

 private:
  double ShareRead() const;

  const JobClass job_class_;
  const CompactionPlan plan_;
  Parts parts_;
  std::vector<const CompactionJob*> jobs_;  // all parts, also those that the coordinator has
  size_t begun_ = 0;
  size_t out_ = 0;  // parts that the coordinator has
  size_t merged_ = 0;
  leveldb::Status status_;
  std::atomic<bool> cancelled_{false};
};

class CompactionsInFlight {
 public:
  bool empty() const { return running_.empty() && merged_.empty(); }
  void Add(std::unique_ptr<Compaction> compaction);
  /// Begins the next part of a compaction of that class. Returns null if all parts have begun.
  std::unique_ptr<CompactionJob> NextPart(JobClass job_class);
  /// Whether NextPart would return a part.
  bool HasPart(JobClass job_class) const;

  /// Queues a merged compaction for its install on the flush thread.
  void AwaitInstall(const Compaction* compaction);
  /// Returns the compaction that has waited longest for its install; null if none waits. Its
  /// MovedBytes still count. REQUIRES: none is being installed.
  Compaction* BeginInstall();
  /// Removes the compaction that BeginInstall returned.
  std::unique_ptr<Compaction> EndInstall();
  /// How many wait for their install, without the one that is being installed.
  size_t waiting_count() const { return merged_.size() - (installing_ ? 1 : 0); }
  /// The sum of Compaction::MovedBytes.
  uint64_t MovedBytes() const;
  /// The sum of Compaction::UnwrittenBytes. `deep`: of deep compactions too.
  uint64_t UnwrittenBytes(bool deep) const;
  /// Estimate of what the running and merged ones write in all.
  uint64_t OutputBytes() const;
  /// Removes a compaction that is over.
  std::unique_ptr<Compaction> Remove(const Compaction* compaction);
  /// At the close, after the coordinator has returned all parts.
  void DropAll();

 private:
  std::list<std::unique_ptr<Compaction>> running_;  // parts not begun, or at the coordinator
  std::deque<std::unique_ptr<Compaction>> merged_;
  bool installing_ = false;  // the front of merged_
};

}  // namespace lull
