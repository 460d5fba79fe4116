// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Adapts the system's RocksDB to leveldb::DB, so that every workload runs on it unchanged. The
// adapter adds one virtual call and two Slices to each call. It copies a batch entry by entry, at
// about 50 ns each.
#include <rocksdb/cache.h>
#include <rocksdb/convenience.h>
#include <rocksdb/db.h>
#include <rocksdb/env.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/options.h>
#include <rocksdb/rate_limiter.h>
#include <rocksdb/sst_file_writer.h>
#include <rocksdb/table.h>
#include <rocksdb/version.h>
#include <rocksdb/write_batch.h>
#include <rocksdb/write_buffer_manager.h>

#include <algorithm>
#include <map>

#include "benchmarks/device/rocksdb_device.h"
#include "benchmarks/measure/platform.h"
#include "benchmarks/stores/store.h"
#include "leveldb/iterator.h"
#include "leveldb/write_batch.h"
#include "scheduler/policy.h"

// The library exports it without a public header.
namespace rocksdb::crc32c {
uint32_t Extend(uint32_t crc, const char* data, size_t size);
}

namespace lull::bench {
namespace {

rocksdb::Slice ToRocks(const leveldb::Slice& slice) { return {slice.data(), slice.size()}; }
leveldb::Slice FromRocks(const rocksdb::Slice& slice) { return {slice.data(), slice.size()}; }

leveldb::Status FromRocks(const rocksdb::Status& status) {
  if (status.ok()) return leveldb::Status::OK();
  const std::string text = status.ToString();
  if (status.IsNotFound()) return leveldb::Status::NotFound(text);
  if (status.IsCorruption()) return leveldb::Status::Corruption(text);
  if (status.IsNotSupported()) return leveldb::Status::NotSupported(text);
  if (status.IsInvalidArgument()) return leveldb::Status::InvalidArgument(text);
  return leveldb::Status::IOError(text);
}

rocksdb::WriteOptions ToRocks(const leveldb::WriteOptions& options) {
  rocksdb::WriteOptions out;
  out.sync = options.sync;
  return out;
}

struct RocksSnapshot final : leveldb::Snapshot {
  explicit RocksSnapshot(const rocksdb::Snapshot* in) : snapshot(in) {}
  const rocksdb::Snapshot* const snapshot;
};

rocksdb::ReadOptions ToRocks(const leveldb::ReadOptions& options) {
  rocksdb::ReadOptions out(options.verify_checksums, options.fill_cache);
  if (options.snapshot != nullptr) {
    out.snapshot = static_cast<const RocksSnapshot*>(options.snapshot)->snapshot;
  }
  return out;
}

// Outlives the iterator that it bounds.
struct Bounds {
  Bounds(const leveldb::Slice& begin_in, const leveldb::Slice& end_in)
      : begin(begin_in.ToString()), end(end_in.ToString()) {
    options.iterate_lower_bound = &lower;
    options.iterate_upper_bound = &upper;
  }
  const std::string begin, end;
  const rocksdb::Slice lower{begin}, upper{end};
  rocksdb::ReadOptions options;
};

class RocksIterator : public leveldb::Iterator {
 public:
  explicit RocksIterator(rocksdb::Iterator* iterator) : iterator_(iterator) {}
  bool Valid() const override { return iterator_->Valid(); }
  void SeekToFirst() override { iterator_->SeekToFirst(); }
  void SeekToLast() override { iterator_->SeekToLast(); }
  void Seek(const leveldb::Slice& target) override { iterator_->Seek(ToRocks(target)); }
  void Next() override { iterator_->Next(); }
  void Prev() override { iterator_->Prev(); }
  leveldb::Slice key() const override { return FromRocks(iterator_->key()); }
  leveldb::Slice value() const override { return FromRocks(iterator_->value()); }
  leveldb::Status status() const override { return FromRocks(iterator_->status()); }

