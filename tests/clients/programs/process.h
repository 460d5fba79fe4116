// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// What the programs of this directory share. They use only LevelDB's interface, and run on the
// libleveldb that is found at run time.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "leveldb/db.h"
#include "leveldb/env.h"

inline int& failures() {
  static int count = 0;
  return count;
}

/// Prints a line as cargo test does.
inline void Report(const char* test, bool passed) {
  std::printf("test %s ... %s\n", test, passed ? "ok" : "FAILED");
  failures() += passed ? 0 : 1;
}

inline std::unique_ptr<leveldb::DB> Open(const std::string& name, size_t write_buffer_size) {
  leveldb::Options options;
  options.create_if_missing = true;
  options.write_buffer_size = write_buffer_size;
  leveldb::DB* db = nullptr;
  const leveldb::Status status = leveldb::DB::Open(options, name, &db);
  if (status.ok()) return std::unique_ptr<leveldb::DB>(db);
  std::printf("test open ... FAILED\n%s\n", status.ToString().c_str());
  std::exit(1);
}

inline int CountFiles(const std::string& directory) {
  std::vector<std::string> names;
  leveldb::Env::Default()->GetChildren(directory, &names);
  return static_cast<int>(names.size());
}

/// The number of open files of this process.
inline int Descriptors() { return CountFiles("/proc/self/fd"); }
