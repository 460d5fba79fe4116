// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Makes backups: of an open store, whose tables a Version keeps, and of a store that another
// process can have open.
//
// The other process can delete a table at any time. The table is then in no newer MANIFEST, so the
// MANIFEST is read again, and the tables that are new in it are added. The first tables of each
// MANIFEST are opened at once, since open files stay readable: so the last attempt, which has few
// tables left, succeeds.
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "db/backup/backup_writer.h"
#include "db/backup/backups.h"
#include "db/base/filename.h"
#include "db/base/named_comparator.h"
#include "db/recovery/codec_evidence.h"
#include "db/recovery/live_store.h"
#include "db/recovery/recovery.h"
#include "table/merging_iterator.h"
#include "util/file_util.h"

namespace lull {
namespace {

using leveldb::Status;

// Each attempt adds the tables that exist. So the next one has fewer left, unless the store writes
// tables faster than they can be copied.
constexpr int kAttemptsMax = 50;
/// Files open at the same time.
constexpr size_t kOpenFilesMax = 100;

VersionEdit EditOf(const Version& version, const CompactPointers& pointers,
                   SequenceNumber last_sequence) {
  VersionEdit edit;
  edit.last_sequence = last_sequence;
  for (int level = 0; level < kLevels; ++level) {
    if (!pointers[level].empty()) edit.compact_pointers.emplace_back(level, pointers[level]);
  }
  edit.new_tables = version.AllTables();
  return edit;
}

/// A store as its files describe it at one moment.
class LiveStore {
 public:
  LiveStore(const leveldb::Options& options, const std::string& name) : context_(options) {
    context_.name = name;
    context_.extension = ExtensionOf(options.env);
    context_.options.paranoid_checks = true;  // a backup of a damaged log would hide the damage
  }

  const StoreContext& context() const { return context_; }

  /// Reads the MANIFEST and the logs, and opens the first tables that `writer` does not know.
  Status Load(const BackupWriter& writer) {
    return LoadUnchanged(context_, [&] { return TryLoad(writer); });
  }
  /// Adds all tables. Sets `*all_exist` to false if some were deleted meanwhile.
  Status AddTables(BackupWriter* writer, const WorkProgress& progress, bool* all_exist);
  Status Finish(BackupWriter* writer, BackupInfo* info);

 private:
  Status TryLoad(const BackupWriter& writer);

  StoreContext context_;
  Recovered recovered_;
  std::map<uint64_t, std::unique_ptr<leveldb::SequentialFile>> opened_;
};

Status LiveStore::TryLoad(const BackupWriter& writer) {
  recovered_ = {};
  opened_.clear();
  const Status status = RecoverInMemory(&context_, DescribedTable, &recovered_);
  if (!status.ok()) return status;
  if (!recovered_.memtables.empty() && NamedComparator::IsNamed(context_.order.user())) {
    return Status::NotSupported(context_.name,
                                "has entries in its logs, and only the store's own comparator can "
                                "make a table of them; use lull::CreateBackup in its program");
  }
  for (const TableMeta& table : recovered_.manifest.version->AllTables()) {
    if (opened_.size() == kOpenFilesMax) break;
    if (writer.Knows(table.number)) continue;
    std::unique_ptr<leveldb::SequentialFile> file;
    // Without a descriptor, AddTables tries again.
    if (OpenForReading(context_.env(), TableFileName(context_.name, table.number), &file).ok())
      opened_[table.number] = std::move(file);
  }
  return status;
}

Status LiveStore::AddTables(BackupWriter* writer, const WorkProgress& progress, bool* all_exist) {
  *all_exist = true;
  const Version& version = *recovered_.manifest.version;
  for (const TableMeta& table : version.AllTables()) {
    std::unique_ptr<leveldb::SequentialFile> file;
    const auto opened = opened_.find(table.number);
    if (opened != opened_.end()) file = std::move(opened->second);
    bool is_gone = false;
    const Status status = writer->AddTable(table, std::move(file), &is_gone);
    if (!status.ok()) return status;
    if (is_gone) *all_exist = false;
    if (progress) progress(version.TotalBytes(), table.file_bytes);
  }
  return Status::OK();
}

Status LiveStore::Finish(BackupWriter* writer, BackupInfo* info) {
  VersionEdit edit = EditOf(*recovered_.manifest.version, recovered_.manifest.compact_pointers,
                            recovered_.last_sequence);
  if (!recovered_.memtables.empty()) {  // the entries of the logs
    LookForCodec(context_, *recovered_.manifest.version);
    std::vector<std::unique_ptr<leveldb::Iterator>> entries;
    for (const SealedMemTable& sealed : recovered_.memtables)
      entries.push_back(sealed.memtable->NewIterator(kMaxSequence, kMaxSequence));
    TableMeta table;
    table.number = context_.NewFileNumber();  // above all others, as the newest table of L0 must be
    const Status status =
        writer->AddEntries(NewMergingIterator(context_.order, std::move(entries)).get(), &table);
    if (!status.ok()) return status;
    edit.new_tables.push_back(std::move(table));
  }
  return writer->Finish(std::move(edit), context_.NewFileNumber(), info);
}

Status BackUpLive(LiveStore* live, BackupWriter* writer, const WorkProgress& progress,
                  BackupInfo* info) {
  Status status = writer->Begin();
  for (int attempt = 0; status.ok() && attempt < kAttemptsMax; ++attempt) {
    bool all_exist = false;
    status = live->Load(*writer);
    if (status.ok()) status = live->AddTables(writer, progress, &all_exist);
    if (status.ok() && all_exist) return live->Finish(writer, info);
  }
  if (!status.ok()) return status;
  return Status::IOError(live->context().name,
                         "its tables change faster than they can be copied; make the backup in the "
                         "program that writes, with lull::CreateBackup");
}

Status BackUpPinned(const StoreContext& store, const CheckpointSource& source, BackupWriter* writer,
                    const WorkProgress& progress, BackupInfo* info) {
  Status status = writer->Begin();
  if (!status.ok()) return status;
  VersionEdit edit = EditOf(*source.version, source.compact_pointers, source.last_sequence);
  for (const TableMeta& table : edit.new_tables) {
    bool is_gone = false;
    status = writer->AddTable(table, nullptr, &is_gone);
    if (status.ok() && is_gone)
      status = Status::Corruption(TableFileName(store.name, table.number), "is missing");
    if (!status.ok()) return status;
    if (progress) progress(source.version->TotalBytes(), table.file_bytes);
  }
  // Above the numbers of all tables, which are older than the Version.
  return writer->Finish(std::move(edit), store.next_file_number.load(std::memory_order_relaxed),
                        info);
}

}  // namespace

Status BackUpTables(const StoreContext& store, const CheckpointSource& source,
                    const std::string& dir, const WorkProgress& progress, BackupInfo* info) {
  BackupWriter writer(&store, dir);
  return ExplainFailure(dir, BackUpPinned(store, source, &writer, progress, info));
}

Status BackUpFiles(const leveldb::Options& options, const std::string& name, const std::string& dir,
                   const WorkProgress& progress, BackupInfo* info) {
  LiveStore live(options, name);
  const Status status = CheckIsStore(live.context());  // before a directory is created
  if (!status.ok()) return status;
  BackupWriter writer(&live.context(), dir);
  return ExplainFailure(dir, BackUpLive(&live, &writer, progress, info));
}

}  // namespace lull
