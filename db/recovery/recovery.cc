// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "db/recovery/recovery.h"

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "db/base/filename.h"
#include "db/base/store_mark.h"
#include "db/compaction/merge_job.h"
#include "db/memory/batch_format.h"
#include "db/memory/memtable.h"
#include "db/recovery/codec_evidence.h"
#include "db/version/foreign_store.h"
#include "util/file_util.h"
#include "util/logging.h"

namespace lull {
namespace {

/// The WALs that memtables are kept of: the next open reads all of them again, and each can have a
/// memtable of its own.
constexpr size_t kWalsMax = 32;

/// Writes memtables, oldest first, to one L0 table.
leveldb::Status FlushMemTables(StoreContext* context, std::vector<SealedMemTable> memtables,
                               Recovered* result) {
  const SequenceNumber last_sequence = memtables.back().last_sequence;
  FlushJob job(context, std::move(memtables), last_sequence);
  Job::Progress progress = Job::Progress::kMore;
  leveldb::Status status;
  while (status.ok() && progress == Job::Progress::kMore) {
    status = job.RunSlice(SliceBudget{UINT64_MAX, UINT32_MAX}, &progress);
  }
  if (!status.ok()) return status;
  job.outputs().Keep();
  for (const TableMeta& table : job.outputs().finished()) result->new_tables.push_back(table);
  return status;
}

leveldb::Status BadRecord(const std::string& path, uint64_t offset, const std::string& what) {
  return leveldb::Status::Corruption(path, "record at offset " + std::to_string(offset) + what);
}

/// Replays WALs, oldest first, into memtables. Small WALs share one: a program that crashes at each
/// start can leave thousands.
class WalReplay {
 public:
  struct Limits {
    uint64_t memory_bytes_max = 0;  ///< memtables are flushed if they need more; 0: all are
    /// Disk space if it is short; no memtable is larger, except for that of one WAL.
    std::optional<uint64_t> free_bytes;
    bool logs_may_grow = false;  ///< another process can be writing to the store
    CommitRecovered commit;      ///< or null
  };

  WalReplay(StoreContext* context, Limits limits, Recovered* result)
      : context_(context),
        limits_(std::move(limits)),
        result_(result),
        flushes_(limits_.memory_bytes_max == 0 || limits_.free_bytes.has_value()),
        last_sequence_(result->manifest.last_sequence),
        flushed_to_(result->manifest.last_sequence) {}

  leveldb::Status ReplayAll(const std::vector<uint64_t>& numbers);

 private:
  leveldb::Status ReplayOne(uint64_t number, const std::string& path);
  leveldb::Status TakeRecord(const leveldb::Slice& record, const std::string& path,
                             uint64_t offset);
  leveldb::Status SealMemTable();
  void Unseal();
  leveldb::Status FlushAll();
  leveldb::Status Finish();
  /// From now on memtables are flushed, unless this process only reads.
  void KeepNoMore() {
    flushes_ = !limits_.logs_may_grow;
    may_keep_ = false;
  }
  bool HasRoomFor(uint64_t file_bytes) const;
  bool MayStayInMemory() const;
  uint64_t MemoryBytes() const {
    return sealed_bytes_ + (memtable_ == nullptr ? 0 : memtable_->MemoryBytes());
  }
  leveldb::Status TakeGap(const std::string& path, const leveldb::Slice& record,
                          SequenceNumber reached);
  leveldb::Status Stop(const leveldb::Status& cause);

