// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// A leveldb::DB that forwards every call to another one but has one planted bug. Tests use it to
// prove that the test tools detect the bug. Owns its target. Not thread-safe.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "leveldb/db.h"
#include "leveldb/iterator.h"
#include "leveldb/write_batch.h"

namespace lull::testing {

enum class PlantedBug {
  kNone,
  kLosesWrites,        // every 500th Put is acked and dropped
  kStaleReads,         // every 100th Get without a snapshot reads an old state
  kTornBatches,        // every 20th batch loses its last entry
  kSnapshotIgnored,    // every 50th read at a snapshot reads the latest state
  kIteratorSkipsPrev,  // every 200th Prev moves by two
};

class BrokenDB : public leveldb::DB {
 public:
  BrokenDB(leveldb::DB* target, PlantedBug bug);
  ~BrokenDB() override;

  leveldb::Status Put(const leveldb::WriteOptions& options, const leveldb::Slice& key,
                      const leveldb::Slice& value) override;
  leveldb::Status Delete(const leveldb::WriteOptions& options, const leveldb::Slice& key) override;
  leveldb::Status Write(const leveldb::WriteOptions& options,
                        leveldb::WriteBatch* updates) override;
  leveldb::Status Get(const leveldb::ReadOptions& options, const leveldb::Slice& key,
                      std::string* value) override;
  leveldb::Iterator* NewIterator(const leveldb::ReadOptions& options) override;
  const leveldb::Snapshot* GetSnapshot() override;
  void ReleaseSnapshot(const leveldb::Snapshot* snapshot) override;
  bool GetProperty(const leveldb::Slice& property, std::string* value) override;
  void GetApproximateSizes(const leveldb::Range* range, int n, uint64_t* sizes) override;
  void CompactRange(const leveldb::Slice* begin, const leveldb::Slice* end) override;

 private:
  // True for every n-th call if this bug is planted.
  bool Strikes(PlantedBug bug, uint64_t n);
  // Keeps a snapshot that is some hundreds of writes old.
  void AgeStale();

  const std::unique_ptr<leveldb::DB> target_;
  const PlantedBug bug_;
  uint64_t calls_ = 0;
  uint64_t prevs_ = 0;
  uint64_t writes_ = 0;
  const leveldb::Snapshot* stale_ = nullptr;
};

}  // namespace lull::testing
