// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "db/compaction/ingestion.h"

#include <algorithm>
#include <utility>

#include "leveldb/iterator.h"
#include "util/logging.h"
#include "util/memory_charge.h"

namespace lull {
namespace {

using leveldb::Slice;
using leveldb::Status;

constexpr size_t kReadaheadBytes = 256 << 10;
// A table that lands in L0 is not cut for a level; this limits its index and filter.
constexpr uint64_t kL0TableBytesMax = 64 << 20;

BlockReadOptions ReadOptions(size_t readahead_bytes) {
  BlockReadOptions options;
  options.verify_checksums = true;
  options.fill_cache = false;
  options.readahead_bytes = readahead_bytes;
  return options;
}

CutRule RuleFor(const LayoutOptions& layout, int level) {
  if (level > 0) return CutRuleFor(layout, level);
  CutRule rule;
  rule.table_bytes_max = kL0TableBytesMax;
  rule.overlap_bytes_max = UINT64_MAX;
  return rule;
}

}  // namespace

int LevelFor(const Version& version, const std::vector<RunningRange>& running,
             const UserRange& range) {
  const auto is_free = [&](int level) {
    const RunningRange place = {level, level, *range.smallest, *range.largest};
    return version.Overlapping(level, range).empty() && !Conflicts(version.order(), place, running);
  };
  int level = 0;
  if (!is_free(level)) return level;
  while (level + 1 < kLevels && is_free(level + 1)) ++level;
  return level;
}

Status Ingestion::OpenReader(const std::string& path, uint64_t* file_bytes,
                             std::unique_ptr<TableReader>* reader) const {
  leveldb::RandomAccessFile* file = nullptr;
  Status status = context_->env()->GetFileSize(path, file_bytes);
  if (status.ok()) status = context_->env()->NewRandomAccessFile(path, &file);
  if (!status.ok()) return status;
  TableReadOptions options;
  options.order = KeyOrder(context_->order.user(), KeyOrder::Keys::kUser);
  options.file_name = path;
  return TableReader::Open(options, std::unique_ptr<leveldb::RandomAccessFile>(file), *file_bytes,
                           reader);
}

Status Ingestion::AddSource(const std::string& path) {
  std::unique_ptr<TableReader> reader;
  uint64_t file_bytes = 0;
  Status status = OpenReader(path, &file_bytes, &reader);
  if (status.ok()) status = reader->CheckMetaBlocks();
  if (!status.ok()) return status;
  input_bytes_ += file_bytes;
  std::string contents;
  if (!reader->ReadMetaBlock(TableContents::kBlockName, &contents).IsNotFound()) {
    return Status::InvalidArgument(
        path, "is a table of a store, with internal keys; to copy it, read that store");
  }
  const std::unique_ptr<leveldb::Iterator> entry = reader->NewIterator(ReadOptions(0));
  entry->SeekToFirst();
  if (!entry->Valid()) {
    return entry->status().ok()
               ? Status::InvalidArgument(path, "has no entries; leave it out of the list")
               : entry->status();
  }
  Source source = {path, {entry->key().ToString(), std::nullopt}};
  entry->SeekToLast();
  if (!entry->Valid()) return entry->status();
  source.range.largest = entry->key().ToString();
  sources_.push_back(std::move(source));
  return entry->status();
}

Status Ingestion::Open(const std::vector<std::string>& paths) {
  if (paths.empty())
    return Status::InvalidArgument("IngestTables: the list of tables is empty; name at least one");
  for (const std::string& path : paths) {
    const Status status = AddSource(path);
    if (!status.ok()) return status;
  }
  std::stable_sort(sources_.begin(), sources_.end(), [this](const Source& a, const Source& b) {
    return context_->order.CompareUser(*a.range.smallest, *b.range.smallest) < 0;
  });
  for (size_t i = 1; i < sources_.size(); ++i) {
    const Source& before = sources_[i - 1];
    const Source& source = sources_[i];
    if (context_->order.CompareUser(*before.range.largest, *source.range.smallest) < 0) continue;
    return Status::InvalidArgument(
        source.path, "begins at key \"" + EscapeBytes(*source.range.smallest) +
                         "\", before the end of " + before.path + " at \"" +
                         EscapeBytes(*before.range.largest) +
                         "\"; ingest overlapping tables one after another, oldest first");
  }
  return Status::OK();
}

Status Ingestion::CheckOrder(const Source& source, const Slice& key) const {
  if (!has_last_key_ || context_->order.CompareUser(last_key_, key) < 0) return Status::OK();
  return Status::InvalidArgument(
      source.path, "key \"" + EscapeBytes(key) + "\" does not follow \"" + EscapeBytes(last_key_) +
                       "\" in the order of " + context_->order.user()->Name() +
                       "; build the table with the store's comparator, each key once");
}

Status Ingestion::CopySource(const Source& source, SequenceNumber sequence, OutputCutter* cutter) {
  std::unique_ptr<TableReader> reader;
  uint64_t file_bytes = 0;
  Status status = OpenReader(source.path, &file_bytes, &reader);
  if (!status.ok()) return status;
  const std::unique_ptr<leveldb::Iterator> entry =
      reader->NewIterator(ReadOptions(kReadaheadBytes));
  std::string internal_key;
  for (entry->SeekToFirst(); entry->Valid(); entry->Next()) {
    const Slice key = entry->key();
    status = CheckOrder(source, key);
    if (!status.ok()) return status;
    last_key_.assign(key.data(), key.size());
    has_last_key_ = true;
    internal_key.clear();
    AppendInternalKey(&internal_key, key, sequence, ValueKind::kValue);
    const bool may_cut = outputs_.HasOpenTable();
    const bool cut = cutter->CutBefore(internal_key, outputs_.OpenTableBytes(), may_cut);
    if (cut || (may_cut && outputs_.IsIndexFull(internal_key))) status = outputs_.FinishTable();
    if (status.ok()) status = outputs_.Add(internal_key, entry->value());
    if (!status.ok()) return status;
  }
  return entry->status();
}

Status Ingestion::Copy(SequenceNumber sequence, const Version& version, const LayoutOptions& layout,
                       std::atomic<uint64_t>* written_bytes) {
  const MemoryCharge charge(&context_->job_bytes, kReadaheadBytes + kTableFileBufferBytes);
  outputs_.UseTemporaryNames();
  // The level is known only at the end. Preload takes no filter that the level does not need.
  if (context_->HasKeyFilters(0, 0)) outputs_.BuildKeyFilters();
  for (const Source& source : sources_) {
    const int level = LevelFor(version, {}, source.range);
    std::vector<TableRef> below;
    if (level > 0 && level + 1 < kLevels) below = version.Overlapping(level + 1, source.range);
    OutputCutter cutter(context_->order, RuleFor(layout, level), std::move(below), {});
    const uint64_t before = outputs_.FinishedBytes();
    Status status = CopySource(source, sequence, &cutter);
    // Between two sources the store can have other keys.
    if (status.ok()) status = outputs_.FinishTable();
    written_bytes->fetch_add(outputs_.FinishedBytes() - before, std::memory_order_relaxed);
    if (!status.ok()) return status;
  }
  if (outputs_.finished().empty())
    return Status::InvalidArgument(sources_.front().path,
                                   "was replaced by a table without entries");
  return Status::OK();
}

std::vector<UserRange> Ingestion::Ranges() const {
  std::vector<UserRange> ranges;
  for (const TableMeta& table : outputs_.finished()) {
    ranges.push_back({UserKeyOf(table.smallest).ToString(), UserKeyOf(table.largest).ToString()});
  }
  return ranges;
}

}  // namespace lull
