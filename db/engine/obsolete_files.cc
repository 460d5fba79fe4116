// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "db/engine/obsolete_files.h"

#include <algorithm>
#include <utility>

namespace lull {

ObsoleteFiles::ObsoleteFiles(StoreContext* context, const PublishedFlags* flags,
                             std::function<void()> on_added)
    : context_(context), flags_(flags), on_added_(std::move(on_added)) {}

void ObsoleteFiles::Add(const std::vector<std::string>& paths) {
  for (const std::string& path : paths) {
    uint64_t bytes = 0;
    context_->env()->GetFileSize(path, &bytes);  // 0 if it is already gone
    Add(path, bytes);
  }
}

void ObsoleteFiles::Add(std::string path, uint64_t bytes) {
  {
    MutexLock lock(mutex_);
    if (files_.emplace(path, File{bytes, ++added_}).second) bytes_ += bytes;
    batch_.paths.push_back(std::move(path));
  }
  on_added_();
}

void ObsoleteFiles::Add(ObsoleteBatch batch) {
  if (batch.empty()) return;
  {
    MutexLock lock(mutex_);
    for (std::string& path : batch.paths) batch_.paths.push_back(std::move(path));
    for (std::unique_ptr<Job>& job : batch.jobs) batch_.jobs.push_back(std::move(job));
  }
  on_added_();
}

std::unique_ptr<CleanupJob> ObsoleteFiles::TakeJob() {
  MutexLock lock(mutex_);
  if (batch_.empty() || !MayDelete()) return nullptr;
  return std::make_unique<CleanupJob>(context_, std::exchange(batch_, {}),
                                      [this](const std::string& path) { Removed(path); });
}

void ObsoleteFiles::Removed(const std::string& path) {
  MutexLock lock(mutex_);
  const auto found = files_.find(path);
  if (found == files_.end()) return;
  bytes_ -= found->second.bytes;
  files_.erase(found);
}

FileTotals ObsoleteFiles::Totals() const {
  MutexLock lock(mutex_);
  return {files_.size(), bytes_};
}

uint64_t ObsoleteFiles::AddedCount() const {
  MutexLock lock(mutex_);
  return added_;
}

bool ObsoleteFiles::HasSomeOf(uint64_t added) const {
  MutexLock lock(mutex_);
  return std::any_of(files_.begin(), files_.end(),
                     [&](const auto& file) { return file.second.number <= added; });
}

void ObsoleteFiles::DestroyJobs() {
  std::vector<std::unique_ptr<Job>> jobs;
  MutexLock lock(mutex_);
  jobs.swap(batch_.jobs);
}

void ObsoleteFiles::DeleteAll() {
  std::vector<std::string> paths;
  {
    MutexLock lock(mutex_);
    if (MayDelete()) paths.swap(batch_.paths);
  }
  for (const std::string& path : paths) context_->RemoveFile(path);
}

}  // namespace lull
