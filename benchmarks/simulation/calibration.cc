// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "benchmarks/simulation/calibration.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "benchmarks/loadgen/key_value.h"
#include "benchmarks/loadgen/rng.h"
#include "benchmarks/measure/platform.h"
#include "leveldb/db.h"
#include "leveldb/write_batch.h"
#include "lull/lull.h"

namespace lull::sim {
namespace {

using bench::NowNs;

constexpr int kSmallValue = 100;
constexpr int kLargeValue = 1000;
constexpr double kKeyBytes = 16;
constexpr uint64_t kKeys = 100'000'000;  // enough that repeated keys are rare
constexpr size_t kHugeMemtable = size_t{1} << 30;

/// A cost measured at two sizes, as a line: `each` + `byte` * bytes.
struct Line {
  double each = 0;
  double byte = 0;
};

Line LineThrough(double small, double large) {
  Line line;
  line.byte = std::max(0.0, (large - small) / (kLargeValue - kSmallValue));
  line.each = std::max(0.0, small - line.byte * (kKeyBytes + kSmallValue));
  return line;
}

/// A store that begins empty, and a client that writes like db_bench.
class Rig {
 public:
  Rig(const std::string& directory, size_t memtable_bytes, const std::string& scheduling)
      : keys_(0), values_(0.5, kLargeValue, 7) {
    std::filesystem::remove_all(directory);
    leveldb::Options options;
    options.create_if_missing = true;
    options.write_buffer_size = memtable_bytes;
    leveldb::DB* db = nullptr;
    status_ = Open(options, "own_coordinator=true;" + scheduling, directory, &db);
    db_.reset(db);
  }

  leveldb::DB* db() const { return db_.get(); }
  const leveldb::Status& status() const { return status_; }

  /// Writes `count` entries, `batch` at a time. Returns nanoseconds per entry.
  double Write(int count, int value_bytes, int batch, bool sync = false) {
    leveldb::WriteOptions options;
    options.sync = sync;
    leveldb::WriteBatch updates;
    const uint64_t began_ns = NowNs();
    for (int i = 0; i < count && status_.ok(); i += batch) {
      updates.Clear();
      for (int k = 0; k < batch; ++k) {
        const std::string_view key = keys_.Of(rng_.Below(kKeys));
        const std::string_view value = values_.Next(static_cast<size_t>(value_bytes));
        updates.Put({key.data(), key.size()}, {value.data(), value.size()});
      }
      status_ = db_->Write(options, &updates);
      last_ns_ = NowNs();  // like a client that measures the latency of every write
    }
    return static_cast<double>(last_ns_ - began_ns) / count;
  }

  /// CPU seconds of the whole process while `what` runs.
  double CpuSeconds(const std::function<leveldb::Status()>& what) {
    const double before = bench::ReadCpuSeconds();
    if (status_.ok()) status_ = what();
    return bench::ReadCpuSeconds() - before;
  }

  double FileBytes() const {
    const leveldb::Range all("", "\xff");
    uint64_t bytes = 0;
    db_->GetApproximateSizes(&all, 1, &bytes);
    return static_cast<double>(bytes);
  }

  double MemoryBytes() const {
    std::string text;
    db_->GetProperty("leveldb.approximate-memory-usage", &text);
    return std::stod(text);
  }

 private:
  leveldb::Status status_;
  std::unique_ptr<leveldb::DB> db_;
  bench::Rng rng_{301};
  bench::KeyText keys_;
  bench::ValuePool values_;
  uint64_t last_ns_ = 0;
};

/// Threads that keep all cores busy, touching memory as a merge would.
class BusyThreads {
 public:
  explicit BusyThreads(int count) {
    for (int i = 0; i < count; ++i) {
      threads_.emplace_back([this] {
        std::vector<uint64_t> block(1 << 18);
        for (uint64_t at = 1; !stop_.load(std::memory_order_relaxed); at = at * 5 + 1) {
          block[at % block.size()] += at;
        }
      });
    }
  }
  ~BusyThreads() { stop_.store(true); }

 private:
  std::atomic<bool> stop_{false};
  std::vector<std::jthread> threads_;
};

/// The smallest of several measurements. Other programs can only make one larger.
double Best(int takes, const std::function<double()>& take) {
  double best = take();
  for (int i = 1; i < takes; ++i) best = std::min(best, take());
  return best;
}

class Calibration {
 public:
  Calibration(std::string directory, Costs* costs)
      : directory_(std::move(directory)), costs_(*costs) {}

