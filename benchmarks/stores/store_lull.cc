// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include <nlohmann/json.hpp>

#include "benchmarks/measure/platform.h"
#include "benchmarks/stores/store.h"
#include "leveldb/table_builder.h"
#include "lull/lull.h"
#include "lull/read.h"
#include "lull/write.h"
#include "util/crc32c.h"

namespace lull::bench {

std::string StoreName() { return "lull"; }

std::string StoreVersion() {
  return std::to_string(leveldb::kMajorVersion) + "." + std::to_string(leveldb::kMinorVersion);
}

leveldb::Status DestroyStore(const StoreSettings& settings, const std::string& name) {
  return leveldb::DestroyDB(name, settings.options);
}

std::string SchedulingFault(const std::string& text) {
  const leveldb::Status status = CheckOptions(text);
  return status.ok() ? "" : "--policy, --layout, --options: " + status.ToString();
}

leveldb::Status OpenStore(const StoreSettings& settings, const std::string& name,
                          std::unique_ptr<leveldb::DB>* db) {
  SchedulingOptions scheduling(settings.scheduling);
  if (!settings.flushes) {
    // Memtables are sealed and kept, and clients still pay for new ones and for logs. The policy
    // gathers sealed memtables while clients write hard, so every write counts as hard.
    scheduling.SetPolicy("lull")
        .Set("lull_after_us", "3600000000")
        .Set("lull_hard_percent", "0")
        .Set("lull_hard_flush_percent", "0")
        .Set("lull_flush_bytes_min", "1024G")
        .SetMemoryBudgetBytes(uint64_t{64} << 30);
  }
  leveldb::DB* opened = nullptr;
  const leveldb::Status status = lull::Open(settings.options, scheduling, name, &opened);
  db->reset(opened);
  return status;
}

StoreState ReadStoreState(leveldb::DB* db, StallCauses* /*causes*/) {
  StoreState state = ReadLevelDbState(db);
  // By the store's own level sizes.
  std::string stats;
  if (db->GetProperty("lull.stats", &stats))
    state.debt_bytes = nlohmann::json::parse(stats)["debt_bytes"];
  return state;
}

std::vector<leveldb::Status> MultiGet(leveldb::DB* db, const leveldb::ReadOptions& options,
                                      const std::vector<leveldb::Slice>& keys,
                                      std::vector<std::string>* values) {
  return lull::MultiGet(db, options, keys, values);
}

std::unique_ptr<leveldb::Iterator> NewBoundedIterator(leveldb::DB* db, const leveldb::Slice& begin,
                                                      const leveldb::Slice& end) {
  return std::unique_ptr<leveldb::Iterator>(lull::NewIterator(db, {}, &begin, &end));
}

leveldb::Status TryWrite(leveldb::DB* db, leveldb::WriteBatch* batch, bool* refused) {
  BusyWrite busy;
  const leveldb::Status status = lull::TryWrite(db, {}, batch, /*wait_micros_max=*/1000, &busy);
  *refused = busy.is_busy;
  return status;
}

leveldb::Status OpenFollower(const std::string& name, std::unique_ptr<leveldb::DB>* db) {
  leveldb::DB* opened = nullptr;
  const leveldb::Status status = OpenReadOnly({}, name, &opened);
  db->reset(opened);
  return status;
}

leveldb::Status RefreshFollower(leveldb::DB* follower) { return Refresh(follower); }

leveldb::Status WriteTable(const std::string& path,
                           const std::vector<std::pair<std::string, std::string>>& entries) {
  leveldb::WritableFile* opened = nullptr;
  leveldb::Status status = leveldb::Env::Default()->NewWritableFile(path, &opened);
  if (!status.ok()) return status;
  const std::unique_ptr<leveldb::WritableFile> file(opened);
  leveldb::TableBuilder table({}, file.get());
  for (const auto& [key, value] : entries) table.Add(key, value);
  status = table.Finish();
  if (status.ok()) status = file->Sync();
  return status.ok() ? file->Close() : status;
}

leveldb::Status IngestTables(leveldb::DB* db, const std::vector<std::string>& paths) {
  return lull::IngestTables(db, paths);
}

leveldb::Status WaitUntilIdle(leveldb::DB* db, const std::string& /*name*/,
                              uint64_t* idle_since_ns) {
  const leveldb::Status status = lull::WaitForIdle(db);
  *idle_since_ns = NowNs();
  return status;
}

Crc32c StoreCrc32c() { return crc32c::Value; }

}  // namespace lull::bench
