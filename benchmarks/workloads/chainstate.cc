// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// `chainstate`: what Bitcoin Core's database of unspent coins does to a store (loadgen/coins.h).
// Loads --num coins and waits until the store is idle. Then --days of 24 hours: six blocks, whose
// spent coins are read unless they are in the node's cache, a flush of the changes in batches
// without sync, and a rest instead of the hour. A day has the real share of changes, times --scale.
//
// Every read, and at the end the whole store, is compared with the trace.
#include <algorithm>
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "benchmarks/loadgen/coins.h"
#include "benchmarks/measure/histogram.h"
#include "benchmarks/stores/store.h"
#include "benchmarks/workloads/rests.h"
#include "benchmarks/workloads/workload.h"
#include "leveldb/iterator.h"
#include "leveldb/write_batch.h"

namespace lull::bench {
namespace {

constexpr double kRestSeconds = 0.2;                 // without --idle_seconds
constexpr size_t kBatchBytesMax = size_t{32} << 20;  // -dbbatchsize since version 30; 16 before
constexpr int kLoadBatchCoins = 1000;
constexpr int64_t kCoinsMax = 2'000'000'000;  // leaves numbers for those that blocks create
// Keys of the last block that is in the store, and of the blocks between which a flush is.
constexpr const char* kBestBlockKey = "B";
constexpr const char* kHeadBlocksKey = "H";
constexpr size_t kBlockHashBytes = 32;

// Of a day or of all days.
struct Figures {
  uint64_t requests = 0;  // reads, puts and erases
  uint64_t busy_ns = 0;   // without rests
  Histogram gets;
  uint64_t change_bytes = 0;  // keys and values that the node wrote
  int64_t written_bytes = 0;  // by the process
  int64_t device_bytes = 0;   // by all programs
  uint64_t table_bytes = 0;   // of flushes and compactions
  uint64_t disk_bytes_max = 0;
  uint64_t disk_bytes_at_rest = 0;  // after the last flush
  uint64_t live_bytes = 0;

  void Add(const Figures& day) {
    requests += day.requests;
    busy_ns += day.busy_ns;
    gets.Merge(day.gets);
    change_bytes += day.change_bytes;
    written_bytes += day.written_bytes;
    device_bytes += day.device_bytes;
    table_bytes += day.table_bytes;
    disk_bytes_max = std::max(disk_bytes_max, day.disk_bytes_max);
    disk_bytes_at_rest = day.disk_bytes_at_rest;
    live_bytes = day.live_bytes;
  }

  std::string Text() const {
    const double seconds = static_cast<double>(busy_ns) / kNsPerSecond;
    char text[300];
    std::snprintf(text, sizeof(text),
                  "%.0f ops/s, Get p99 %.1f us; MB: %.1f live, disk at rest %.1f, at most %.1f; "
                  "changes %.1f, tables %.1f, written %.1f, device %.1f",
                  seconds > 0 ? static_cast<double>(requests) / seconds : 0, gets.PercentileUs(99),
                  Megabytes(live_bytes), Megabytes(disk_bytes_at_rest), Megabytes(disk_bytes_max),
                  Megabytes(change_bytes), Megabytes(table_bytes),
                  static_cast<double>(written_bytes) / 1e6,
                  static_cast<double>(device_bytes) / 1e6);
    return text;
  }
};

// Order does not matter, so the store's entries and the trace's coins have the same sum.
struct Contents {
  uint64_t entries = 0;
  uint64_t sum = 0;
  bool operator==(const Contents&) const = default;

  void Add(std::string_view key, std::string_view value) {
    uint64_t hash = 0xcbf29ce484222325u;  // FNV-1a
    for (const std::string_view part : {key, value})
      for (const char byte : part) hash = (hash ^ static_cast<uint8_t>(byte)) * 0x100000001b3u;
    ++entries;
    sum += hash;
  }
};

class Node {
 public:
  explicit Node(Worker& worker)
      : worker_(worker),
        is_store_(worker.run.config.store != "null"),
        trace_(worker.run.config.seed, static_cast<uint32_t>(worker.run.num),
               worker.run.config.scale),
        text_(worker.run.config.seed) {}

