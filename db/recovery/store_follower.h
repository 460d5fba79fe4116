// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// StoreFollower: the state of a store that another process writes, for a reader without the LOCK.
// One thread at a time.
//
// Update reads only what is new: the records at the end of the MANIFEST and of the last WAL, and
// later WALs. It adds them to memtables that earlier views can have, so readers of those must not
// look past their last_sequence. Where this is not possible it reads everything again: if there is
// another MANIFEST, after damage, after a gap in the logs, and always if the Env has no file
// stamps.
//
// Why a new entry is right, although the files can be deleted and WALs overwritten meanwhile: its
// sequence is the one after the last. In one store, only one record has it. Why the state is
// complete: live_store.h. A first WAL after a flush can begin later, since tables have the entries
// before; its MANIFEST did not change meanwhile.
//
// Identity. The store is the same while its LOCK is, since DestroyDB removes that last. A table
// that is listed again keeps its TableFile if the file is the same.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "db/base/context.h"
#include "db/recovery/recovery.h"
#include "db/version/version.h"
#include "leveldb/slice.h"
#include "leveldb/status.h"
#include "util/env_extension.h"

namespace lull {

class StoreFollower {
 public:
  /// `make_table` makes the TableFile of a table that was not listed before.
  StoreFollower(StoreContext* context, VersionBuilder::MakeTable make_table);
  StoreFollower(const StoreFollower&) = delete;
  StoreFollower& operator=(const StoreFollower&) = delete;

  /// Reads the present state. Calls `open_tables` with its Version, perhaps several times: if the
  /// MANIFEST changes meanwhile, tables can have been deleted, and all is repeated. After an error,
  /// state() is undefined until a call succeeds. IOError if the store of the first call was
  /// destroyed or replaced.
  leveldb::Status Update(const std::function<void(const Version&)>& open_tables);

  /// With `manifest`, `memtables` and `last_sequence`.
  const Recovered& state() const { return state_; }

 private:
  leveldb::Status ReadAll();
  bool ReadNew();
  bool IsSameManifest() const;
  bool DropFlushed();
  bool ReadWals(const std::vector<uint64_t>& numbers);
  bool TakeRecord(uint64_t wal_number, const leveldb::Slice& record);
  bool IsOtherStore(bool is_loaded) const;
  TableRef MakeTable(const TableMeta& table);

  struct KnownTable {
    std::weak_ptr<TableFile> file;
    std::optional<FileStamp> stamp;
  };

  StoreContext* const context_;
  const VersionBuilder::MakeTable make_table_;
  std::unordered_map<uint64_t, KnownTable> tables_;  // those made, by number
  std::optional<FileStamp> lock_;                    // since the first Update
  std::optional<SequenceNumber> sequence_min_;       // that of the last Update

  Recovered state_;
  bool is_whole_ = false;  // state_ is complete and without damage, so new records can follow
  std::optional<FileStamp> manifest_;  // only its inode counts: the file grows
  SequenceNumber next_sequence_ = 0;   // of the next record
  bool may_skip_ = false;              // tables have entries from next_sequence_ on
};

}  // namespace lull
