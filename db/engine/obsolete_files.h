// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// ObsoleteFiles: files that the store no longer needs, and abandoned jobs that own files. The only
// code that deletes files that were part of an open store. Clean-up jobs do the deleting, since
// unlinking can block for long; the close deletes the rest. A clean-up job that is destroyed early
// adds what is left of its work again.
//
// Invariants: a file is added only after the durable MANIFEST no longer needs it, or while the
// store is frozen: a new MANIFEST without it then comes before its deletion. A job that deletes
// files begins only while PublishedFlags::MayDelete.
//
// Any thread. Lock order: after the store's mutex; no lock is taken under it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "db/base/context.h"
#include "db/base/filename.h"
#include "db/base/published_flags.h"
#include "scheduler/job.h"
#include "util/mutex.h"

namespace lull {

class ObsoleteFiles {
 public:
  /// `on_added` is called after something was added.
  ObsoleteFiles(StoreContext* context, const PublishedFlags* flags, std::function<void()> on_added);

  /// Adds files, as full paths. Asks the file system for their sizes. A file that is already there
  /// is not added again.
  void Add(const std::vector<std::string>& paths) LULL_EXCLUDES(mutex_);
  /// Adds a file of known size.
  void Add(std::string path, uint64_t bytes) LULL_EXCLUDES(mutex_);
  /// A worker destroys the jobs, not the monitor: closing and removing their outputs can block.
  void Add(std::vector<std::unique_ptr<Job>> jobs) LULL_EXCLUDES(mutex_);

  /// Returns a job that cleans up everything added so far; null if there is nothing, or if nothing
  /// can be deleted now. It deletes one file or one job per slice.
  std::unique_ptr<Job> TakeJob() LULL_EXCLUDES(mutex_);

  /// The files that still exist, including those of unfinished clean-up jobs.
  FileTotals Totals() const LULL_EXCLUDES(mutex_);
  /// The number of files added so far.
  uint64_t AddedCount() const LULL_EXCLUDES(mutex_);
  /// Whether some of the first `added` files still exists.
  bool HasSomeOf(uint64_t added) const LULL_EXCLUDES(mutex_);

  // At the close, after all other work of the store has ended.
  void DestroyJobs() LULL_EXCLUDES(mutex_);
  void DeleteAll() LULL_EXCLUDES(mutex_);

 private:
  class CleanupJob;
  /// What must be deleted.
  struct Batch {
    std::vector<std::string> paths;
    std::vector<std::unique_ptr<Job>> jobs;  // these delete their outputs
    bool empty() const { return paths.empty() && jobs.empty(); }
  };

  void AddAgain(Batch batch) LULL_EXCLUDES(mutex_);
  void Removed(const std::string& path) LULL_EXCLUDES(mutex_);

  StoreContext* const context_;
  const PublishedFlags* const flags_;
  const std::function<void()> on_added_;
  mutable Mutex mutex_;
  Batch batch_ LULL_GUARDED_BY(mutex_);
  struct File {
    uint64_t bytes = 0;
    uint64_t number = 0;  // in the order of Add
  };
  // The files of batch_ and of clean-up jobs, by path.
  std::unordered_map<std::string, File> files_ LULL_GUARDED_BY(mutex_);
  uint64_t added_ LULL_GUARDED_BY(mutex_) = 0;
  uint64_t bytes_ LULL_GUARDED_BY(mutex_) = 0;  // of files_
};

}  // namespace lull
