// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Jobs that write tables. A flush merges sealed memtables into one L0 table.
// A compaction merges tables of two levels into tables of the deeper one. They share the merge.
// They differ in their inputs, in the entries that they drop (DropRule) and in where they cut
// outputs. One thread at a time, except where noted.
//
// A slice ends between two entries. The object contains everything that the next slice needs; see
// Job.
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "db/base/context.h"
#include "db/compaction/drop_rule.h"
#include "db/compaction/entry_filter.h"
#include "db/compaction/key_sample.h"
#include "db/compaction/output_cutter.h"
#include "db/compaction/parts.h"
#include "db/compaction/picker.h"
#include "db/compaction/table_outputs.h"
#include "db/memory/memtables.h"
#include "db/read/read_view.h"
#include "db/read/table_cache.h"
#include "db/version/version_edit.h"
#include "leveldb/iterator.h"
#include "lull/listener.h"
#include "scheduler/job.h"
#include "util/memory_charge.h"
#include "util/owned_counter.h"

namespace lull {

class MergeJob : public Job {
 public:
  leveldb::Status RunSlice(const SliceBudget& budget, Progress* progress) override;

  /// What listeners receive about the job, without its id, times and outcome.
  virtual JobInfo Describe() const = 0;

  /// From now on a compaction filter is asked about values. Call before the first slice.
  void FilterEntries(FilterUse use);
  /// Null: no filter is asked.
  const EntryFilter* filter() const { return filter_.get(); }

  TableOutputs& outputs() { return outputs_; }
  const TableOutputs& outputs() const { return outputs_; }
  /// Size of the keys and values merged so far, in bytes. Any thread.
  uint64_t input_bytes_done() const { return input_bytes_done_; }
  uint64_t written_bytes() const override {
    return outputs_.FinishedBytes() + outputs_.OpenTableBytes();
  }
  /// How much of the input was read so far, in bytes. Comparable with the input's size: for a
  /// compaction, bytes of table files, which can be compressed. Any thread.
  virtual uint64_t input_bytes_read() const { return input_bytes_done_; }
  /// Time spent in slices, measured by Env::NowMicros as in LevelDB's statistics.
  uint64_t busy_micros() const { return busy_micros_; }
  /// After a failure: whether reading the input failed.
  bool input_failed() const { return input_failed_; }

 protected:
  MergeJob(StoreContext* context, int output_level, DropRule rule)
      : context_(context),
        outputs_(context, output_level),
        rule_(std::move(rule)),
        charge_(&context->job_bytes) {}

  /// Moves to the first entry of the job.
  virtual void SeekToStart(leveldb::Iterator* input) { input->SeekToFirst(); }
  /// Whether an entry lies after the last one of the job.
  virtual bool IsPastEnd(const leveldb::Slice&) const { return false; }

  /// Opens the entries to merge. Called once, by the first slice.
  virtual leveldb::Status OpenInput(std::unique_ptr<leveldb::Iterator>* input) = 0;
  /// Called once after the last entry, before the input is released.
  virtual leveldb::Status EndInput() { return leveldb::Status::OK(); }
  /// Called for every entry to be kept, in order. Returns whether to end the current output before
  /// this entry. Must return false unless `may_cut`.
  virtual bool CutBefore(const leveldb::Slice& internal_key, uint64_t output_bytes,
                         bool may_cut) = 0;

  /// Memory of the inputs' buffers and of data collected about the output, in bytes.
  virtual uint64_t BufferBytes() const { return 0; }

  StoreContext* const context_;

 private:
  leveldb::Status MergeSome(const SliceBudget& budget, Progress* progress);
  leveldb::Status MergeEntry();
  leveldb::Status FilterEntry();
  leveldb::Status KeepEntry(const leveldb::Slice& key, const leveldb::Slice& value);

