// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Opens stores in memory for the targets that test whole stores. They share threads that live as
// long as the process, because starting threads would take longer than a run.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>

#include "leveldb/db.h"
#include "leveldb/env.h"
#include "leveldb/options.h"
#include "leveldb/status.h"

namespace lull::fuzz {

inline constexpr char kStore[] = "/store";

/// A store with small sizes in a fresh `env` in memory.
class StoreUnderTest {
 public:
  StoreUnderTest();

  leveldb::Options options;

  /// REQUIRES: no store is open.
  leveldb::Status Open();
  /// Ends the process if the store does not close.
  void Close() { db_.reset(); }
  leveldb::DB* db() const { return db_.get(); }
  leveldb::Env* env() const { return env_.get(); }

 private:
  const std::unique_ptr<leveldb::Env> env_;
  std::unique_ptr<leveldb::DB> db_;
};

/// Reads a whole store in both directions, and reads its properties. Returns nothing if something
/// cannot be read.
std::optional<std::map<std::string, std::string>> ReadStore(leveldb::DB* db);

}  // namespace lull::fuzz
