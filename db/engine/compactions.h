// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Compactions: creates compactions from the plans of CompactionState, and installs or drops them at
// their end. The monitor gets jobs and returns them, without I/O. The flush thread installs
// compactions whose parts have all merged. Takes the store's mutex for short sections, never during
// I/O.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "db/base/applied_directive.h"
#include "db/base/context.h"
#include "db/compaction/compaction.h"
#include "db/compaction/merge_job.h"
#include "db/engine/obsolete_files.h"
#include "db/engine/space_guard.h"
#include "db/engine/store_state.h"
#include "db/engine/version_set.h"
#include "db/read/store_reader.h"
#include "db/report/activity_stats.h"
#include "leveldb/status.h"
#include "scheduler/job.h"
#include "scheduler/threads/coordinator.h"

namespace lull {

class Compactions {
 public:
  /// Parts of the store; all outlive this object.
  struct Parts {
    StoreContext* context;
    Coordinator* coordinator;
    StoreState* state;
    StoreReader* reader;
    const AppliedDirective* applied;
    DiskRoom* room;
    VersionSet* versions;
    ObsoleteFiles* obsolete;
    ActivityStats* activity;
  };
  explicit Compactions(const Parts& parts);
  Compactions(const Compactions&) = delete;
  Compactions& operator=(const Compactions&) = delete;

  // ---- monitor; see Tenant

  /// Returns the next part of a running compaction, or the first part of a new one, or null.
  std::unique_ptr<CompactionJob> NextJob(JobClass job_class) LULL_EXCLUDES(state_->mutex);
  void JobEnded(std::unique_ptr<CompactionJob> job, const leveldb::Status& status)
      LULL_EXCLUDES(state_->mutex);
  void Abandon(std::unique_ptr<CompactionJob> job) LULL_EXCLUDES(state_->mutex);
  std::vector<const Job*> BlockersOfL0(const std::vector<const Job*>& jobs)
      LULL_EXCLUDES(state_->mutex);

  /// The output of compactions that wait for disk space, in bytes; 0 if none does. Any thread.
  uint64_t bytes_awaiting_space() const { return guard_.bytes_awaited(); }

  // ---- flush thread

  /// Installs the compaction that has waited longest. Returns false if none waits.
  bool InstallOne() LULL_EXCLUDES(state_->mutex);
  /// Installs the removal that a client waits for, if any.
  void InstallRemoval() LULL_EXCLUDES(state_->mutex);

 private:
  std::unique_ptr<CompactionJob> BeginJob(JobClass job_class, uint64_t now_nanos)
      LULL_EXCLUDES(state_->mutex);
  bool MayBeginLocked(JobClass job_class, uint64_t now_nanos) LULL_REQUIRES(state_->mutex);
  std::optional<CompactionPlan> PickLocked(JobClass job_class) LULL_REQUIRES(state_->mutex);
  void SetRoomLocked(JobClass job_class) LULL_REQUIRES(state_->mutex);
  void NothingPickedLocked(JobClass job_class, uint64_t now_nanos) LULL_REQUIRES(state_->mutex);
  std::unique_ptr<Compaction> NewCompaction(JobClass job_class, CompactionPlan plan,
                                            const LayoutOptions& layout, const VersionRef& version,
                                            SequenceNumber oldest_snapshot,
                                            const FilterUse& filter) const;
  void NoteFailure(const CompactionJob& job, const leveldb::Status& status)
      LULL_EXCLUDES(state_->mutex);
  void SetFilterAside(const FilterRef& filter, const leveldb::Status& why)
      LULL_EXCLUDES(state_->mutex);
  void TakeBack(std::unique_ptr<CompactionJob> part, bool merged, const leveldb::Status& status)
      LULL_EXCLUDES(state_->mutex);
  void Install(Compaction* compaction) LULL_EXCLUDES(state_->mutex);

  StoreContext* const context_;
  Coordinator* const coordinator_;
  StoreState* const state_;
  StoreReader* const reader_;
  const AppliedDirective* const applied_;
  VersionSet* const versions_;
  ObsoleteFiles* const obsolete_;
  ActivityStats* const activity_;
  SpaceGuard guard_;
};

}  // namespace lull
