// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// scan --comparator-name: prints the entries of a store whose order is unknown, table by table,
// then log by log. The first pass finds the newest version of each key, the second prints it. All
// keys and the logs are in memory meanwhile.
//
// Another process can have the store open. Both passes read the files of one moment: the tables
// stay open from before the first pass, so they can be deleted, and each log is read once.
#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "db/base/filename.h"
#include "db/memory/batch_format.h"
#include "db/recovery/live_store.h"
#include "db/recovery/recovery.h"
#include "db/recovery/salvage.h"
#include "db/tools/commands.h"
#include "db/wal/wal_reader.h"

namespace lull::tools {
namespace {

using leveldb::Slice;
using leveldb::Status;

/// Keeps the first error: what follows it can still be read.
void Note(const Status& status, Status* first) {
  if (first->ok()) *first = status;
}

class StoredEntries {
 public:
  using Visit = std::function<void(const ParsedInternalKey& key, const Slice& value)>;

  explicit StoredEntries(const Invocation& call) : context_(OptionsOf(call)) {
    context_.name = call.store;
  }

  /// Opens the tables and reads the logs of one moment. Returns the first error, after what can be
  /// read.
  Status Open() {
    return LoadUnchanged(context_, [this] { return Load(); });
  }
  bool has_listing() const { return found_.manifest.version != nullptr; }
  /// Verifies the tables. Returns the first damage.
  Status Check();
  /// Visits all versions in all files. Returns the first error, after what can be read.
  Status ForEach(const Visit& visit) const;

 private:
  Status Load();
  Status ReadLog(uint64_t number);

  StoreContext context_;
  Recovered found_;                       // only the manifest
  std::map<uint64_t, TableScan> tables_;  // by number; also some that are no longer listed
  std::vector<std::string> batches_;      // of the logs
};

Status StoredEntries::Load() {
  found_ = {};
  batches_.clear();
  Status first = ReadManifest(&context_, DescribedTable, &found_.manifest);
  if (!first.ok()) return first;
  if (found_.manifest.is_damaged) first = found_.manifest.end;
  DirectoryFiles files;
  Note(ReadDirectory(&context_, &found_, &files), &first);
  for (const TableMeta& table : found_.manifest.version->AllTables()) {
    TableScan& scan = tables_[table.number];
    if (scan.reader != nullptr) continue;  // since an earlier attempt
    const std::string path = ExistingTableFileName(context_.env(), context_.name, table.number);
    Note(OpenToScan(context_, table.number, path, &scan), &first);
  }
  // Newest first: once a log has an entry, older ones do not grow. So what was written last can be
  // missing, but nothing before an entry that is read.
  for (auto number = files.wals.rbegin(); number != files.wals.rend(); ++number)
    Note(ReadLog(*number), &first);
  return first;
}

Status StoredEntries::ReadLog(uint64_t number) {
  const std::string path = LogFileName(context_.name, number);
  std::unique_ptr<WalReader> reader;
  const Status status = OpenWal(context_.env(), path, /*may_grow=*/true, &reader);
  if (!status.ok()) return status;
  Slice record;
  while (reader->ReadRecord(&record)) {
    const Status valid = batch::Validate(record);
    if (!valid.ok()) return Status::Corruption(path, valid.ToString());
    batches_.push_back(record.ToString());
  }
  return reader->status();
}

Status StoredEntries::Check() {
  Status first;
  for (const TableMeta& table : found_.manifest.version->AllTables()) {
    TableScan& scan = tables_[table.number];
    ReadOpened(context_, &scan);
    Note(scan.refusal.ok() ? scan.damage : scan.refusal, &first);
  }
  return first;
}

Status StoredEntries::ForEach(const Visit& visit) const {
  Status first;
  for (const TableMeta& table : found_.manifest.version->AllTables()) {
    const TableScan& scan = tables_.at(table.number);
    if (scan.entries > 0) Note(ForEachEntry(context_, scan, visit), &first);
  }
  for (const std::string& record : batches_) {
    SequenceNumber sequence = batch::SequenceOf(record);
    batch::ForEach(record, [&](ValueKind kind, const Slice& key, const Slice& value) {
      visit({key, sequence++, kind}, value);
    });
  }
  return first;
}

}  // namespace

int ScanStored(const Invocation& call, const std::string& prefix) {
  StoredEntries entries(call);
  Status status = entries.Open();
  if (!entries.has_listing()) return Fail(status, call.json);
  Note(entries.Check(), &status);
  std::unordered_map<std::string, SequenceNumber> newest;
  const auto note_newest = [&](const ParsedInternalKey& key, const Slice&) {
    if (!key.user_key.starts_with(prefix)) return;
    SequenceNumber& known = newest[key.user_key.ToString()];
    known = std::max(known, key.sequence + 1);  // not 0: that is printed
  };
  Note(entries.ForEach(note_newest), &status);
  if (!status.ok() && !call.keep_going) return Fail(status, call.json);
  uint64_t left = call.limit;
  const auto print_newest = [&](const ParsedInternalKey& key, const Slice& value) {
    const auto found = newest.find(key.user_key.ToString());
    if (left == 0 || found == newest.end() || found->second != key.sequence + 1) return;
    found->second = 0;
    if (key.kind == ValueKind::kDeletion) return;
    left = PrintEntry(call, key.user_key, value) ? left - 1 : 0;
  };
  Note(entries.ForEach(print_newest), &status);
  return status.ok() ? kDone : Fail(status, call.json);
}

}  // namespace lull::tools
