// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// The MANIFEST: the durable list of changes to the set of tables. Memory always equals a replay of
// it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "db/context.h"
#include "db/version/version.h"
#include "db/version/version_edit.h"
#include "db/wal/log_writer.h"
#include "leveldb/status.h"

namespace lull {

/// What a replay of the MANIFEST gives.
struct ManifestState {
  VersionRef version;
  CompactPointers compact_pointers;
  uint64_t manifest_number = 0;
  uint64_t log_number = 0;       ///< the oldest WAL still needed
  uint64_t prev_log_number = 0;  ///< of stores from before 2011; 0 otherwise
  SequenceNumber last_sequence = 0;
  /// Its end is not a whole record. Either that was being written when the power failed, or it was
  /// in force, and is damaged: then tables that nothing else names hold what no log has any more.
  bool is_torn = false;
};

/// The number of the MANIFEST that CURRENT names.
leveldb::Status ReadCurrent(const StoreContext& context, uint64_t* number);

/// Reads CURRENT and the MANIFEST it names; marks the file numbers it knows as used. Any damage but
/// that of the last record is an error: nothing is guessed.
leveldb::Status ReadManifest(StoreContext* context, const VersionBuilder::MakeTable& make_table,
                             ManifestState* state);

/// Appends to one MANIFEST. One thread at a time: at open, then the flush thread.
class ManifestWriter {
 public:
  /// Writes a new MANIFEST that begins with all of `version` and `edit`, durably, with the names of
  /// all files in the folder; CURRENT is not yet changed.
  static leveldb::Status Create(const StoreContext& context, uint64_t number,
                                const Version& version, const CompactPointers& pointers,
                                VersionEdit edit, std::unique_ptr<ManifestWriter>* result);

  /// Durable when it returns OK, if the names of the edit's files are: with an EnvExtension the
  /// caller has seen to that, for a record can reach the disk before its sync. After a failure the
  /// file's state is unknown: every later call fails, and no file that either state needs may be
  /// deleted.
  leveldb::Status Append(const VersionEdit& edit);

  /// Nothing is appended any more.
  leveldb::Status Close() { return log_.Close(); }

  uint64_t FileBytes() const { return log_.FileBytes(); }

 private:
  explicit ManifestWriter(std::unique_ptr<leveldb::WritableFile> file) : log_(std::move(file)) {}

  log::Writer log_;
  leveldb::Status failure_;
  std::string record_;
};

}  // namespace lull
