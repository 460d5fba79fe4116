// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// VersionSet: the MANIFEST of an open store. Appends the edits of installs. Replaces a MANIFEST
// that has grown long, or one that failed for lack of disk space, descriptors or memory. Used by
// the opening thread, then only by the flush thread, so installs are totally ordered. Takes the
// store's mutex for short sections, never during I/O.
//
// Invariants:
//   - After each install, the current Version equals a replay of the MANIFEST.
//   - After a failed append it is unknown whether the file contains the edit. After a failed change
//     of CURRENT it is unknown which MANIFEST CURRENT names. Nothing is installed or deleted then
//     (see StoreHealth), until CURRENT durably names a new MANIFEST. Files that only the failed
//     edit or MANIFEST needs are deleted after that.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "db/base/context.h"
#include "db/base/published_flags.h"
#include "db/base/thread_roles.h"
#include "db/compaction/table_outputs.h"
#include "db/engine/obsolete_files.h"
#include "db/engine/store_state.h"
#include "db/read/store_reader.h"
#include "db/recovery/recovery.h"
#include "db/version/manifest.h"
#include "db/version/version.h"
#include "db/version/version_edit.h"
#include "leveldb/status.h"

namespace lull {

class VersionSet {
 public:
  VersionSet(StoreContext* context, StoreState* state, const PublishedFlags* flags,
             ObsoleteFiles* obsolete, StoreReader* reader, VersionBuilder::MakeTable make_table);

  // ---- at open

  /// Makes the tables of the logs replayed so far durable in a MANIFEST. Called by recovery; see
  /// CommitRecovered in recovery.h.
  leveldb::Status CommitRecoveredLogs(Recovered* recovered, uint64_t log_number);
  /// Begins the MANIFEST of this open with the recovered state, since the old one can end in a torn
  /// record.
  leveldb::Status Start(Recovered* recovered, uint64_t next_wal_number)
      LULL_EXCLUDES(state_->mutex());

  // ---- flush thread

  /// Makes `edit` durable, with the finished tables of `outputs` added to its tables, and builds
  /// the resulting Version, in which the new tables are ready to be read. The caller publishes it.
  /// After an error *version must not be used. The output files are kept in any case, since the
  /// MANIFEST might name them.
  leveldb::Status Install(VersionEdit* edit, const std::vector<TableOutputs*>& outputs,
                          VersionRef* version) LULL_REQUIRES(kFlushThread)
      LULL_EXCLUDES(state_->mutex());
  /// Begins a new MANIFEST with the current state if the old one has grown to several times its
  /// first size. Every open reads all of the MANIFEST, and in a store that stays open for months it
  /// would fill the disk. On failure the old one stays in use, if CURRENT certainly names it.
  void RollIfLong() LULL_EXCLUDES(state_->mutex());
  /// When to call Restore, in nanoseconds of the store's clock. nullopt: not needed.
  std::optional<uint64_t> restore_at_nanos() const { return restore_at_nanos_; }
  /// Tries to begin a new MANIFEST after the old one failed for lack of resources. Success allows
  /// writes and installs again, and returns nullopt. Otherwise returns when to retry, as
  /// restore_at_nanos.
  std::optional<uint64_t> Restore(uint64_t now_nanos) LULL_EXCLUDES(state_->mutex());

  /// Looks at times whether the store's files are still found under their names. If not, refuses
  /// writes until the store is reopened: nobody else would find them. `lock`: of the store.
  void FreezeIfReplaced(leveldb::FileLock* lock, uint64_t now_nanos) LULL_EXCLUDES(state_->mutex());

  /// Whether FreezeIfReplaced has not looked for long. Any thread.
  bool IsLookDue(uint64_t now_nanos) const {
    constexpr uint64_t kLongNanos = 500'000'000;
    return now_nanos - place_checked_nanos_.load(std::memory_order_relaxed) >= kLongNanos;
  }

  /// The oldest WAL that the MANIFEST needs.
  uint64_t log_number() const { return log_number_; }

  /// Closes the file. REQUIRES: no install runs or comes later.
  void Close() { writer_.reset(); }

 private:
  /// A new MANIFEST.
  struct Begun {
    uint64_t number = 0;
    std::unique_ptr<ManifestWriter> writer;
    VersionRef version;
  };

  leveldb::Status MakeDurable(VersionEdit* edit, const std::vector<TableMeta>& written,
                              VersionRef* version) LULL_EXCLUDES(state_->mutex());
  leveldb::Status WriteRecovered(Recovered* recovered, uint64_t log_number, Begun* begun);
  leveldb::Status Begin(Begun* begun) LULL_EXCLUDES(state_->mutex());
  void Adopt(Begun begun);
  bool IsInForce() const;
  void ContinueOldManifest(const leveldb::Status& failure) LULL_EXCLUDES(state_->mutex());
  void MarkUncertain(const std::vector<TableMeta>& tables);
  void Freeze(const leveldb::Status& failure, bool restorable) LULL_EXCLUDES(state_->mutex());

  StoreContext* const context_;
  StoreState* const state_;
  const PublishedFlags* const flags_;
  ObsoleteFiles* const obsolete_;
  StoreReader* const reader_;
  const VersionBuilder::MakeTable make_table_;

  std::unique_ptr<ManifestWriter> writer_;
  uint64_t number_ = 0;
  uint64_t log_number_ = 0;
  uint64_t prev_log_number_ = 0;
  RemovedTables removed_;
  uint64_t bytes_max_ = 0;  // size at which a new one is begun
  std::optional<uint64_t> restore_at_nanos_;
  std::atomic<uint64_t> place_checked_nanos_{0};
  std::vector<std::string> uncertain_files_;  // paths that the MANIFEST or CURRENT might name
};

}  // namespace lull
