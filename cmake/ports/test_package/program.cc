// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Uses a store in the current directory.
#include <cstdio>
#include <memory>
#include <string>

#include "leveldb/db.h"
#include "lull/lull.h"

int main() {
  leveldb::Options options;
  options.create_if_missing = true;
  leveldb::DB* raw = nullptr;
  leveldb::Status status = leveldb::DB::Open(options, "store", &raw);
  const std::unique_ptr<leveldb::DB> db(raw);
  std::string value;
  if (status.ok()) status = db->Put(leveldb::WriteOptions(), "key", "value");
  if (status.ok()) status = lull::Flush(db.get());
  if (status.ok()) status = db->Get(leveldb::ReadOptions(), "key", &value);
  std::printf("%s\n", status.ok() ? value.c_str() : status.ToString().c_str());
  return value == "value" ? 0 : 1;
}
