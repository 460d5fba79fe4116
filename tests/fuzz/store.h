// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Stores in memory, and their directories, for the targets that test whole stores. The stores share
// threads that live as long as the process, because starting threads would take longer than a run.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>

#include "leveldb/db.h"
#include "leveldb/env.h"
#include "leveldb/options.h"
#include "leveldb/slice.h"
#include "leveldb/status.h"

namespace lull::fuzz {

inline constexpr char kStore[] = "/store";

/// Contents by name; files of lost/ as "lost/NAME".
using Directory = std::map<std::string, std::string>;

/// A store with small sizes in a fresh `env` in memory.
class StoreUnderTest {
 public:
  /// `files`: those that its directory has before it is opened.
  explicit StoreUnderTest(const Directory& files = {});

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

/// Reads a whole store in both directions, and reads its properties. Returns false if something
/// cannot be read.
bool ReadStore(leveldb::DB* db);

/// A directory of arbitrary bytes. For each file: its kind, number, flags, length (2 bytes),
/// contents. A flag requests valid checksums in the contents.
Directory DecodeDirectory(const leveldb::Slice& bytes);

/// Bytes that decode to these files, without files that have names no store uses.
std::string EncodeDirectory(const Directory& directory);

Directory ReadDirectory(leveldb::Env* env, const std::string& name);

/// Requires, as the promise says, that the set is empty.
void RequireNone(const std::set<std::string>& names, const char* promise);

/// The files of `before` that are neither in `after` with the same contents, nor under its lost/.
/// Ignores the store's log files for people, LOCK and CURRENT.
std::set<std::string> MissingFiles(const Directory& before, const Directory& after);

/// The files that an open may remove, according to the directory itself: files that the MANIFEST
/// does not need, and logs and tables that can be read to their end, because their contents are
/// kept elsewhere. `name` in options.env is the directory.
std::set<std::string> RemovableFiles(const leveldb::Options& options, const std::string& name);

}  // namespace lull::fuzz