  bool Load() {
    run().phase = "load";
    leveldb::WriteBatch batch;
    for (int64_t coin = 0; coin < run().num; ++coin) {
      Put(batch, static_cast<uint64_t>(coin));
      const bool full = coin % kLoadBatchCoins == kLoadBatchCoins - 1;
      if ((full || coin + 1 == run().num) && !Write(batch)) return false;
    }
    return WaitUntilIdle();
  }

  bool Day() {
    day_ = std::make_unique<Figures>();
    run().disk_bytes_max = 0;
    const ProcessUsage before = run().Usage();
    const uint64_t table_bytes = TableBytes();
    for (int hour = 0; hour < coins::kFlushesPerDay; ++hour) {
      const uint64_t began_ns = NowNs();
      worker_.meter.Resume(began_ns);
      run().phase = "hour";
      if (!Blocks() || !Flush()) return false;
      day_->busy_ns += NowNs() - began_ns;
      if (!Rest(worker_, RestSeconds(run(), kRestSeconds))) return false;
      // In an hour the kernel writes everything back. A file that is deleted later has been
      // written.
      SyncFileSystemOf(run().directory);
    }
    trace_.EmptyCache();  // gives more reads than emptying it when it is full
    const ProcessUsage after = run().Usage();
    day_->written_bytes = after.process_write_bytes - before.process_write_bytes;
    day_->device_bytes = after.device_write_bytes - before.device_write_bytes;
    day_->table_bytes = TableBytes() - table_bytes;
    day_->disk_bytes_at_rest = DirectoryBytes(run().directory);
    day_->disk_bytes_max = std::max(run().disk_bytes_max.load(), day_->disk_bytes_at_rest);
    day_->live_bytes = live_bytes_;
    total_.Add(*day_);
    return true;
  }

  // After the last day.
  bool Settle() {
    if (!WaitUntilIdle()) return false;
    idle_bytes_ = DirectoryBytes(run().directory);
    return true;
  }

  const Figures& day() const { return *day_; }
  std::string Total() const {
    char text[400];
    std::snprintf(text, sizeof(text), "(%d days: %s; when idle: disk %.1f MB)", run().config.days,
                  total_.Text().c_str(), Megabytes(idle_bytes_));
    return text;
  }

  // Whether the store's entries are those of the trace.
  bool Check() {
    run().phase = "check";
    if (!is_store_) return true;
    Contents expected;
    trace_.ForEachLive([&](uint64_t coin) { expected.Add(text_.Key(coin), text_.Value(coin)); });
    expected.Add(kBestBlockKey, best_block_);
    Contents found;
    leveldb::ReadOptions options;
    options.fill_cache = false;
    const std::unique_ptr<leveldb::Iterator> iterator(run().db->NewIterator(options));
    for (iterator->SeekToFirst(); iterator->Valid() && !StopRequested(); iterator->Next()) {
      const leveldb::Slice key = iterator->key();
      const leveldb::Slice value = iterator->value();
      found.Add({key.data(), key.size()}, {value.data(), value.size()});
    }
    if (StopRequested()) return false;
    if (!iterator->status().ok()) return Fail("scan failed", iterator->status());
    if (found == expected) return true;
    return Fail("the store does not have the coins of the trace",
                leveldb::Status::Corruption(std::to_string(found.entries) + " entries, of " +
                                            std::to_string(expected.entries)));
  }

 private:
  Run& run() const { return worker_.run; }
  uint64_t TableBytes() { return ReadStoreState(run().db, &causes_).background_written_bytes; }

  bool Fail(const char* what, const leveldb::Status& status) {
    run().Fail(what, status);
    return false;
  }

  bool WaitUntilIdle() {
    uint64_t idle_since_ns = 0;
    const leveldb::Status status = run().wait_idle(&idle_since_ns);
    if (!status.ok()) return Fail("waiting for the background work failed", status);
    SyncFileSystemOf(run().directory);
    return !StopRequested();
  }

  bool Blocks() {
    for (int block = 0; block < coins::kBlocksPerFlush; ++block) {
      reads_.clear();
      trace_.AddBlock(&reads_);
      for (const uint64_t coin : reads_)
        if (!Get(coin)) return false;
    }
    return true;
  }

