// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// CompactionState: what is compacted and what can be now. It has the running compactions
// (JobTable), the ranges of tables that cannot be read, and the manual requests (CompactRange). It
// calls the picker with the current Version. No lock, clock or files: the owner calls it under its
// mutex.
//
// Invariants:
//   - On each level, the key ranges of running compactions are disjoint; each uses its range on its
//     input and its output level. Begin checks this in release builds too. A range stays reserved
//     until its compaction is installed or has failed.
//   - No job begins in a range that cannot be read, in one that a manual request waits for, or in
//     one that is withheld.
//   - A pick that found nothing is repeated only after a change of the layout, the Version, the
//     running compactions or the ranges. After a change of the Version, call VersionChanged or
//     EndInstall.
#pragma once

#include <array>
#include <cstdint>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "db/base/layout_options.h"
#include "db/compaction/job_table.h"
#include "db/compaction/overwrite_share.h"
#include "db/compaction/picker.h"
#include "db/version/version.h"
#include "leveldb/status.h"
#include "scheduler/job.h"

namespace lull {

/// A client's CompactRange on one level. On the client's stack, until RemoveRequest; guarded like
/// CompactionState.
struct ManualRequest {
  int level = 0;
  /// Above 0: rewrites the tables of `level` in place whose filter_pass is less. 0: moves all
  /// tables of `level` down.
  uint64_t rewrite_pass = 0;
  UserRange range;                        ///< what is still to compact
  std::optional<RunningRange> running;    ///< range of this request's job, if one runs
  std::optional<std::string> next_begin;  ///< user key to continue from after that job
  bool done = false;
  leveldb::Status status;  ///< valid once done
};

/// Which compactions that only free space can begin.
enum class ReclaimScope {
  kOldDeletions,  ///< while clients write: those that old deletions need
  kAll,           ///< in rest
};

class CompactionState {
 public:
  explicit CompactionState(const LayoutOptions& layout) : layout_(layout) {}
  CompactionState(const CompactionState&) = delete;
  CompactionState& operator=(const CompactionState&) = delete;

  // ---- inputs of a pick

  const LayoutOptions& layout() const { return layout_; }
  void SetLayout(const LayoutOptions& layout);
  /// Sets the size at which compactions end an output, in bytes.
  void SetTableBytesMax(uint64_t bytes);
  /// Where each level's round-robin continues; recorded in the MANIFEST.
  const CompactPointers& pointers() const { return pointers_; }
  void SetPointers(const CompactPointers& pointers);
  void VersionChanged() { ++inputs_version_; }
  /// Changes with all that decides which jobs can begin, except time.
  uint64_t inputs_version() const { return inputs_version_; }
  /// Deletions older than half of `persist_seconds` go down, also while clients write. The other
  /// half is for the way through the levels. So do deletions of unknown age: a clock that was ahead
  /// would keep them for as long. 0: they wait for other reasons.
  void SetDeletePersist(uint64_t persist_seconds, uint64_t now_seconds);
  /// Whether a deletion of that time, in seconds since 1970, must go down.
  bool IsOld(uint64_t seconds) const { return old_.Include(seconds); }
  /// Limits what is picked from now on.
  void SetOutputLimit(const OutputLimit& limit);

  // ---- picking

  /// Picks a compaction of class kL0 or kDeep that can begin now.
  std::optional<CompactionPlan> Pick(JobClass job_class, const Version& version);
  /// Picks a compaction that only frees space (see lull::PickReclaim), if one can begin now.
  std::optional<CompactionPlan> PickReclaim(const Version& version, SequenceNumber oldest_snapshot,
                                            ReclaimScope scope);
  /// Whether PickReclaim would return a plan.
  bool IsReclaimDue(const Version& version, SequenceNumber oldest_snapshot, ReclaimScope scope);
  /// Picks the next part of the first manual request. Ends the request if nothing is left in its
  /// range. Also ends it, with the status `damage`, if only unreadable ranges prevent the
  /// compaction.
  std::optional<CompactionPlan> PickManual(const Version& version, const leveldb::Status& damage);

  /// After a pick of that class found nothing: the output of the compaction that it would have
  /// found without SetOutputLimit; nullopt if none. `scope`: PickReclaim was asked too.
  std::optional<uint64_t> BytesLackingSpace(JobClass job_class, const Version& version,
                                            SequenceNumber oldest_snapshot,
                                            std::optional<ReclaimScope> scope);
  /// Ends the first manual request, which waits for disk space, with an error.
  void RefuseManual(const leveldb::Status& status) { EndRequest(status); }

  // ---- running compactions

  /// For everything but the begin and the end of a compaction.
  JobTable& jobs() { return jobs_; }
  const JobTable& jobs() const { return jobs_; }
  /// Begins the compaction of a plan that was just picked, and reserves its range. Returns null if
  /// the range is in use, since two compactions in one range would lose data.
  Compaction* Begin(JobClass job_class, CompactionPlan plan, const KeyOrder& order);
  /// Ends a running compaction that is over. A manual one that failed passes its error to its
  /// request.
  std::unique_ptr<Compaction> Drop(const Compaction* compaction);
  /// Ends the compaction of JobTable::BeginInstall. If `status` is OK, its outputs are in the
  /// Version. A manual one continues or ends its request. If it failed, the client gets its error
  /// even if other compactions succeed.
  std::unique_ptr<Compaction> EndInstall(const leveldb::Status& status);