 private:
  const std::unique_ptr<rocksdb::Iterator> iterator_;
};

class BoundedIterator final : private Bounds, public RocksIterator {
 public:
  BoundedIterator(rocksdb::DB& db, const leveldb::Slice& begin, const leveldb::Slice& end)
      : Bounds(begin, end), RocksIterator(db.NewIterator(options)) {}
};

class BatchCopier final : public leveldb::WriteBatch::Handler {
 public:
  explicit BatchCopier(rocksdb::WriteBatch& to) : to_(to) {}
  void Put(const leveldb::Slice& key, const leveldb::Slice& value) override {
    to_.Put(ToRocks(key), ToRocks(value));
  }
  void Delete(const leveldb::Slice& key) override { to_.Delete(ToRocks(key)); }

 private:
  rocksdb::WriteBatch& to_;
};

class RocksStore final : public leveldb::DB {
 public:
  explicit RocksStore(rocksdb::DB* db) : db_(db) {}
  rocksdb::DB& db() { return *db_; }

  leveldb::Status Put(const leveldb::WriteOptions& options, const leveldb::Slice& key,
                      const leveldb::Slice& value) override {
    return FromRocks(db_->Put(ToRocks(options), ToRocks(key), ToRocks(value)));
  }
  leveldb::Status Delete(const leveldb::WriteOptions& options, const leveldb::Slice& key) override {
    return FromRocks(db_->Delete(ToRocks(options), ToRocks(key)));
  }
  leveldb::Status Write(const leveldb::WriteOptions& options,
                        leveldb::WriteBatch* updates) override {
    thread_local rocksdb::WriteBatch batch;
    batch.Clear();
    BatchCopier copier(batch);
    const leveldb::Status status = updates->Iterate(&copier);
    return status.ok() ? FromRocks(db_->Write(ToRocks(options), &batch)) : status;
  }
  leveldb::Status Get(const leveldb::ReadOptions& options, const leveldb::Slice& key,
                      std::string* value) override {
    return FromRocks(db_->Get(ToRocks(options), ToRocks(key), value));
  }
  leveldb::Iterator* NewIterator(const leveldb::ReadOptions& options) override {
    return new RocksIterator(db_->NewIterator(ToRocks(options)));
  }
  const leveldb::Snapshot* GetSnapshot() override { return new RocksSnapshot(db_->GetSnapshot()); }
  void ReleaseSnapshot(const leveldb::Snapshot* snapshot) override {
    const std::unique_ptr<const RocksSnapshot> owned(static_cast<const RocksSnapshot*>(snapshot));
    db_->ReleaseSnapshot(owned->snapshot);
  }
  bool GetProperty(const leveldb::Slice& property, std::string* value) override {
    std::string name = property.ToString();
    if (name.starts_with("leveldb.")) name.replace(0, 8, "rocksdb.");
    if (name != "rocksdb.approximate-memory-usage") return db_->GetProperty(name, value);
    uint64_t memtables = 0;
    uint64_t cache = 0;
    db_->GetIntProperty("rocksdb.cur-size-all-mem-tables", &memtables);
    db_->GetIntProperty("rocksdb.block-cache-usage", &cache);
    *value = std::to_string(memtables + cache);
    return true;
  }
  void GetApproximateSizes(const leveldb::Range* ranges, int count, uint64_t* sizes) override {
    for (int i = 0; i < count; ++i) {
      const rocksdb::Range range(ToRocks(ranges[i].start), ToRocks(ranges[i].limit));
      db_->GetApproximateSizes(&range, 1, &sizes[i]);
    }
  }
  void CompactRange(const leveldb::Slice* begin, const leveldb::Slice* end) override {
    const rocksdb::Slice from = begin != nullptr ? ToRocks(*begin) : rocksdb::Slice();
    const rocksdb::Slice to = end != nullptr ? ToRocks(*end) : rocksdb::Slice();
    db_->CompactRange({}, begin != nullptr ? &from : nullptr, end != nullptr ? &to : nullptr);
  }

