// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// scan --comparator-name: prints the entries of a store whose order is unknown, table by table,
// then log by log. The first pass finds the newest version of each key, the second prints it. All
// keys are in memory meanwhile.
#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>

#include "db/base/filename.h"
#include "db/memory/batch_format.h"
#include "db/recovery/salvage.h"
#include "db/tools/commands.h"
#include "db/tools/inspect.h"
#include "db/wal/wal_reader.h"

namespace lull::tools {
namespace {

using leveldb::Slice;
using leveldb::Status;

class StoredEntries {
 public:
  using Visit = std::function<void(const ParsedInternalKey& key, const Slice& value)>;

  explicit StoredEntries(const Invocation& call) : store_(OptionsOf(call)) {}

  Status Open(const std::string& directory);
  /// Visits all versions in all files. Returns the first damage, after what can be read.
  Status ForEach(const Visit& visit) const;

 private:
  Status ReadTable(uint64_t number, const Visit& visit) const;
  Status ReadLog(const std::string& path, const Visit& visit) const;

  InspectedStore store_;
  std::map<uint64_t, std::string> logs_;
};

Status StoredEntries::Open(const std::string& directory) {
  Status status = Inspect(directory, &store_);
  std::vector<std::string> names;
  if (status.ok()) status = store_.context.env()->GetChildren(directory, &names);
  for (const std::string& name : names) {
    const std::optional<ParsedFileName> parsed = ParseFileName(name);
    if (parsed && parsed->kind == FileKind::kLog && parsed->number >= store_.manifest.log_number)
      logs_[parsed->number] = directory + "/" + name;
  }
  return status;
}

Status StoredEntries::ForEach(const Visit& visit) const {
  Status first;
  const auto note = [&first](const Status& status) {
    if (first.ok()) first = status;
  };
  for (const TableMeta& table : store_.manifest.version->AllTables())
    note(ReadTable(table.number, visit));
  for (const auto& [number, path] : logs_) note(ReadLog(path, visit));
  return first;
}

Status StoredEntries::ReadTable(uint64_t number, const Visit& visit) const {
  const std::string path = ExistingTableFileName(store_.context.env(), store_.context.name, number);
  TableScan scan;
  const Status status = ScanTable(store_.context, number, path, &scan);
  if (!status.ok()) return status;
  if (scan.entries > 0) ForEachEntry(store_.context, scan, visit);
  return scan.refusal.ok() ? scan.damage : scan.refusal;
}

Status StoredEntries::ReadLog(const std::string& path, const Visit& visit) const {
  std::unique_ptr<WalReader> reader;
  const Status status = OpenWal(store_.context.env(), path, /*may_grow=*/false, &reader);
  if (!status.ok()) return status;
  Slice record;
  while (reader->ReadRecord(&record)) {
    const Status valid = batch::Validate(record);
    if (!valid.ok()) return Status::Corruption(path, valid.ToString());
    SequenceNumber sequence = batch::SequenceOf(record);
    batch::ForEach(record, [&](ValueKind kind, const Slice& key, const Slice& value) {
      visit({key, sequence++, kind}, value);
    });
  }
  return reader->status();
}

}  // namespace

int ScanStored(const Invocation& call, const std::string& prefix) {
  StoredEntries entries(call);
  Status status = entries.Open(call.store);
  if (!status.ok()) return Fail(status, call.json);
  std::unordered_map<std::string, SequenceNumber> newest;
  status = entries.ForEach([&](const ParsedInternalKey& key, const Slice&) {
    if (!key.user_key.starts_with(prefix)) return;
    SequenceNumber& known = newest[key.user_key.ToString()];
    known = std::max(known, key.sequence + 1);  // not 0: that is printed
  });
  if (!status.ok() && !call.keep_going) return Fail(status, call.json);
  uint64_t left = call.limit;
  entries.ForEach([&](const ParsedInternalKey& key, const Slice& value) {
    const auto found = newest.find(key.user_key.ToString());
    if (left == 0 || found == newest.end() || found->second != key.sequence + 1) return;
    found->second = 0;
    if (key.kind == ValueKind::kDeletion) return;
    left = PrintEntry(call, key.user_key, value) ? left - 1 : 0;
  });
  return status.ok() ? kDone : Fail(status, call.json);
}

}  // namespace lull::tools
