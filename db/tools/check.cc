// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// check: reads a whole store and verifies checksums: the MANIFEST, every table in it, and the logs.
// If the MANIFEST cannot be read, all tables and logs of the directory.
// Writes nothing and takes no lock. If a file disappears meanwhile, reads the MANIFEST again to see
// whether the store still needs it.
#include <algorithm>
#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "db/base/filename.h"
#include "db/memory/batch_format.h"
#include "db/recovery/live_store.h"
#include "db/recovery/lost_files.h"
#include "db/recovery/manifest_evidence.h"
#include "db/recovery/recovery.h"
#include "db/recovery/salvage.h"
#include "db/tools/commands.h"
#include "db/tools/inspect.h"
#include "db/tools/progress.h"
#include "db/wal/wal_reader.h"
#include "util/file_util.h"

namespace lull::tools {
namespace {

using leveldb::Status;

constexpr char kCheckingTables[] = "checking tables";

class Checker {
 public:
  explicit Checker(const Invocation& call)
      : directory_(call.store), quiet_(call.json), options_(OptionsOf(call)), store_(options_) {}

  /// Returns an error only if nothing could be checked.
  Status Run();
  Json Report() const;

 private:
  Status CheckListed(std::set<uint64_t>* listed);
  Status CheckTable(uint64_t number, const TableMeta* listed, Progress* progress);
  void CheckManifest(const DirectoryFiles& files);
  void CheckReplay();
  Status CheckLog(uint64_t number);
  bool StillLists(uint64_t number) const;
  bool StillNeedsLog(uint64_t number) const;

