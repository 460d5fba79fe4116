// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "db/engine/version_set.h"

#include <algorithm>
#include <set>
#include <utility>

#include "db/base/filename.h"
#include "util/env_extension.h"
#include "util/logging.h"

namespace lull {
namespace {

std::set<uint64_t> TableNumbersOf(const std::vector<std::string>& files) {
  std::set<uint64_t> numbers;
  for (const std::string& file : files) {
    const std::optional<ParsedFileName> parsed = ParseFileName(file);
    if (parsed && parsed->kind == FileKind::kTable) numbers.insert(parsed->number);
  }
  return numbers;
}

/// Forgets the tables whose files are deleted.
leveldb::Status ForgetDeleted(const StoreContext& context, RemovedTables* removed) {
  if (removed->empty()) return leveldb::Status::OK();
  std::vector<std::string> names;
  const leveldb::Status status = context.env()->GetChildren(context.name, &names);
  if (status.ok()) removed->KeepOnly(TableNumbersOf(names));
  return status;
}

}  // namespace

VersionSet::VersionSet(StoreContext* context, StoreState* state, const PublishedFlags* flags,
                       ObsoleteFiles* obsolete, StoreReader* reader,
                       VersionBuilder::MakeTable make_table)
    : context_(context),
      state_(state),
      flags_(flags),
      obsolete_(obsolete),
      reader_(reader),
      make_table_(std::move(make_table)) {}

leveldb::Status VersionSet::WriteRecovered(Recovered* recovered, uint64_t log_number,
                                           Begun* begun) {
  VersionEdit flushed;
  flushed.new_tables = recovered->new_tables;
  VersionBuilder builder(recovered->manifest.version, make_table_);
  leveldb::Status status = builder.Apply(flushed);
  if (status.ok()) status = builder.Build(&begun->version);
  RemovedTables& removed = recovered->manifest.removed;
  for (const auto* files : {&recovered->lost, &recovered->obsolete})
    removed.TakeUnused(TableNumbersOf(*files));
  if (status.ok()) status = ForgetDeleted(*context_, &removed);
  if (!status.ok()) return status;
  VersionEdit edit;
  edit.log_number = log_number;
  edit.last_sequence = recovered->last_sequence_in_tables;
  begun->number = context_->NewFileNumber();
  recovered->new_tables_are_listed = true;
  status =
      ManifestWriter::Create(*context_, begun->number, *begun->version,
                             recovered->manifest.compact_pointers, edit, &begun->writer, removed);
  // On a failure keep both MANIFESTs: CURRENT can name either.
  return status.ok() ? SetCurrentFile(context_->env(), context_->name, begun->number) : status;
}

leveldb::Status VersionSet::CommitRecoveredLogs(Recovered* recovered, uint64_t log_number) {
  Begun begun;
  leveldb::Status status = WriteRecovered(recovered, log_number, &begun);
  if (!status.ok()) return status;
  recovered->manifest.version = std::move(begun.version);
  recovered->new_tables.clear();
  recovered->new_tables_are_listed = false;
  // A file that cannot be removed is found again at the next open.
  for (const std::string& file : recovered->obsolete)
    context_->env()->RemoveFile(context_->name + "/" + file);
  const std::string path = DescriptorFileName(context_->name, begun.number);
  recovered->obsolete = {path.substr(context_->name.size() + 1)};
  return status;
}

leveldb::Status VersionSet::Start(Recovered* recovered, uint64_t next_wal_number) {
  const uint64_t log_number =
      recovered->memtables.empty() ? next_wal_number : recovered->memtables.front().wal_number;
  Begun begun;
  leveldb::Status status = WriteRecovered(recovered, log_number, &begun);
  if (!status.ok()) return status;
  VersionRef version = begun.version;
  Adopt(std::move(begun));
  log_number_ = log_number;
  removed_ = std::move(recovered->manifest.removed);
  state_->Start(std::move(version), recovered->last_sequence_in_tables,
                recovered->manifest.compact_pointers);
  return status;
}

leveldb::Status VersionSet::Install(VersionEdit* edit, const std::vector<TableOutputs*>& outputs,
                                    VersionRef* version) {
  std::vector<TableMeta> written;
  for (TableOutputs* output : outputs) {
    output->Keep();
    written.insert(written.end(), output->finished().begin(), output->finished().end());
  }
  const leveldb::Status status = MakeDurable(edit, written, version);
  if (!status.ok()) return status;
  for (TableOutputs* output : outputs) output->AttachTo(**version);
  if (!written.empty()) reader_->OpenAhead(**version, written);
  return status;
}

leveldb::Status VersionSet::MakeDurable(VersionEdit* edit, const std::vector<TableMeta>& written,
                                        VersionRef* version) {
  VersionRef base;
  {
    MutexLock lock(state_->mutex());
    if (!state_->health().MayInstall()) {
      // The earlier failure can affect these files too, and a second sync that succeeds proves
      // nothing.
      MarkUncertain(written);
      return state_->health().write_error();
    }
    base = state_->version();
  }
  const bool names_new_files = !written.empty() || edit->log_number;
  edit->new_tables.insert(edit->new_tables.end(), written.begin(), written.end());
  edit->next_file_number = context_->next_file_number.load(std::memory_order_relaxed);
  VersionBuilder builder(std::move(base), make_table_);
  leveldb::Status status = builder.Apply(*edit);
  if (status.ok()) status = builder.Build(version);
  // Sync the names of new files first: a MANIFEST record can reach the disk before its sync.
  if (status.ok() && names_new_files && context_->extension != nullptr) {
    status = context_->extension->SyncDirectory(context_->name);
  }
  // Only a failed sync makes names doubtful, not a directory that could not be opened.
  bool restorable = IsOutOfDescriptors(status);
  if (status.ok()) {
    status = writer_->Append(*edit);
    restorable = IsOutOfResources(status);
  }
  if (!status.ok()) {
    MarkUncertain(written);
    Freeze(status, restorable);
    return status;
  }
  removed_.Take(*edit);
  if (edit->log_number) {
    log_number_ = *edit->log_number;
    prev_log_number_ = edit->prev_log_number.value_or(0);
  }
  return status;
}

void VersionSet::MarkUncertain(const std::vector<TableMeta>& tables) {
  for (const TableMeta& table : tables)
    uncertain_files_.push_back(TableFileName(context_->name, table.number));
}

/// Makes the store read-only until Restore succeeds, or if it cannot, until the store is reopened.
void VersionSet::Freeze(const leveldb::Status& failure, bool restorable) {
  if (state_->FailManifest(failure, restorable)) restore_at_nanos_ = 0;
}

/// Writes a new MANIFEST without the edit that failed. The old one might contain that edit, but
/// this no longer matters after CURRENT durably names the new one. Until then, no file that either
/// of them needs is deleted.
std::optional<uint64_t> VersionSet::Restore(uint64_t now_nanos) {
  Begun begun;
  const leveldb::Status status = Begin(&begun);
  if (!status.ok()) {
    restore_at_nanos_ = now_nanos + context_->pace.retry_nanos;
    return restore_at_nanos_;
  }
  restore_at_nanos_.reset();
  std::set<std::string> listed;
  for (int level = 0; level < kLevels; ++level) {
    for (const TableRef& table : begun.version->level(level))
      listed.insert(TableFileName(context_->name, table->number()));
  }
  std::vector<std::string> obsolete = std::exchange(uncertain_files_, {});
  std::erase_if(obsolete, [&](const std::string& path) { return listed.contains(path); });
  obsolete.push_back(DescriptorFileName(context_->name, number_));
  Adopt(std::move(begun));
  state_->ManifestRestored();
  Log(context_->logger(), "Writes are accepted again, with a new MANIFEST");
  obsolete_->Add(obsolete);
  return std::nullopt;
}

/// Appends later edits to this MANIFEST. REQUIRES: CURRENT durably names it.
void VersionSet::Adopt(Begun begun) {
  // Large enough that snapshots are a small part of all MANIFEST writes. Small enough that an open
  // reads only a few times what it needs.
  constexpr uint64_t kGrowthMax = 4;
  writer_ = std::move(begun.writer);
  number_ = begun.number;
  bytes_max_ = std::max(context_->pace.manifest_bytes_min, kGrowthMax * writer_->FileBytes());
}

/// Whether CURRENT certainly names the current MANIFEST.
bool VersionSet::IsInForce() const {
  uint64_t current = 0;
  return ReadCurrent(*context_, &current).ok() && current == number_;
}

void VersionSet::FreezeIfReplaced(leveldb::FileLock* lock, uint64_t now_nanos) {
  constexpr uint64_t kLookEveryNanos = 100'000'000;
  if (now_nanos - place_checked_nanos_.load(std::memory_order_relaxed) < kLookEveryNanos ||
      !flags_->may_install.load(std::memory_order_acquire))
    return;
  place_checked_nanos_.store(now_nanos, std::memory_order_relaxed);
  const leveldb::Status status = context_->CheckPlace(lock);
  if (!status.ok()) Freeze(status, /*restorable=*/false);
}

/// Writes a MANIFEST of the installed state, and makes CURRENT name it. On failure removes the
/// file, unless CURRENT might name it.
leveldb::Status VersionSet::Begin(Begun* begun) {
  VersionEdit edit;
  edit.log_number = log_number_;
  edit.prev_log_number = prev_log_number_;
  CompactPointers pointers;
  {
    MutexLock lock(state_->mutex());
    edit.last_sequence = state_->flushed_sequence();
    begun->version = state_->version();
    pointers = state_->compactions().pointers();
  }
  leveldb::Status status = ForgetDeleted(*context_, &removed_);
  if (!status.ok()) return status;
  begun->number = context_->NewFileNumber();
  status = ManifestWriter::Create(*context_, begun->number, *begun->version, pointers, edit,
                                  &begun->writer, removed_);
  const bool written = status.ok();
  if (written) status = SetCurrentFile(context_->env(), context_->name, begun->number);
  if (status.ok()) return status;
  begun->writer.reset();
  const std::string path = DescriptorFileName(context_->name, begun->number);
  if (!written || IsInForce()) {
    context_->RemoveFile(path);
  } else {
    uncertain_files_.push_back(path);
  }
  return status;
}

void VersionSet::RollIfLong() {
  if (writer_->FileBytes() < bytes_max_ || !flags_->may_install.load(std::memory_order_acquire))
    return;
  Begun begun;
  const leveldb::Status status = Begin(&begun);
  if (!status.ok()) return ContinueOldManifest(status);
  const std::string old = DescriptorFileName(context_->name, number_);
  Log(context_->logger(), "%s, %llu bytes long, is replaced by MANIFEST-%06llu with %llu bytes",
      old.c_str(), static_cast<unsigned long long>(writer_->FileBytes()),
      static_cast<unsigned long long>(begun.number),
      static_cast<unsigned long long>(begun.writer->FileBytes()));
  Adopt(std::move(begun));
  obsolete_->Add(std::vector<std::string>{old});
}

/// Call after a new MANIFEST could not be created. If CURRENT certainly names the old one, keeps
/// using it until it has grown again. Otherwise freezes the store: an edit would be lost in a
/// MANIFEST that CURRENT does not name.
void VersionSet::ContinueOldManifest(const leveldb::Status& failure) {
  if (!IsInForce()) return Freeze(failure, IsOutOfResources(failure));
  Log(context_->logger(), "Cannot create a new MANIFEST; the old one stays in use: %s",
      failure.ToString().c_str());
  bytes_max_ = writer_->FileBytes() + context_->pace.manifest_bytes_min;
}

}  // namespace lull
