// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Adds a visit to a store and prints all visits. It uses only LevelDB's API, so it can be built for
// LevelDB and for Lull. It prints which of the two it runs on.
//
// usage: visits STORE

#include <cstdio>
#include <memory>
#include <string>

#include "leveldb/db.h"
#include "leveldb/write_batch.h"

namespace {

int Fail(const leveldb::Status& status) {
  std::fprintf(stderr, "visits: %s\n", status.ToString().c_str());
  return 1;
}

// Sets `*count` to the number of visits so far.
leveldb::Status ReadCount(leveldb::DB* db, int* count) {
  std::string text;
  const leveldb::Status status = db->Get(leveldb::ReadOptions(), "count", &text);
  *count = status.ok() ? std::stoi(text) : 0;
  return status.IsNotFound() ? leveldb::Status::OK() : status;
}

leveldb::Status AddVisit(leveldb::DB* db) {
  int count = 0;
  const leveldb::Status status = ReadCount(db, &count);
  if (!status.ok()) return status;
  char key[32];
  std::snprintf(key, sizeof(key), "visit/%06d", count + 1);
  leveldb::WriteBatch batch;  // both entries or none
  batch.Put("count", std::to_string(count + 1));
  batch.Put(key, "C++");
  leveldb::WriteOptions durably;
  durably.sync = true;  // on stable storage when Write returns
  return db->Write(durably, &batch);
}

leveldb::Status PrintVisits(leveldb::DB* db) {
  const std::unique_ptr<leveldb::Iterator> entry(db->NewIterator(leveldb::ReadOptions()));
  for (entry->Seek("visit/"); entry->Valid() && entry->key().starts_with("visit/"); entry->Next()) {
    std::printf("%s %s\n", entry->key().ToString().c_str(), entry->value().ToString().c_str());
  }
  return entry->status();  // an iterator also ends at an error
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: visits STORE\n");
    return 2;
  }
  leveldb::Options options;
  options.create_if_missing = true;
  leveldb::DB* opened = nullptr;
  leveldb::Status status = leveldb::DB::Open(options, argv[1], &opened);
  if (!status.ok()) return Fail(status);
  const std::unique_ptr<leveldb::DB> db(opened);

  std::string property;
  std::printf("on %s\n", db->GetProperty("lull.options", &property) ? "Lull" : "LevelDB");
  status = AddVisit(db.get());
  if (status.ok()) status = PrintVisits(db.get());
  return status.ok() ? 0 : Fail(status);
}
