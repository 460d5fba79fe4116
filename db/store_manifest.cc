// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// The flush thread's work on the MANIFEST: installs, and the beginning of a new one where the old
// has grown long.
#include <algorithm>
#include <utility>

#include "db/filename.h"
#include "db/store.h"
#include "util/logging.h"
#include "util/planted.h"

namespace lull {

/// Makes `edit` with `outputs` durable, and builds the Version that it gives. On an error the store
/// is read-only, and nothing is deleted any more: nobody knows which of the two states is on disk.
leveldb::Status Store::InstallEdit(VersionEdit* edit, std::vector<NewTable> outputs,
                                   VersionRef* version) {
  if (frozen_.load(std::memory_order_acquire)) {
    // What failed may have been of these files too, and a second sync that succeeds proves nothing.
    MutexLock lock(mutex_);
    return write_error_;
  }
  const bool has_new_files = !outputs.empty() && !Planted(Bug::kTableNamesUnsynced);
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
  if (status.ok()) status = manifest_->Append(*edit);
  if (!status.ok()) {
    FreezeForManifest(status);
  } else if (edit->log_number) {
    log_number_ = *edit->log_number;
  }
  return status;
}

/// On an error of the MANIFEST the store is read-only until it is opened again.
void Store::FreezeForManifest(const leveldb::Status& failure) {
  if (!Planted(Bug::kFreezeForgotten)) frozen_.store(true, std::memory_order_release);
  FailWrites("the MANIFEST", failure);
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

/// Begins a new MANIFEST, which holds what a replay of the present one gives: every open reads all
/// of it, and a store that stays open for months would fill disks with it. The old one goes when
/// CURRENT durably names the new one.
void Store::RollManifest() {
  VersionEdit edit;
  edit.log_number = log_number_;
  VersionRef version;
  CompactPointers pointers;
  {
    MutexLock lock(mutex_);
    edit.last_sequence = flushed_sequence_;
    version = version_;
    pointers = compact_pointers_;
  }
  const uint64_t number = context_->NewFileNumber();
  const std::string path = DescriptorFileName(context_->name, number);
  std::unique_ptr<ManifestWriter> manifest;
  leveldb::Status status =
      ManifestWriter::Create(*context_, number, *version, pointers, edit, &manifest);
  if (!status.ok()) {
    context_->env()->RemoveFile(path);  // CURRENT was not touched
  } else {
    status = SetCurrentFile(context_->env(), context_->name, number);
  }
  if (!status.ok()) return KeepManifest(status);
  const std::string old = DescriptorFileName(context_->name, manifest_number_);
  Log(context_->logger(), "%s, %llu bytes long, goes on as %s with %llu bytes", old.c_str(),
      static_cast<unsigned long long>(manifest_->FileBytes()), path.c_str(),
      static_cast<unsigned long long>(manifest->FileBytes()));
  AdoptManifest(number, std::move(manifest));
  NoteObsolete({old});
}

/// A new MANIFEST could not be begun. The old one is good, and goes on until it has grown as much
/// again, if CURRENT names it for certain: an edit in a MANIFEST that is not the one in force would
/// be lost.
void Store::KeepManifest(const leveldb::Status& failure) {
  uint64_t current = 0;
  const bool known = ReadCurrent(*context_, &current).ok() && current == manifest_number_;
  if (!known && !Planted(Bug::kCurrentNotReadAgain)) return FreezeForManifest(failure);
  Log(context_->logger(), "No new MANIFEST could be begun; the old one goes on: %s",
      failure.ToString().c_str());
  manifest_bytes_max_ = manifest_->FileBytes() + context_->pace.manifest_bytes_min;
}

}  // namespace lull
