// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.

#include "db/recovery/salvage.h"

#include <algorithm>
#include <utility>

#include "db/base/filename.h"
#include "db/base/named_comparator.h"
#include "db/memory/batch_format.h"
#include "db/wal/wal_reader.h"
#include "table/merging_iterator.h"
#include "table/table_reader.h"

namespace lull {

using leveldb::Slice;
using leveldb::Status;

namespace {

constexpr size_t kReadaheadBytes = 256 * 1024;

// Opens a table, if necessary without its damaged filter or index; then sets `*damage`. Leaves
// `*reader` null if no block can be found.
Status OpenDamaged(const StoreContext& context, const std::string& path, uint64_t* file_bytes,
                   std::unique_ptr<TableReader>* reader, Status* damage) {
  Status status = context.env()->GetFileSize(path, file_bytes);
  if (!status.ok()) return status;
  TableReadOptions options;
  options.order = context.order;
  options.filter_policy = context.options.filter_policy;
  options.seen = &context.seen_codec;
  options.file_name = path;
  enum class Attempt { kStrict, kWithoutFilter, kWithoutIndex };
  for (const Attempt attempt :
       {Attempt::kStrict, Attempt::kWithoutFilter, Attempt::kWithoutIndex}) {
    leveldb::RandomAccessFile* raw = nullptr;
    status = context.env()->NewRandomAccessFile(path, &raw);
    if (!status.ok()) return status;
    std::unique_ptr<leveldb::RandomAccessFile> file(raw);
    options.paranoid_checks = attempt == Attempt::kStrict;
    const auto open =
        attempt == Attempt::kWithoutIndex ? TableReader::OpenWithoutIndex : TableReader::Open;
    status = open(options, std::move(file), *file_bytes, reader);
    if (status.ok()) return status;
    if (damage->ok() || status.IsNotSupportedError()) *damage = status;
    if (status.IsNotSupportedError()) return Status::OK();
  }
  return Status::OK();
}

std::unique_ptr<leveldb::Iterator> OpenEntries(const TableReader& reader) {
  BlockReadOptions read;
  read.verify_checksums = true;
  read.fill_cache = false;
  read.readahead_bytes = kReadaheadBytes;
  read.skip_damaged_blocks = true;
  return reader.NewIterator(read);
}

// Accepts a table's usable entries: well-formed keys, in ascending order if it is known.
class AscendingKeys {
 public:
  explicit AscendingKeys(const KeyOrder& order)
      : order_(order), checks_order_(!NamedComparator::IsNamed(order.user())) {}

  bool Accepts(const Slice& key) {
    ParsedInternalKey parsed;
    if (!ParseInternalKey(key, &parsed) || parsed.sequence > kMaxStoredSequence) return false;
    if (!checks_order_) return true;
    if (!last_.empty() && order_.Compare(key, last_) <= 0) return false;
    last_.assign(key.data(), key.size());
    return true;
  }

 private:
  KeyOrder order_;
  bool checks_order_;
  std::string last_;
};

Status OtherOrder(const StoreContext& context, const std::string& path) {
  return Status::InvalidArgument(
      path, std::string("its keys are intact but not in the order of comparator ") +
                context.options.comparator->Name() + "; use the comparator that wrote the store");
}

class SalvageIterator final : public leveldb::Iterator {
 public:
  SalvageIterator(const StoreContext& context, std::vector<TableScan> tables)
      : context_(context), tables_(std::move(tables)), usable_(context.order) {}

  bool Valid() const override { return entries_ != nullptr && entries_->Valid(); }
  Slice key() const override { return entries_->key(); }
  Slice value() const override { return entries_->value(); }
  Status status() const override { return status_; }

  void SeekToFirst() override {
    next_table_ = 0;
    usable_ = AscendingKeys(context_.order);
    if (OpenNextTable()) StandOnUsable();
  }
  void Next() override {
    entries_->Next();
    StandOnUsable();
  }

  void SeekToLast() override { Refuse(); }
  void Seek(const Slice&) override { Refuse(); }
  void Prev() override { Refuse(); }

 private:
  void Refuse() {
    Close();
    status_ = Status::NotSupported("salvage reads forward only");
  }
  void Close() {
    entries_.reset();
    reader_.reset();
  }
  bool OpenNextTable();
  void StandOnUsable();

