// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Copies the present state of a store into a new one. It opens the source read-only, without its
// lock, so another program can have it open and write to it. Use it for a backup, to replace zstd
// by snappy, or to drop overwritten data.
//
// usage: copy SOURCE TARGET

#include <cstdio>
#include <memory>

#include "leveldb/db.h"
#include "leveldb/write_batch.h"
#include "lull/lull.h"

namespace {

leveldb::Status Copy(leveldb::DB* source, leveldb::DB* target) {
  constexpr size_t kBatchBytes = 1 << 20;
  leveldb::ReadOptions once;
  once.fill_cache = false;
  once.verify_checksums = true;
  const std::unique_ptr<leveldb::Iterator> entry(source->NewIterator(once));
  leveldb::WriteBatch batch;
  leveldb::Status status;
  for (entry->SeekToFirst(); status.ok() && entry->Valid(); entry->Next()) {
    batch.Put(entry->key(), entry->value());
    if (batch.ApproximateSize() < kBatchBytes) continue;
    status = target->Write(leveldb::WriteOptions(), &batch);
    batch.Clear();
  }
  if (status.ok()) status = entry->status();  // an iterator also ends at damage
  if (status.ok()) status = target->Write(leveldb::WriteOptions(), &batch);
  return status.ok() ? lull::Flush(target) : status;  // durable now
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: copy SOURCE TARGET\n");
    return 2;
  }
  std::unique_ptr<leveldb::DB> source, target;
  leveldb::DB* opened = nullptr;
  leveldb::Status status = lull::OpenReadOnly(leveldb::Options(), argv[1], &opened);
  source.reset(opened);
  if (status.ok()) {
    leveldb::Options options;
    options.create_if_missing = true;
    options.error_if_exists = true;
    opened = nullptr;
    status = leveldb::DB::Open(options, argv[2], &opened);
    target.reset(opened);
  }
  if (status.ok()) status = Copy(source.get(), target.get());
  if (status.ok()) return 0;
  std::fprintf(stderr, "copy: %s\n", status.ToString().c_str());
  return 1;
}
