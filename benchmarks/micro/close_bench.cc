// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// How long a store takes to close during background work. Each round writes enough bytes to reach
// the state, then closes the store and measures only the close. "max_ms" is the slowest round. On
// Lull, LULL_OPTIONS selects the state. Stock LevelDB ignores it and closes after the same writes.
#include <benchmark/benchmark.h>
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <string>
#include <thread>

#include "benchmarks/loadgen/key_value.h"
#include "benchmarks/loadgen/rng.h"
#include "leveldb/db.h"
#include "leveldb/env.h"
#include "leveldb/options.h"

namespace lull::bench {
namespace {

constexpr size_t kValueBytes = 1000;

struct ClosingState {
  const char* name;
  const char* lull_options;
  int mebibytes;
  int wait_ms;  // before closing
};

constexpr ClosingState kStates[] = {
    {"Idle", "policy=lull", 1, 100},
    {"WhileFlushing", "policy=lull", 24, 0},
    {"WhileCompacting", "policy=leveldb", 96, 0},
    {"InALull", "policy=lull;l0_trigger=2", 96, 60},
    {"WithWorkPaused", "policy=idle-quiet;idle_quiet_us=3600000000", 96, 0},
    {"AtTheStopOfL0", "policy=leveldb;l0_trigger=2;l0_slowdown=2;l0_stop=2", 48, 0},
    {"AtALimitOfRate",
     "policy=silk;silk_bandwidth_bytes_per_sec=4M;silk_reserve_bytes_per_sec=0;"
     "silk_urgent_bytes_per_sec_min=2M",
     48, 0},
};

void Write(leveldb::DB* db, int mebibytes) {
  KeyText key(0);
  Rng keys(301);
  ValuePool values(0.5, kValueBytes, 301);
  const int count = (mebibytes << 20) / static_cast<int>(kValueBytes);
  for (int i = 0; i < count; ++i) {
    const std::string_view text = key.Of(keys.Below(1'000'000));
    const std::string_view value = values.Next(kValueBytes);
    db->Put(leveldb::WriteOptions(), {text.data(), text.size()}, {value.data(), value.size()});
  }
}

void Close(benchmark::State& state, const ClosingState& closing) {
  using Clock = std::chrono::steady_clock;
  // One directory per process: the same program on the other store can run concurrently.
  std::string directory;
  leveldb::Env::Default()->GetTestDirectory(&directory);
  directory += "/close_bench-" + std::to_string(getpid());
  leveldb::Options options;
  options.create_if_missing = true;
  setenv("LULL_OPTIONS", closing.lull_options, 1);
  double longest = 0;
  for (auto _ : state) {
    leveldb::DestroyDB(directory, options);
    leveldb::DB* opened = nullptr;
    const leveldb::Status status = leveldb::DB::Open(options, directory, &opened);
    if (!status.ok()) {
      state.SkipWithError(status.ToString().c_str());
      break;
    }
    std::unique_ptr<leveldb::DB> db(opened);
    Write(db.get(), closing.mebibytes);
    std::this_thread::sleep_for(std::chrono::milliseconds(closing.wait_ms));
    const Clock::time_point began = Clock::now();
    db.reset();
    const double seconds = std::chrono::duration<double>(Clock::now() - began).count();
    state.SetIterationTime(seconds);
    longest = std::max(longest, seconds);
  }
  state.counters["max_ms"] = longest * 1000;
  unsetenv("LULL_OPTIONS");
  leveldb::DestroyDB(directory, options);
}

const bool kRegistered = [] {
  for (const ClosingState& closing : kStates) {
    benchmark::RegisterBenchmark((std::string("Close") + closing.name).c_str(), Close, closing)
        ->UseManualTime()
        ->Iterations(20)
        ->Unit(benchmark::kMillisecond);
  }
  return true;
}();

}  // namespace
}  // namespace lull::bench
