// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// The store under test. One source of benchmarks is built once for each store, and this header is
// all in which the builds differ: store_lull.cc, store_leveldb.cc and store_rocksdb.cc implement
// it. What is common to them (the API of leveldb::DB) is used directly everywhere else.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "benchmarks/device/paced_device.h"
#include "benchmarks/measure/stall_causes.h"
#include "benchmarks/measure/store_state.h"
#include "leveldb/db.h"
#include "leveldb/env.h"
#include "leveldb/options.h"
#include "leveldb/status.h"

namespace lull::bench {

// Takes a store's log, and keeps of it only the causes of stalls.
class StallLog final : public leveldb::Logger {
 public:
  explicit StallLog(StallCauses* causes) : causes_(causes) {}
  void Logv(const char* format, va_list arguments) override;

 private:
  StallCauses* const causes_;
};

// "lull", "leveldb" or "rocksdb".
std::string StoreName();
// "1.23", as the library's header says.
std::string StoreVersion();

// What a store is opened with.
struct StoreSettings {
  leveldb::Options options;
  std::string scheduling;  // "k=v;k=v", in which SchedulingFault finds nothing
  bool flushes = true;     // false: no memtable ever goes to a table, to see the client's limit

  // What `options` says too, for a store that has options of its own. 0, or -1 where 0 has a
  // meaning, leaves that store's default.
  std::string profile;  // of RocksDB: "defaults", "matched" or "tuned"
  size_t write_buffer_bytes = 0;
  size_t max_file_bytes = 0;
  size_t block_bytes = 0;
  int64_t cache_bytes = -1;
  int bloom_bits = -1;
  int open_files = 0;

  PacedDevice* device = nullptr;  // under the store, and under options.env; null: the machine's own

  // Reads in a store's log why writers waited, for stores that say so there. Not null, and outlives
  // the store.
  StallLog* stall_log = nullptr;
};

// Of a memtable that is to take everything; LevelDB allows no more.
inline constexpr size_t kNeverFullBytes = size_t{1} << 30;

// What is wrong with scheduling options, for this store; empty when nothing is. Asked before the
// folder is emptied.
std::string SchedulingFault(const std::string& text);

// Opens the store in folder `name`, and empties that folder.
leveldb::Status OpenStore(const StoreSettings& settings, const std::string& name,
                          std::unique_ptr<leveldb::DB>* db);
leveldb::Status DestroyStore(const StoreSettings& settings, const std::string& name);

// Waits until the background work of the store in folder `name` has come to rest, and sets
// `idle_since_ns` to the NowNs() at which it did. That may lie in the past: a store that cannot say
// so itself is watched until it has been quiet for a while.
leveldb::Status WaitUntilIdle(leveldb::DB* db, const std::string& name, uint64_t* idle_since_ns);

// How the store stands. What it says meanwhile about stalls is noted in `causes`.
StoreState ReadStoreState(leveldb::DB* db, StallCauses* causes);
// What LevelDB's own properties say of that.
StoreState ReadLevelDbState(leveldb::DB* db);

// The store's own CRC-32C; nullptr if its library does not export one.
using Crc32c = uint32_t (*)(const char* data, size_t size);
Crc32c StoreCrc32c();

// A store that accepts everything and keeps nothing: what the benchmark and the machine cost by
// themselves.
std::unique_ptr<leveldb::DB> NewNullStore();

}  // namespace lull::bench
