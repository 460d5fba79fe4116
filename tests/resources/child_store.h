// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// A store in a child process (child.h), which cannot use GoogleTest's assertions. It keeps the
// first error.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "leveldb/db.h"
#include "lull/lull.h"
#include "tests/support/rng.h"

namespace lull::testing {

inline std::string KeyOf(uint64_t key) {
  std::string text = std::to_string(key);
  return std::string(12 - text.size(), '0') + text;
}

/// Deterministic and incompressible.
inline std::string ValueOf(uint64_t key, size_t bytes) {
  Rng rng(key);
  std::string value;
  while (value.size() < bytes) value.push_back(static_cast<char>(rng.Next()));
  return value;
}

class ChildStore {
 public:
  ChildStore(const std::string& directory, size_t write_buffer_bytes)
      : name_(directory + "/store") {
    options_.create_if_missing = true;
    options_.write_buffer_size = write_buffer_bytes;
  }
  SchedulingOptions* scheduling() { return &scheduling_; }

  void Open() { Check("open", TryOpen()); }
  leveldb::Status TryOpen() {
    db_.reset();
    leveldb::DB* db = nullptr;
    leveldb::Status status = lull::Open(options_, scheduling_, name_, &db);
    db_.reset(db);
    return status;
  }
  void OpenReadOnly() {
    db_.reset();
    leveldb::DB* db = nullptr;
    Check("open to read", lull::OpenReadOnly(options_, name_, &db));
    db_.reset(db);
  }
  void Close() { db_.reset(); }
  leveldb::DB* db() { return db_.get(); }
  leveldb::Status Put(uint64_t key, size_t bytes, bool sync = false) {
    leveldb::WriteOptions write;
    write.sync = sync;
    return db_->Put(write, KeyOf(key), ValueOf(key, bytes));
  }
  /// Puts the keys below `keys`.
  void PutAll(uint64_t keys, size_t bytes) {
    for (uint64_t i = 0; i < keys && ok(); ++i) Check("put " + std::to_string(i), Put(i, bytes));
  }
  void Check(const std::string& what, const leveldb::Status& status) {
    if (!status.ok()) Check(what + ": " + status.ToString(), false);
  }
  void Check(const std::string& what, bool right) {
    if (!right && error_.empty()) error_ = what;
  }
  bool ok() const { return error_.empty(); }
  const std::string& error() const { return error_; }

  /// Checks that exactly the keys below `keys` are present, with their values.
  void CheckScan(uint64_t keys, size_t bytes) {
    const std::unique_ptr<leveldb::Iterator> it(db_->NewIterator(leveldb::ReadOptions()));
    uint64_t seen = 0;
    for (it->SeekToFirst(); it->Valid() && ok(); it->Next(), ++seen) {
      Check("scan at " + KeyOf(seen) + " showed " + it->key().ToString(),
            it->key() == leveldb::Slice(KeyOf(seen)) &&
                it->value() == leveldb::Slice(ValueOf(seen, bytes)));
    }
    Check("scan", it->status());
    Check("scan saw " + std::to_string(seen) + " keys", seen == keys);
  }

 private:
  const std::string name_;
  leveldb::Options options_;
  SchedulingOptions scheduling_;
  std::unique_ptr<leveldb::DB> db_;
  std::string error_;
};

}  // namespace lull::testing
