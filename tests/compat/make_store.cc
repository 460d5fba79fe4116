// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// usage: make_store DIRECTORY
//
// Creates a store with tables in several levels, deletions, keys of arbitrary bytes, and a log with
// some entries. Built for both libraries.
#include <cstdio>
#include <memory>
#include <string>

#include "leveldb/db.h"
#include "leveldb/filter_policy.h"
#include "leveldb/write_batch.h"

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const std::unique_ptr<const leveldb::FilterPolicy> filter(leveldb::NewBloomFilterPolicy(10));
  leveldb::Options options;
  options.create_if_missing = true;
  options.write_buffer_size = 100000;
  options.filter_policy = filter.get();
  leveldb::DB* raw = nullptr;
  leveldb::Status status = leveldb::DB::Open(options, argv[1], &raw);
  const std::unique_ptr<leveldb::DB> db(raw);
  const leveldb::WriteOptions write;
  for (int round = 0; status.ok() && round < 2; ++round) {
    for (int i = 0; status.ok() && i < 3000; ++i) {
      const std::string number = std::to_string(10000 + i * 7919 % 3000);
      status = db->Put(write, "key" + number, number + std::string(100, 'a' + i % 26));
    }
    db->CompactRange(nullptr, nullptr);
  }
  leveldb::WriteBatch batch;
  batch.Put(leveldb::Slice("\0\x01\xff\\'\"", 6), "any bytes");
  batch.Put("empty", "");
  batch.Delete("key10000");
  batch.Put(leveldb::Slice("v"), leveldb::Slice("a\0b\nc", 5));
  if (status.ok()) status = db->Write(write, &batch);
  if (status.ok()) status = db->Delete(write, "key10001");
  if (!status.ok()) std::fprintf(stderr, "%s\n", status.ToString().c_str());
  return status.ok() ? 0 : 1;
}
