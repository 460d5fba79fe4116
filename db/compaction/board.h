// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Which compactions a store has under way, and which may begin: ranges that jobs run in, ranges
// whose tables cannot be read, requests of clients (CompactRange), and finished jobs that wait for
// their install. It asks the picker; the Version to pick from is an argument. No lock, clock or
// file: the owner calls it under its mutex.
//
// What always holds:
//   - The ranges of running jobs are disjoint on input and output level: Reserve checks it in
//     release builds too. A range stays reserved until its job is installed, or has failed.
//   - No job begins in a range that cannot be read, nor in one that a manual request waits for.
//   - A search that found nothing is made again only after something has changed that a plan is
//     made from. After a change of the Version, call VersionChanged or Installed.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "db/compaction/layout_options.h"
#include "db/compaction/picker.h"
#include "db/version/version.h"
#include "leveldb/status.h"
#include "scheduler/job.h"

namespace lull {

class CompactionJob;

/// What a client's CompactRange asks of one level. It lives on the client's stack.
struct ManualRequest {
  int level = 0;
  UserRange range;                      ///< what is left of it
  std::optional<RunningRange> running;  ///< of the job that works for it
  std::optional<std::string> next_begin;
  bool done = false;
  leveldb::Status status;  ///< once done
};

class CompactionBoard {
 public:
  explicit CompactionBoard(const LayoutOptions& layout);
  ~CompactionBoard();
  CompactionBoard(const CompactionBoard&) = delete;
  CompactionBoard& operator=(const CompactionBoard&) = delete;

  // ---- what plans are made from

  const LayoutOptions& layout() const { return layout_; }
  void SetLayout(const LayoutOptions& layout);
  void SetTableBytesMax(uint64_t bytes);
  const CompactPointers& pointers() const { return pointers_; }
  void SetPointers(const CompactPointers& pointers);
  void VersionChanged() { ++basis_; }

  // ---- picking

  /// A compaction of the class kL0 or kDeep that may begin.
  std::optional<CompactionPlan> Pick(JobClass job_class, const Version& version);
  /// The next piece of the first manual request. A request with nothing left ends here; so does
  /// one that only a range which cannot be read stands in the way of, with `damage`.
  std::optional<CompactionPlan> PickManual(const Version& version, const leveldb::Status& damage);

  /// Begins a job of a plan that was just picked. False, and the plan is void, if its range is
  /// taken: two jobs in one range would lose data.
  bool Reserve(JobClass job_class, const CompactionPlan& plan, const KeyOrder& order);
  /// The job has ended without an install.
  void Free(const CompactionPlan& plan);
  /// The job is installed: its outputs are in the Version from here on.
  void Installed(const CompactionPlan& plan);

  /// Those of `jobs`, by position, without which an L0 job could begin that now cannot; none if
  /// it could not even without all of them. `jobs` are ranges of running deep jobs.
  std::vector<size_t> BlockersOfL0(const Version& version, const std::vector<RunningRange>& jobs);
  /// Whether no L0 job could begin even if none ran: each would need what cannot be read.
  bool IsL0Unreadable(const Version& version) const;
  /// Nothing runs, waits or is due.
  bool IsIdle(const Version& version) const;

  // ---- ranges that cannot be read

  /// A job failed to read its input. UINT64_MAX: a table is damaged.
  void Avoid(const RunningRange& range, uint64_t until_nanos);
  /// Forgets ranges whose time is up. True if these were the last.
  bool ForgetReadable(uint64_t now_nanos);

  // ---- manual requests

  void AddRequest(ManualRequest* request) { requests_.push_back(request); }
  /// A job of the request may still run; it ends like any other.
  void RemoveRequest(ManualRequest* request);
  /// A manual job ended: its request goes on with the rest of its range, or is done. One whose job
  /// failed is done too; its client gets the error whatever else succeeds meanwhile.
  void ManualJobEnded(const CompactionPlan& plan, const leveldb::Status& status);
  size_t request_count() const { return requests_.size(); }

  // ---- finished jobs

  void AwaitInstall(std::unique_ptr<CompactionJob> job);
  /// The one that waits longest; null if none does.
  std::unique_ptr<CompactionJob> TakeFinished();
  size_t finished_count() const { return finished_.size(); }
  void DropFinished();

 private:
  struct UnreadableRange {
    RunningRange range;
    uint64_t until_nanos = 0;
  };

  std::vector<RunningRange> Unreadable() const;
  std::vector<RunningRange> Taken() const;
  void EndRequest(const leveldb::Status& status);

  LayoutOptions layout_;
  CompactPointers pointers_;
  std::vector<RunningRange> running_;
  std::vector<UnreadableRange> unreadable_;  // in the order in which they came
  std::list<ManualRequest*> requests_;
  std::optional<RunningRange> kept_free_;  // for the first request, which is in conflict
  std::deque<std::unique_ptr<CompactionJob>> finished_;

  // Grows with every change of what a plan is made from.
  uint64_t basis_ = 1;
  std::array<uint64_t, 2> nothing_at_basis_{};  // a search found nothing; L0, deep
  uint64_t no_blockers_at_basis_ = 0;
};

}  // namespace lull
