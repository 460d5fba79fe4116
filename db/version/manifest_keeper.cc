// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "db/version/manifest_keeper.h"

#include <algorithm>
#include <set>
#include <utility>

#include "db/filename.h"
#include "util/env_extension.h"
#include "util/logging.h"

namespace lull {

ManifestKeeper::ManifestKeeper(StoreContext* context, StoreState* state, const StoreGates* gates,
                               ObsoleteFiles* obsolete, VersionBuilder::MakeTable make_table)
    : context_(context),
      state_(state),
      gates_(gates),
      obsolete_(obsolete),
      make_table_(std::move(make_table)) {}

leveldb::Status ManifestKeeper::WriteRecovered(Recovered* recovered, uint64_t log_number,
                                               Begun* begun) {
  VersionEdit flushed;
  flushed.new_tables = recovered->new_tables;
  VersionBuilder builder(recovered->manifest.version, make_table_);
  leveldb::Status status = builder.Apply(flushed);
  if (status.ok()) status = builder.Build(&begun->version);
  if (!status.ok()) return status;
  VersionEdit edit;
  edit.log_number = log_number;
  edit.last_sequence = recovered->last_sequence;
  begun->number = context_->NewFileNumber();
  recovered->new_tables_are_listed = true;
  status = ManifestWriter::Create(*context_, begun->number, *begun->version,
                                  recovered->manifest.compact_pointers, edit, &begun->writer);
  // On a failure both MANIFESTs stay: CURRENT may name either.
  return status.ok() ? SetCurrentFile(context_->env(), context_->name, begun->number) : status;
}

leveldb::Status ManifestKeeper::CommitRecoveredLogs(Recovered* recovered, uint64_t log_number) {
  Begun begun;
  leveldb::Status status = WriteRecovered(recovered, log_number, &begun);
  if (!status.ok()) return status;
  recovered->manifest.version = std::move(begun.version);
  recovered->new_tables.clear();
  recovered->new_tables_are_listed = false;
  // One that cannot be removed is found again at the next open.
  for (const std::string& file : recovered->obsolete)
    context_->env()->RemoveFile(context_->name + "/" + file);
  const std::string path = DescriptorFileName(context_->name, begun.number);
  recovered->obsolete = {path.substr(context_->name.size() + 1)};
  return status;
}

leveldb::Status ManifestKeeper::Start(Recovered* recovered, uint64_t log_number) {
  Begun begun;
  leveldb::Status status = WriteRecovered(recovered, log_number, &begun);
  if (!status.ok()) return status;
  VersionRef version = begun.version;
  Adopt(std::move(begun));
  log_number_ = log_number;
  MutexLock lock(state_->mutex);
  state_->version = std::move(version);
  state_->flushed_sequence = recovered->last_sequence;
  state_->board.SetPointers(recovered->manifest.compact_pointers);
  return status;
}

leveldb::Status ManifestKeeper::Install(VersionEdit* edit, std::vector<TableMeta> outputs,
                                        VersionRef* version) {
  VersionRef base;
  {
    MutexLock lock(state_->mutex);
    if (!state_->health.MayInstall()) {
      // What failed may have been of these files too, and a second sync that succeeds proves
      // nothing.
      Doubt(outputs);
      return state_->health.write_error();
    }
    base = state_->version;
  }
  const bool has_new_files = !outputs.empty();
  edit->new_tables = std::move(outputs);
  edit->next_file_number = context_->next_file_number.load(std::memory_order_relaxed);
  VersionBuilder builder(std::move(base), make_table_);
  leveldb::Status status = builder.Apply(*edit);
  if (status.ok()) status = builder.Build(version);
  // The names of new tables first: a MANIFEST record can reach the disk before its sync.
  if (status.ok() && has_new_files && context_->extension != nullptr) {
    status = context_->extension->SyncDirectory(context_->name);
  }
  // A folder that was not even opened is no worse for it; one whose sync failed is.
  bool restorable = IsOutOfDescriptors(status);
  if (status.ok()) {
    status = writer_->Append(*edit);
    restorable = IsOutOfResources(status);
  }
  if (!status.ok()) {
    Doubt(edit->new_tables);
    Freeze(status, restorable);
  } else if (edit->log_number) {
    log_number_ = *edit->log_number;
  }
  return status;
}

void ManifestKeeper::Doubt(const std::vector<TableMeta>& tables) {
  for (const TableMeta& table : tables)
    doubtful_files_.push_back(TableFileName(context_->name, table.number));
}

/// The store is read-only: until Restore succeeds if that can be, else until it is opened again.
void ManifestKeeper::Freeze(const leveldb::Status& failure, bool restorable) {
  if (state_->FailManifest(failure, restorable)) restore_at_nanos_ = 0;
}

/// The new MANIFEST holds the state without the edit that failed. Nobody knows whether the old one
/// holds that edit, but once CURRENT durably names the new one, nobody asks. Until then nothing was
/// deleted that either needs.
std::optional<uint64_t> ManifestKeeper::Restore(uint64_t now_nanos) {
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
  std::vector<std::string> obsolete = std::exchange(doubtful_files_, {});
  std::erase_if(obsolete, [&](const std::string& path) { return listed.contains(path); });
  obsolete.push_back(DescriptorFileName(context_->name, number_));
  Adopt(std::move(begun));
  {
    MutexLock lock(state_->mutex);
    state_->health.ManifestRestored();
    state_->changed.NotifyAll();
  }
  Log(context_->logger(), "Writes go on, with a new MANIFEST");
  obsolete_->Add(std::move(obsolete));
  return std::nullopt;
}

/// From here on this one, which CURRENT names durably, takes the edits.
void ManifestKeeper::Adopt(Begun begun) {
  // So that the bytes written for snapshots are a small part of those written for edits, and an
  // open reads no more than a few times what it needs to.
  constexpr uint64_t kGrowthMax = 4;
  writer_ = std::move(begun.writer);
  number_ = begun.number;
  bytes_max_ = std::max(context_->pace.manifest_bytes_min, kGrowthMax * writer_->FileBytes());
}

/// Whether CURRENT names the present MANIFEST for certain.
bool ManifestKeeper::IsInForce() const {
  uint64_t current = 0;
  return ReadCurrent(*context_, &current).ok() && current == number_;
}

/// Writes a MANIFEST of what is installed, and makes CURRENT name it. If that fails, the file is
/// removed, unless CURRENT may name it.
leveldb::Status ManifestKeeper::Begin(Begun* begun) {
  VersionEdit edit;
  edit.log_number = log_number_;
  CompactPointers pointers;
  {
    MutexLock lock(state_->mutex);
    edit.last_sequence = state_->flushed_sequence;
    begun->version = state_->version;
    pointers = state_->board.pointers();
  }
  begun->number = context_->NewFileNumber();
  leveldb::Status status = ManifestWriter::Create(*context_, begun->number, *begun->version,
                                                  pointers, edit, &begun->writer);
  const bool written = status.ok();
  if (written) status = SetCurrentFile(context_->env(), context_->name, begun->number);
  if (status.ok()) return status;
  begun->writer.reset();
  const std::string path = DescriptorFileName(context_->name, begun->number);
  if (!written || IsInForce()) {
    context_->env()->RemoveFile(path);
  } else {
    doubtful_files_.push_back(path);
  }
  return status;
}

void ManifestKeeper::RollIfLong() {
  if (writer_->FileBytes() < bytes_max_ || !gates_->may_install.load(std::memory_order_acquire))
    return;
  Begun begun;
  const leveldb::Status status = Begin(&begun);
  if (!status.ok()) return KeepLong(status);
  const std::string old = DescriptorFileName(context_->name, number_);
  Log(context_->logger(), "%s, %llu bytes long, goes on as MANIFEST-%06llu with %llu bytes",
      old.c_str(), static_cast<unsigned long long>(writer_->FileBytes()),
      static_cast<unsigned long long>(begun.number),
      static_cast<unsigned long long>(begun.writer->FileBytes()));
  Adopt(std::move(begun));
  obsolete_->Add({old});
}

/// A new MANIFEST could not be begun. The old one is good, and goes on until it has grown as much
/// again, if CURRENT names it for certain: an edit in a MANIFEST that is not the one in force would
/// be lost.
void ManifestKeeper::KeepLong(const leveldb::Status& failure) {
  if (!IsInForce()) return Freeze(failure, IsOutOfResources(failure));
  Log(context_->logger(), "No new MANIFEST could be begun; the old one goes on: %s",
      failure.ToString().c_str());
  bytes_max_ = writer_->FileBytes() + context_->pace.manifest_bytes_min;
}

}  // namespace lull
