// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// JobTable: the background jobs of a store, by id, and the compactions that they are parts of. It
// has everything that the store knows of a running compaction: its plan with the reserved key
// range, its parts, its class and its state. No lock, clock or files: the owner calls it under its
// mutex.
//
// A compaction is *running* from Begin until all its parts have merged or it is over, and then
// waits for its *install*. Its key range stays reserved until Remove or EndInstall returns it.
//
// Invariants: a job is in the table from BeginPart or Add until End, and the scheduler has it. The
// table, or the compaction in it, owns the job.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <list>
#include <map>
#include <memory>
#include <vector>

#include "db/compaction/compaction.h"
#include "db/compaction/merge_job.h"
#include "db/compaction/picker.h"
#include "scheduler/job.h"

namespace lull {

class JobTable {
 public:
  // ---- compactions

  /// Adds a compaction without parts. Its range is reserved from now on.
  Compaction* Begin(JobClass job_class, CompactionPlan plan);
  bool has_compactions() const { return !running_.empty() || !merged_.empty(); }
  /// The reserved ranges.
  std::vector<RunningRange> Ranges() const;
  /// Whether a compaction takes tables from L0.
  bool TakesFromL0() const;

  /// Queues a compaction whose parts have all merged for its install on the flush thread.
  void AwaitInstall(const Compaction* compaction);
  /// Returns the compaction that has waited longest for its install; null if none waits. REQUIRES:
  /// none is being installed.
  Compaction* BeginInstall();
  /// Removes the compaction that BeginInstall returned.
  std::unique_ptr<Compaction> EndInstall();
  /// How many wait for their install, without the one that is being installed.
  size_t waiting_count() const { return merged_.size() - (installing_ ? 1 : 0); }
  /// Removes a running compaction without an install.
  std::unique_ptr<Compaction> Remove(const Compaction* compaction);

  /// The sum of Compaction::MovedBytes, until the end of each install.
  uint64_t MovedBytes() const;
  /// The sum of Compaction::UnwrittenBytes. `deep`: of deep compactions too.
  uint64_t UnwrittenBytes(bool deep) const;
  /// Estimate of what the running and merged ones write in all.
  uint64_t OutputBytes() const;

  // ---- jobs

  /// A job of the table. `part` is null for a job that is no compaction's.
  struct Entry {
    Job* job = nullptr;
    CompactionJob* part = nullptr;
    std::unique_ptr<Job> other;  // owns `job` if it is no part
  };

  /// Passes the next part of a compaction of that class to the scheduler. Returns false if all
  /// parts have begun.
  bool BeginPart(JobClass job_class, JobId id);
  /// Whether BeginPart would return true.
  bool HasPart(JobClass job_class) const;
  /// Adds a job that belongs to no compaction.
  void Add(JobId id, std::unique_ptr<Job> job);
  const Entry& at(JobId id) const { return jobs_.at(id); }
  /// Removes a job that the scheduler has returned. A part stays in its compaction.
  Entry End(JobId id);

  /// At the close, after the scheduler has returned all jobs.
  void DropAll();

 private:
  Compaction* FindWithPart(JobClass job_class) const;

  std::map<JobId, Entry> jobs_;
  std::list<std::unique_ptr<Compaction>> running_;
  std::deque<std::unique_ptr<Compaction>> merged_;
  bool installing_ = false;  // the front of merged_
};

}  // namespace lull
