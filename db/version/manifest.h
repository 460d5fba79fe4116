// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// The MANIFEST: the durable log of changes to the set of tables. The current Version always equals
// a replay of it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "db/base/context.h"
#include "db/version/removed_tables.h"
#include "db/version/version.h"
#include "db/version/version_edit.h"
#include "db/wal/log_reader.h"
#include "db/wal/log_writer.h"
#include "leveldb/status.h"

namespace lull {

/// The result of a MANIFEST's replay.
struct ManifestState {
  VersionRef version;
  CompactPointers compact_pointers;
  uint64_t manifest_number = 0;
  uint64_t log_number = 0;       ///< the oldest WAL still needed
  uint64_t prev_log_number = 0;  ///< otherwise nonzero only in stores from before 2011
  SequenceNumber last_sequence = 0;
  RemovedTables removed;
  /// The last record is incomplete. Either a power loss interrupted its writing, or the record was
  /// valid and is now damaged. In the latter case, tables that the MANIFEST does not name hold
  /// entries that are in no log.
  bool is_torn = false;
  bool is_damaged = false;           ///< is_torn, and no byte of the record is missing
  leveldb::Status end;               ///< if is_torn: the file, and the record's offset
  std::shared_ptr<log::Reader> log;  ///< at its end

  bool NeedsLog(uint64_t number) const {
    return number >= log_number || (prev_log_number != 0 && number == prev_log_number);
  }
  /// Whether the log with number log_number must exist. If no log is needed, log_number can be
  /// above those of obsolete logs; prev_log_number is then the same, which LevelDB accepts.
  bool NamesLog() const { return log_number != 0 && log_number != prev_log_number; }
};

/// Reads the number of the MANIFEST that CURRENT names.
leveldb::Status ReadCurrent(const StoreContext& context, uint64_t* number);

/// Reads CURRENT and its MANIFEST, and marks the file numbers in it as used. Any damage except an
/// incomplete last record is an error.
leveldb::Status ReadManifest(StoreContext* context, const VersionBuilder::MakeTable& make_table,
                             ManifestState* state);

/// Makes `*state`, which ReadManifest filled, the one after the first `records` records. Its
/// log_number is 0 if none of them has one. Keeps what is known of the MANIFEST's end.
leveldb::Status ReadEarlier(StoreContext* context, const VersionBuilder::MakeTable& make_table,
                            uint64_t records, ManifestState* state);

/// Applies to `*state`, which ReadManifest filled, the records that another process has appended to
/// the same MANIFEST since. Without any, keeps state->version. Forgets state->removed. After an
/// error `*state` is unusable.
leveldb::Status ReadAppended(StoreContext* context, const VersionBuilder::MakeTable& make_table,
                             ManifestState* state);

/// Appends to one MANIFEST. One thread at a time: the opening thread, later the flush thread.
class ManifestWriter {
 public:
  /// Writes a new MANIFEST that begins with all of `version` and `edit`, and with `removed`. Makes
  /// it and the names of all files in the directory durable. Does not change CURRENT.
  static leveldb::Status Create(const StoreContext& context, uint64_t number,
                                const Version& version, const CompactPointers& pointers,
                                VersionEdit edit, std::unique_ptr<ManifestWriter>* result,
                                const RemovedTables& removed = {});

  /// Appends `edit` durably. With an EnvExtension, the caller first makes the names of the edit's
  /// files durable, since a record can reach the disk before its sync. After a failure the file's
  /// content is unknown: every later call fails, and no file that the MANIFEST could need may be
  /// deleted.
  leveldb::Status Append(const VersionEdit& edit);

  /// REQUIRES: no Append follows.
  leveldb::Status Close() { return log_.Close(); }

  uint64_t FileBytes() const { return log_.FileBytes(); }

 private:
  explicit ManifestWriter(std::unique_ptr<leveldb::WritableFile> file) : log_(std::move(file)) {}

  void Write(const VersionEdit& edit);
  leveldb::Status Sync();

  log::Writer log_;
  leveldb::Status failure_;
  std::string record_;
};

}  // namespace lull
