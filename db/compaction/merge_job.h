// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// The jobs that write tables: a flush merges sealed memtables into one L0 table, a compaction
// merges tables of two levels into tables of the lower one. Both are the same merge; they differ in
// where entries come from, what may be dropped (DropRule) and where outputs are cut.
//
// A slice ends between two entries. Everything a job needs to go on is in the object: see Job.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "db/compaction/drop_rule.h"
#include "db/compaction/output_cutter.h"
#include "db/compaction/picker.h"
#include "db/compaction/table_outputs.h"
#include "db/context.h"
#include "db/read/read_view.h"
#include "db/read/table_cache.h"
#include "db/version/version_edit.h"
#include "db/write/memtables.h"
#include "leveldb/iterator.h"
#include "scheduler/job.h"
#include "util/key_filter.h"
#include "util/owned_counter.h"

namespace lull {

class MergeJob : public Job {
 public:
  leveldb::Status RunSlice(const SliceBudget& budget, Progress* progress) override;

  TableOutputs& outputs() { return outputs_; }
  const TableOutputs& outputs() const { return outputs_; }
  /// Bytes of the entries merged so far. Any thread.
  uint64_t input_bytes_done() const { return input_bytes_done_; }
  uint64_t written_bytes() const override {
    return outputs_.FinishedBytes() + outputs_.OpenTableBytes();
  }
  /// How much of its input it has had, in the measure of that input's size (for a compaction: of
  /// table files). Any thread.
  virtual uint64_t input_bytes_read() const { return input_bytes_done_; }
  /// Time spent in slices by Env::NowMicros, the clock of LevelDB's statistics.
  uint64_t busy_micros() const { return busy_micros_; }
  /// Of a job that failed: whether it could not read what it merges.
  bool input_failed() const { return input_failed_; }

 protected:
  MergeJob(JobClass job_class, StoreContext* context, int output_level, DropRule rule)
      : Job(job_class),
        context_(context),
        outputs_(context, output_level),
        rule_(std::move(rule)) {}

  /// The entries to merge; called once, by the first slice.
  virtual leveldb::Status OpenInput(std::unique_ptr<leveldb::Iterator>* input) = 0;
  /// Sees every entry that is kept, in order, before it is added. Whether the open output ends
  /// before it; only where `may_cut` is true.
  virtual bool CutBefore(const leveldb::Slice& internal_key, uint64_t output_bytes,
                         bool may_cut) = 0;

  StoreContext* const context_;

 private:
  leveldb::Status MergeSome(const SliceBudget& budget, Progress* progress);
  leveldb::Status MergeEntry();

  TableOutputs outputs_;
  DropRule rule_;
  std::unique_ptr<leveldb::Iterator> input_;
  OwnedCounter input_bytes_done_;
  uint64_t busy_micros_ = 0;
  bool input_failed_ = false;
};

class FlushJob final : public MergeJob {
 public:
  /// `sealed`: oldest first.
  FlushJob(StoreContext* context, std::vector<SealedMemTable> sealed,
           SequenceNumber oldest_snapshot);

  const std::vector<SealedMemTable>& sealed() const { return sealed_; }
  uint64_t memory_bytes() const;

  /// A filter over the keys of all outputs, once the job is done. Null under a comparator for which
  /// keys with different bytes may be equal.
  std::unique_ptr<const KeyFilter> TakeKeyFilter() { return std::move(key_filter_); }

 private:
  leveldb::Status OpenInput(std::unique_ptr<leveldb::Iterator>* input) override;
  bool CutBefore(const leveldb::Slice& internal_key, uint64_t, bool) override {
    if (key_filter_ != nullptr) key_filter_->Add(UserKeyOf(internal_key));
    return false;
  }

  const std::vector<SealedMemTable> sealed_;
  std::unique_ptr<KeyFilter> key_filter_;
};

/// With all inputs of the plan deleted: what is installed of a compaction, but for its outputs.
VersionEdit EditWithoutInputs(const CompactionPlan& plan);

class CompactionJob final : public MergeJob {
 public:
  /// `layout`: as it was when the plan was made.
  CompactionJob(JobClass job_class, StoreContext* context, TableCache* tables, CompactionPlan plan,
                const LayoutOptions& layout, VersionRef version, SequenceNumber oldest_snapshot);

  const CompactionPlan& plan() const { return plan_; }
  leveldb::Status RunSlice(const SliceBudget& budget, Progress* progress) override;
  uint64_t input_bytes_read() const override { return table_bytes_read_; }
  double share_done() const override;
  /// Of a job that failed, and is not run again: the range that another one would fail on as well.
  /// That of the one table which could not be read, where that is known; else the whole range.
  RunningRange RangeToAvoid() const;

 private:
  /// One that the merge draws from, and owns.
  struct Input {
    const leveldb::Iterator* iterator = nullptr;
    const TableFile* opened_last = nullptr;
  };

  leveldb::Status OpenInput(std::unique_ptr<leveldb::Iterator>* input) override;
  bool CutBefore(const leveldb::Slice& internal_key, uint64_t output_bytes, bool may_cut) override {
    return cutter_.CutBefore(internal_key, output_bytes, may_cut);
  }
  std::unique_ptr<leveldb::Iterator> OpenInputTable(const TableFile& file);
  leveldb::Status CheckOutputs();

  TableCache* const tables_;
  const CompactionPlan plan_;
  const VersionRef version_;  // keeps the inputs alive
  OwnedCounter table_bytes_read_;
  std::deque<Input> inputs_;  // in one place, since iterators point into it
  OutputCutter cutter_;
};

/// What nobody needs any more, and takes the file system's time to let go of.
struct Waste {
  std::vector<std::string> paths;          ///< files that the durable MANIFEST does not need
  std::vector<std::unique_ptr<Job>> jobs;  ///< that take their outputs with them
  bool empty() const { return paths.empty() && jobs.empty(); }
};

/// Lets go of it.
class CleanupJob final : public Job {
 public:
  CleanupJob(StoreContext* context, Waste waste)
      : Job(JobClass::kCleanup), context_(context), waste_(std::move(waste)) {}

  /// One file, or one job, a slice.
  leveldb::Status RunSlice(const SliceBudget& budget, Progress* progress) override;
  /// What is left of it.
  Waste TakeWaste() { return std::move(waste_); }

 private:
  void RemoveFile(const std::string& path);

  StoreContext* const context_;
  Waste waste_;
};

// A job of the coordinator as what it is. Its class says so: a CleanupJob is of kCleanup, a
// FlushJob of kFlush, and a CompactionJob of any other.

/// REQUIRES: it is one.
const CompactionJob& CompactionOf(const Job& job);
/// Moves the job out of `*job` if it is one; else returns null, and `*job` stays.
std::unique_ptr<CompactionJob> TakeCompaction(std::unique_ptr<Job>* job);
std::unique_ptr<CleanupJob> TakeCleanup(std::unique_ptr<Job>* job);

}  // namespace lull