  TableOutputs outputs_;
  DropRule rule_;
  std::unique_ptr<EntryFilter> filter_;
  std::unique_ptr<leveldb::Iterator> input_;
  OwnedCounter input_bytes_done_;
  uint64_t busy_micros_ = 0;
  bool input_failed_ = false;
  MemoryCharge charge_;  // as of the end of the last slice
};

class FlushJob final : public MergeJob {
 public:
  /// `sealed`: oldest first.
  FlushJob(StoreContext* context, std::vector<SealedMemTable> sealed,
           SequenceNumber oldest_snapshot);

  JobInfo Describe() const override;
  const std::vector<SealedMemTable>& sealed() const { return sealed_; }
  /// Size of the memtables, in bytes.
  uint64_t memory_bytes() const;

  /// Returns the output's TableFile::sample_keys. Call once, after the job is done.
  std::vector<std::string> TakeKeySample() { return key_sample_.Take(); }

 private:
  leveldb::Status OpenInput(std::unique_ptr<leveldb::Iterator>* input) override;
  bool CutBefore(const leveldb::Slice& internal_key, uint64_t output_bytes, bool) override {
    key_sample_.Add(UserKeyOf(internal_key), output_bytes);
    return false;
  }

  const std::vector<SealedMemTable> sealed_;
  const SequenceNumber oldest_snapshot_;
  KeySample key_sample_;
};

/// An edit that removes all inputs of the plan from the Version. The caller adds the outputs.
VersionEdit EditWithoutInputs(const CompactionPlan& plan);

class Compaction;

/// The place of a job in its compaction. Default: the job has no Compaction and merges all keys, as
/// in unit tests.
struct PartPlace {
  Compaction* whole = nullptr;
  size_t index = 0;
  PartRange range;
};

class CompactionJob final : public MergeJob {
 public:
  /// `plan`: of this part. `layout`: the one that the plan was made with.
  CompactionJob(JobClass job_class, StoreContext* context, TableCache* tables, CompactionPlan plan,
                const LayoutOptions& layout, VersionRef version, SequenceNumber oldest_snapshot,
                PartPlace place = {});

  JobInfo Describe() const override;
  JobClass job_class() const { return job_class_; }
  /// The plan of this part.
  const CompactionPlan& plan() const { return plan_; }
  const PartPlace& place() const { return place_; }
  leveldb::Status RunSlice(const SliceBudget& budget, Progress* progress) override;
  uint64_t input_bytes_read() const override { return table_bytes_read_; }
  double share_done() const override;
  /// After a failure to read an input: the range in which another job would fail too. It is the
  /// range of the unreadable table if known, otherwise the plan's.
  RunningRange RangeToAvoid() const;

 private:
  /// One input of the merge. The merging iterator owns `iterator`.
  struct Input {
    const leveldb::Iterator* iterator = nullptr;
    const TableFile* opened_last = nullptr;
  };

  leveldb::Status OpenInput(std::unique_ptr<leveldb::Iterator>* input) override;
  bool CutBefore(const leveldb::Slice& internal_key, uint64_t output_bytes, bool may_cut) override {
    return cutter_.CutBefore(internal_key, output_bytes, may_cut);
  }
  void SeekToStart(leveldb::Iterator* input) override;
  bool IsPastEnd(const leveldb::Slice& internal_key) const override;
  uint64_t BufferBytes() const override { return inputs_.size() * WindowBytes(); }
  size_t WindowBytes() const;
  std::unique_ptr<leveldb::Iterator> OpenInputTable(const TableFile& file);
  leveldb::Status EndInput() override;
  leveldb::Status CheckOutputs() const;

  const JobClass job_class_;
  TableCache* const tables_;
  const CompactionPlan plan_;
  const PartPlace place_;
  const VersionRef version_;  // keeps the inputs alive
  OwnedCounter table_bytes_read_;
  std::deque<Input> inputs_;  // a deque, since iterators point into it
  OutputCutter cutter_;
};

}  // namespace lull
