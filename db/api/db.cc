// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// leveldb::DB, and the functions of lull/lull.h and lull/compaction_filter.h that take an open DB.
#include "leveldb/db.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "db/base/scheduling_options.h"
#include "db/recovery/checkpoint.h"
#include "db/store/store.h"
#include "leveldb/write_batch.h"
#include "lull/compaction_filter.h"
#include "lull/lull.h"
#include "lull/write.h"
#include "util/os.h"

namespace lull {

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
  Store* store = nullptr;
  const leveldb::Status status = Store::Of(db, "Flush", &store);
  return status.ok() ? store->Flush() : status;
}

leveldb::Status CreateCheckpoint(leveldb::DB* db, const std::string& dir) {
  Store* store = nullptr;
  leveldb::Status status = Store::Of(db, "CreateCheckpoint", &store);
  if (!status.ok()) return status;
  CheckpointSource source;
  status = store->PinTables(&source);
  return status.ok() ? WriteCheckpoint(store->context(), source, dir) : status;
}

leveldb::Status SetOptions(leveldb::DB* db, const SchedulingOptions& scheduling) {
  Store* store = nullptr;
  const leveldb::Status status = Store::Of(db, "SetOptions", &store);
  return status.ok() ? store->SetOptions(scheduling.text()) : status;
}

leveldb::Status SetCompactionFilter(leveldb::DB* db,
                                    std::shared_ptr<const CompactionFilter> filter) {
  Store* store = nullptr;
  const leveldb::Status status = Store::Of(db, "SetCompactionFilter", &store);
  return status.ok() ? store->SetCompactionFilter(std::move(filter)) : status;
}

leveldb::Status AddListener(leveldb::DB* db, std::shared_ptr<EventListener> listener) {
  Store* store = nullptr;
  const leveldb::Status status = Store::Of(db, "AddListener", &store);
  if (!status.ok()) return status;
  if (listener == nullptr) return leveldb::Status::InvalidArgument("AddListener: listener is null");
  return store->AddListener(std::move(listener));
}

leveldb::Status RemoveListener(leveldb::DB* db, const std::shared_ptr<EventListener>& listener) {
  Store* store = nullptr;
  const leveldb::Status status = Store::Of(db, "RemoveListener", &store);
  return status.ok() ? store->RemoveListener(listener.get()) : status;
}

leveldb::Status TryWrite(leveldb::DB* db, const leveldb::WriteOptions& options,
                         leveldb::WriteBatch* updates, uint64_t wait_micros_max, BusyWrite* busy) {
  BusyWrite unread;
  if (busy == nullptr) busy = &unread;
  *busy = {};
  Store* store = nullptr;
  const leveldb::Status status = Store::Of(db, "TryWrite", &store);
  return status.ok() ? store->TryWrite(options, updates, wait_micros_max, busy) : status;
}

leveldb::Status WaitForIdle(leveldb::DB* db) {
  Store* store = nullptr;
  const leveldb::Status status = Store::Of(db, "WaitForIdle", &store);
  return status.ok() ? store->WaitForIdle() : status;
}

namespace {

KeyBounds SpanOf(const leveldb::Slice* begin, const leveldb::Slice* end) {
  KeyBounds span;
  if (begin != nullptr) span.begin = begin->ToString();
  if (end != nullptr) span.end = end->ToString();
  return span;
}

}  // namespace

leveldb::Status DeleteRange(leveldb::DB* db, const leveldb::Slice* begin,
                            const leveldb::Slice* end) {
  Store* store = nullptr;
  const leveldb::Status status = Store::Of(db, "DeleteRange", &store);
  return status.ok() ? store->DeleteRange(SpanOf(begin, end)) : status;
}

leveldb::Status IngestTables(leveldb::DB* db, const std::vector<std::string>& paths) {
  Store* store = nullptr;
  const leveldb::Status status = Store::Of(db, "IngestTables", &store);
  return status.ok() ? store->IngestTables(paths) : status;
}

leveldb::Status DeleteFilesInRange(leveldb::DB* db, const leveldb::Slice* begin,
                                   const leveldb::Slice* end, DeletedFiles* deleted) {
  Store* store = nullptr;
  const leveldb::Status status = Store::Of(db, "DeleteFilesInRange", &store);
  DeletedFiles unread;
  if (deleted == nullptr) deleted = &unread;
  *deleted = {};
  return status.ok() ? store->DeleteFilesInRange(SpanOf(begin, end), deleted) : status;
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
