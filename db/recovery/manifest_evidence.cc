// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "db/recovery/manifest_evidence.h"

#include <algorithm>
#include <memory>

#include "db/base/filename.h"
#include "db/memory/batch_format.h"
#include "db/recovery/salvage.h"
#include "db/wal/wal_reader.h"
#include "util/file_util.h"

namespace lull {
namespace {

using leveldb::Status;

Status MissingWrites(const ManifestState& manifest, const std::string& path,
                     const std::string& what) {
  const std::string end = manifest.is_torn ? " (" + manifest.end.ToString() + ")" : "";
  return Status::Corruption(
      path, what + end + "; writes are missing: restore a backup, or call RepairDB");
}

/// The first record of a log; empty if that is unreadable.
std::string FirstRecord(const StoreContext& context, const std::string& path) {
  std::unique_ptr<WalReader> reader;
  leveldb::Slice record;
  if (!OpenWal(context.env(), path, /*may_grow=*/false, &reader).ok() ||
      !reader->ReadRecord(&record) || record.size() < batch::kHeaderBytes ||
      !batch::HasPossibleSequence(record))
    return "";
  return record.ToString();
}

}  // namespace

SequenceNumber FirstSequence(const StoreContext& context, const std::string& path) {
  const std::string record = FirstRecord(context, path);
  return record.empty() ? 0 : batch::SequenceOf(record);
}

bool MayBeginAfterGap(const StoreContext& context, const ManifestState& manifest,
                      const leveldb::Slice& record) {
  return !IsWalPreamble(record) && !manifest.is_torn && !context.options.paranoid_checks;
}

Status CheckManifestIsCurrent(const StoreContext& context, const ManifestState& manifest,
                              const DirectoryFiles& files) {
  if (manifest.NamesLog()) {
    const std::string path = LogFileName(context.name, manifest.log_number);
    const auto& wals = files.wals;
    if (std::find(wals.begin(), wals.end(), manifest.log_number) == wals.end()) {
      const std::string what = IsNoFile(context.env(), path) ? "is no file" : "is missing";
      return MissingWrites(manifest, path, what + ", but the MANIFEST names it");
    }
    const std::string record = FirstRecord(context, path);
    const SequenceNumber first = record.empty() ? 0 : batch::SequenceOf(record);
    if (wals.front() == manifest.log_number && first > manifest.last_sequence + 1 &&
        !MayBeginAfterGap(context, manifest, record)) {
      return MissingWrites(manifest, path,
                           "begins at sequence " + std::to_string(first) +
                               ", but the tables in the MANIFEST end at " +
                               std::to_string(manifest.last_sequence));
    }
  }
  if (manifest.NamesLog() || !files.wals.empty()) return Status::OK();
  for (const std::string& table : files.tables) {
    const SequenceNumber newest = NewestSequence(context, table);
    if (newest <= manifest.last_sequence) continue;
    return MissingWrites(manifest, context.name + "/" + table,
                         "has sequence " + std::to_string(newest) +
                             ", but the MANIFEST does not list it and ends at " +
                             std::to_string(manifest.last_sequence));
  }
  return Status::OK();
}

SequenceNumber NewestSequence(const StoreContext& context, const std::string& table) {
  TableScan scan;
  const std::string path = context.name + "/" + table;
  return ScanTable(context, 0, path, &scan).ok() ? scan.largest_sequence : 0;
}

}  // namespace lull
