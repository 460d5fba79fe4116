// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// The system's stock LevelDB.
#include "benchmarks/measure/platform.h"
#include "benchmarks/stores/store.h"

#if __has_include("lull/lull.h")
#error "the stock build must see the system's headers only"
#endif

#ifdef LULL_STOCK_CHECKSUM
// Not in a public header. Declared as the library defines it, and linked from the static archive.
namespace leveldb::crc32c {
uint32_t Extend(uint32_t crc, const char* data, size_t size);
}
#endif

namespace lull::bench {
namespace {

constexpr uint64_t kPollNs = kNsPerSecond / 10;
constexpr uint64_t kQuietNs = 2 * kNsPerSecond;
// A store of 40 GB can compact for hours after it was filled.
constexpr uint64_t kPatienceHours = 6;
constexpr uint64_t kPatienceNs = kPatienceHours * 3600 * kNsPerSecond;

// Externally visible signs of background work.
struct Footprint {
  uint64_t bytes = 0;
  std::string levels;
  bool operator==(const Footprint&) const = default;
};

Footprint Observe(leveldb::DB* db, const std::string& name) {
  Footprint seen;
  seen.bytes = DirectoryBytes(name);
  db->GetProperty("leveldb.stats", &seen.levels);
  return seen;
}

}  // namespace

std::string StoreName() { return "leveldb"; }

std::string StoreVersion() {
  return std::to_string(leveldb::kMajorVersion) + "." + std::to_string(leveldb::kMinorVersion);
}

leveldb::Status DestroyStore(const StoreSettings& settings, const std::string& name) {
  return leveldb::DestroyDB(name, settings.options);
}

std::string SchedulingFault(const std::string& text) {
  if (text.empty()) return "";
  return "--policy, --layout, --options: stock LevelDB has no scheduling options (" + text + ")";
}

leveldb::Status OpenStore(const StoreSettings& settings, const std::string& name,
                          std::unique_ptr<leveldb::DB>* db) {
  leveldb::Options options = settings.options;
  if (!settings.flushes) options.write_buffer_size = kNeverFullBytes;
  options.info_log = settings.stall_log;  // replaces the file LOG
  leveldb::DB* opened = nullptr;
  const leveldb::Status status = leveldb::DB::Open(options, name, &opened);
  db->reset(opened);
  return status;
}

std::vector<leveldb::Status> MultiGet(leveldb::DB* db, const leveldb::ReadOptions& options,
                                      const std::vector<leveldb::Slice>& keys,
                                      std::vector<std::string>* values) {
  std::vector<leveldb::Status> statuses(keys.size());
  values->resize(keys.size());
  for (size_t i = 0; i < keys.size(); ++i) statuses[i] = db->Get(options, keys[i], &(*values)[i]);
  return statuses;
}

std::unique_ptr<leveldb::Iterator> NewBoundedIterator(leveldb::DB* db, const leveldb::Slice&,
                                                      const leveldb::Slice&) {
  return std::unique_ptr<leveldb::Iterator>(db->NewIterator(leveldb::ReadOptions()));
}

leveldb::Status TryWrite(leveldb::DB*, leveldb::WriteBatch*, bool*) {
  return leveldb::Status::NotSupported("LevelDB's writes wait");
}
leveldb::Status OpenFollower(const std::string& name, std::unique_ptr<leveldb::DB>*) {
  return leveldb::Status::NotSupported(name, "LevelDB opens a store once");
}
leveldb::Status RefreshFollower(leveldb::DB*) { return leveldb::Status::NotSupported(""); }
leveldb::Status WriteTable(const std::string& path,
                           const std::vector<std::pair<std::string, std::string>>&) {
  return leveldb::Status::NotSupported(path, "LevelDB ingests no tables");
}
leveldb::Status IngestTables(leveldb::DB*, const std::vector<std::string>&) {
  return leveldb::Status::NotSupported("");
}

StoreState ReadStoreState(leveldb::DB* db, StallCauses* /*causes*/) { return ReadLevelDbState(db); }

leveldb::Status WaitUntilIdle(leveldb::DB* db, const std::string& name, uint64_t* idle_since_ns) {
  const uint64_t begin_ns = NowNs();
  *idle_since_ns = begin_ns;
  Footprint last = Observe(db, name);
  for (uint64_t now_ns = begin_ns; now_ns < *idle_since_ns + kQuietNs && !StopRequested();) {
    if (now_ns > begin_ns + kPatienceNs) {
      return leveldb::Status::IOError("background work did not finish",
                                      "in " + std::to_string(kPatienceHours) + " hours");
    }
    SleepUntilNs(now_ns + kPollNs);
    now_ns = NowNs();
    Footprint current = Observe(db, name);
    if (current == last) continue;
    *idle_since_ns = now_ns;
    last = std::move(current);
  }
  return leveldb::Status::OK();
}

Crc32c StoreCrc32c() {
#ifdef LULL_STOCK_CHECKSUM
  return [](const char* data, size_t size) { return leveldb::crc32c::Extend(0, data, size); };
#else
  return nullptr;
#endif
}

}  // namespace lull::bench
