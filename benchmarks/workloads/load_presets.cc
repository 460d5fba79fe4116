// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "benchmarks/workloads/load_presets.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <utility>

#include "benchmarks/loadgen/text.h"

namespace lull::bench {
namespace {

struct Preset {
  std::string name{};  // of the case; empty if there is only one
  std::string mix = "put";
  std::string shape{};
  std::string keys = "uniform";
  std::string values = "400";
  std::string scans = "100";
  double seconds = 0;
  int64_t num = 1'000'000;
  int threads = 2;  // per group of clients
  int batch_size = 1;
  int key_prefix = 0;
  bool sync = false;
  bool preload = true;
  bool reuse = false;
  std::string benchmark = "load";
};

// Two-phase: first the maximum rate, then the latency at shares of it.
std::vector<Preset> TwoPhase() {
  std::vector<Preset> cases = {{.name = "closed", .shape = "max", .seconds = 60, .preload = false}};
  for (const char* share : {"50", "80", "95"}) {
    cases.push_back({.name = std::string(share) + "%",
                     .shape = std::string("0.") + share + "x",
                     .seconds = 110,
                     .preload = false,
                     .reuse = true});
  }
  return cases;
}

// SILK's production mix, with peaks and valleys.
std::vector<Preset> Nutanix(const char* shape, double seconds) {
  return {{.mix = "put=57,get=41,scan=2",
           .shape = shape,
           .values = "lognormal:400:0.4:250:1000",
           .scans = "uniform:10:50",
           .seconds = seconds}};
}
constexpr const char* kPeaks = "15@20k,15@300,15@2x,15@300";
// Lulls too short to finish compacting, and bursts at random times.
constexpr const char* kGaps = "gaps:3x:0.4:0.1:2:1:0.2:5";

// Peaks of different lengths (SILK, figure 8B).
std::vector<Preset> LongPeaks() {
  std::vector<Preset> cases;
  for (const auto& [title, mix] :
       {std::pair("50:50", "put=50,get=50"), {"90:10", "put=90,get=10"}}) {
    for (const auto& [peak, seconds] :
         {std::pair("10", 120), {"30", 120}, {"60", 140}, {"100", 120}}) {
      cases.push_back({.name = std::string(title) + "," + peak + "s",
                       .mix = mix,
                       .shape = std::string("10@0.25x,") + peak + "@1.5x",
                       .values = "1024",
                       .seconds = static_cast<double>(seconds)});
    }
  }
  return cases;
}

// Batches of 100 as fast as the store accepts them, for 10 s of every 30 s.
std::vector<Preset> BurstsInTime() {
  std::vector<Preset> cases;
  for (const bool sync : {true, false}) {
    cases.push_back({.name = sync ? "synced" : "unsynced",
                     .values = "100",
                     .seconds = 120,
                     .threads = 1,
                     .batch_size = 100,
                     .sync = sync,
                     .benchmark = "burstsintime"});
  }
  return cases;
}

// Inserts at shares of the sustainable rate (vLSM's Load A).
std::vector<Preset> LoadA() {
  std::vector<Preset> cases;
  for (const char* share : {"60", "80", "95"}) {
    cases.push_back({.name = std::string(share) + "%",
                     .shape = std::string("0.") + share + "x",
                     .values = "200",
                     .seconds = 120,
                     .num = 100'000'000,
                     .preload = false});
  }
  return cases;
}

// The workloads of YCSB. D and E insert, so they run last.
std::vector<Preset> Ycsb() {
  struct Letter {
    const char* name;
    const char* mix;
    const char* skewed;
  };
  constexpr Letter kLetters[] = {
      {"A", "get=50,put=50", "zipfian"},
      {"B", "get=95,put=5", "zipfian"},
      {"C", "get", "zipfian"},
      {"F", "get=50,rmw=50", "zipfian"},
      {"D", "get=95,insert=5", "latest"},
      {"E", "scan=95,insert=5", "zipfian"},
  };
  std::vector<Preset> cases;
  for (const Letter& letter : kLetters) {
    for (const char* keys : {letter.skewed, "uniform"}) {
      cases.push_back({.name = std::string(letter.name) + "," + keys,
                       .mix = letter.mix,
                       .shape = "0.8x",
                       .keys = keys,
                       .values = "1024",
                       .scans = "uniform:1:100",
                       .seconds = 60,
                       .num = 5'000'000,
                       .reuse = !cases.empty()});
    }
  }
  return cases;
}

std::vector<Preset> SyncedWriters() {
  std::vector<Preset> cases;
  for (const int writers : {1, 2, 4, 8}) {
    cases.push_back({.name = std::to_string(writers),
                     .shape = "max",
                     .values = "100",
                     .seconds = 20,
                     .threads = writers,
                     .sync = true,
                     .preload = false});
  }
  return cases;
}

// ADOC's fillrandom.
std::vector<Preset> FillRandom() {
  return {{.shape = "max",
           .values = "1000",
           .seconds = 180,
           .num = 10'000'000,
           .threads = 1,
           .preload = false}};
}

// RocksDB's mixgraph, with a day of one minute.
std::vector<Preset> Mixgraph() {
  return {{.mix = "get=85,put=14,scan=1",
           .shape = "sine:0.6x:0.3x:60",
           .keys = "mixgraph",
           .values = "pareto:0.2615:25.45:1:1024",
           .scans = "pareto:2.517:14.236:1:10000",
           .seconds = 180,
           .num = 5'000'000,
           .key_prefix = 32}};
}

// One group of clients that writes and one that reads.
std::vector<Preset> ReadsUnderWrites() {
  return {{.mix = "put|get", .shape = "0.5x|10k", .seconds = 120, .threads = 1}};
}

struct Workload {
  std::string_view name;
  std::vector<Preset> (*cases)();
};
constexpr Workload kWorkloads[] = {
    {"b0", TwoPhase},
    {"b1", [] { return Nutanix(kPeaks, 180); }},
    {"b2", LongPeaks},
    {"b3", BurstsInTime},
    {"b4", LoadA},
    {"b5", FillRandom},
    {"b6", Ycsb},
    {"b7", Mixgraph},
    {"b8", ReadsUnderWrites},
    {"b9", SyncedWriters},
    {"b10", [] { return Nutanix(kGaps, 120); }},
    {"b11", [] { return Nutanix(kPeaks, 1800); }},
};

// Makes the segments, or the period, of a shape `scale` times as long. Random gaps do not change.
std::string ScaledShape(const std::string& shape, double scale) {
  const auto scaled = [scale](std::string_view seconds) {
    char text[32];
    std::snprintf(text, sizeof(text), "%.6g", std::stod(std::string(seconds)) * scale);
    return std::string(text);
  };
  if (shape.starts_with("sine:")) {
    const size_t period = shape.rfind(':') + 1;
    return shape.substr(0, period) + scaled(shape.substr(period));
  }
  if (shape.find('@') == shape.npos) return shape;
  std::string result;
  for (const std::string_view part : loadgen::Split(shape, ',')) {
    const size_t at = part.find('@');
    if (!result.empty()) result += ',';
    result += scaled(part.substr(0, at)).append(part.substr(at));
  }
  return result;
}

Config Apply(const Preset& preset, const Config& base) {
  Config config = base;
  const auto choose = [&base](std::string_view flag, auto& field, const auto& value) {
    if (!base.given.contains(flag)) field = value;
  };
  choose("mix", config.mix, preset.mix);
  choose("shape", config.shape, ScaledShape(preset.shape, base.scale));
  choose("keys", config.keys, preset.keys);
  if (!base.given.contains("value_size")) choose("values", config.values, preset.values);
  choose("scans", config.scans, preset.scans);
  choose("duration", config.duration, preset.seconds * base.scale);
  choose("num", config.num,
         std::max<int64_t>(1000, std::llround(static_cast<double>(preset.num) * base.scale)));
  choose("threads", config.threads, preset.threads);
  choose("batch_size", config.batch_size, preset.batch_size);
  choose("key_prefix", config.key_prefix, preset.key_prefix);
  choose("sync", config.sync, preset.sync);
  choose("preload", config.preload, preset.preload);
  config.reuse = preset.reuse;
  if (preset.benchmark == "load") return config;
  if (!base.given.contains("value_size")) config.value_size = std::stoi(preset.values);
  if (!base.given.contains("burst_seconds")) config.burst_seconds = {10 * base.scale};
  if (!base.given.contains("idle_seconds")) config.idle_seconds = {20 * base.scale};
  return config;
}

// The load given by flags in LevelDB's style.
LoadCase OpenLoop(const Config& base) {
  LoadCase open{"openloop", "load", base};
  char text[64];
  std::snprintf(text, sizeof(text), "put=%.10g,get=%.10g", base.put_percent,
                100 - base.put_percent);
  open.config.mix = text;
  std::snprintf(text, sizeof(text), "%.17g", base.rate);
  open.config.shape = text;
  return open;
}

}  // namespace

std::vector<LoadCase> CasesOf(std::string_view name, const Config& config) {
  if (name == "openloop") return {OpenLoop(config)};
  if (name == "load") return {{"load", "load", config}};
  std::vector<LoadCase> cases;
  for (const Workload& workload : kWorkloads) {
    if (workload.name != name) continue;
    for (const Preset& preset : workload.cases()) {
      std::string title(name);
      if (!preset.name.empty()) title.append("/").append(preset.name);
      cases.push_back({std::move(title), preset.benchmark, Apply(preset, config)});
    }
  }
  return cases;
}

std::vector<std::string_view> LoadNames() {
  std::vector<std::string_view> names = {"openloop", "load"};
  for (const Workload& workload : kWorkloads) names.push_back(workload.name);
  return names;
}

}  // namespace lull::bench
