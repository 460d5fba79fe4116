// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// repair --from-lost: restores entries of logs and tables that an open set aside in lost/.
//
// A file's note has the last sequence of the store when the file was set aside. Later writes have
// higher sequences, and so do the file's entries. So sequences of the file are only compared with
// the note, never with those of the store. The rules for each key:
//  - The store has a version newer than the note: it is newer than the file's, and stays.
//  - The store has only older versions: the file's entry is newer, and is written again. (No
//    compaction drops a deletion while an older version of its key exists.)
//  - The store has no version: either the key was never written, or it was deleted since and a
//    compaction dropped the deletion. If every sequence since the note is in a table, nothing was
//    dropped, and the entry is written again. Otherwise the key stays absent. So it does if the
//    note says that a range was removed: that leaves no deletions.
//
// A table of an ingestion whose edit was lost has one sequence, up to the note. It was given to no
// other write, so the rules hold with the entry's sequence in place of the note's.
//
// Restored entries are ordinary writes. So a second run finds versions newer than the note.
#include <algorithm>
#include <cstdio>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "db/base/filename.h"
#include "db/memory/batch_format.h"
#include "db/recovery/salvage.h"
#include "db/tools/commands.h"
#include "db/tools/inspect.h"
#include "db/wal/wal_reader.h"
#include "leveldb/db.h"
#include "leveldb/write_batch.h"
#include "lull/lull.h"

namespace lull::tools {
namespace {

using leveldb::Slice;
using leveldb::Status;

struct LostFile {
  std::string path;
  FileKind kind = FileKind::kLog;
  uint64_t number = 0;
  SequenceNumber replayed_to = 0;
  bool range_removed = false;  // after the note
};

struct LostEntry {
  SequenceNumber replayed_to = 0;  // from the note of its file
  bool range_removed = false;      // the same
  SequenceNumber sequence = 0;
  ValueKind kind = ValueKind::kValue;
  std::string value;
  SequenceNumber in_store = 0;  // newest version of the key; 0: absent

  /// Later sequences in the store are of newer writes.
  SequenceNumber Since() const { return std::min(replayed_to, sequence); }
};

class Restorer {
 public:
  explicit Restorer(const Invocation& call) : directory_(call.store) {
    KeepTableFormat(call, &options_);
  }

  Status Run();
  Json Report() const {
    return {{"store", directory_},
            {"restored", restored_},
            {"newer_in_store", newer_in_store_},
            {"maybe_deleted", maybe_deleted_},
            {"files", files_.size()},
            {"files_without_note", without_note_}};
  }

 private:
  Status FindFiles();
  Status ReadLog(const LostFile& log);
  Status ReadTable(const LostFile& table);
  void Take(const LostFile& file, const ParsedInternalKey& key, const Slice& value,
            bool is_ingested = false);
  Status ReadTables();
  bool NothingDroppedSince(SequenceNumber since) const;
  Status WriteBack(leveldb::DB* db);