  /// What merges find. Change it only in the critical section of EndInstall, so that later picks
  /// use it.
  OverwriteShare* overwrites() { return &overwrites_; }
  /// By estimate, in the tables that Space counts.
  uint64_t OverwrittenBytes(const Version& version) {
    return Space(version).OverwrittenBytes(overwrites_.value());
  }

  /// Returns those of `deep`, which are deep jobs, that must stop before an L0 job can begin. Empty
  /// if none must, or if no L0 job could begin even without all of them.
  std::vector<JobId> BlockersOfL0(const Version& version, const std::vector<JobId>& deep);
  /// Whether unreadable ranges alone prevent every L0 job.
  bool IsL0Unreadable(const Version& version) const;
  /// HiddenBytesKept; computed once for its inputs.
  uint64_t BytesKept(const Version& version, SequenceNumber oldest_snapshot);
  /// What the tables contain; computed once for each Version.
  const TableSpace& Space(const Version& version);
  /// Nothing runs, waits for its install or is due, and no compaction would free space.
  bool IsIdle(const Version& version, SequenceNumber oldest_snapshot);

  // ---- ranges that cannot be read

  /// Lets no job begin in `range` before `until_nanos`; UINT64_MAX: until the store is reopened,
  /// since a table is damaged. Call after a job failed to read its input.
  void Avoid(const RunningRange& range, uint64_t until_nanos);
  /// Removes the unreadable ranges whose time has passed. Returns true if that removed the last
  /// one.
  bool ForgetReadable(uint64_t now_nanos);

  // ---- ranges whose tables a client removes

  /// From now on, no job begins in `range`, on any level. Returns whether no job runs in it.
  bool Withhold(const KeyOrder& order, const UserRange& range);
  /// Ends the Withhold before.
  void EndWithholding();
  /// Whether a range is withheld. Jobs that clients wait for may be unable to begin.
  bool withholds() const { return !withheld_.empty(); }
  /// Ranges in which no job can begin now.
  std::vector<RunningRange> Taken() const;

  // ---- manual requests

  void AddRequest(ManualRequest* request) { requests_.push_back(request); }
  /// Call when the client stops waiting. A running job of the request continues, and is installed.
  void RemoveRequest(ManualRequest* request);
  size_t request_count() const { return requests_.size(); }

 private:
  struct UnreadableRange {
    RunningRange range;
    uint64_t until_nanos = 0;
  };

  std::optional<CompactionPlan> PickWithoutLimit(JobClass job_class, const Version& version,
                                                 SequenceNumber oldest_snapshot,
                                                 std::optional<ReclaimScope> scope) const;
  std::optional<CompactionPlan> FindReclaim(const Version& version, SequenceNumber oldest_snapshot,
                                            ReclaimScope scope, const OutputLimit& limit) const;
  std::vector<RunningRange> Unreadable() const;
  /// The next step of a manual request.
  ManualPick PickStep(const Version& version, const ManualRequest& request,
                      const std::vector<RunningRange>& taken, const OutputLimit& limit) const;
  void ManualEnded(const CompactionPlan& plan, const leveldb::Status& status);
  void EndRequest(const leveldb::Status& status);

  LayoutOptions layout_;
  OutputLimit output_limit_;
  CompactPointers pointers_;
  OverwriteShare overwrites_;
  OldDeletions old_;
  JobTable jobs_;
  std::vector<UnreadableRange> unreadable_;  // oldest first
  std::vector<RunningRange> withheld_;       // one range, on all levels
  std::list<ManualRequest*> requests_;
  // The range that the first request needs but running jobs occupy: no other job begins in it.
  std::optional<RunningRange> awaited_range_;

  // Incremented by every change of a pick's inputs.
  uint64_t inputs_version_ = 1;
  std::array<uint64_t, 2>
      nothing_at_basis_{};  // inputs_version_ when a pick found nothing: L0, deep
  uint64_t no_blockers_at_basis_ = 0;

  /// The result of IsReclaimDue for its inputs. Clients often hold still for long, and the monitor
  /// asks every few milliseconds.
  struct ReclaimDue {
    uint64_t basis = 0;
    SequenceNumber oldest_snapshot = 0;
    bool is_due = false;
  };
  std::array<ReclaimDue, 2> reclaim_due_;  // by ReclaimScope
  /// The result of BytesLackingSpace for an L0 or deep job, and its inputs.
  struct Lacking {
    uint64_t basis = 0;
    SequenceNumber oldest_snapshot = 0;
    std::optional<ReclaimScope> scope;
    std::optional<uint64_t> bytes;
  };
  std::array<Lacking, 2> lacking_;  // L0, deep
  /// The result of BytesKept, and its inputs.
  struct Kept {
    uint64_t basis = 0;
    SequenceNumber oldest_snapshot = 0;
    uint64_t bytes = 0;
  };
  Kept kept_;
  TableSpace space_;
  uint64_t space_at_basis_ = 0;
};

}  // namespace lull
