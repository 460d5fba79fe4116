// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Stores with small memtables, their contents, and the calls that many tests make.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "leveldb/db.h"
#include "leveldb/env.h"
#include "leveldb/iterator.h"
#include "leveldb/options.h"
#include "lull/lull.h"
#include "tests/db/support/expect_ok.h"
#include "util/thread.h"

namespace lull::testing {

using Contents = std::map<std::string, std::string>;

inline leveldb::Options SmallOptions(leveldb::Env* env) {
  leveldb::Options options;
  options.env = env;
  options.create_if_missing = true;
  options.write_buffer_size = 64 << 10;
  return options;
}

inline leveldb::Status OpenAt(const leveldb::Options& options, const std::string& name,
                              std::unique_ptr<leveldb::DB>* db,
                              const SchedulingOptions& scheduling = {}) {
  leveldb::DB* raw = nullptr;
  const leveldb::Status status = Open(options, scheduling, name, &raw);
  db->reset(raw);
  return status;
}

inline leveldb::Status OpenForReadingAt(const leveldb::Options& options, const std::string& name,
                                        std::unique_ptr<leveldb::DB>* db) {
  leveldb::DB* raw = nullptr;
  const leveldb::Status status = OpenReadOnly(options, name, &raw);
  db->reset(raw);
  return status;
}

inline leveldb::WriteOptions Synced(bool sync = true) {
  leveldb::WriteOptions options;
  options.sync = sync;
  return options;
}

inline leveldb::ReadOptions At(const leveldb::Snapshot* snapshot) {
  leveldb::ReadOptions options;
  options.snapshot = snapshot;
  return options;
}

/// The value, "-" for a missing key, or the error.
inline std::string ReadValue(leveldb::DB* db, const std::string& key,
                             const leveldb::Snapshot* snapshot = nullptr) {
  std::string value;
  const leveldb::Status status = db->Get(At(snapshot), key, &value);
  return status.ok() ? value : status.IsNotFound() ? "-" : status.ToString();
}

/// The entries from the iterator's position on.
inline Contents ReadOn(leveldb::Iterator* entry) {
  Contents contents;
  for (; entry->Valid(); entry->Next())
    contents[entry->key().ToString()] = entry->value().ToString();
  EXPECT_TRUE(IsOk(entry->status()));
  return contents;
}

inline Contents ReadForward(leveldb::Iterator* entry) {
  entry->SeekToFirst();
  return ReadOn(entry);
}

inline Contents ReadAll(leveldb::DB* db, const leveldb::Snapshot* snapshot = nullptr) {
  const std::unique_ptr<leveldb::Iterator> entry(db->NewIterator(At(snapshot)));
  return ReadForward(entry.get());
}

/// The content of the store `name`, which must exist.
inline Contents ReadStore(leveldb::Env* env, const std::string& name) {
  leveldb::Options options = SmallOptions(env);
  options.create_if_missing = false;
  std::unique_ptr<leveldb::DB> db;
  EXPECT_TRUE(IsOk(OpenAt(options, name, &db)));
  return db != nullptr ? ReadAll(db.get()) : Contents();
}

inline std::unique_ptr<ThreadHandle> InThread(std::function<void()> body) {
  return ThreadFactory::System()->Start("test", CpuClass::kNormal, std::move(body));
}

}  // namespace lull::testing
