// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Opening what is in a folder: from its MANIFEST and WALs to a Version and the last sequence. Runs
// on the opening thread, alone, with the LOCK held. Nothing is deleted here but logs without a
// record, and only when disk space is short; nothing is changed but by adding table files.
//
// What comes back is a prefix of what was written, in whole batches, that holds every acknowledged
// synced write:
//  - a WAL is replayed up to its first bad record;
//  - every WAL of ours begins with an empty batch that has the sequence of its first entry (stock
//    LevelDB replays it as nothing). Where that is not the next sequence, the end of an older WAL,
//    or all of it, was lost: replay ends there. (A synced write makes all older WALs durable first,
//    so none can come after such a gap.)
//  - what was not replayed is kept under lost/, never deleted; so are tables that a MANIFEST
//    without a whole end may have named.
// With paranoid_checks, a bad record is an error instead, and so is a gap after such a MANIFEST.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "db/context.h"
#include "db/version/manifest.h"
#include "db/write/memtable.h"

namespace lull {

struct Recovered {
  ManifestState manifest;
  std::vector<TableMeta> new_tables;  ///< written from WALs, for L0; not yet in the MANIFEST
  /// Whether some MANIFEST may name those: else, should the open fail, they go.
  bool new_tables_are_listed = false;
  SequenceNumber last_sequence = 0;
  // File names, without the folder.
  std::vector<std::string> lost;      ///< to keep under lost/: something in them was not read
  std::vector<std::string> obsolete;  ///< not needed once the new MANIFEST is durable
};

/// Makes the tables so far durable in a MANIFEST that needs no log below `log_number`, and removes
/// those.
using CommitRecovered = std::function<leveldb::Status(Recovered*, uint64_t log_number)>;

/// `commit` is called between two logs if the disk may not hold the tables of all of them beside
/// the logs: a store that has filled its disk can so be opened on that disk. REQUIRES: CURRENT
/// exists.
leveldb::Status Recover(StoreContext* context, const VersionBuilder::MakeTable& make_table,
                        const CommitRecovered& commit, Recovered* result);

/// The same for a store that is only to be read, by a process without the LOCK: what Recover would
/// write as tables comes back as memtables, oldest first, and no file is made. The folder may
/// change meanwhile; the caller finds out.
leveldb::Status RecoverInMemory(StoreContext* context, const VersionBuilder::MakeTable& make_table,
                                Recovered* result, std::vector<MemTableRef>* memtables);

/// A folder without CURRENT: OK when it holds no file of a store, else an error that says what is
/// there. A store that lost its CURRENT must not be taken for a new one.
leveldb::Status CheckFolderIsNew(const StoreContext& context);

/// Writes the first MANIFEST and CURRENT of a new store.
leveldb::Status CreateStore(StoreContext* context);

}  // namespace lull
