// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Stores with small memtables, and their contents, for tests that copy stores.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>

#include "leveldb/db.h"
#include "leveldb/env.h"
#include "leveldb/iterator.h"
#include "leveldb/options.h"
#include "lull/lull.h"

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

inline Contents ReadAll(leveldb::DB* db) {
  Contents contents;
  const std::unique_ptr<leveldb::Iterator> entry(db->NewIterator({}));
  for (entry->SeekToFirst(); entry->Valid(); entry->Next())
    contents[entry->key().ToString()] = entry->value().ToString();
  EXPECT_TRUE(entry->status().ok()) << entry->status().ToString();
  return contents;
}

/// The content of the store `name`, which must exist.
inline Contents ReadStore(leveldb::Env* env, const std::string& name) {
  leveldb::Options options = SmallOptions(env);
  options.create_if_missing = false;
  std::unique_ptr<leveldb::DB> db;
  const leveldb::Status status = OpenAt(options, name, &db);
  EXPECT_TRUE(status.ok()) << status.ToString();
  return status.ok() ? ReadAll(db.get()) : Contents();
}

}  // namespace lull::testing
