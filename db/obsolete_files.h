// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Files that nobody needs any more, and abandoned jobs with files of their own. The only place
// that deletes files of an open store: by clean-up jobs, since unlinking can block for long, and
// what is left at the close.
//
// What always holds: a file is added only once the durable MANIFEST does not need it, and deleted
// only while StoreGates::may_delete says so.
//
// Any thread. Lock order: after the store's mutex, before nothing.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "db/compaction/merge_job.h"
#include "db/context.h"
#include "db/gates.h"
#include "util/mutex.h"

namespace lull {

class ObsoleteFiles {
 public:
  /// `on_added` is called when there is something to clean up.
  ObsoleteFiles(StoreContext* context, const StoreGates* gates, std::function<void()> on_added);

  /// Paths.
  void Add(std::vector<std::string> paths) LULL_EXCLUDES(mutex_);
  /// Closing and removing its outputs can block, so a worker destroys it, not the monitor.
  void Add(std::unique_ptr<Job> job) LULL_EXCLUDES(mutex_);
  void Add(Waste waste) LULL_EXCLUDES(mutex_);

  /// A job that cleans up all there is now; null if there is nothing, or nothing may be deleted.
  std::unique_ptr<CleanupJob> TakeJob() LULL_EXCLUDES(mutex_);

  size_t FileCount() const LULL_EXCLUDES(mutex_);

  // At the close, when nothing else of the store runs.
  void DestroyJobs() LULL_EXCLUDES(mutex_);
  void DeleteAll() LULL_EXCLUDES(mutex_);

 private:
  bool MayDelete() const { return gates_->may_delete.load(std::memory_order_acquire); }

  StoreContext* const context_;
  const StoreGates* const gates_;
  const std::function<void()> on_added_;
  mutable Mutex mutex_;
  Waste waste_ LULL_GUARDED_BY(mutex_);
};

}  // namespace lull
