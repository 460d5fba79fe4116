// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Recovery: from a directory's MANIFEST and WALs to a Version and the last sequence. Runs on the
// opening thread, with the LOCK held, before any other thread of the store. It only adds table
// files. It deletes nothing, unless disk space is short: then WALs without a record, and what the
// MANIFEST does not need, after making it durable.
//
// What the WALs hold becomes memtables. They stay in memory, with their WALs, if they are
//  - little: a program that runs for a moment, hundreds of times, would otherwise leave a small
//    table each time;
//  - much: writing the tables would take longer than reading the WALs, and the flush thread can
//    write them while the store is in use; or
//  - without space: their table did not fit the disk.
// Otherwise they are flushed, and the new MANIFEST needs no WAL.
//
// The result is a prefix of what was written, in whole batches. It includes every acknowledged
// synced write:
//  - A WAL is replayed up to its first bad record.
//  - Every WAL of Lull begins with an empty batch that has the sequence after the last entry of the
//    WAL before. (LevelDB replays it as nothing.) If that is not the next sequence, a part of an
//    older WAL is lost, and replay ends there. A synced write first makes all older WALs durable,
//    so none follows such a gap. A gap in another library's logs is an error. An ingestion uses a
//    sequence too, but explains no gap: the next WAL goes on from the last entry in a WAL.
//  - If the directory shows that the MANIFEST lacks edits, the open fails (manifest_evidence.h).
//  - What was not replayed is kept under lost/, never deleted. So are tables that a torn MANIFEST
//    might have named, and tables with entries that are in no log.
// With paranoid_checks, a bad record of a WAL or MANIFEST is an error instead, unless it is the
// last and bytes are missing. So is a gap after a torn MANIFEST.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "db/base/context.h"
#include "db/memory/memtables.h"
#include "db/recovery/manifest_evidence.h"
#include "db/version/manifest.h"
#include "db/wal/wal_reader.h"

namespace lull {

struct Recovered {
  ManifestState manifest;
  std::vector<SealedMemTable> memtables;  ///< not in tables; oldest first
  std::vector<RecoveredWal> wals;         ///< those of `memtables`, oldest first; might be unsynced
  std::vector<TableMeta> new_tables;      ///< L0 tables written from WALs; not yet in the MANIFEST
  /// Whether a MANIFEST might name new_tables. If not, a failed open deletes them.
  bool new_tables_are_listed = false;
  SequenceNumber last_sequence = 0;
  SequenceNumber last_sequence_in_tables = 0;
  SequenceNumber last_in_wals = 0;  ///< where `wals` end; without any, last_sequence
  // File names, without the directory.
  std::vector<std::string> lost;      ///< to keep under lost/: partly unread
  std::vector<std::string> obsolete;  ///< not needed after the new MANIFEST is durable
  /// RecoverInMemory only: the last WAL with a record, read to its end, and its number.
  std::unique_ptr<WalReader> last_wal;
  uint64_t last_wal_number = 0;
};

/// Makes the tables so far durable in a MANIFEST that needs no WAL below `log_number`, and removes
/// those WALs.
using CommitRecovered = std::function<leveldb::Status(Recovered*, uint64_t log_number)>;

/// `commit` is called between two WALs, after a table, if the disk might lack space for all tables
/// next to the WALs. So a store that has filled its disk can be opened on that disk.
/// `memory_bytes_max`: how much can stay in memory. REQUIRES: CURRENT exists.
leveldb::Status Recover(StoreContext* context, const VersionBuilder::MakeTable& make_table,
                        const CommitRecovered& commit, uint64_t memory_bytes_max,
                        Recovered* result);

/// The same for a process that only reads, without the LOCK. All that the WALs hold stays in
/// memory, each WAL in a memtable of its own unless there are many; creates no file. WALs can grow
/// meanwhile. The MANIFEST can change; the caller must detect that.
leveldb::Status RecoverInMemory(StoreContext* context, const VersionBuilder::MakeTable& make_table,
                                Recovered* result);

/// Lists the directory: finds what result->manifest needs and what is obsolete. Fails if files are
/// missing, or if the directory shows that the MANIFEST lacks edits.
leveldb::Status ReadDirectory(StoreContext* context, Recovered* result, DirectoryFiles* files);

/// Whether the directory has a store. It has none if the store was destroyed; a checkpoint or
/// restore has marked one. An error names the file: Corruption for a store that lost its CURRENT,
/// NotSupported for one of another program, and the cause if the files cannot be looked at. None of
/// these must be taken for a new store.
leveldb::Status FindStore(const StoreContext& context, bool* exists);

/// Writes the first MANIFEST and CURRENT of a new store.
leveldb::Status CreateStore(StoreContext* context);

}  // namespace lull