  const std::string directory_;
  const bool quiet_;
  const leveldb::Options options_;
  InspectedStore store_;
  uint64_t tables_ = 0;
  uint64_t entries_ = 0;
  uint64_t table_bytes_ = 0;
  uint64_t logs_ = 0;
  uint64_t log_records_ = 0;
  FileTotals lost_;
  std::vector<std::string> damage_;
  std::vector<std::string> notes_;
};

Status Checker::Run() {
  Status status = Inspect(directory_, &store_);
  const bool has_listing = status.ok();
  if (status.IsCorruption()) {
    store_.manifest = ManifestState();
    damage_.push_back(status.ToString());
    status = Status::OK();
  }
  std::vector<std::string> names;
  if (status.ok()) status = store_.context.env()->GetChildren(directory_, &names);
  std::set<uint64_t> listed;
  if (status.ok() && has_listing) status = CheckListed(&listed);
  DirectoryFiles files;
  Progress progress(quiet_, kCheckingTables, has_listing ? 0 : TableBytesIn(directory_));
  for (const std::string& name : names) {
    const std::optional<ParsedFileName> parsed = ParseFileName(name);
    if (!status.ok()) return status;
    if (!parsed) continue;
    if (IsNoFile(store_.context.env(), directory_ + "/" + name)) {
      notes_.push_back(directory_ + "/" + name + ": no file, which the store ignores");
      continue;
    }
    if (parsed->kind == FileKind::kLog && store_.manifest.NeedsLog(parsed->number))
      files.wals.push_back(parsed->number);
    if (parsed->kind != FileKind::kTable || listed.contains(parsed->number)) continue;
    files.tables.push_back(name);
    if (!has_listing) status = CheckTable(parsed->number, nullptr, &progress);
  }
  std::sort(files.wals.begin(), files.wals.end());
  for (const uint64_t number : files.wals) {
    if (status.ok()) status = CheckLog(number);
  }
  if (!status.ok()) return status;
  if (has_listing) CheckManifest(files);
  if (damage_.empty()) CheckReplay();
  lost_ = LostTotals(store_.context.env(), directory_);
  if (lost_.count > 0) {
    notes_.push_back("lost/ has " + std::to_string(lost_.count) + " files with " +
                     BytesText(lost_.bytes) + ", kept by an open or a repair");
  }
  return status;
}

Status Checker::CheckListed(std::set<uint64_t>* listed) {
  const Version& version = *store_.manifest.version;
  Progress progress(quiet_, kCheckingTables, version.TotalBytes());
  for (const TableMeta& table : version.AllTables()) {
    listed->insert(table.number);
    const Status status = CheckTable(table.number, &table, &progress);
    if (!status.ok()) return status;
  }
  return Status::OK();
}

void Checker::CheckManifest(const DirectoryFiles& files) {
  const ManifestState& manifest = store_.manifest;
  if (manifest.is_torn) (manifest.is_damaged ? damage_ : notes_).push_back(manifest.end.ToString());
  const Status status = CheckManifestIsCurrent(store_.context, manifest, files);
  if (!status.ok() && StillNeedsLog(manifest.log_number)) damage_.push_back(status.ToString());
}

/// Finds what the files alone do not show: a log that begins after the end of the one before.
void Checker::CheckReplay() {
  StoreContext& context = store_.context;
  context.options.paranoid_checks = true;
  Recovered recovered;
  const Status status = LoadUnchanged(context, [&] {
    recovered = {};
    return RecoverInMemory(&context, DescribedTable, &recovered);
  });
  // Another error is no damage, such as a store that changes faster than it can be replayed.
  if (!status.ok()) (status.IsCorruption() ? damage_ : notes_).push_back(status.ToString());
  for (const std::string& name : recovered.lost) {
    damage_.push_back(directory_ + "/" + name +
                      ": begins after a gap, since a log before it is "
                      "incomplete; an open keeps it in lost/");
  }
}

bool Checker::StillLists(uint64_t number) const {
  InspectedStore now(options_);
  return !Inspect(directory_, &now).ok() || now.manifest.version->TableNumbers().contains(number);
}

bool Checker::StillNeedsLog(uint64_t number) const {
  InspectedStore now(options_);
  return !Inspect(directory_, &now).ok() || now.manifest.NeedsLog(number);
}

/// Compares the table with its entry in the MANIFEST, if there is one. Fails if the table cannot be
/// opened, which is no damage, or its intact blocks cannot be read.
Status Checker::CheckTable(uint64_t number, const TableMeta* listed, Progress* progress) {
  const std::string path = ExistingTableFileName(store_.context.env(), directory_, number);
  TableScan scan;
  Status status = ScanTable(store_.context, number, path, &scan);
  progress->Advance(scan.file_bytes);
  if (!status.ok() && !status.IsNotFound()) return status;
  if (!scan.refusal.ok()) return scan.refusal;
  entries_ += scan.entries;
  if (status.ok()) status = scan.damage.ok() ? scan.meta_damage : scan.damage;
  if (status.ok() && listed != nullptr && scan.file_bytes != listed->file_bytes) {
    status = Status::Corruption(path, "has " + std::to_string(scan.file_bytes) + " bytes, not " +
                                          std::to_string(listed->file_bytes));
  }
  if (status.ok() && listed != nullptr &&
      (listed->smallest != scan.smallest || listed->largest != scan.largest)) {
    status = Status::Corruption(path, "its key range differs from the MANIFEST");
  }
  if (!status.ok()) {
    if (listed != nullptr && !StillLists(number)) return Status::OK();
    std::string text = status.ToString() + "; entries that can be read: ";
    text += std::to_string(scan.entries);
    if (listed != nullptr) {
      const auto shown = [](const leveldb::Slice& key) { return Encode(key, Coding::kText); };
      text += "; keys from " + shown(UserKeyOf(listed->smallest)) + " to " +
              shown(UserKeyOf(listed->largest)) + " can be missing or old";
    }
    damage_.push_back(text);
    return Status::OK();
  }
  ++tables_;
  table_bytes_ += scan.file_bytes;
  return status;
}

/// Fails if the log cannot be opened.
Status Checker::CheckLog(uint64_t number) {
  const std::string path = LogFileName(directory_, number);
  std::unique_ptr<WalReader> reader;
  const Status status = OpenWal(store_.context.env(), path, /*may_grow=*/true, &reader);
  if (status.IsNotFound()) return Status::OK();  // its entries are in a table now
  if (!status.ok()) return status;
  leveldb::Slice record;
  std::vector<std::string> damage;
  uint64_t records = 0;
  while (reader->ReadRecord(&record)) {
    ++records;
    const Status valid = batch::Validate(record);
    if (valid.ok()) continue;
    damage.push_back(path + ": record at offset " + std::to_string(reader->LastRecordOffset()) +
                     ": " + valid.ToString());
  }
  if (!reader->status().ok()) damage.push_back(reader->status().ToString());
  // Another process can recycle a log while it is read here; ignore what that breaks.
  const bool torn = reader->end() == log::LogEnd::kTorn;
  if ((torn || !damage.empty()) && !StillNeedsLog(number)) return status;
  ++logs_;
  log_records_ += records;
  damage_.insert(damage_.end(), damage.begin(), damage.end());
  if (torn) notes_.push_back(path + ": the last record is cut short, as after a crash");
  return status;
}

Json Checker::Report() const {
  return {{"store", directory_},
          {"tables", tables_},
          {"entries", entries_},
          {"table_bytes", table_bytes_},
          {"logs", logs_},
          {"log_records", log_records_},
          {"lost_files", lost_.count},
          {"lost_bytes", lost_.bytes},
          {"damage", Json(damage_)},
          {"notes", Json(notes_)}};
}

}  // namespace

Status Examine(const Invocation& call, Json* report) {
  Checker checker(call);
  const Status status = checker.Run();
  if (status.ok()) *report = checker.Report();
  return status;
}

void PrintFindings(const Json& report) {
  for (const Json& line : report["damage"])
    PrintLine("damage: " + MessageOf(line.get<std::string>()));
  for (const Json& line : report["notes"]) PrintLine("note: " + line.get<std::string>());
  const auto number = [&](const char* name) { return report[name].dump(); };
  PrintLine(number("tables") + " intact tables, " + number("entries") + " entries, " +
            number("logs") + " logs with " + number("log_records") + " records, " +
            std::to_string(report["damage"].size()) + " errors");
}

int RunCheck(const Invocation& call) {
  Json report;
  const Status status = Examine(call, &report);
  if (!status.ok()) return Fail(status, call.json);
  const bool damaged = !report["damage"].empty();
  if (call.json) {
    PrintJson(report);
  } else {
    PrintFindings(report);
    if (damaged) PrintLine("next: restore a backup, or lull repair " + call.store);
  }
  return damaged ? kDamaged : kDone;
}

}  // namespace lull::tools
