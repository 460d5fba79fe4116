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
#include "db/base/thread_roles.h"
#include "db/compaction/compaction.h"
#include "db/compaction/merge_job.h"
#include "db/engine/engine_parts.h"
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
  Compactions(const EngineParts& parts, VersionSet* versions);

  // ---- monitor; see Tenant. The jobs are parts of compactions.

  /// Begins the next part of a running compaction, or the first part of a new one.
  bool BeginJob(JobClass job_class, JobId id) LULL_EXCLUDES(state_->mutex());
  void JobEnded(JobId id, const leveldb::Status& status) LULL_EXCLUDES(state_->mutex());
  void AbandonJob(JobId id) LULL_EXCLUDES(state_->mutex());
  std::vector<JobId> BlockersOfL0(const std::vector<JobId>& deep) LULL_EXCLUDES(state_->mutex());

  /// The output of compactions that wait for disk space, in bytes; 0 if none does. Any thread.
  uint64_t bytes_awaiting_space() const { return guard_.bytes_awaited(); }

  // ---- flush thread

  /// Installs the compaction that has waited longest. Returns 0 if one did, since more can wait.
  std::optional<uint64_t> InstallOne() LULL_REQUIRES(kFlushThread) LULL_EXCLUDES(state_->mutex());

 private:
  bool BeginPart(JobClass job_class, JobId id, uint64_t now_nanos) LULL_EXCLUDES(state_->mutex());
  bool MayBeginLocked(JobClass job_class, uint64_t now_nanos) LULL_REQUIRES(state_->mutex());
  std::optional<CompactionPlan> PickLocked(JobClass job_class) LULL_REQUIRES(state_->mutex());
  void SetOutputLimitLocked(JobClass job_class) LULL_REQUIRES(state_->mutex());
  void NothingPickedLocked(JobClass job_class, uint64_t now_nanos) LULL_REQUIRES(state_->mutex());
  /// What a part needs besides the plan.
  struct PartInputs {
    LayoutOptions layout;
    VersionRef version;
    SequenceNumber oldest_snapshot = 0;
    FilterUse filter;
  };
  std::vector<std::unique_ptr<CompactionJob>> MakeParts(Compaction* compaction,
                                                        const PartInputs& inputs) const;
  void NoteFailure(const CompactionJob& job, const leveldb::Status& status)
      LULL_EXCLUDES(state_->mutex());
  void SetFilterAside(const FilterRef& filter, const leveldb::Status& why)
      LULL_EXCLUDES(state_->mutex());
  void TakeBack(JobId id, bool merged, const leveldb::Status& status)
      LULL_EXCLUDES(state_->mutex());
  void Install(Compaction* compaction) LULL_REQUIRES(kFlushThread) LULL_EXCLUDES(state_->mutex());

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