  bool Get(uint64_t coin) {
    const std::string_view key = text_.Key(coin);
    const uint64_t began_ns = NowNs();
    const leveldb::Status status =
        run().db->Get(leveldb::ReadOptions(), {key.data(), key.size()}, &value_);
    day_->gets.Add(NowNs() - began_ns);
    ++day_->requests;
    worker_.meter.Done(OpKind::kRead, 1, status.ok() ? key.size() + value_.size() : 0);
    if (!status.ok() && !status.IsNotFound()) return Fail("get failed", status);
    const bool exists = coin < CoinTrace::kNoCoin;
    if (is_store_ && (status.ok() != exists || (exists && value_ != text_.Value(coin))))
      return Fail("wrong coin", leveldb::Status::Corruption(std::to_string(coin)));
    return !StopRequested();
  }

  bool Flush() {
    leveldb::WriteBatch batch;
    const std::string old_block = std::move(best_block_);
    best_block_ = worker_.NextValue(kBlockHashBytes).ToString();
    batch.Delete(kBestBlockKey);
    batch.Put(kHeadBlocksKey, best_block_ + old_block);
    for (const CoinTrace::Change& change : trace_.Flush()) {
      if (change.spent) {
        Erase(batch, change.coin);
      } else {
        Put(batch, change.coin);
      }
      if (batch.ApproximateSize() > kBatchBytesMax && !Write(batch)) return false;
    }
    batch.Delete(kHeadBlocksKey);
    batch.Put(kBestBlockKey, best_block_);
    return Write(batch);
  }

  void Put(leveldb::WriteBatch& batch, uint64_t coin) {
    const std::string_view key = text_.Key(coin);
    const std::string_view value = text_.Value(coin);
    batch.Put({key.data(), key.size()}, {value.data(), value.size()});
    live_bytes_ += key.size() + value.size();
    batch_bytes_ += key.size() + value.size();
    ++batch_entries_;
  }

  void Erase(leveldb::WriteBatch& batch, uint64_t coin) {
    const std::string_view key = text_.Key(coin);
    batch.Delete({key.data(), key.size()});
    live_bytes_ -= key.size() + text_.Value(coin).size();
    batch_bytes_ += key.size();
    ++batch_entries_;
  }

  bool Write(leveldb::WriteBatch& batch) {
    const leveldb::Status status = run().db->Write(leveldb::WriteOptions(), &batch);
    if (!status.ok()) return Fail("write failed", status);
    worker_.meter.Done(OpKind::kWrite, batch_entries_, batch_bytes_);
    if (day_ != nullptr) {
      day_->requests += batch_entries_;
      day_->change_bytes += batch_bytes_;
    }
    batch.Clear();
    batch_entries_ = 0;
    batch_bytes_ = 0;
    return !StopRequested();
  }

  Worker& worker_;
  const bool is_store_;  // not the null store
  CoinTrace trace_;
  CoinText text_;
  StallCauses causes_;  // not reported
  std::string best_block_;
  std::string value_;
  std::vector<uint64_t> reads_;
  uint64_t batch_entries_ = 0;
  uint64_t batch_bytes_ = 0;
  uint64_t live_bytes_ = 0;
  uint64_t idle_bytes_ = 0;
  std::unique_ptr<Figures> day_;
  Figures total_;
};

void Chainstate(Worker& worker) {
  if (worker.run.num > kCoinsMax)
    return worker.run.Fail("--num", leveldb::Status::InvalidArgument("at most 2000000000 coins"));
  const auto node = std::make_unique<Node>(worker);
  if (!node->Load()) return;
  const int days = worker.run.config.days;
  for (int day = 1; day <= days; ++day) {
    if (!node->Day()) return;
    std::printf("  day %d: %s\n", day, node->day().Text().c_str());
    std::fflush(stdout);
  }
  if (node->Settle() && node->Check()) worker.message = node->Total();
}

constexpr WorkloadSpec kChainstateSpecs[] = {
    {.name = "chainstate",
     .body = Chainstate,
     .fresh_store = true,
     .one_client = true,
     .writer = SampleDisk},
};

}  // namespace

std::span<const WorkloadSpec> ChainstateWorkloads() { return kChainstateSpecs; }

}  // namespace lull::bench
