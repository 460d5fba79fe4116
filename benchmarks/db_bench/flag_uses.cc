// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "benchmarks/db_bench/flag_uses.h"

#include <string_view>
#include <vector>

#include "benchmarks/workloads/load_presets.h"
#include "benchmarks/workloads/workload.h"

namespace lull::bench {
namespace {

// Bits of a set of benchmarks.
enum Kind : unsigned {
  kClassic = 1,
  kBursts = 2,  // burstsintime, burstsincount
  kOpenLoop = 4,
  kLoad = 8,
  kPresetLoad = 16,
  kPresetBursts = 32,  // b3
  kAppend = 64,
  kQueue = 128,  // queue, churn
  kChainstate = 256,
  kAllButClassic = kBursts | kOpenLoop | kLoad | kPresetLoad | kPresetBursts,
};

struct FlagUse {
  std::string_view flag;
  unsigned users;
  const char* users_text;
};
constexpr const char* kLoadText = "load and b0 to b11 (except b3)";
constexpr const char* kOpenText = "openloop, load and b0 to b11 (except b3)";
constexpr const char* kBurstsText = "burstsintime, burstsincount and b3";
constexpr FlagUse kUses[] = {
    {"mix", kLoad | kPresetLoad, kLoadText},
    {"shape", kLoad | kPresetLoad, kLoadText},
    {"scans", kLoad | kPresetLoad, kLoadText},
    {"x", kLoad | kPresetLoad, kLoadText},
    {"calibrate_seconds", kLoad | kPresetLoad, kLoadText},
    {"calibrate_only", kLoad | kPresetLoad, kLoadText},
    {"keys", kOpenLoop | kLoad | kPresetLoad, kOpenText},
    {"values", kOpenLoop | kLoad | kPresetLoad, kOpenText},
    {"arrivals", kOpenLoop | kLoad | kPresetLoad, kOpenText},
    {"preload", kOpenLoop | kLoad | kPresetLoad, kOpenText},
    {"rate", kOpenLoop, "openloop"},
    {"put_percent", kOpenLoop, "openloop"},
    {"scale", kPresetLoad | kPresetBursts | kChainstate, "b0 to b11 and chainstate"},
    {"days", kChainstate, "chainstate"},
    {"burst_seconds", kBursts | kPresetBursts, kBurstsText},
    {"idle_seconds", kBursts | kPresetBursts | kQueue | kChainstate,
     "burstsintime, burstsincount, b3, queue, churn and chainstate"},
    {"burst_ops", kBursts, "burstsincount"},
    {"first", kAppend, "append"},
    {"duration", kAllButClassic, "bursts and loads"},
    {"batch_size", kAllButClassic, "bursts and loads"},
    {"sync", kAllButClassic, "bursts and loads; use fillsync for other synced writes"},
};

Kind KindOf(const std::string& name, const Config& config) {
  if (name == "openloop") return kOpenLoop;
  if (name == "load") return kLoad;
  if (name == "append") return kAppend;
  if (name == "queue" || name == "churn") return kQueue;
  if (name == "chainstate") return kChainstate;
  const std::vector<LoadCase> cases = CasesOf(name, config);
  if (!cases.empty()) return cases.front().benchmark == "load" ? kPresetLoad : kPresetBursts;
  const WorkloadSpec* const spec = FindWorkload(name);
  return spec != nullptr && spec->long_form ? kBursts : kClassic;
}

}  // namespace

std::string FirstUselessFlag(const Config& config) {
  unsigned kinds = 0;
  for (const std::string& name : config.benchmarks) kinds |= KindOf(name, config);
  for (const FlagUse& use : kUses) {
    if ((kinds & use.users) != 0 || !config.given.contains(use.flag)) continue;
    return "--" + std::string(use.flag) + " has no effect on " + config.benchmarks.front() +
           (config.benchmarks.size() > 1 ? ", or on the other benchmarks" : "") + ": it is for " +
           use.users_text;
  }
  return "";
}

}  // namespace lull::bench
