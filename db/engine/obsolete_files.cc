// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "db/engine/obsolete_files.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include "util/logging.h"

namespace lull {

class ObsoleteFiles::CleanupJob final : public Job {
 public:
  CleanupJob(ObsoleteFiles* owner, Batch batch) : owner_(owner), batch_(std::move(batch)) {}
  ~CleanupJob() override { owner_->AddAgain(std::move(batch_)); }

  leveldb::Status RunSlice(const SliceBudget&, Progress* progress) override {
    if (!batch_.jobs.empty()) {
      batch_.jobs.pop_back();
    } else if (!batch_.paths.empty()) {
      RemoveFile(batch_.paths.back());
      owner_->Removed(batch_.paths.back());
      batch_.paths.pop_back();
    }
    *progress = batch_.empty() ? Progress::kDone : Progress::kMore;
    return leveldb::Status::OK();
  }

 private:
  void RemoveFile(const std::string& path) {
    StoreContext* const context = owner_->context_;
    leveldb::Status status = context->RemoveFile(path);
    if (status.IsNotFound()) {
      const std::optional<ParsedFileName> parsed =
          ParseFileName(path.substr(context->name.size() + 1));
      // Old versions of LevelDB named a table .sst.
      if (parsed && parsed->kind == FileKind::kTable)
        status = context->RemoveFile(LegacyTableFileName(context->name, parsed->number));
    }
    if (!status.ok() && !status.IsNotFound())
      Log(context->logger(), "%s was not deleted: %s", path.c_str(), status.ToString().c_str());
  }

  ObsoleteFiles* const owner_;
  Batch batch_;
};

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
    if (!files_.emplace(path, File{bytes, added_ + 1}).second) return;
    ++added_;
    bytes_ += bytes;
    batch_.paths.push_back(std::move(path));
  }
  on_added_();
}

void ObsoleteFiles::Add(std::vector<std::unique_ptr<Job>> jobs) { AddAgain({{}, std::move(jobs)}); }

void ObsoleteFiles::AddAgain(Batch batch) {
  if (batch.empty()) return;
  {
    MutexLock lock(mutex_);
    std::ranges::move(batch.paths, std::back_inserter(batch_.paths));
    std::ranges::move(batch.jobs, std::back_inserter(batch_.jobs));
  }
  on_added_();
}

std::unique_ptr<Job> ObsoleteFiles::TakeJob() {
  MutexLock lock(mutex_);
  if (batch_.empty() || !flags_->MayDelete()) return nullptr;
  return std::make_unique<CleanupJob>(this, std::exchange(batch_, {}));
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
    if (flags_->MayDelete()) paths.swap(batch_.paths);
  }
  for (const std::string& path : paths) context_->RemoveFile(path);
}

}  // namespace lull