  const std::string directory_;
  leveldb::Options options_;
  InspectedStore store_;
  std::vector<LostFile> files_;  // oldest note first
  uint64_t without_note_ = 0;
  std::map<std::string, LostEntry> entries_;  // by user key; only the newest of each
  std::map<SequenceNumber, uint64_t> later_;  // number of later sequences in tables
  uint64_t restored_ = 0;
  uint64_t newer_in_store_ = 0;
  uint64_t maybe_deleted_ = 0;
};

Status Restorer::Run() {
  leveldb::DB* raw = nullptr;
  Status status = leveldb::DB::Open(options_, directory_, &raw);
  if (!status.ok()) return status;
  const std::unique_ptr<leveldb::DB> db(raw);  // its lock excludes other writers
  status = Flush(db.get());
  if (status.ok()) status = WaitForIdle(db.get());
  if (status.ok()) status = Inspect(directory_, &store_);
  if (status.ok()) status = FindFiles();
  for (const LostFile& file : files_) {
    if (!status.ok()) break;
    status = file.kind == FileKind::kLog ? ReadLog(file) : ReadTable(file);
  }
  if (!status.ok() || entries_.empty()) return status;
  status = ReadTables();
  return status.ok() ? WriteBack(db.get()) : status;
}

Status Restorer::FindFiles() {
  leveldb::Env* const env = store_.context.env();
  const std::string lost = LostDirectoryName(directory_);
  std::vector<std::string> names;
  const Status listed = env->GetChildren(lost, &names);
  if (!listed.ok()) return listed.IsNotFound() ? Status::OK() : listed;  // nothing was set aside
  for (const std::string& name : names) {
    // NNNNNN.log or NNNNNN.ldb, or NNNNNN.log.2 and so on.
    const size_t dots = static_cast<size_t>(std::count(name.begin(), name.end(), '.'));
    const auto parsed = ParseFileName(dots > 1 ? name.substr(0, name.rfind('.')) : name);
    if (!parsed || name.ends_with(kReplayedToSuffix)) continue;
    if (parsed->kind != FileKind::kLog && parsed->kind != FileKind::kTable) continue;
    LostFile file{lost + "/" + name, parsed->kind, parsed->number};
    std::string note;
    if (!leveldb::ReadFileToString(env, file.path + kReplayedToSuffix, &note).ok()) {
      ++without_note_;
      continue;
    }
    unsigned long long replayed_to = 0;
    if (std::sscanf(note.c_str(), "%llu\n", &replayed_to) != 1)
      return Status::Corruption(file.path + kReplayedToSuffix, "is not a number");
    if (replayed_to > store_.manifest.last_sequence) {
      return Status::InvalidArgument(
          file.path,
          "belongs to another store or is older than a restored backup; move it out of lost/");
    }
    file.replayed_to = replayed_to;
    file.range_removed = note.find('\n') + 1 < note.size();
    files_.push_back(file);
  }
  std::sort(files_.begin(), files_.end(), [](const LostFile& a, const LostFile& b) {
    return std::pair(a.replayed_to, a.number) < std::pair(b.replayed_to, b.number);
  });
  return Status::OK();
}

/// Keeps the newest entry of each key: of the latest note, and then of the highest sequence.
void Restorer::Take(const LostFile& file, const ParsedInternalKey& key, const Slice& value,
                    bool is_ingested) {
  if (key.sequence <= file.replayed_to && !is_ingested) return;  // the store already has it
  LostEntry& entry = entries_[key.user_key.ToString()];
  if (entry.replayed_to == file.replayed_to && key.sequence < entry.sequence) return;
  entry = {file.replayed_to, file.range_removed, key.sequence, key.kind, value.ToString()};
  later_[entry.Since()] = 0;
}

Status Restorer::ReadTable(const LostFile& table) {
  TableScan scan;
  Status status = ScanTable(store_.context, table.number, table.path, &scan);
  if (status.ok()) status = scan.refusal;
  if (!status.ok() || scan.entries == 0) return status;
  return ForEachEntry(store_.context, scan, [&](const ParsedInternalKey& key, const Slice& value) {
    Take(table, key, value, scan.smallest_sequence == scan.largest_sequence);
  });
}

Status Restorer::ReadLog(const LostFile& log) {
  std::unique_ptr<WalReader> reader;
  const Status status = OpenWal(store_.context.env(), log.path, /*may_grow=*/false, &reader);
  if (!status.ok()) return status;
  reader->SkipFaults();
  Slice record;
  while (reader->ReadRecord(&record)) {
    if (!batch::Validate(record).ok() || !batch::HasPossibleSequence(record)) continue;
    SequenceNumber sequence = batch::SequenceOf(record);
    batch::ForEach(record, [&](ValueKind kind, const Slice& key, const Slice& value) {
      Take(log, {key, sequence++, kind}, value);
    });
  }
  return reader->end() == log::LogEnd::kError ? reader->status() : Status::OK();
}

Status Restorer::ReadTables() {
  for (const uint64_t number : store_.manifest.version->TableNumbers()) {
    TableScan scan;
    const std::string path = ExistingTableFileName(store_.context.env(), directory_, number);
    Status status = ScanTable(store_.context, number, path, &scan);
    if (status.ok()) status = scan.damage;
    if (!status.ok()) return status;
    const auto take = [&](const ParsedInternalKey& key, const Slice&) {
      for (auto& [since, count] : later_) count += key.sequence > since;
      const auto lost = entries_.find(key.user_key.ToString());
      if (lost == entries_.end()) return;
      lost->second.in_store = std::max(lost->second.in_store, key.sequence);
    };
    status = ForEachEntry(store_.context, scan, take);
    if (!status.ok()) return status;
  }
  return Status::OK();
}

/// Each entry has its own sequence, so if their numbers are equal, no entry is missing. Those of an
/// ingestion share one, but it skips many more sequences than it has entries.
bool Restorer::NothingDroppedSince(SequenceNumber since) const {
  return later_.at(since) == store_.manifest.last_sequence - since;
}

Status Restorer::WriteBack(leveldb::DB* db) {
  constexpr size_t kBatchBytes = 1 << 20;
  leveldb::WriteOptions write;
  write.sync = true;
  leveldb::WriteBatch batch;
  for (const auto& [key, entry] : entries_) {
    const bool absent = entry.in_store == 0;
    if (entry.in_store == entry.sequence && entry.sequence <= entry.replayed_to) continue;
    if (entry.in_store > entry.Since()) {
      ++newer_in_store_;
    } else if (entry.kind == ValueKind::kDeletion) {
      if (absent) continue;
      batch.Delete(key);
      ++restored_;
    } else if (absent && (entry.range_removed || !NothingDroppedSince(entry.Since()))) {
      ++maybe_deleted_;
    } else {
      batch.Put(key, entry.value);
      ++restored_;
    }
    if (batch.ApproximateSize() < kBatchBytes) continue;
    const Status status = db->Write(write, &batch);
    if (!status.ok()) return status;
    batch.Clear();
  }
  return db->Write(write, &batch);
}

}  // namespace

int RunRestore(const Invocation& call) {
  Restorer restorer(call);
  const Status status = restorer.Run();
  if (!status.ok()) return Fail(status, call.json);
  const Json report = restorer.Report();
  const auto number = [&](const char* name) { return report[name].dump(); };
  std::string text = number("files") + " files in lost/: " + number("restored") +
                     " entries restored; not restored: " + number("newer_in_store") +
                     " keys with newer versions, " + number("maybe_deleted") +
                     " keys possibly deleted since";
  if (report["files_without_note"] > 0) {
    text += "\n" + number("files_without_note") +
            " files without a note were not read: a repair or an older Lull set them aside";
  }
  return PrintResult(call.json, report, text);
}

}  // namespace lull::tools
