// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Keeps the MANIFEST of an open store: appends the edits of installs, replaces a MANIFEST that has
// grown long, and one that failed for want of resources. The opening thread, then the flush thread
// alone: so installs are totally ordered. Takes the store's mutex for moments, never during I/O.
//
// What always holds:
//   - Memory equals a replay of the MANIFEST after each install.
//   - After a failed append nobody knows whether the file holds the edit, and after a failed change
//     of CURRENT nobody knows which MANIFEST is in force. From then on nothing is installed or
//     deleted (StoreHealth), until a new MANIFEST is durable and CURRENT durably names it. Files
//     that only the state in doubt may need are deleted after that, not before.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "db/context.h"
#include "db/gates.h"
#include "db/obsolete_files.h"
#include "db/recovery/recovery.h"
#include "db/store_state.h"
#include "db/version/manifest.h"
#include "db/version/version.h"
#include "db/version/version_edit.h"
#include "leveldb/status.h"

namespace lull {

class ManifestKeeper {
 public:
  ManifestKeeper(StoreContext* context, StoreState* state, const StoreGates* gates,
                 ObsoleteFiles* obsolete, VersionBuilder::MakeTable make_table);
  ManifestKeeper(const ManifestKeeper&) = delete;
  ManifestKeeper& operator=(const ManifestKeeper&) = delete;

  // ---- at open

  /// See CommitRecovered of recovery.h.
  leveldb::Status CommitRecoveredLogs(Recovered* recovered, uint64_t log_number);
  /// Begins the MANIFEST of this open, with what was recovered: the old one may end in a torn
  /// record.
  leveldb::Status Start(Recovered* recovered, uint64_t log_number) LULL_EXCLUDES(state_->mutex);

  // ---- flush thread

  /// Makes `edit` with `outputs` durable, and builds the Version that it gives.
  leveldb::Status Install(VersionEdit* edit, std::vector<TableMeta> outputs, VersionRef* version)
      LULL_EXCLUDES(state_->mutex);
  /// Begins a new MANIFEST if the present one has grown long. It holds what a replay of the present
  /// one gives: every open reads all of it, and a store that stays open for months would fill disks
  /// with it.
  void RollIfLong() LULL_EXCLUDES(state_->mutex);
  /// When to call Restore: nullopt: it has nothing to do.
  std::optional<uint64_t> restore_at_nanos() const { return restore_at_nanos_; }
  /// Tries to begin a new MANIFEST after the old one failed for want of resources. Returns when to
  /// try again; nullopt: it has succeeded.
  std::optional<uint64_t> Restore(uint64_t now_nanos) LULL_EXCLUDES(state_->mutex);

  /// The oldest WAL that the MANIFEST needs.
  uint64_t log_number() const { return log_number_; }

  /// Closes the file. REQUIRES: nothing is installed any more.
  void Close() { writer_.reset(); }

 private:
  /// A MANIFEST that was begun.
  struct Begun {
    uint64_t number = 0;
    std::unique_ptr<ManifestWriter> writer;
    VersionRef version;
  };

  leveldb::Status WriteRecovered(Recovered* recovered, uint64_t log_number, Begun* begun);
  leveldb::Status Begin(Begun* begun) LULL_EXCLUDES(state_->mutex);
  void Adopt(Begun begun);
  bool IsInForce() const;
  void KeepLong(const leveldb::Status& failure) LULL_EXCLUDES(state_->mutex);
  void Doubt(const std::vector<TableMeta>& tables);
  void Freeze(const leveldb::Status& failure, bool restorable) LULL_EXCLUDES(state_->mutex);

  StoreContext* const context_;
  StoreState* const state_;
  const StoreGates* const gates_;
  ObsoleteFiles* const obsolete_;
  const VersionBuilder::MakeTable make_table_;

  std::unique_ptr<ManifestWriter> writer_;
  uint64_t number_ = 0;
  uint64_t log_number_ = 0;
  uint64_t bytes_max_ = 0;  // at which a new one is begun
  std::optional<uint64_t> restore_at_nanos_;
  std::vector<std::string> doubtful_files_;  // paths: a MANIFEST or CURRENT may name them or not
};

}  // namespace lull
