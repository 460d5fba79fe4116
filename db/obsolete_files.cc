// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "db/obsolete_files.h"

#include <utility>

namespace lull {

ObsoleteFiles::ObsoleteFiles(StoreContext* context, const StoreGates* gates,
                             std::function<void()> on_added)
    : context_(context), gates_(gates), on_added_(std::move(on_added)) {}

void ObsoleteFiles::Add(std::vector<std::string> paths) { Add(Waste{std::move(paths), {}}); }

void ObsoleteFiles::Add(Waste waste) {
  if (waste.empty()) return;
  {
    MutexLock lock(mutex_);
    for (std::string& path : waste.paths) waste_.paths.push_back(std::move(path));
    for (std::unique_ptr<Job>& job : waste.jobs) waste_.jobs.push_back(std::move(job));
  }
  on_added_();
}

std::unique_ptr<CleanupJob> ObsoleteFiles::TakeJob() {
  MutexLock lock(mutex_);
  if (waste_.empty() || !MayDelete()) return nullptr;
  return std::make_unique<CleanupJob>(context_, std::exchange(waste_, {}));
}

size_t ObsoleteFiles::FileCount() const {
  MutexLock lock(mutex_);
  return waste_.paths.size();
}

void ObsoleteFiles::DestroyJobs() {
  std::vector<std::unique_ptr<Job>> jobs;
  MutexLock lock(mutex_);
  jobs.swap(waste_.jobs);
}

void ObsoleteFiles::DeleteAll() {
  std::vector<std::string> paths;
  {
    MutexLock lock(mutex_);
    if (MayDelete()) paths.swap(waste_.paths);
  }
  for (const std::string& path : paths) context_->env()->RemoveFile(path);
}

}  // namespace lull
