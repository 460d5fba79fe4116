// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// The store under test. The benchmarks are built once per store from the same source. The builds
// differ only in which file implements this header: store_lull.cc, store_leveldb.cc or
// store_rocksdb.cc. All other code uses the leveldb::DB API directly.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "benchmarks/device/paced_device.h"
#include "benchmarks/measure/stall_causes.h"
#include "benchmarks/measure/store_state.h"
#include "leveldb/db.h"
#include "leveldb/env.h"
#include "leveldb/iterator.h"
#include "leveldb/options.h"
#include "leveldb/slice.h"
#include "leveldb/status.h"
#include "leveldb/write_batch.h"

namespace lull::bench {

// Receives a store's LOG and keeps only the causes of stalls.
class StallLog final : public leveldb::Logger {
 public:
  explicit StallLog(StallCauses* causes) : causes_(causes) {}
  void Logv(const char* format, va_list arguments) override;

 private:
  StallCauses* const causes_;
};

// "lull", "leveldb" or "rocksdb".
std::string StoreName();
// For example "1.23", from the library's header.
std::string StoreVersion();

// How to open the store.
struct StoreSettings {
  leveldb::Options options;
  std::string scheduling;  // "k=v;k=v"; SchedulingFault accepts it. RocksDB: any of its options
  bool flushes = true;     // false: no memtable is ever flushed, to measure the client's limit

  // The same settings as in `options`, for a store with its own options. 0 keeps that store's
  // default, or -1 where 0 is a valid value.
  std::string profile;  // RocksDB only: "defaults", "matched", "tuned" or "autotuned"
  size_t write_buffer_bytes = 0;
  size_t max_file_bytes = 0;
  size_t block_bytes = 0;
  int64_t cache_bytes = -1;
  int bloom_bits = -1;
  int open_files = 0;

  PacedDevice* device = nullptr;  // models the store's disk; null: the machine's own disk

  // Finds the causes of stalls in the LOG of stores that write them there. Not null; outlives the
  // store.
  StallLog* stall_log = nullptr;
};

// Size of a memtable that never fills up. LevelDB allows no more.
inline constexpr size_t kNeverFullBytes = size_t{1} << 30;

// Returns an error if this store does not accept these scheduling options; empty if it does.
// Called before DestroyStore.
std::string SchedulingFault(const std::string& text);

// Open the store in directory `name`, and delete it.
leveldb::Status OpenStore(const StoreSettings& settings, const std::string& name,
                          std::unique_ptr<leveldb::DB>* db);
leveldb::Status DestroyStore(const StoreSettings& settings, const std::string& name);

// Reads several keys by the store's own function for that, or by one get each if it has none.
std::vector<leveldb::Status> MultiGet(leveldb::DB* db, const leveldb::ReadOptions& options,
                                      const std::vector<leveldb::Slice>& keys,
                                      std::vector<std::string>* values);

// Calls that not every store has. NotSupported: this one lacks it.
//
// An iterator over the keys from `begin` to just before `end`. LevelDB's has no bounds.
std::unique_ptr<leveldb::Iterator> NewBoundedIterator(leveldb::DB* db, const leveldb::Slice& begin,
                                                      const leveldb::Slice& end);
// Writes `batch`, or sets `*refused` if that would take longer than a millisecond (RocksDB: if the
// write would be slowed or stopped).
leveldb::Status TryWrite(leveldb::DB* db, leveldb::WriteBatch* batch, bool* refused);
// Opens the store in directory `name`, which is open, once more, for reads. RefreshFollower then
// shows it what was written meanwhile.
leveldb::Status OpenFollower(const std::string& name, std::unique_ptr<leveldb::DB>* db);
leveldb::Status RefreshFollower(leveldb::DB* follower);
// Writes a table file of ascending keys, and adds such files to the store.
leveldb::Status WriteTable(const std::string& path,
                           const std::vector<std::pair<std::string, std::string>>& entries);
leveldb::Status IngestTables(leveldb::DB* db, const std::vector<std::string>& paths);

// Waits until the background work of the store in directory `name` has finished, and sets
// `idle_since_ns` to the NowNs() at which it did. That time can be in the past: a store that does
// not report idleness is polled until it has been quiet for a while.
leveldb::Status WaitUntilIdle(leveldb::DB* db, const std::string& name, uint64_t* idle_since_ns);

// Reads the store's state. Adds the causes of stalls that the store reports to `causes`.
StoreState ReadStoreState(leveldb::DB* db, StallCauses* causes);
// The part of that state that LevelDB's properties report.
StoreState ReadLevelDbState(leveldb::DB* db);

// The store's own CRC-32C; nullptr if its library does not export one.
using Crc32c = uint32_t (*)(const char* data, size_t size);
Crc32c StoreCrc32c();

// A store that accepts everything and stores nothing. Measures the cost of the benchmark and the
// machine alone.
std::unique_ptr<leveldb::DB> NewNullStore();

}  // namespace lull::bench