  StoreContext* const context_;
  const Limits limits_;
  Recovered* const result_;
  bool flushes_;              // otherwise memtables stay in memory, for now
  bool may_keep_ = true;      // in memory
  bool lacks_space_ = false;  // for the table of a memtable that can be kept
  SequenceNumber last_sequence_;
  SequenceNumber flushed_to_;  // the newest entry in tables
  MemTableRef memtable_;
  uint64_t memtable_wal_ = 0;                  // the first WAL with entries of memtable_
  uint64_t sealed_bytes_ = 0;                  // of result_->memtables
  bool stopped_ = false;                       // the rest was not replayed
  bool met_empty_ = false;                     // of the WALs so far, one has no records
  std::optional<SequenceNumber> replayed_to_;  // where the WALs so far end
  struct {
    bool is_torn = false;      // its end is not clean
    bool has_records = false;  // at least one record follows without a gap
    bool has_entries = false;
    bool repeats = false;  // it has records of an earlier one
    uint64_t valid_bytes = 0;
  } last_;  // the last WAL
  /// Not OK: the rest of a WAL is damaged, and no later WAL goes on where its readable part ended.
  /// Acknowledged writes can be missing. Otherwise the rest was no part of the WAL: a recycled file
  /// can have values after its end that contain logs.
  leveldb::Status bad_end_;
};

leveldb::Status WalReplay::ReplayAll(const std::vector<uint64_t>& numbers) {
  // WALs with a torn end. The next record, possibly several WALs later, shows if one is missing.
  std::vector<std::string> unproven;
  const auto settle = [&](std::vector<std::string>* fate) {
    fate->insert(fate->end(), unproven.begin(), unproven.end());
    unproven.clear();
  };
  leveldb::Status status;
  for (const uint64_t number : numbers) {
    const std::string path = LogFileName(context_->name, number);
    const std::string base = path.substr(context_->name.size() + 1);
    if (stopped_) {
      result_->lost.push_back(base);
      continue;
    }
    uint64_t file_bytes = 0;
    status = context_->env()->GetFileSize(path, &file_bytes);
    if (status.ok() && memtable_ != nullptr && !HasRoomFor(file_bytes)) status = SealMemTable();
    const bool has_news = MemoryBytes() == 0 && !result_->new_tables.empty();
    if (status.ok() && limits_.commit && has_news && unproven.empty()) {
      result_->last_sequence = result_->last_sequence_in_tables = last_sequence_;
      status = limits_.commit(result_, number);
    }
    if (memtable_ == nullptr) memtable_wal_ = number;
    if (status.ok()) status = ReplayOne(number, path);
    if (!status.ok()) return status;
    if (last_.has_entries) result_->wals.push_back({number, file_bytes, last_.valid_bytes});
    if (last_.has_records && !stopped_ && bad_end_.ok()) settle(&result_->obsolete);
    const bool is_unproven = last_.is_torn || stopped_;
    (last_.repeats ? result_->lost : is_unproven ? unproven : result_->obsolete).push_back(base);
    if (stopped_) settle(&result_->lost);
  }
  if (!bad_end_.ok()) status = Stop(bad_end_);
  if (!status.ok()) return status;
  settle(stopped_ ? &result_->lost : &result_->obsolete);
  return Finish();
}

/// Decides what stays in memory.
leveldb::Status WalReplay::Finish() {
  result_->last_sequence = result_->last_in_wals = last_sequence_;
  leveldb::Status status;
  if (memtable_ != nullptr) status = SealMemTable();
  if (status.ok() && !result_->memtables.empty() && !MayStayInMemory()) status = FlushAll();
  if (!status.ok()) return status;
  if (result_->memtables.empty()) {
    result_->wals.clear();
    result_->last_sequence_in_tables = last_sequence_;
    return status;
  }
  result_->last_in_wals = *replayed_to_;
  result_->last_sequence_in_tables = flushed_to_;
  for (const RecoveredWal& wal : result_->wals) {
    const std::string path = LogFileName(context_->name, wal.number);
    std::erase(result_->obsolete, path.substr(context_->name.size() + 1));
  }
  return status;
}

leveldb::Status WalReplay::SealMemTable() {
  SealedMemTable& sealed = result_->memtables.emplace_back();
  sealed.memory_bytes = memtable_->MemoryBytes();
  sealed.wal_number = memtable_wal_;
  sealed.last_sequence = last_sequence_;
  sealed.begun_seconds = context_->WallSeconds();
  sealed.memtable = std::exchange(memtable_, nullptr);
  sealed_bytes_ += sealed.memory_bytes;
  return flushes_ ? FlushAll() : leveldb::Status::OK();
}

leveldb::Status WalReplay::FlushAll() {
  flushes_ = true;
  const leveldb::Status status = FlushMemTables(context_, result_->memtables, result_);
  lacks_space_ = limits_.free_bytes && may_keep_ && IsOutOfResources(status);
  if (lacks_space_) {
    flushes_ = false;
    return leveldb::Status::OK();
  }
  if (status.ok()) flushed_to_ = result_->memtables.back().last_sequence;
  result_->memtables.clear();
  result_->wals.clear();
  sealed_bytes_ = 0;
  return status;
}

/// The last memtable goes on taking entries: the next one cannot begin inside a WAL.
void WalReplay::Unseal() {
  sealed_bytes_ -= result_->memtables.back().memory_bytes;
  memtable_ = std::move(result_->memtables.back().memtable);
  result_->memtables.pop_back();
}

/// Whether the memtable can take the entries of a WAL of this length too.
bool WalReplay::HasRoomFor(uint64_t file_bytes) const {
  if (limits_.logs_may_grow && result_->wals.size() <= kWalsMax) return false;
  const uint64_t bytes = memtable_->MemoryBytes();
  if (bytes >= context_->options.write_buffer_size) return false;
  return !limits_.free_bytes || bytes + file_bytes <= *limits_.free_bytes / 2;
}

/// Whether the memtables can stay in memory until the store flushes them.
bool WalReplay::MayStayInMemory() const {
  if (limits_.logs_may_grow || (lacks_space_ && may_keep_ && !stopped_)) return true;
  if (flushes_ || stopped_ || result_->wals.size() > kWalsMax) return false;
  const uint64_t memtable_bytes = context_->options.write_buffer_size;
  return sealed_bytes_ <= memtable_bytes / 4 || sealed_bytes_ >= 2 * memtable_bytes;
}

leveldb::Status WalReplay::ReplayOne(uint64_t number, const std::string& path) {
  std::unique_ptr<WalReader> opened;
  leveldb::Status status = OpenWal(context_->env(), path, limits_.logs_may_grow, &opened);
  if (!status.ok()) return status;
  WalReader& reader = *opened;
  leveldb::Slice record;
  last_ = {};
  while (!stopped_ && reader.ReadRecord(&record)) {
    if (record.size() < batch::kHeaderBytes)
      return Stop(BadRecord(path, reader.LastRecordOffset(), " is shorter than a batch"));
    const SequenceNumber sequence = batch::SequenceOf(record);
    if (!last_.has_records && met_empty_ && !IsWalPreamble(record)) {
      return leveldb::Status::Corruption(
          path,
          "follows an empty log, but LevelDB begins no log before the last one has entries; "
          "restore a backup, or call RepairDB");
    }
    // A log goes on from the one before. The MANIFEST proves nothing of logs in between: LevelDB's
    // can be ahead of its logs, Lull's after an ingestion.
    const SequenceNumber reached = replayed_to_.value_or(bad_end_.ok() ? last_sequence_ : 0);
    const bool may_begin_late = number == result_->manifest.log_number && bad_end_.ok() &&
                                MayBeginAfterGap(*context_, result_->manifest, record);
    if (!last_.has_records && sequence > reached + 1 && !may_begin_late)
      return TakeGap(path, record, reached);
    // If WALs stay, each must show where the one before ended: a power loss can shorten any.
    const bool continues = last_.has_records || (IsWalPreamble(record) && sequence == reached + 1);
    if (!continues) KeepNoMore();
    // An empty batch can be from an open that failed.
    if (batch::CountOf(record) > 0) bad_end_ = leveldb::Status::OK();
    last_.has_records = true;
    status = TakeRecord(record, path, reader.LastRecordOffset());
    if (!status.ok()) return status;
  }
  if (reader.end() == log::LogEnd::kError) return reader.status();
  const bool is_damaged = log::IsDamage(reader.end());
  if (is_damaged) bad_end_ = reader.status();
  last_.is_torn = reader.end() != log::LogEnd::kClean;
  last_.valid_bytes = reader.ValidBytes();
  met_empty_ = met_empty_ || (!last_.has_records && !is_damaged);
  if (limits_.logs_may_grow && last_.has_records) {
    result_->last_wal = std::move(opened);
    result_->last_wal_number = number;
  }
  return status;
}

/// Ends the replay before `record` of the WAL at `path`, whose sequence is too high.
leveldb::Status WalReplay::TakeGap(const std::string& path, const leveldb::Slice& record,
                                   SequenceNumber reached) {
  stopped_ = true;
  if (!bad_end_.ok()) return Stop(std::exchange(bad_end_, {}));
  const std::string gap = "begins at sequence " + std::to_string(batch::SequenceOf(record)) +
                          ", but replay reached only " + std::to_string(reached);
  // A power loss does this to unsynced writes of Lull, but not where it has synced later ones.
  const bool is_strict = result_->manifest.is_torn && context_->options.paranoid_checks;
  if (IsWalPreamble(record) && !is_strict) {
    Log(context_->logger(), "Replay ends before %s: it %s", path.c_str(), gap.c_str());
    return leveldb::Status::OK();
  }
  return leveldb::Status::Corruption(
      path, gap + ": a log before it is incomplete; restore a " + "backup, or call RepairDB");
}

leveldb::Status WalReplay::TakeRecord(const leveldb::Slice& record, const std::string& path,
                                      uint64_t offset) {
  leveldb::Status status = batch::Validate(record);
  if (!status.ok()) return Stop(BadRecord(path, offset, ": " + status.ToString()));
  if (!batch::HasPossibleSequence(record))
    return Stop(BadRecord(path, offset, " has an impossible sequence"));
  const uint32_t count = batch::CountOf(record);
  const SequenceNumber next = batch::SequenceOf(record) + count;
  if (count > 0 && batch::SequenceOf(record) <= replayed_to_) {
    // A copy of a WAL, with another number. In a newer memtable these entries would hide newer
    // ones.
    status = BadRecord(path, offset, " repeats a sequence of a log before it");
    if (context_->options.paranoid_checks) return status;
    Log(context_->logger(), "Ignored: %s", status.ToString().c_str());
    last_.repeats = true;
    KeepNoMore();
    return leveldb::Status::OK();
  }
  if (next > 0) replayed_to_ = std::max(replayed_to_.value_or(0), next - 1);
  last_sequence_ = std::max(last_sequence_, replayed_to_.value_or(0));
  if (count == 0) return status;
  last_.has_entries = true;
  if (memtable_ == nullptr)
    memtable_ = std::make_shared<MemTable>(context_->order, context_->memtable_blocks);
  status = batch::InsertInto(record, memtable_.get());
  // The memtable can have absorbed a burst on a machine with more memory. Only what is flushed at
  // once can end inside a WAL: see wal_set.h.
  const uint64_t bytes_max =
      flushes_ ? 2 * context_->options.write_buffer_size : limits_.memory_bytes_max;
  if (!status.ok() || MemoryBytes() < bytes_max) return status;
  if (!flushes_) KeepNoMore();
  status = SealMemTable();
  if (status.ok() && lacks_space_) Unseal();
  return status;
}

/// Ends the replay; with paranoid_checks, fails the open.
leveldb::Status WalReplay::Stop(const leveldb::Status& cause) {
  stopped_ = true;
  Log(context_->logger(), "Replay ends early: %s", cause.ToString().c_str());
  return context_->options.paranoid_checks ? cause : leveldb::Status::OK();
}

/// Fails if the directory lacks files that the MANIFEST names.
leveldb::Status CheckTablesExist(const StoreContext& context, const ManifestState& manifest,
                                 const std::set<uint64_t>& listed,
                                 const std::set<uint64_t>& present) {
  int missing = 0;
  std::string example;
  for (const uint64_t number : listed) {
    if (present.contains(number)) continue;
    if (missing++ == 0) example = TableFileName(context.name, number);
  }
  if (missing == 0) return leveldb::Status::OK();
  if (manifest.is_torn) example += " (" + manifest.end.ToString() + ")";
  return leveldb::Status::Corruption(std::to_string(missing) + " missing files; e.g.", example);
}

}  // namespace

leveldb::Status ReadDirectory(StoreContext* context, Recovered* result, DirectoryFiles* files) {
  std::vector<std::string> names;
  leveldb::Status status = context->env()->GetChildren(context->name, &names);
  if (!status.ok()) return status;

  const ManifestState& manifest = result->manifest;
  const std::set<uint64_t> listed = manifest.version->TableNumbers();
  std::set<uint64_t> present;
  for (const std::string& name : names) {
    const std::optional<ParsedFileName> parsed = ParseFileName(name);
    if (!parsed) continue;
    if (parsed->number > 0) context->MarkFileNumberUsed(parsed->number);
    switch (parsed->kind) {
      case FileKind::kLog:
        if (manifest.NeedsLog(parsed->number)) {
          if (!IsNoFile(context->env(), context->name + "/" + name))
            files->wals.push_back(parsed->number);
        } else {
          result->obsolete.push_back(name);
        }
        break;
      case FileKind::kTable:
        present.insert(parsed->number);
        if (!listed.contains(parsed->number)) files->tables.push_back(name);
        break;
      case FileKind::kDescriptor:
        // A torn MANIFEST can contain the rest of its lost record.
        (manifest.is_torn && parsed->number == manifest.manifest_number ? result->lost
                                                                        : result->obsolete)
            .push_back(name);
        break;
      case FileKind::kTemp:
        result->obsolete.push_back(name);
        break;
      case FileKind::kCurrent:
      case FileKind::kLock:
      case FileKind::kInfoLog:
        break;
    }
  }
  status = context->CheckFileNumbers();
  if (status.ok()) status = CheckTablesExist(*context, manifest, listed, present);
  std::sort(files->wals.begin(), files->wals.end());
  return status.ok() ? CheckManifestIsCurrent(*context, manifest, *files) : status;
}

namespace {

/// Reads the MANIFEST and lists the directory.
leveldb::Status ReadManifestAndDirectory(StoreContext* context,
                                         const VersionBuilder::MakeTable& make_table,
                                         Recovered* result, DirectoryFiles* files) {
  const leveldb::Status status = ReadManifest(context, make_table, &result->manifest);
  if (!status.ok()) return status;
  if (result->manifest.is_damaged && context->options.paranoid_checks) return result->manifest.end;
  return ReadDirectory(context, result, files);
}

/// Decides about the tables that the MANIFEST does not list. Returns those that are newer than it,
/// with their newest sequences: they stay until it is known what the logs contain.
std::map<std::string, SequenceNumber> SortTables(const StoreContext& context,
                                                 const std::vector<std::string>& tables,
                                                 Recovered* result) {
  std::map<std::string, SequenceNumber> newer;
  for (const std::string& table : tables) {
    // The lost record of a torn MANIFEST can have listed it, unless an earlier one removed it.
    const uint64_t number = ParseFileName(table)->number;
    if (result->manifest.is_torn && !result->manifest.removed.Has(number)) {
      result->lost.push_back(table);
      continue;
    }
    const SequenceNumber newest = NewestSequence(context, table);
    if (newest > result->manifest.last_sequence) {
      newer.emplace(table, newest);
    } else {
      result->obsolete.push_back(table);
    }
  }
  return newer;
}

/// The free disk space, if it might not suffice for the tables of these WALs next to the WALs.
std::optional<uint64_t> ShortRoom(StoreContext* context, const std::vector<uint64_t>& wals) {
  if (context->extension == nullptr) return std::nullopt;
  uint64_t wanted_bytes = 2 * context->options.write_buffer_size;
  for (const uint64_t number : wals) {
    uint64_t bytes = 0;
    if (context->env()->GetFileSize(LogFileName(context->name, number), &bytes).ok())
      wanted_bytes += bytes;
  }
  const std::optional<uint64_t> free_bytes = context->extension->FreeBytes(context->name);
  return free_bytes && *free_bytes < wanted_bytes ? free_bytes : std::nullopt;
}

/// Frees disk space that a killed process had preallocated: removes WALs without a record, and
/// truncates the zeros at the end of the others. The WAL `named` by the MANIFEST keeps its name.
/// Returns the newest sequence that replay will reach from `reached`, or less.
SequenceNumber GiveBackSpace(StoreContext* context, uint64_t named, SequenceNumber reached,
                             std::vector<uint64_t>* wals) {
  std::optional<SequenceNumber> next;  // after the WALs so far
  bool is_whole = true;                // they are: clean, without a gap
  std::erase_if(*wals, [&](uint64_t number) {
    const std::string path = LogFileName(context->name, number);
    std::unique_ptr<WalReader> reader;
    if (!OpenWal(context->env(), path, /*may_grow=*/false, &reader).ok()) return is_whole = false;
    leveldb::Slice record;
    bool has_records = false;
    for (; reader->ReadRecord(&record); has_records = true) {
      is_whole = is_whole && batch::Validate(record).ok() &&
                 (has_records || batch::SequenceOf(record) <= next.value_or(reached + 1));
      if (is_whole)
        next = std::max(next.value_or(0), batch::SequenceOf(record) + batch::CountOf(record));
    }
    if (reader->end() != log::LogEnd::kClean) return is_whole = false;
    if (!has_records && number != named) return context->env()->RemoveFile(path).ok();
    // On an error the file keeps its length.
    context->extension->TruncateFile(path, reader->ValidBytes());
    return false;
  });
  return std::max(reached + 1, next.value_or(0)) - 1;
}

/// Removes the files that the MANIFEST does not need, after making it and CURRENT durable.
void RemoveObsolete(StoreContext* context, Recovered* result) {
  const std::string manifest = DescriptorFileName(context->name, result->manifest.manifest_number);
  if (!SyncClosedFile(context->env(), manifest, UINT64_MAX).ok() ||
      !context->extension->SyncDirectory(context->name).ok())
    return;
  std::erase_if(result->obsolete, [&](const std::string& name) {
    const std::string path = context->name + "/" + name;
    return path != manifest && context->env()->RemoveFile(path).ok();
  });
}

}  // namespace

leveldb::Status Recover(StoreContext* context, const VersionBuilder::MakeTable& make_table,
                        const CommitRecovered& commit, uint64_t memory_bytes_max,
                        Recovered* result) {
  DirectoryFiles files;
  leveldb::Status status = ReadManifestAndDirectory(context, make_table, result, &files);
  if (!status.ok()) return status;
  LookForCodec(*context, *result->manifest.version);
  auto newer = SortTables(*context, files.tables, result);
  WalReplay::Limits limits;
  // If the MANIFEST is torn, it and the files it might have named must go to lost/ first.
  if (!result->manifest.is_torn) limits.free_bytes = ShortRoom(context, files.wals);
  if (limits.free_bytes) {
    const SequenceNumber reached = GiveBackSpace(context, result->manifest.log_number,
                                                 result->manifest.last_sequence, &files.wals);
    // Such as the table of a killed flush.
    std::erase_if(newer, [&](const auto& table) {
      if (table.second > reached) return false;
      result->obsolete.push_back(table.first);
      return true;
    });
    RemoveObsolete(context, result);
    limits.commit = commit;
  }
  if (!result->manifest.is_torn && context->extension != nullptr)
    limits.memory_bytes_max = memory_bytes_max;
  status = WalReplay(context, std::move(limits), result).ReplayAll(files.wals);
  // A power loss can take the log of an unfinished flush and leave its table.
  for (const auto& [table, newest] : newer)
    (newest > result->last_sequence ? result->lost : result->obsolete).push_back(table);
  return status;
}

namespace {

leveldb::Status ReplayInMemory(StoreContext* context, const VersionBuilder::MakeTable& make_table,
                               Recovered* result) {
  DirectoryFiles files;
  const leveldb::Status status = ReadManifestAndDirectory(context, make_table, result, &files);
  if (!status.ok()) return status;
  WalReplay::Limits limits;
  limits.memory_bytes_max = UINT64_MAX;
  limits.logs_may_grow = true;
  return WalReplay(context, std::move(limits), result).ReplayAll(files.wals);
}

}  // namespace

/// A process that writes the store can begin a WAL after the one before was read here up to its end
/// of that moment. The entries between look lost. They are if a second look finds the same.
leveldb::Status RecoverInMemory(StoreContext* context, const VersionBuilder::MakeTable& make_table,
                                Recovered* result) {
  constexpr int kLooksMax = 20;
  std::tuple<std::string, SequenceNumber, std::vector<std::string>> found;
  leveldb::Status status;
  for (int look = 0; look < kLooksMax; ++look) {
    *result = {};
    status = ReplayInMemory(context, make_table, result);
    if (status.ok() && result->lost.empty()) break;
    auto now = std::tuple(status.ToString(), result->last_sequence, result->lost);
    if (std::exchange(found, now) == now) break;
  }
  return status;
}

leveldb::Status FindStore(const StoreContext& context, bool* exists) {
  const std::string current = CurrentFileName(context.name);
  const bool is_no_file = IsNoFile(context.env(), current);
  leveldb::Status status = FindFile(context.env(), current, exists);
  if (!status.ok()) return status;
  if (*exists && !is_no_file) {
    *exists = ReadMark(context.env(), context.name) != StoreMark::kDestroyed;
    return status;
  }
  std::vector<std::string> names;
  status = context.env()->GetChildren(context.name, &names);
  if (!status.ok()) return status.IsNotFound() ? leveldb::Status::OK() : status;
  for (const std::string& name : names) {
    const std::optional<ParsedFileName> parsed = ParseFileName(name);
    if (!parsed) continue;
    const bool is_data = parsed->kind == FileKind::kTable || parsed->kind == FileKind::kLog;
    if (is_data && !IsNoFile(context.env(), context.name + "/" + name)) {
      status = CheckNotForeign(context.env(), context.name);
      if (!status.ok()) return status;
      return leveldb::Status::Corruption(
          current, (is_no_file ? "is no file, but " : "is missing, but ") + name +
                       " is there: this is a store that lost its CURRENT; RepairDB can rebuild it");
    }
  }
  return status;
}

leveldb::Status CreateStore(StoreContext* context) {
  constexpr uint64_t kFirstManifest = 1;
  VersionEdit edit;
  edit.log_number = 0;
  edit.last_sequence = 0;
  std::unique_ptr<ManifestWriter> writer;
  leveldb::Status status = ManifestWriter::Create(*context, kFirstManifest, Version(context->order),
                                                  CompactPointers{}, edit, &writer);
  if (!status.ok()) return status;
  // Before there is a CURRENT: once a store exists, no later process syncs the name of its
  // directory. A failure is only logged: the parent might not be accessible.
  const leveldb::Status named = SyncNamesIn(context->env(), ParentDirectoryName(context->name));
  if (!named.ok()) {
    Log(context->logger(), "The name of the store's directory might not survive a power loss: %s",
        named.ToString().c_str());
  }
  return SetCurrentFile(context->env(), context->name, kFirstManifest);
}

}  // namespace lull
