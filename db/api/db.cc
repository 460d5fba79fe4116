// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// leveldb::DB, and the functions of lull/lull.h, lull/compaction_filter.h and lull/backup.h that
// take an open DB.
#include "leveldb/db.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "db/backup/backups.h"
#include "db/base/scheduling_options.h"
#include "db/recovery/checkpoint.h"
#include "db/store/store.h"
#include "leveldb/write_batch.h"
#include "lull/backup.h"
#include "lull/compaction_filter.h"
#include "lull/lull.h"
#include "lull/write.h"
#include "util/os.h"

namespace lull {
namespace {

/// Calls `call` with the Store that `db` points to; errors as Store::Of.
template <class Call>
leveldb::Status OnStore(leveldb::DB* db, const char* function, Call call) {
  Store* store = nullptr;
  const leveldb::Status status = Store::Of(db, function, &store);
  return status.ok() ? call(*store) : status;
}

}  // namespace

const char* VersionString() { return LULL_VERSION_STRING; }

leveldb::Status CheckOptions(const SchedulingOptions& scheduling) {
  OptionValues values;
  return ParseOptions(scheduling.text(), &values);
}

leveldb::Status Open(const leveldb::Options& options, const SchedulingOptions& scheduling,
                     const std::string& name, leveldb::DB** db) {
  OptionValues values;
  const leveldb::Status status = ParseOptions(scheduling.text(), &values);
  if (status.ok()) return Store::Open(options, values, name, db);
  if (db != nullptr) *db = nullptr;
  return status;
}

leveldb::Status Flush(leveldb::DB* db) {
  return OnStore(db, "Flush", [](Store& store) { return store.Flush(); });
}

leveldb::Status CreateCheckpoint(leveldb::DB* db, const std::string& dir) {
  return OnStore(db, "CreateCheckpoint", [&](Store& store) {
    CheckpointSource source;
    const leveldb::Status status = store.PinTables(&source);
    return status.ok() ? WriteCheckpoint(store.context(), source, dir) : status;
  });
}

/// Pins the tables, then copies them without a lock of the store.
leveldb::Status CreateBackup(leveldb::DB* db, const std::string& dir, BackupInfo* info) {
  return OnStore(db, "CreateBackup", [&](Store& store) {
    CheckpointSource source;
    const leveldb::Status status = store.PinTables(&source);
    return status.ok() ? BackUpTables(store.context(), source, dir, nullptr, info) : status;
  });
}

leveldb::Status SetOptions(leveldb::DB* db, const SchedulingOptions& scheduling) {
  return OnStore(db, "SetOptions",
                 [&](Store& store) { return store.SetOptions(scheduling.text()); });
}

leveldb::Status SetCompactionFilter(leveldb::DB* db,
                                    std::shared_ptr<const CompactionFilter> filter) {
  return OnStore(db, "SetCompactionFilter",
                 [&](Store& store) { return store.SetCompactionFilter(std::move(filter)); });
}

leveldb::Status AddListener(leveldb::DB* db, std::shared_ptr<EventListener> listener) {
  return OnStore(db, "AddListener", [&](Store& store) {
    return listener == nullptr ? leveldb::Status::InvalidArgument("AddListener: listener is null")
                               : store.AddListener(std::move(listener));
  });
}

leveldb::Status RemoveListener(leveldb::DB* db, const std::shared_ptr<EventListener>& listener) {
  return OnStore(db, "RemoveListener",
                 [&](Store& store) { return store.RemoveListener(listener.get()); });
}

leveldb::Status TryWrite(leveldb::DB* db, const leveldb::WriteOptions& options,
                         leveldb::WriteBatch* updates, uint64_t wait_micros_max, BusyWrite* busy) {
  BusyWrite unread;
  if (busy == nullptr) busy = &unread;
  *busy = {};
  return OnStore(db, "TryWrite", [&](Store& store) {
    return store.TryWrite(options, updates, wait_micros_max, busy);
  });
}

leveldb::Status WaitForIdle(leveldb::DB* db) {
  return OnStore(db, "WaitForIdle", [](Store& store) { return store.WaitForIdle(); });
}

leveldb::Status DeleteRange(leveldb::DB* db, const leveldb::Slice* begin,
                            const leveldb::Slice* end) {
  return OnStore(db, "DeleteRange",
                 [&](Store& store) { return store.DeleteRange(KeyBounds::Of(begin, end)); });
}

leveldb::Status IngestTables(leveldb::DB* db, const std::vector<std::string>& paths) {
  return OnStore(db, "IngestTables", [&](Store& store) { return store.IngestTables(paths); });
}

leveldb::Status DeleteFilesInRange(leveldb::DB* db, const leveldb::Slice* begin,
                                   const leveldb::Slice* end, DeletedFiles* deleted) {
  DeletedFiles unread;
  if (deleted == nullptr) deleted = &unread;
  *deleted = {};
  return OnStore(db, "DeleteFilesInRange", [&](Store& store) {
    return store.DeleteFilesInRange(KeyBounds::Of(begin, end), deleted);
  });
}

}  // namespace lull

namespace leveldb {

DB::~DB() = default;
Snapshot::~Snapshot() = default;

Status DB::Open(const Options& options, const std::string& name, DB** dbptr) {
  lull::OptionValues scheduling;
  if (const char* const text = lull::os::Environment("LULL_OPTIONS")) {
    const Status status = lull::ParseOptions(text, &scheduling);
    if (!status.ok())
      return Status::InvalidArgument("environment variable LULL_OPTIONS", status.ToString());
  }
  return lull::Store::Open(options, scheduling, name, dbptr);
}

// One-entry batches. A Store overrides these functions, and calls them.
Status DB::Put(const WriteOptions& options, const Slice& key, const Slice& value) {
  WriteBatch batch;
  batch.Put(key, value);
  return Write(options, &batch);
}

Status DB::Delete(const WriteOptions& options, const Slice& key) {
  WriteBatch batch;
  batch.Delete(key);
  return Write(options, &batch);
}

}  // namespace leveldb
