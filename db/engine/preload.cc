// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "db/engine/preload.h"

#include <algorithm>
#include <utility>

namespace lull {
namespace {

// With tables in the page cache, a job takes about as long as one slice of a compaction.
constexpr size_t kTablesPerJob = 8;
constexpr uint64_t kRetryNanos = 60'000'000'000;

}  // namespace

/// Opens one table per slice.
class Preload::OpenTables final : public Job {
 public:
  OpenTables(Preload* owner, std::vector<Waiting> tables)
      : owner_(owner), waiting_(std::move(tables)) {}
  ~OpenTables() override { owner_->job_exists_.store(false, std::memory_order_release); }

  leveldb::Status RunSlice(const SliceBudget&, Progress* progress) override {
    if (const TableRef table = waiting_.back().table.lock()) {
      if (waiting_.back().stays_open) {
        Open(table.get());
      } else {
        ReadContents(table.get());
      }
    }
    waiting_.pop_back();
    *progress = waiting_.empty() ? Progress::kDone : Progress::kMore;
    return leveldb::Status::OK();
  }

 private:
  void Open(TableFile* table) {
    owner_->tables_->OpenAhead(table);
    if (table->opened.load(std::memory_order_acquire) == nullptr) return;
    // A move since Begin can have brought the table to the deepest level. A filter there is only a
    // waste of memory.
    if (waiting_.back().has_key_filter) owner_->tables_->LoadKeyFilter(table);
    Pass(table, owner_->tables_->ReadContents(table));
  }
  void ReadContents(TableFile* table) {
    std::unique_ptr<TableReader> reader;
    if (!owner_->tables_->OpenPrivately(*table, &reader).ok()) return;
    Pass(table, lull::ReadContents(*reader));
  }
  void Pass(TableFile* table, const TableContents& contents) {
    if (contents.entries > 0) owner_->on_contents_(table, contents);
  }

  Preload* const owner_;
  std::vector<Waiting> waiting_;
};

void Preload::Begin(const Version& version) {
  // Leaves the other half to tables that reads open. In a store with more tables, most reads of
  // random keys need other tables than these.
  const size_t count_max = tables_->capacity() / 2;
  const int deepest = version.DeepestLevel();
  for (int level = 0; level < kLevels; ++level) {
    for (const TableRef& table : version.level(level)) {
      if (waiting_.size() == count_max) break;
      waiting_.push_back({table, /*stays_open=*/true, context_->HasKeyFilters(level, deepest)});
    }
  }
  std::reverse(waiting_.begin(), waiting_.end());
}

void Preload::ReadUnknownContents(const Version& version, uint64_t now_nanos) {
  const bool is_busy = !waiting_.empty() || job_exists_.load(std::memory_order_acquire);
  if (is_busy || now_nanos < retry_at_nanos_) return;
  retry_at_nanos_ = now_nanos + kRetryNanos;
  for (int level = kLevels - 1; level >= 0; --level) {
    for (const TableRef& table : version.level(level)) {
      if (table->contents.entries == 0) waiting_.push_back({table});
    }
  }
}

std::unique_ptr<Job> Preload::TakeJob() {
  if (waiting_.empty() || job_exists_.load(std::memory_order_acquire)) return nullptr;
  const size_t left = waiting_.size() - std::min(waiting_.size(), kTablesPerJob);
  std::vector<Waiting> tables(waiting_.begin() + static_cast<ptrdiff_t>(left), waiting_.end());
  waiting_.resize(left);
  job_exists_.store(true, std::memory_order_release);
  return std::make_unique<OpenTables>(this, std::move(tables));
}

}  // namespace lull
