// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "benchmarks/simulation/validation.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <sstream>
#include <thread>
#include <vector>

#include "benchmarks/loadgen/key_value.h"
#include "benchmarks/loadgen/rng.h"
#include "benchmarks/measure/histogram.h"
#include "benchmarks/measure/platform.h"
#include "db/compaction/picker.h"
#include "leveldb/db.h"
#include "leveldb/write_batch.h"
#include "lull/lull.h"

namespace lull::sim {
namespace {

using bench::kNsPerSecond;
using bench::NowNs;

constexpr double kMiB = 1 << 20;
constexpr uint64_t kStallNs = 100'000'000;

/// One client of a real store.
class Client {
 public:
  Client(leveldb::DB* db, const Load& load, int number)
      : db_(db),
        load_(load),
        rng_(301 + static_cast<uint64_t>(number)),
        keys_(0),
        values_(0.5, static_cast<size_t>(load.value_bytes), 7) {}

  /// Sends requests one after another until `end_ns`.
  void RunClosed(uint64_t end_ns) {
    uint64_t last_ns = NowNs();
    while (last_ns < end_ns && status_.ok()) {
      Request(true);
      const uint64_t now_ns = NowNs();
      Note(last_ns, now_ns);
      last_ns = now_ns;
    }
  }

  /// Sends requests at random times. Latency counts from a request's due time.
  void RunOpen(uint64_t begin_ns, uint64_t end_ns, double requests_per_sec) {
    bench::UsePreciseSleep();
    double due = static_cast<double>(begin_ns);
    while (status_.ok()) {
      due += rng_.Exponential(kNsPerSecond / requests_per_sec);
      const auto due_ns = static_cast<uint64_t>(due);
      if (due_ns >= end_ns) return;
      if (NowNs() < due_ns) bench::SleepUntilNs(due_ns);
      Request(static_cast<double>(rng_.Below(10'000)) < load_.put_share * 10'000);
      Note(due_ns, NowNs());
    }
  }

  /// Writes as many entries as there are keys, so that most reads find their key.
  void Fill() {
    for (int64_t i = 0; i < static_cast<int64_t>(load_.key_count) && status_.ok(); ++i)
      Request(true);
  }

  const leveldb::Status& status() const { return status_; }
  const bench::Histogram& latencies() const { return latencies_; }
  double writes() const { return static_cast<double>(writes_); }
  double stalled_seconds() const { return static_cast<double>(stalled_ns_) / kNsPerSecond; }

 private:
  void Request(bool put) {
    const auto key = [&] {
      const std::string_view text = keys_.Of(rng_.Below(static_cast<uint64_t>(load_.key_count)));
      return leveldb::Slice(text.data(), text.size());
    };
    if (!put) {
      const leveldb::Status status = db_->Get({}, key(), &found_);
      if (!status.IsNotFound()) status_ = status;
      return;
    }
    batch_.Clear();
    for (int i = 0; i < load_.batch_entries; ++i) {
      const std::string_view value = values_.Next(static_cast<size_t>(load_.value_bytes));
      batch_.Put(key(), {value.data(), value.size()});
    }
    leveldb::WriteOptions options;
    options.sync = load_.sync;
    status_ = db_->Write(options, &batch_);
    ++writes_;
  }

  void Note(uint64_t due_ns, uint64_t now_ns) {
    latencies_.Add(now_ns - due_ns);
    if (now_ns - due_ns > kStallNs) stalled_ns_ += now_ns - due_ns;
  }

  leveldb::DB* const db_;
  const Load load_;
  bench::Rng rng_;
  bench::KeyText keys_;
  bench::ValuePool values_;
  leveldb::WriteBatch batch_;
  std::string found_;
  leveldb::Status status_;
  bench::Histogram latencies_;
  uint64_t writes_ = 0;
  uint64_t stalled_ns_ = 0;
};

/// Samples a store's levels ten times per second.
class LevelWatch {
 public:
  LevelWatch(leveldb::DB* db, const LayoutOptions& layout)
      : db_(db), layout_(layout), thread_([this](std::stop_token stop) { Loop(stop); }) {}

  void Stop(Performance* performance) {
    thread_.request_stop();
    thread_.join();
    performance->l0_tables_max = l0_max_;
    performance->debt_mb_max = debt_max_ / kMiB;
  }

 private:
  void Loop(std::stop_token stop) {
    while (!stop.stop_requested()) {
      Look();
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
  }

  /// Same as Version::DebtBytes, from the sizes in LevelDB's statistics.
  void Look() {
    std::string text;
    if (!db_->GetProperty("leveldb.stats", &text)) return;
    std::array<double, kLevels> bytes{};
    int l0_tables = 0;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
      std::istringstream words(line);
      int level = 0;
      int files = 0;
      double megabytes = 0;
      if (!(words >> level >> files >> megabytes) || level < 0 || level >= kLevels) continue;
      bytes[static_cast<size_t>(level)] = megabytes * kMiB;
      if (level == 0) l0_tables = files;
    }
    const auto targets = LevelTargets(layout_);
    double leaving = l0_tables >= layout_.l0_trigger ? bytes[0] : 0;
    double debt = leaving;
    for (size_t level = 1; level + 1 < kLevels; ++level) {
      leaving = std::max(0.0, bytes[level] + leaving - static_cast<double>(targets[level]));
      debt += leaving;
    }
    l0_max_ = std::max(l0_max_, static_cast<double>(l0_tables));
    debt_max_ = std::max(debt_max_, debt);
  }

  leveldb::DB* const db_;
  const LayoutOptions layout_;
  double l0_max_ = 0;
  double debt_max_ = 0;
  std::jthread thread_;
};

/// Runs the phases of the load. Returns the seconds in which clients were active, and the time when
/// the last client ended.
double PlayLoad(const Scenario& scenario, std::vector<std::unique_ptr<Client>>& clients,
                uint64_t* last_ns) {
  const Load& load = scenario.base.load;
  const uint64_t begin_ns = NowNs();
  const uint64_t end_ns = begin_ns + static_cast<uint64_t>(scenario.base.seconds * kNsPerSecond);
  double at_work = 0;
  uint64_t at_ns = begin_ns;
  for (size_t i = 0; at_ns < end_ns; ++i) {
    const Phase& phase = load.phases[i % load.phases.size()];
    const uint64_t until_ns =
        std::min(end_ns, at_ns + static_cast<uint64_t>(phase.seconds * kNsPerSecond));
    if (phase.requests_per_sec > 0) {
      std::vector<std::jthread> threads;
      for (const auto& client : clients) {
        threads.emplace_back([&, raw = client.get()] {
          if (load.closed_loop) return raw->RunClosed(until_ns);
          raw->RunOpen(at_ns, until_ns, phase.requests_per_sec / load.clients);
        });
      }
      threads.clear();  // joins them
      *last_ns = NowNs();
      at_work += static_cast<double>(until_ns - at_ns) / kNsPerSecond;
    } else {
      std::this_thread::sleep_for(std::chrono::nanoseconds(until_ns - NowNs()));
    }
    at_ns = until_ns;
  }
  return at_work;
}

}  // namespace

std::string MeasureReal(const Scenario& scenario, const std::string& policy,
                        const std::string& directory, Performance* performance) {
  std::filesystem::remove_all(directory);
  leveldb::Options options;
  options.create_if_missing = true;
  options.write_buffer_size = scenario.memtable_bytes;
  leveldb::DB* raw = nullptr;
  leveldb::Status status =
      Open(options, "own_coordinator=true;policy=" + policy + ";" + scenario.scheduling, directory,
           &raw);
  if (!status.ok()) return status.ToString();
  const std::unique_ptr<leveldb::DB> db(raw);

  const Load& load = scenario.base.load;
  std::vector<std::unique_ptr<Client>> clients;
  for (int i = 0; i < load.clients; ++i) {
    clients.push_back(std::make_unique<Client>(db.get(), load, i));
  }
  if (scenario.base.populated_bytes > 0) {
    Client(db.get(), load, load.clients).Fill();
    status = WaitForIdle(db.get());
    if (!status.ok()) return status.ToString();
  }
  SimulationOptions modelled;
  const std::string fault = MakeOptions(scenario, policy, &modelled);
  if (!fault.empty()) return fault;
  LevelWatch watch(db.get(), modelled.layout);
  uint64_t last_ns = 0;
  const double at_work = PlayLoad(scenario, clients, &last_ns);
  watch.Stop(performance);
  bench::Histogram all;
  double writes = 0;
  for (const auto& client : clients) {
    all.Merge(client->latencies());
    writes += client->writes();
    performance->stalled_seconds += client->stalled_seconds() / load.clients;
    if (!client->status().ok()) return client->status().ToString();
  }
  status = WaitForIdle(db.get());
  performance->drain_seconds = static_cast<double>(NowNs() - last_ns) / kNsPerSecond;
  performance->ops_per_sec = static_cast<double>(all.count()) / at_work;
  performance->mb_per_sec =
      writes * load.batch_entries * (load.key_bytes + load.value_bytes) / at_work / kMiB;
  performance->p50_us = all.PercentileUs(50);
  performance->p99_us = all.PercentileUs(99);
  performance->p999_us = all.PercentileUs(99.9);
  return status.ok() ? "" : status.ToString();
}

Performance PerformanceOf(const SimulationOptions& options, const SimulationResult& result) {
  Performance performance;
  const double at_work = std::max(1e-9, result.at_work_seconds);
  performance.ops_per_sec = result.served / at_work;
  performance.mb_per_sec = result.client_bytes / at_work / kMiB;
  performance.p50_us = result.all.Quantile(0.5) * 1e6;
  performance.p99_us = result.all.Quantile(0.99) * 1e6;
  performance.p999_us = result.all.Quantile(0.999) * 1e6;
  performance.stalled_seconds = result.stalled_seconds;
  performance.l0_tables_max = result.l0_tables_max;
  performance.debt_mb_max = static_cast<double>(result.debt_bytes_max) / kMiB;
  // The run can end with a lull; the drain begins at its start.
  double at = 0;
  double last_request = 0;
  for (size_t i = 0; at < options.seconds; ++i) {
    const Phase& phase = options.load.phases[i % options.load.phases.size()];
    at = std::min(options.seconds, at + phase.seconds);
    if (phase.requests_per_sec > 0) last_request = at;
  }
  performance.drain_seconds = std::max(0.0, result.drained_at_seconds - last_request);
  return performance;
}

void PrintComparison(const Scenario& scenario, const std::string& policy, const Performance& real,
                     const Performance& modelled) {
  std::printf("\n%s, %s: %s\n", scenario.name.c_str(), policy.c_str(), scenario.title.c_str());
  std::printf("  %-28s %12s %12s %9s\n", "", "measured", "predicted", "error");
  const auto row = [](const char* name, double measured, double predicted) {
    std::printf("  %-28s %12.5g %12.5g", name, measured, predicted);
    if (measured > 0) {
      std::printf(" %+8.0f %%\n", 100 * (predicted / measured - 1));
    } else {
      std::printf(" %9s\n", predicted > 0 ? "" : "none");
    }
  };
  row("requests a second", real.ops_per_sec, modelled.ops_per_sec);
  row("written, MiB/s", real.mb_per_sec, modelled.mb_per_sec);
  row("p50, us", real.p50_us, modelled.p50_us);
  row("p99, us", real.p99_us, modelled.p99_us);
  row("p99.9, us", real.p999_us, modelled.p999_us);
  row("stalled, s", real.stalled_seconds, modelled.stalled_seconds);
  row("L0 tables, most", real.l0_tables_max, modelled.l0_tables_max);
  row("debt, most, MiB", real.debt_mb_max, modelled.debt_mb_max);
  row("drain, s", real.drain_seconds, modelled.drain_seconds);
  std::fflush(stdout);
}

}  // namespace lull::sim