  std::string Run() {
    costs_.machine = MachineText();
    MeasurePuts();
    MeasureGets();
    MeasureFlushAndSizes();
    MeasureMerge();
    MeasureSync();
    MeasureSleeps();
    std::filesystem::remove_all(directory_);
    return fault_;
  }

 private:
  static std::string MachineText() {
    const bench::CpuFacts cpu = bench::ReadCpuFacts();
    return std::to_string(cpu.count) + " x " + cpu.model;
  }

  double Put(int value_bytes, int batch, int skip_entries, int entries) {
    return Best(3, [&] {
      Rig rig(directory_, kHugeMemtable, "memory_budget_bytes=4G");
      if (skip_entries > 0) rig.Write(skip_entries, value_bytes, 100);
      const double ns = rig.Write(entries, value_bytes, batch);
      Check(rig.status());
      return ns;
    });
  }

  void MeasurePuts() {
    // A 4 MiB memtable holds about 28,000 small entries, a 64 MiB one sixteen times as many.
    const double small = Put(kSmallValue, 1, 0, 28'000);
    const double large = Put(kLargeValue, 1, 0, 4'000);
    const double batched = Put(kSmallValue, 100, 0, 28'000);
    const double deep = Put(kSmallValue, 1, 400'000, 50'000);
    const Line line = LineThrough(small, large);
    costs_.put_byte_ns = line.byte;
    costs_.put_ns = std::max(0.0, small - batched);
    costs_.put_entry_ns = std::max(1.0, line.each - costs_.put_ns);
    costs_.put_large_memtable_factor =
        std::max(1.0, (deep - costs_.put_ns) / std::max(1.0, small - costs_.put_ns));
    Show("put_ns", costs_.put_ns);
    Show("put_entry_ns", costs_.put_entry_ns);
    Show("put_byte_ns", costs_.put_byte_ns);
    Show("put_large_memtable_factor", costs_.put_large_memtable_factor);
    const BusyThreads busy(static_cast<int>(std::thread::hardware_concurrency()) - 1);
    costs_.busy_factor = std::max(1.0, Put(kSmallValue, 1, 0, 28'000) / small);
    Show("busy_factor", costs_.busy_factor);
  }

  void MeasureGets() {
    constexpr int kEntries = 100'000;
    Rig rig(directory_, 4 << 20, "");
    leveldb::WriteBatch batch;
    bench::KeyText keys(0);
    const std::string value(400, 'v');
    for (uint64_t i = 0; i < kEntries; ++i) {
      const std::string_view key = keys.Of(i);
      Check(rig.db()->Put({}, {key.data(), key.size()}, value));
    }
    Check(WaitForIdle(rig.db()));
    bench::Rng rng(5);
    std::string found;
    costs_.get_ns = Best(3, [&] {
      const uint64_t began_ns = NowNs();
      for (int i = 0; i < kEntries; ++i) {
        const std::string_view key = keys.Of(rng.Below(kEntries));
        Check(rig.db()->Get({}, {key.data(), key.size()}, &found));
      }
      return static_cast<double>(NowNs() - began_ns) / kEntries;
    });
    Show("get_ns", costs_.get_ns);
    const std::unique_ptr<leveldb::Iterator> iterator(rig.db()->NewIterator({}));
    costs_.scan_entry_ns = Best(3, [&] {
      const uint64_t began_ns = NowNs();
      for (iterator->SeekToFirst(); iterator->Valid(); iterator->Next()) found = iterator->key()[0];
      return static_cast<double>(NowNs() - began_ns) / kEntries;
    });
    Show("scan_entry_ns", costs_.scan_entry_ns);
  }

  void MeasureFlushAndSizes() {
    double flush_ns[2], file_bytes[2];
    double memory = 0;
    for (const bool large : {false, true}) {
      const int value = large ? kLargeValue : kSmallValue;
      const int entries = large ? 40'000 : 200'000;
      flush_ns[large] = Best(3, [&] {
        Rig rig(directory_, kHugeMemtable, "memory_budget_bytes=4G");
        rig.Write(entries, value, 100);
        if (!large) memory = rig.MemoryBytes() / entries;
        const double seconds = rig.CpuSeconds([&] { return Flush(rig.db()); });
        file_bytes[large] = rig.FileBytes() / entries;
        Check(rig.status());
        return seconds * 1e9 / entries;
      });
    }
    const Line flush = LineThrough(flush_ns[0], flush_ns[1]);
    costs_.flush_entry_ns = flush.each;
    costs_.flush_byte_ns = flush.byte;
    costs_.table_value_share = LineThrough(file_bytes[0], file_bytes[1]).byte;
    // Keys share a prefix, so a table can need fewer bytes for a key than its length.
    costs_.table_entry_bytes =
        std::max(0.0, file_bytes[0] - kKeyBytes - kSmallValue * costs_.table_value_share);
    costs_.memtable_entry_bytes = std::max(0.0, memory - kKeyBytes - kSmallValue);
    Show("flush_entry_ns", costs_.flush_entry_ns);
    Show("flush_byte_ns", costs_.flush_byte_ns);
    Show("table_value_share", costs_.table_value_share);
    Show("table_entry_bytes", costs_.table_entry_bytes);
    Show("memtable_entry_bytes", costs_.memtable_entry_bytes);
  }

  /// Fills eight L0 tables, which are then merged into L1.
  void MeasureMerge() {
    constexpr int kTables = 8;
    double merge_ns[2];
    for (const bool large : {false, true}) {
      const int value = large ? kLargeValue : kSmallValue;
      const int entries = large ? 8'000 : 50'000;
      merge_ns[large] = Best(2, [&] {
        Rig rig(directory_, kHugeMemtable, "memory_budget_bytes=4G;l0_trigger=8;l0_slowdown=20");
        for (int i = 0; i < kTables; ++i) {
          rig.Write(entries, value, 100);
          if (i + 1 < kTables) Check(Flush(rig.db()));
        }
        const double flush = rig.CpuSeconds([&] { return Flush(rig.db()); });
        const double rest = rig.CpuSeconds([&] { return WaitForIdle(rig.db()); });
        Check(rig.status());
        // The last flush made the merge due, so part of the merge can run before Flush() returns.
        const double flush_alone =
            1e-9 * entries * (costs_.flush_entry_ns + costs_.flush_byte_ns * (kKeyBytes + value));
        return (rest + std::max(0.0, flush - flush_alone)) * 1e9 / (kTables * entries);
      });
    }
    const Line merge = LineThrough(merge_ns[0], merge_ns[1]);
    costs_.merge_entry_ns = merge.each;
    costs_.merge_byte_ns = merge.byte;
    Show("merge_entry_ns", costs_.merge_entry_ns);
    Show("merge_byte_ns", costs_.merge_byte_ns);
  }

  void MeasureSync() {
    constexpr int kWrites = 500;
    Rig rig(directory_, 4 << 20, "");
    const double with = rig.Write(kWrites * 100, kSmallValue, 100, true) * 100;
    const double without = rig.Write(kWrites * 100, kSmallValue, 100, false) * 100;
    costs_.sync_us = std::max(0.0, with - without) / 1000;
    Show("sync_us", costs_.sync_us);
    constexpr int kFlushes = 20;
    const uint64_t began_ns = NowNs();
    for (int i = 0; i < kFlushes; ++i) {
      rig.Write(1, kSmallValue, 1);
      Check(Flush(rig.db()));
    }
    costs_.install_us = static_cast<double>(NowNs() - began_ns) / kFlushes / 1000;
    Show("install_us", costs_.install_us);
    Check(rig.status());
  }

  static double Lateness() {
    constexpr int kSleeps = 500;
    double late_ns = 0;
    for (int i = 0; i < kSleeps; ++i) {
      const uint64_t due_ns = NowNs() + 200'000;
      bench::SleepUntilNs(due_ns);
      late_ns += static_cast<double>(NowNs() - due_ns);
    }
    return late_ns / kSleeps / 1000;
  }

  void MeasureSleeps() {
    constexpr int kSleeps = 200;
    const uint64_t began_ns = NowNs();
    for (int i = 0; i < kSleeps; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    costs_.sleep_us = static_cast<double>(NowNs() - began_ns) / kSleeps / 1000;
    Show("sleep_us", costs_.sleep_us);
    std::jthread([&] {  // on its own thread, because UsePreciseSleep() cannot be undone
      bench::UsePreciseSleep();
      costs_.wake_us = Lateness();
      Show("wake_us", costs_.wake_us);
      const BusyThreads busy(static_cast<int>(std::thread::hardware_concurrency()));
      costs_.wake_busy_us = Lateness();
      Show("wake_busy_us", costs_.wake_busy_us);
    })
        .join();
  }

  void Check(const leveldb::Status& status) {
    if (!status.ok() && fault_.empty()) fault_ = status.ToString();
  }

  static void Show(const char* name, double value) {
    std::printf("%-28s %10.3g\n", name, value);
    std::fflush(stdout);
  }

  const std::string directory_;
  Costs& costs_;
  std::string fault_;
};

}  // namespace

std::string Calibrate(const std::string& directory, Costs* costs) {
  return Calibration(directory, costs).Run();
}

}  // namespace lull::sim