  const StoreContext& context_;
  const std::vector<TableScan> tables_;
  AscendingKeys usable_;
  size_t next_table_ = 0;
  uint64_t entries_seen_ = 0;  // of the open table
  std::shared_ptr<const TableReader> reader_;
  std::unique_ptr<leveldb::Iterator> entries_;
  Status status_;
};

bool SalvageIterator::OpenNextTable() {
  Close();
  if (!status_.ok() || next_table_ == tables_.size()) return false;
  const TableScan& table = tables_[next_table_++];
  TableScan opened = table;
  if (opened.reader == nullptr) {
    status_ = OpenToScan(context_, table.number, table.path, &opened);
    if (status_.ok() && opened.reader == nullptr) status_ = opened.damage;
    if (!status_.ok()) return false;
  }
  reader_ = std::move(opened.reader);
  entries_ = OpenEntries(*reader_);
  entries_->SeekToFirst();
  entries_seen_ = 0;
  return true;
}

void SalvageIterator::StandOnUsable() {
  for (;;) {
    for (; entries_->Valid(); entries_->Next()) {
      if (!usable_.Accepts(entries_->key())) continue;
      ++entries_seen_;
      return;
    }
    const TableScan& scan = tables_[next_table_ - 1];
    if (entries_seen_ < scan.entries) {
      status_ = Status::IOError(scan.path, "has fewer readable entries than in the first pass");
    }
    if (!OpenNextTable()) return;
  }
}

}  // namespace

Status ScanTable(const StoreContext& context, uint64_t number, const std::string& path,
                 TableScan* scan) {
  const Status status = OpenToScan(context, number, path, scan);
  if (status.ok()) ReadOpened(context, scan);
  scan->reader = nullptr;
  return status;
}

Status OpenToScan(const StoreContext& context, uint64_t number, const std::string& path,
                  TableScan* scan) {
  *scan = TableScan();
  scan->number = number;
  scan->path = path;
  std::unique_ptr<TableReader> reader;
  const Status status = OpenDamaged(context, path, &scan->file_bytes, &reader, &scan->damage);
  if (scan->damage.IsNotSupportedError()) scan->refusal = scan->damage;
  scan->reader = std::move(reader);
  return status;
}

void ReadOpened(const StoreContext& context, TableScan* scan) {
  if (scan->reader == nullptr) return;
  const auto entries = OpenEntries(*scan->reader);
  AscendingKeys usable(context.order);
  bool has_unusable = false;
  for (entries->SeekToFirst(); entries->Valid(); entries->Next()) {
    const Slice key = entries->key();
    if (!usable.Accepts(key)) {
      has_unusable = true;
      continue;
    }
    if (scan->entries++ == 0) scan->smallest.assign(key.data(), key.size());
    scan->largest.assign(key.data(), key.size());
    ParsedInternalKey parsed;
    ParseInternalKey(key, &parsed);
    scan->smallest_sequence = std::min(scan->smallest_sequence, parsed.sequence);
    scan->largest_sequence = std::max(scan->largest_sequence, parsed.sequence);
  }
  const Status read = entries->status();
  if (read.IsNotSupportedError()) scan->refusal = read;
  const bool knows_order = !NamedComparator::IsNamed(context.order.user());
  if (has_unusable && knows_order && !scan->reader->IsInOrder())
    scan->refusal = OtherOrder(context, scan->path);
  if (scan->damage.ok()) scan->damage = read;
  if (scan->damage.ok()) scan->meta_damage = scan->reader->CheckMetaBlocks();
  if (scan->damage.ok() && has_unusable)
    scan->damage = Status::Corruption(scan->path, "holds keys that are malformed or out of order");
  if (scan->damage.ok() && scan->entries == 0) {
    scan->damage = Status::Corruption(scan->path, "holds no entries");
  }
}

std::unique_ptr<leveldb::Iterator> NewSalvageIterator(const StoreContext& context,
                                                      std::vector<TableScan> tables) {
  return std::make_unique<SalvageIterator>(context, std::move(tables));
}

Status ForEachEntry(
    const StoreContext& context, const TableScan& scan,
    const std::function<void(const ParsedInternalKey& key, const Slice& value)>& visit) {
  SalvageIterator entry(context, {scan});
  for (entry.SeekToFirst(); entry.Valid(); entry.Next()) {
    ParsedInternalKey key;
    ParseInternalKey(entry.key(), &key);  // the iterator returns only valid keys
    visit(key, entry.value());
  }
  return entry.status();
}

std::vector<std::vector<TableScan>> DisjointRuns(const KeyOrder& order,
                                                 std::vector<TableScan> tables) {
  std::stable_sort(tables.begin(), tables.end(), [&](const TableScan& a, const TableScan& b) {
    return order.Compare(a.smallest, b.smallest) < 0;
  });
  std::vector<std::vector<TableScan>> runs;
  for (TableScan& table : tables) {
    const auto fits = [&](const std::vector<TableScan>& run) {
      return order.Compare(run.back().largest, table.smallest) < 0;
    };
    const auto run = std::find_if(runs.begin(), runs.end(), fits);
    if (run == runs.end()) {
      runs.emplace_back().push_back(std::move(table));
    } else {
      run->push_back(std::move(table));
    }
  }
  return runs;
}

Status MergeTables(const StoreContext& context, std::vector<TableScan> tables, DropRule rule,
                   TableOutputs* outputs, const std::function<void(uint64_t)>& on_table) {
  std::vector<std::unique_ptr<leveldb::Iterator>> runs;
  for (auto& run : DisjointRuns(context.order, std::move(tables))) {
    runs.push_back(NewSalvageIterator(context, std::move(run)));
  }
  const auto merged = NewMergingIterator(context.order, std::move(runs));
  Status status;
  for (merged->SeekToFirst(); status.ok() && merged->Valid(); merged->Next()) {
    const bool drop = rule.ShouldDrop(merged->key());
    const bool is_full = outputs->OpenTableBytes() >= context.layout.table_bytes_max ||
                         outputs->IsIndexFull(merged->key());
    if (is_full && !rule.SameUserKeyAsBefore()) {
      on_table(outputs->OpenTableBytes());
      status = outputs->FinishTable();
    }
    if (status.ok() && !drop) status = outputs->Add(merged->key(), merged->value());
  }
  if (status.ok()) status = merged->status();
  on_table(outputs->OpenTableBytes());
  return status.ok() ? outputs->FinishTable() : status;
}

Status WalSalvage::Add(const std::string& path) {
  std::unique_ptr<WalReader> reader;
  Status status = OpenWal(context_->env(), path, /*may_grow=*/false, &reader);
  if (!status.ok()) return status;
  reader->SkipFaults();
  const auto note = [&](Status damage) {
    if (!damage.ok()) damage_.push_back(std::move(damage));
  };
  Slice record;
  bool has_records = false;
  while (reader->ReadRecord(&record)) {
    note(reader->TakeSkipped());
    if (!std::exchange(has_records, true)) note(CheckBefore(record, path));
    const Status bad = AddRecord(record);
    if (!bad.ok()) {
      note(Status::Corruption(path, "record at offset " +
                                        std::to_string(reader->LastRecordOffset()) + ": " +
                                        bad.ToString()));
    }
    if (buffer_bytes_ < kBufferBytesMax) continue;
    status = WriteTable();
    if (!status.ok()) return status;
  }
  note(reader->status());
  met_empty_ = met_empty_ || !has_records;
  return Status::OK();
}

Status WalSalvage::CheckBefore(const Slice& record, const std::string& path) const {
  if (met_empty_ && !IsWalPreamble(record)) {
    return Status::Corruption(
        path, "follows an empty log, but LevelDB begins no log before the last one has entries");
  }
  const SequenceNumber first = record.size() < batch::kHeaderBytes ? 0 : batch::SequenceOf(record);
  if (last_sequence_ == 0 || first <= last_sequence_ + 1) return Status::OK();
  return Status::Corruption(path, "begins at sequence " + std::to_string(first) +
                                      ", but the log before it ends at " +
                                      std::to_string(last_sequence_));
}

Status WalSalvage::AddRecord(const Slice& record) {
  Status status = batch::Validate(record);
  if (!status.ok()) return status;
  if (!batch::HasPossibleSequence(record)) {
    return Status::Corruption("write batch: impossible sequence");
  }
  SequenceNumber sequence = batch::SequenceOf(record);
  status = batch::ForEach(record, [&](ValueKind kind, const Slice& key, const Slice& value) {
    buffer_.emplace_back(MakeInternalKey(key, sequence++, kind), value.ToString());
    buffer_bytes_ += sizeof(Entry) + buffer_.back().first.size() + value.size();
  });
  last_sequence_ = sequence - 1;
  return status;
}

Status WalSalvage::WriteTable() {
  if (buffer_.empty()) return Status::OK();
  std::stable_sort(buffer_.begin(), buffer_.end(), [&](const Entry& a, const Entry& b) {
    return context_->order.Compare(a.first, b.first) < 0;
  });
  auto outputs = std::make_unique<TableOutputs>(context_, 0);
  AscendingKeys usable(context_->order);  // a repeated sequence counts once
  Status status;
  for (const auto& [key, value] : buffer_) {
    if (usable.Accepts(key)) status = outputs->Add(key, value);
    if (!status.ok()) return status;
  }
  status = outputs->FinishTable();
  if (!status.ok()) return status;
  buffer_.clear();
  buffer_bytes_ = 0;

  TableScan scan;
  const uint64_t number = outputs->finished()[0].number;
  status = ScanTable(*context_, number, TableFileName(context_->name, number), &scan);
  if (status.ok()) status = scan.damage;
  if (!status.ok()) return status;
  outputs_.push_back(std::move(outputs));
  tables_.push_back(std::move(scan));
  return status;
}

void WalSalvage::Keep() {
  for (auto& outputs : outputs_) outputs->Keep();
}

}  // namespace lull