 private:
  const std::unique_ptr<rocksdb::DB> db_;
};

// The null store has none of the calls below.
rocksdb::DB* RocksOf(leveldb::DB* db) {
  auto* const store = dynamic_cast<RocksStore*>(db);
  return store == nullptr ? nullptr : &store->db();
}
leveldb::Status NoStore() { return leveldb::Status::NotSupported("this is the null store"); }

class RocksLog final : public rocksdb::Logger {
 public:
  // `file`: RocksDB's own LOG, from which its events can be read later; null for none.
  RocksLog(StallLog* log, std::shared_ptr<rocksdb::Logger> file)
      : log_(log), file_(std::move(file)) {}
  using rocksdb::Logger::Logv;
  void Logv(const char* format, va_list arguments) override {
    if (file_ != nullptr) {
      va_list again;
      va_copy(again, arguments);
      file_->Logv(format, again);
      va_end(again);
    }
    log_->Logv(format, arguments);
  }

 private:
  StallLog* const log_;
  const std::shared_ptr<rocksdb::Logger> file_;
};

// Block cache and memtables together. As in Lull, the cache uses memory that memtables leave free.
// 8 MiB is the default cache of LevelDB and Lull.
constexpr size_t kMatchedCacheBytes = kDefaultMemoryBudgetBytes + (8 << 20);

// The other stores' default memory, in memtables of LevelDB's size.
void Match(rocksdb::Options* options) {
  if (options->write_buffer_size == rocksdb::Options().write_buffer_size) {
    options->write_buffer_size = 4 << 20;
  }
  options->max_write_buffer_number =
      std::max(2, static_cast<int>(kDefaultMemoryBudgetBytes / options->write_buffer_size));
}

// What an expert would set for bursts: many small memtables, no write slowdown, and compactions
// that use only idle CPU time.
void Tune(rocksdb::Options* options) {
  constexpr int kNeverSlow = 1 << 20;
  options->write_buffer_size = 8 << 20;
  options->max_write_buffer_number = 8;
  options->max_background_jobs = 4;
  options->level0_slowdown_writes_trigger = kNeverSlow;
  options->level0_stop_writes_trigger = kNeverSlow;
  options->soft_pending_compaction_bytes_limit = 0;
  options->hard_pending_compaction_bytes_limit = 0;
  options->env->LowerThreadPoolCPUPriority(rocksdb::Env::LOW, rocksdb::CpuPriority::kIdle);
}

// Limits background writes and adapts the limit to their demand, up to the device's bandwidth. The
// machine's own disk counts as one of 1 GB/s.
void AutoTune(const PacedDevice* device, rocksdb::Options* options) {
  constexpr double kDiskBytesPerSec = 1e9;
  constexpr int64_t kRefillUs = 100'000;
  constexpr int32_t kFairness = 10;
  const double bandwidth = device != nullptr ? device->spec().write_bytes_per_s : kDiskBytesPerSec;
  options->rate_limiter.reset(
      rocksdb::NewGenericRateLimiter(static_cast<int64_t>(bandwidth), kRefillUs, kFairness,
                                     rocksdb::RateLimiter::Mode::kWritesOnly,
                                     /*auto_tuned=*/true));
}

// One per process: RocksDB keeps its threads in it, so it must outlive the store.
rocksdb::Env* DeviceEnvOf(PacedDevice* device) {
  static const std::unique_ptr<rocksdb::Env> env =
      rocksdb::NewCompositeEnv(NewDeviceFileSystem(device));
  return env.get();
}

rocksdb::Status ApplyText(const std::string& text, rocksdb::Options* options) {
  const rocksdb::Options base = *options;
  return rocksdb::GetOptionsFromString(rocksdb::ConfigOptions(), base, text, options);
}

rocksdb::Options MakeOptions(const StoreSettings& settings) {
  rocksdb::Options options;
  if (settings.device != nullptr) options.env = DeviceEnvOf(settings.device);
  options.info_log = std::make_shared<RocksLog>(settings.stall_log, nullptr);
  options.create_if_missing = settings.options.create_if_missing;
  options.compression = settings.options.compression == leveldb::kNoCompression
                            ? rocksdb::kNoCompression
                            : rocksdb::kSnappyCompression;
  options.max_open_files = settings.open_files > 0 ? settings.open_files : options.max_open_files;
  if (settings.write_buffer_bytes > 0) options.write_buffer_size = settings.write_buffer_bytes;
  if (!settings.flushes) options.write_buffer_size = kNeverFullBytes;
  if (settings.max_file_bytes > 0) options.target_file_size_base = settings.max_file_bytes;
  rocksdb::BlockBasedTableOptions table;
  if (settings.profile == "matched") Match(&options);
  if (settings.profile == "tuned") Tune(&options);
  if (settings.profile == "autotuned") AutoTune(settings.device, &options);
  if (settings.cache_bytes >= 0) {
    table.block_cache = rocksdb::NewLRUCache(static_cast<size_t>(settings.cache_bytes));
  } else if (settings.profile == "matched" || settings.profile == "tuned") {
    table.block_cache = rocksdb::NewLRUCache(kMatchedCacheBytes);
    options.write_buffer_manager =
        std::make_shared<rocksdb::WriteBufferManager>(0, table.block_cache);
  }
  if (settings.block_bytes > 0) table.block_size = settings.block_bytes;
  if (settings.bloom_bits >= 0) {
    table.filter_policy.reset(rocksdb::NewBloomFilterPolicy(settings.bloom_bits));
  }
  options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
  ApplyText(settings.scheduling, &options);  // SchedulingFault accepted it
  return options;
}

}  // namespace

std::string StoreName() { return "rocksdb"; }

std::string StoreVersion() { return rocksdb::GetRocksVersionAsString(); }

std::string SchedulingFault(const std::string& text) {
  rocksdb::Options options;
  const rocksdb::Status status = ApplyText(text, &options);
  return status.ok() ? "" : "RocksDB does not accept (" + text + "): " + status.ToString();
}

leveldb::Status OpenStore(const StoreSettings& settings, const std::string& name,
                          std::unique_ptr<leveldb::DB>* db) {
  rocksdb::Options options = MakeOptions(settings);
  std::shared_ptr<rocksdb::Logger> file;
  options.info_log.reset();
  rocksdb::CreateLoggerFromOptions(name, options, &file);
  options.info_log = std::make_shared<RocksLog>(settings.stall_log, std::move(file));
  rocksdb::DB* opened = nullptr;
  const rocksdb::Status status = rocksdb::DB::Open(options, name, &opened);
  if (status.ok()) *db = std::make_unique<RocksStore>(opened);
  return FromRocks(status);
}

leveldb::Status DestroyStore(const StoreSettings& settings, const std::string& name) {
  return FromRocks(rocksdb::DestroyDB(name, MakeOptions(settings)));
}

StoreState ReadStoreState(leveldb::DB* db, StallCauses* /*causes*/) {
  constexpr double kGiB = 1 << 30;
  StoreState state;
  if (RocksOf(db) == nullptr) return state;
  rocksdb::DB& rocks = *RocksOf(db);
  rocksdb::ColumnFamilyMetaData files;
  rocks.GetColumnFamilyMetaData(&files);
  for (const rocksdb::LevelMetaData& level : files.levels) {
    state.levels.push_back({level.files.size(), level.size});
  }
  const rocksdb::Options options = rocks.GetOptions();
  state.debt_bytes =
      DebtBytes(state.levels, static_cast<uint64_t>(options.level0_file_num_compaction_trigger),
                options.max_bytes_for_level_base);
  std::string text;
  if (db->GetProperty("leveldb.approximate-memory-usage", &text)) {
    state.memory_bytes = std::strtoull(text.c_str(), nullptr, 10);
  }
  std::map<std::string, std::string> stats;
  rocks.GetMapProperty("rocksdb.cfstats", &stats);
  const auto bytes = [&stats](const char* name) {
    return static_cast<uint64_t>(std::strtod(stats[name].c_str(), nullptr) * kGiB);
  };
  state.background_read_bytes = bytes("compaction.Sum.ReadGB");
  state.background_written_bytes = bytes("compaction.Sum.WriteGB");
  return state;
}

std::vector<leveldb::Status> MultiGet(leveldb::DB* db, const leveldb::ReadOptions& options,
                                      const std::vector<leveldb::Slice>& keys,
                                      std::vector<std::string>* values) {
  if (RocksOf(db) == nullptr) return {keys.size(), NoStore()};
  rocksdb::DB& rocks = *RocksOf(db);
  std::vector<rocksdb::Slice> sought(keys.size());
  std::transform(keys.begin(), keys.end(), sought.begin(),
                 [](const leveldb::Slice& key) { return ToRocks(key); });
  std::vector<rocksdb::PinnableSlice> found(keys.size());
  std::vector<rocksdb::Status> statuses(keys.size());
  rocks.MultiGet(ToRocks(options), rocks.DefaultColumnFamily(), keys.size(), sought.data(),
                 found.data(), statuses.data());
  values->resize(keys.size());
  std::vector<leveldb::Status> results(keys.size());
  for (size_t i = 0; i < keys.size(); ++i) {
    results[i] = FromRocks(statuses[i]);
    if (results[i].ok()) (*values)[i].assign(found[i].data(), found[i].size());
  }
  return results;
}

std::unique_ptr<leveldb::Iterator> NewBoundedIterator(leveldb::DB* db, const leveldb::Slice& begin,
                                                      const leveldb::Slice& end) {
  if (RocksOf(db) == nullptr)
    return std::unique_ptr<leveldb::Iterator>(leveldb::NewErrorIterator(NoStore()));
  return std::make_unique<BoundedIterator>(*RocksOf(db), begin, end);
}

leveldb::Status TryWrite(leveldb::DB* db, leveldb::WriteBatch* batch, bool* refused) {
  if (RocksOf(db) == nullptr) return NoStore();
  rocksdb::WriteBatch copy;
  BatchCopier copier(copy);
  const leveldb::Status status = batch->Iterate(&copier);
  if (!status.ok()) return status;
  rocksdb::WriteOptions options;
  options.no_slowdown = true;
  const rocksdb::Status written = RocksOf(db)->Write(options, &copy);
  *refused = written.IsIncomplete();
  return FromRocks(written);
}

leveldb::Status OpenFollower(const std::string& name, std::unique_ptr<leveldb::DB>* db) {
  rocksdb::Options options;
  options.max_open_files = -1;  // RocksDB demands it
  rocksdb::DB* opened = nullptr;
  const rocksdb::Status status =
      rocksdb::DB::OpenAsSecondary(options, name, name + "/follower", &opened);
  if (status.ok()) *db = std::make_unique<RocksStore>(opened);
  return FromRocks(status);
}

leveldb::Status RefreshFollower(leveldb::DB* follower) {
  return FromRocks(RocksOf(follower)->TryCatchUpWithPrimary());
}

leveldb::Status WriteTable(const std::string& path,
                           const std::vector<std::pair<std::string, std::string>>& entries) {
  rocksdb::SstFileWriter table({}, {});
  rocksdb::Status status = table.Open(path);
  for (const auto& [key, value] : entries) {
    if (status.ok()) status = table.Put(key, value);
  }
  return FromRocks(status.ok() ? table.Finish() : status);
}

leveldb::Status IngestTables(leveldb::DB* db, const std::vector<std::string>& paths) {
  if (RocksOf(db) == nullptr) return NoStore();
  return FromRocks(RocksOf(db)->IngestExternalFile(paths, {}));
}

leveldb::Status WaitUntilIdle(leveldb::DB* db, const std::string& /*name*/,
                              uint64_t* idle_since_ns) {
  constexpr uint64_t kPollNs = kNsPerSecond / 50;
  constexpr int kQuietPolls = 3;  // bridges the gap between one job's end and the next one's start
  for (int quiet = 0; quiet < kQuietPolls && !StopRequested();) {
    bool busy = false;
    std::string value;
    for (const char* property :
         {"rocksdb.mem-table-flush-pending", "rocksdb.compaction-pending",
          "rocksdb.num-running-flushes", "rocksdb.num-running-compactions"}) {
      busy = busy || (db->GetProperty(property, &value) && value != "0");
    }
    if (quiet == 0) *idle_since_ns = NowNs();
    quiet = busy ? 0 : quiet + 1;
    SleepUntilNs(NowNs() + kPollNs);
  }
  return leveldb::Status::OK();
}

Crc32c StoreCrc32c() {
  return [](const char* data, size_t size) { return rocksdb::crc32c::Extend(0, data, size); };
}

}  // namespace lull::bench
