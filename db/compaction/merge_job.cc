// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "db/compaction/merge_job.h"

#include <algorithm>
#include <optional>
#include <span>
#include <utility>

#include "db/compaction/compaction.h"
#include "table/merging_iterator.h"
#include "util/logging.h"
#include "util/thread.h"

namespace lull {
namespace {

constexpr uint64_t kClockEveryBytes = 16 << 10;

// Limits on the read-ahead of a compaction's inputs: all together, and each.
constexpr size_t kWindowsBytes = 1 << 20;
constexpr size_t kWindowBytesMin = 16 << 10;
constexpr size_t kWindowBytesMax = 256 << 10;

}  // namespace

void MergeJob::FilterEntries(FilterUse use) {
  outputs_.SetFilterPass(use.pass);
  filter_ = std::make_unique<EntryFilter>(std::move(use), outputs_.level());
}

leveldb::Status MergeJob::RunSlice(const SliceBudget& budget, Progress* progress) {
  const uint64_t began_micros = context_->env()->NowMicros();
  SliceBudget until = budget;
  until.nanos += context_->pace.clock->NowNanos();
  leveldb::Status status;
  if (input_ == nullptr) {
    status = OpenInput(&input_);
    input_failed_ = !status.ok();
    if (status.ok()) SeekToStart(input_.get());
  }
  if (status.ok()) status = MergeSome(until, progress);
  charge_.Set((input_ == nullptr ? 0 : BufferBytes()) + outputs_.BufferBytes());
  // The Env's clock can be set back.
  busy_micros_ += std::max(context_->env()->NowMicros(), began_micros) - began_micros;
  return status;
}

/// `until.nanos` is a point in time, not a duration.
leveldb::Status MergeJob::MergeSome(const SliceBudget& until, Progress* progress) {
  uint64_t bytes = 0;
  uint64_t clock_at_bytes = kClockEveryBytes;
  while (input_->Valid() && !IsPastEnd(input_->key())) {
    const uint64_t entry_bytes = input_->key().size() + input_->value().size();
    leveldb::Status status = MergeEntry();
    if (!status.ok()) return status;
    input_->Next();
    bytes += entry_bytes;
    input_bytes_done_ += entry_bytes;
    if (bytes < clock_at_bytes) continue;
    clock_at_bytes = bytes + kClockEveryBytes;
    if (until.offers_core) OfferCore();
    if (bytes >= until.bytes || context_->pace.clock->NowNanos() >= until.nanos) {
      *progress = Progress::kMore;
      return status;
    }
  }
  leveldb::Status status = input_->status();
  input_failed_ = !status.ok();
  if (status.ok()) status = EndInput();
  if (status.ok()) {
    input_.reset();  // releases memory: the job can wait for its install
    status = outputs_.FinishTable();
  }
  *progress = Progress::kDone;
  return status;
}

leveldb::Status MergeJob::MergeEntry() {
  const leveldb::Slice key = input_->key();
  const bool drop = rule_.ShouldDrop(key);
  // Written again, a damaged key would get a valid checksum, and could land in the wrong range.
  if (rule_.IsDamaged()) {
    return leveldb::Status::Corruption("a table holds keys that are malformed or out of order",
                                       EscapeBytes(key));
  }
  if (drop) return leveldb::Status::OK();
  if (filter_ != nullptr && rule_.IsFilterable()) return FilterEntry();
  return KeepEntry(key, input_->value());
}

/// A dropped value becomes a deletion where older values could otherwise reappear. Older entries in
/// this merge are hidden either way.
leveldb::Status MergeJob::FilterEntry() {
  const leveldb::Slice key = input_->key();
  bool drop = false;
  leveldb::Status status = filter_->Ask(UserKeyOf(key), input_->value(), &drop);
  if (!status.ok()) return status;
  if (!drop) return KeepEntry(key, input_->value());
  return rule_.NeedsDeletion() ? KeepEntry(filter_->DeletionOf(key), leveldb::Slice()) : status;
}

leveldb::Status MergeJob::KeepEntry(const leveldb::Slice& key, const leveldb::Slice& value) {
  const bool may_cut = outputs_.HasOpenTable() && !rule_.SameUserKeyAsBefore();
  const bool wants_cut = CutBefore(key, outputs_.OpenTableBytes(), may_cut);
  if (wants_cut || (may_cut && outputs_.IsIndexFull(key))) {
    leveldb::Status status = outputs_.FinishTable();
    if (!status.ok()) return status;
  }
  return outputs_.Add(key, value);
}

FlushJob::FlushJob(StoreContext* context, std::vector<SealedMemTable> sealed,
                   SequenceNumber oldest_snapshot)
    : MergeJob(context, 0, DropRule(context->order, oldest_snapshot, nullptr, 0)),
      sealed_(std::move(sealed)),
      oldest_snapshot_(oldest_snapshot) {
  outputs().SetDeletionsSince(sealed_.front().begun_seconds);
  if (context->HasKeyFilters(0, 0)) outputs().BuildKeyFilters();
}

JobInfo FlushJob::Describe() const {
  JobInfo info;
  info.kind = JobKind::kFlush;
  info.input_files = sealed_.size();
  info.input_bytes = memory_bytes();
  return info;
}

uint64_t FlushJob::memory_bytes() const {
  uint64_t bytes = 0;
  for (const SealedMemTable& sealed : sealed_) bytes += sealed.memory_bytes;
  return bytes;
}

leveldb::Status FlushJob::OpenInput(std::unique_ptr<leveldb::Iterator>* input) {
  std::vector<std::unique_ptr<leveldb::Iterator>> children;
  for (const SealedMemTable& sealed : sealed_)
    children.push_back(sealed.memtable->NewIterator(oldest_snapshot_, kMaxSequence));
  *input = NewMergingIterator(context_->order, std::move(children));
  return leveldb::Status::OK();
}

CompactionJob::CompactionJob(JobClass job_class, StoreContext* context, TableCache* tables,
                             CompactionPlan plan, const LayoutOptions& layout, VersionRef version,
                             SequenceNumber oldest_snapshot, PartPlace place)
    : MergeJob(context, plan.output_level,
               DropRule(context->order, oldest_snapshot, version, plan.output_level)),
      job_class_(job_class),
      tables_(tables),
      plan_(std::move(plan)),
      place_(std::move(place)),
      version_(std::move(version)),
      cutter_(context->order, CutRuleFor(layout, plan_.output_level), plan_.grandparents,
              plan_.fences) {
  outputs().SetDeletionsSince(plan_.deletions_since);
  if (context->HasKeyFilters(plan_.output_level, version_->DeepestLevel()))
    outputs().BuildKeyFilters();
}

JobInfo CompactionJob::Describe() const {
  JobInfo info;
  info.kind = job_class_ == JobClass::kManual ? JobKind::kManualCompaction
              : job_class_ == JobClass::kL0   ? JobKind::kL0Compaction
                                              : JobKind::kDeepCompaction;
  info.input_level = plan_.level;
  info.output_level = plan_.output_level;
  info.trivial_move = plan_.trivial_move;
  info.input_files = plan_.upper.size() + plan_.lower.size();
  info.input_bytes = plan_.input_bytes;
  return info;
}

leveldb::Status CompactionJob::RunSlice(const SliceBudget& budget, Progress* progress) {
  const bool is_cancelled = place_.whole != nullptr && place_.whole->is_cancelled();
  if (plan_.trivial_move || is_cancelled) {
    *progress = Progress::kDone;
    return leveldb::Status::OK();
  }
  const leveldb::Status status = MergeJob::RunSlice(budget, progress);
  return status.ok() && *progress == Progress::kDone ? CheckOutputs() : status;
}

void CompactionJob::SeekToStart(leveldb::Iterator* input) {
  const std::optional<std::string>& begin = place_.range.begin;
  begin ? input->Seek(LookupKey(*begin, kMaxSequence).internal_key()) : input->SeekToFirst();
}

bool CompactionJob::IsPastEnd(const leveldb::Slice& internal_key) const {
  const std::optional<std::string>& end = place_.range.end;
  // The merge reports a malformed key.
  return end && context_->order.Comparable(internal_key) &&
         context_->order.CompareUser(UserKeyOf(internal_key), *end) >= 0;
}

/// Checks that no table has keys after its last key in the MANIFEST that belong to another part.
/// That part does not read the table, so the keys would be lost.
leveldb::Status CompactionJob::EndInput() {
  const std::optional<std::string>& end = place_.range.end;
  for (const Input& input : inputs_) {
    if (end && input.iterator->Valid() &&
        context_->order.CompareUser(input.opened_last->largest_user(), *end) < 0) {
      return leveldb::Status::Corruption("a table ends after the key in the MANIFEST",
                                         EscapeBytes(input.iterator->key()));
    }
  }
  inputs_.clear();
  return leveldb::Status::OK();
}

VersionEdit EditWithoutInputs(const CompactionPlan& plan) {
  VersionEdit edit;
  for (const TableRef& file : plan.upper)
    edit.deleted_tables.emplace_back(plan.level, file->number());
  for (const TableRef& file : plan.lower)
    edit.deleted_tables.emplace_back(plan.output_level, file->number());
  return edit;
}

/// Checks that the outputs fit where the inputs were. They do not fit if a table holds keys outside
/// the range in the MANIFEST. This is damage in one range, and must not become an edit that no
/// Version can apply.
leveldb::Status CompactionJob::CheckOutputs() const {
  VersionEdit edit = EditWithoutInputs(plan_);
  edit.new_tables = outputs().finished();
  VersionBuilder builder(version_, DescribedTable);
  VersionRef result;
  const leveldb::Status status = builder.Apply(edit);
  return status.ok() ? builder.Build(&result) : status;
}

double CompactionJob::share_done() const {
  const auto whole = static_cast<double>(std::max<uint64_t>(plan_.input_bytes, 1));
  return std::min(1.0, static_cast<double>(input_bytes_read()) / whole);
}

/// Each input has one window. All tables of a level below L0 are one input.
size_t CompactionJob::WindowBytes() const {
  const size_t windows = (plan_.level == 0 ? plan_.upper.size() : 1) + 1;
  return std::clamp(kWindowsBytes / windows, kWindowBytesMin, kWindowBytesMax);
}

/// Never null: on failure, the iterator has an error status. The iterator owns its reader.
std::unique_ptr<leveldb::Iterator> CompactionJob::OpenInputTable(const TableFile& file) {
  const std::optional<std::string>& begin = place_.range.begin;
  const std::optional<std::string>& end = place_.range.end;
  // Where the table ends within the range by the MANIFEST, the checks must see all of it.
  TablePart part;
  const auto bound = [](const std::string& user_key) {
    return LookupKey(user_key, kMaxSequence).internal_key().ToString();
  };
  if (begin && context_->order.CompareUser(file.smallest_user(), *begin) < 0)
    part.begin = bound(*begin);
  if (end && context_->order.CompareUser(file.largest_user(), *end) >= 0) part.end = bound(*end);
  std::unique_ptr<TableReader> reader;
  const leveldb::Status status = tables_->OpenPrivately(file, &reader, &part);
  if (!status.ok()) return std::unique_ptr<leveldb::Iterator>(leveldb::NewErrorIterator(status));
  BlockReadOptions options;
  // Damage must not be rewritten under a fresh checksum.
  options.verify_checksums = true;
  options.fill_cache = false;
  options.readahead_bytes = WindowBytes();
  options.bytes_entered = &table_bytes_read_;
  std::unique_ptr<leveldb::Iterator> iterator = reader->NewIterator(options);
  iterator->RegisterCleanup([](void* owned, void*) { delete static_cast<TableReader*>(owned); },
                            reader.release(), nullptr);
  // As EndInput, for the other end of the table. The merge reads this block next anyway.
  if (begin && !part.begin) {
    iterator->SeekToFirst();
    if (iterator->Valid() && context_->order.Comparable(iterator->key()) &&
        context_->order.CompareUser(UserKeyOf(iterator->key()), *begin) < 0) {
      return std::unique_ptr<leveldb::Iterator>(
          leveldb::NewErrorIterator(leveldb::Status::Corruption(
              "a table begins before the key in the MANIFEST", EscapeBytes(iterator->key()))));
    }
  }
  return iterator;
}

leveldb::Status CompactionJob::OpenInput(std::unique_ptr<leveldb::Iterator>* input) {
  std::vector<std::unique_ptr<leveldb::Iterator>> children;
  const auto add = [&](std::span<const TableRef> files) {
    Input& added = inputs_.emplace_back();
    const auto open = [this, &added](TableFile* file) {
      added.opened_last = file;
      return OpenInputTable(*file);
    };
    children.push_back(files.size() == 1 ? open(files.front().get())
                                         : NewLevelIterator(context_->order, files, open));
    added.iterator = children.back().get();
  };
  const auto add_level = [&](int level, const std::vector<TableRef>& files) {
    if (level == 0) {
      for (const TableRef& file : files) add({&file, 1});
    } else if (!files.empty()) {
      add(files);
    }
  };
  add_level(plan_.level, plan_.upper);
  add_level(plan_.output_level, plan_.lower);
  *input = NewMergingIterator(context_->order, std::move(children));
  return leveldb::Status::OK();
}

RunningRange CompactionJob::RangeToAvoid() const {
  RunningRange range = plan_.range;
  for (const Input& input : inputs_) {
    if (input.iterator->status().ok()) continue;
    range.smallest_user = input.opened_last->smallest_user().ToString();
    range.largest_user = input.opened_last->largest_user().ToString();
    break;
  }
  return range;
}

}  // namespace lull
