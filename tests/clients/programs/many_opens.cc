// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// usage: many_opens FOLDER
//
// Opens a store 1,000 times and writes a little each time, as a program that is started by a timer.
#include <algorithm>
#include <cstdio>
#include <memory>
#include <string>

#include "leveldb/db.h"
#include "tests/clients/programs/process.h"

namespace {

constexpr int kSessions = 1000;
constexpr int kOwnKeys = 50;  // those of a session are overwritten so many sessions later
constexpr int kL0TablesMax = 16;
constexpr int kFilesMax = 60;

std::string Key(int session) { return "session " + std::to_string(session % kOwnKeys); }

int L0Tables(leveldb::DB* db) {
  std::string count;
  return db->GetProperty("leveldb.num-files-at-level0", &count) ? std::stoi(count) : 1 << 30;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const std::string directory = argv[1];
  Open(directory, 4 << 20).reset();  // what the first store of a process leaves open
  const int descriptors = Descriptors();
  bool written = true;
  int l0_tables = 0;
  int files = 0;
  for (int session = 0; session < kSessions; ++session) {
    const std::unique_ptr<leveldb::DB> db = Open(directory, 4 << 20);
    l0_tables = std::max(l0_tables, L0Tables(db.get()));
    files = std::max(files, CountFiles(directory));
    const std::string text = std::to_string(session);
    written &= db->Put(leveldb::WriteOptions(), Key(session), text).ok() &&
               db->Put(leveldb::WriteOptions(), "last", text).ok();
  }
  Report("writes_of_many_sessions", written);
  std::printf("at most %d L0 tables, %d files\n", l0_tables, files);
  Report("l0_tables_of_many_sessions", l0_tables <= kL0TablesMax);
  Report("files_of_many_sessions", files <= kFilesMax);
  Report("descriptors_of_many_sessions", Descriptors() == descriptors);

  const std::unique_ptr<leveldb::DB> db = Open(directory, 4 << 20);
  std::string value;
  bool right = db->Get(leveldb::ReadOptions(), "last", &value).ok() &&
               value == std::to_string(kSessions - 1);
  for (int session = kSessions - kOwnKeys; session < kSessions; ++session) {
    right &= db->Get(leveldb::ReadOptions(), Key(session), &value).ok() &&
             value == std::to_string(session);
  }
  Report("contents_of_many_sessions", right);
  return failures();
}
