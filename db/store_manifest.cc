// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// The flush thread's work on the MANIFEST: installs, and the beginning of a new one where the old
// has grown long.
#include <algorithm>
#include <set>
#include <utility>

#include "db/filename.h"
#include "db/store.h"
#include "util/logging.h"

namespace lull {

/// Makes `edit` with `outputs` durable, and builds the Version that it gives. On an error the store
/// is read-only, and nothing is deleted any more: nobody knows which of the two states is on disk.
leveldb::Status Store::InstallEdit(VersionEdit* edit, std::vector<NewTable> outputs,
                                   VersionRef* version) {
  const auto doubt = [this](const std::vector<NewTable>& tables) {
    for (const NewTable& table : tables)
      doubtful_files_.push_back(TableFileName(context_->name, table.number));
  };
  if (frozen_.load(std::memory_order_acquire)) {
    // What failed may have been of these files too, and a second sync that succeeds proves nothing.
    doubt(outputs);
    MutexLock lock(mutex_);
    return write_error_;
  }
  const bool has_new_files = !outputs.empty();
  edit->new_tables = std::move(outputs);
  edit->next_file_number = context_->next_file_number.load(std::memory_order_relaxed);
  VersionRef base;
  {
    MutexLock lock(mutex_);
    base = version_;
  }
  VersionBuilder builder(std::move(base),
                         [this](const NewTable& table) { return MakeTable(table); });
  leveldb::Status status = builder.Apply(*edit);
  if (status.ok()) status = builder.Build(version);
  // The names of new tables first: a MANIFEST record can reach the disk before its sync.
  if (status.ok() && has_new_files && context_->extension != nullptr) {
    status = context_->extension->SyncDirectory(context_->name);
  }
  // A folder that was not even opened is no worse for it; one whose sync failed is.
  bool restorable = IsOutOfDescriptors(status);
  if (status.ok()) {
    status = manifest_->Append(*edit);
    restorable = IsOutOfResources(status);
  }
  if (!status.ok()) {
    doubt(edit->new_tables);
    FreezeForManifest(status, restorable);
  } else if (edit->log_number) {
    log_number_ = *edit->log_number;
  }
  return status;
}

/// On an error of the MANIFEST the store is read-only: until RestoreManifest succeeds if
/// `restorable`, else until it is opened again.
void Store::FreezeForManifest(const leveldb::Status& failure, bool restorable) {
  frozen_.store(true, std::memory_order_release);
  {
    MutexLock lock(mutex_);
    restorable = restorable && write_error_.ok();  // another error stays
  }
  FailWrites("the MANIFEST", failure);
  if (restorable) restore_manifest_at_nanos_ = 0;
}

/// After a write to the MANIFEST failed for want of resources: begins a new one, which holds the
/// state without the edit that failed. Nobody knows whether the old one holds that edit, but once
/// CURRENT durably names the new one, nobody asks. Until then nothing was deleted that either
/// needs. Returns when to call it again.
std::optional<uint64_t> Store::RestoreManifest() {
  if (!restore_manifest_at_nanos_) return std::nullopt;
  const uint64_t now = coordinator_->clock()->NowNanos();
  if (now < *restore_manifest_at_nanos_) return *restore_manifest_at_nanos_ - now;
  wal_.DiscardPrepared(0);  // it needs their space
  NewManifest made;
  const leveldb::Status status = BeginManifest(&made);
  if (!status.ok()) {
    restore_manifest_at_nanos_ = now + context_->pace.retry_nanos;
    return context_->pace.retry_nanos;
  }
  restore_manifest_at_nanos_.reset();
  std::set<std::string> listed;
  for (int level = 0; level < kLevels; ++level) {
    for (const TableRef& table : made.version->level(level))
      listed.insert(TableFileName(context_->name, table->number()));
  }
  std::vector<std::string> obsolete = std::exchange(doubtful_files_, {});
  std::erase_if(obsolete, [&](const std::string& path) { return listed.contains(path); });
  obsolete.push_back(DescriptorFileName(context_->name, manifest_number_));
  AdoptManifest(made.number, std::move(made.writer));
  frozen_.store(false, std::memory_order_release);
  NoteObsolete(std::move(obsolete));
  {
    MutexLock lock(mutex_);
    write_error_ = leveldb::Status::OK();
    read_only_.store(!wal_error_.ok(), std::memory_order_release);
    changed_.NotifyAll();
  }
  Log(context_->logger(), "Writes go on, with a new MANIFEST");
  return 0;
}

/// From here on `manifest`, which CURRENT names durably, takes the edits.
void Store::AdoptManifest(uint64_t number, std::unique_ptr<ManifestWriter> manifest) {
  // So that the bytes written for snapshots are a small part of those written for edits, and an
  // open reads no more than a few times what it needs to.
  constexpr uint64_t kGrowthMax = 4;
  manifest_ = std::move(manifest);
  manifest_number_ = number;
  manifest_bytes_max_ =
      std::max(context_->pace.manifest_bytes_min, kGrowthMax * manifest_->FileBytes());
}

/// Writes a MANIFEST of what is installed, and makes CURRENT name it. If that fails, the file is
/// removed, unless CURRENT may name it.
leveldb::Status Store::BeginManifest(NewManifest* made) {
  VersionEdit edit;
  edit.log_number = log_number_;
  CompactPointers pointers;
  {
    MutexLock lock(mutex_);
    edit.last_sequence = flushed_sequence_;
    made->version = version_;
    pointers = compact_pointers_;
  }
  made->number = context_->NewFileNumber();
  leveldb::Status status = ManifestWriter::Create(*context_, made->number, *made->version, pointers,
                                                  edit, &made->writer);
  const bool written = status.ok();
  if (written) status = SetCurrentFile(context_->env(), context_->name, made->number);
  if (status.ok()) return status;
  made->writer.reset();
  const std::string path = DescriptorFileName(context_->name, made->number);
  uint64_t current = 0;
  if (!written || (ReadCurrent(*context_, &current).ok() && current == manifest_number_)) {
    context_->env()->RemoveFile(path);
  } else {
    doubtful_files_.push_back(path);
  }
  return status;
}

/// Begins a new MANIFEST, which holds what a replay of the present one gives: every open reads all
/// of it, and a store that stays open for months would fill disks with it. The old one goes when
/// CURRENT durably names the new one.
void Store::RollManifest() {
  NewManifest made;
  const leveldb::Status status = BeginManifest(&made);
  if (!status.ok()) return KeepManifest(status);
  const std::string old = DescriptorFileName(context_->name, manifest_number_);
  Log(context_->logger(), "%s, %llu bytes long, goes on as MANIFEST-%06llu with %llu bytes",
      old.c_str(), static_cast<unsigned long long>(manifest_->FileBytes()),
      static_cast<unsigned long long>(made.number),
      static_cast<unsigned long long>(made.writer->FileBytes()));
  AdoptManifest(made.number, std::move(made.writer));
  NoteObsolete({old});
}

/// A new MANIFEST could not be begun. The old one is good, and goes on until it has grown as much
/// again, if CURRENT names it for certain: an edit in a MANIFEST that is not the one in force would
/// be lost.
void Store::KeepManifest(const leveldb::Status& failure) {
  uint64_t current = 0;
  const bool known = ReadCurrent(*context_, &current).ok() && current == manifest_number_;
  if (!known) return FreezeForManifest(failure, IsOutOfResources(failure));
  Log(context_->logger(), "No new MANIFEST could be begun; the old one goes on: %s",
      failure.ToString().c_str());
  manifest_bytes_max_ = manifest_->FileBytes() + context_->pace.manifest_bytes_min;
}

}  // namespace lull
