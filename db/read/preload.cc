// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "db/read/preload.h"

#include <algorithm>
#include <utility>

namespace lull {
namespace {

// About a worker's time of one compaction slice if the tables are in the page cache.
constexpr size_t kTablesPerJob = 8;

}  // namespace

/// Opens one table per slice.
class Preload::OpenTables final : public Job {
 public:
  OpenTables(Preload* owner, VersionRef version, std::vector<TableFile*> tables)
      : Job(JobClass::kPreload),
        owner_(owner),
        version_(std::move(version)),
        waiting_(std::move(tables)) {}
  ~OpenTables() override { owner_->job_exists_.store(false, std::memory_order_release); }

  leveldb::Status RunSlice(const SliceBudget&, Progress* progress) override {
    owner_->tables_->OpenAhead(waiting_.back());
    waiting_.pop_back();
    *progress = waiting_.empty() ? Progress::kDone : Progress::kMore;
    // The monitor destroys the job. If this is the last reference, files close here instead.
    if (waiting_.empty()) version_.reset();
    return leveldb::Status::OK();
  }

 private:
  Preload* const owner_;
  VersionRef version_;
  std::vector<TableFile*> waiting_;
};

void Preload::Begin(VersionRef version) {
  // The other half is for the tables that reads choose. At random keys, most reads of a store with
  // more tables than that need others than these.
  const size_t count_max = tables_->capacity() / 2;
  for (int level = 0; level < kLevels; ++level) {
    for (const TableRef& table : version->level(level)) {
      if (waiting_.size() == count_max) break;
      waiting_.push_back(table.get());
    }
  }
  std::reverse(waiting_.begin(), waiting_.end());
  if (!waiting_.empty()) version_ = std::move(version);
}

std::unique_ptr<Job> Preload::TakeJob() {
  if (waiting_.empty() || job_exists_.load(std::memory_order_acquire)) return nullptr;
  const size_t left = waiting_.size() - std::min(waiting_.size(), kTablesPerJob);
  std::vector<TableFile*> tables(waiting_.begin() + static_cast<ptrdiff_t>(left), waiting_.end());
  waiting_.resize(left);
  VersionRef version = left > 0 ? version_ : std::move(version_);
  job_exists_.store(true, std::memory_order_release);
  return std::make_unique<OpenTables>(this, std::move(version), std::move(tables));
}

}  // namespace lull
