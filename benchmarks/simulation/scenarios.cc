// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "benchmarks/simulation/scenarios.h"

#include <algorithm>
#include <array>
#include <functional>
#include <memory>
#include <utility>

#include "benchmarks/simulation/paper_policies.h"
#include "db/base/scheduling_options.h"
#include "lull/lull.h"

namespace lull::sim {
namespace {

constexpr double kDay = 24 * 3600;
constexpr double kStoreBytes = 500e9;
constexpr uint64_t kMiB = 1 << 20;
constexpr double kFilterPassShare = 0.01;  // ten bits per key, as in RocksDB's papers

/// Machine and store of SILK's section 6.1: 16 cores, 8 of them for 8 client threads; one flush
/// thread and three for compactions; two memtables of 128 MB; no log, no compression; unreachable
/// L0 limits; 500 GB and 1 GB of memory, so that reads go to the device.
void SetUpSilk(Scenario* scenario) {
  SimulationOptions& base = scenario->base;
  base.device = *FindDevice("silk");
  base.cores = 16;
  base.read_miss_share = 0.9;
  base.filter_pass_share = kFilterPassShare;
  base.log_writes = false;
  base.costs.table_value_share = 1;
  base.populated_bytes = kStoreBytes;
  base.layout.l1_bytes_target = 256 * kMiB;
  base.layout.table_bytes_max = 64 * kMiB;
  base.load.clients = 8;
  scenario->memtable_bytes = 128 * kMiB;
  scenario->scheduling =
      "compaction_threads=3;memory_budget_bytes=384M;l0_slowdown=1000000;l0_stop=1000000;"
      "debt_bytes_max=500G";
  // SILK's T is its device's 200 MB/s. Compactions also read their inputs within that limit, so
  // they can write 142 MB/s.
  scenario->settings["silk"].scheduling =
      "silk_bandwidth_bytes_per_sec=140000000;silk_urgent_bytes_per_sec_min=50000000";
  // Lull paces writes by its own limits: 1024 memtables of debt, as "adoc" has, and the default
  // for L0. It measures T.
  scenario->settings["lull"].scheduling = "debt_bytes_max=128G;l0_slowdown=128;l0_stop=256";
  scenario->policies = {"rocksdb", "rocksdb-autotuned", "leveldb",    "silk",
                        "adoc",    "idle-threshold",    "idle-quiet", "lull"};
}

void SetKeys(double key_bytes, double value_bytes, Scenario* scenario) {
  Load& load = scenario->base.load;
  load.key_bytes = key_bytes;
  load.value_bytes = value_bytes;
  load.key_count = kStoreBytes / (key_bytes + value_bytes + scenario->base.costs.table_entry_bytes);
}

void Silk24h(uint64_t seed, Scenario* scenario) {
  scenario->title =
      "24 hours of a Nutanix-like load on 500 GB (SILK, section 6.2, figures 8A and 10)";
  scenario->claim =
      "SILK: p99 stays flat, two orders of magnitude below auto-tuned RocksDB and three below "
      "RocksDB; no write stalls; about 3 TB compacted; never more than three compactions wait";
  SetUpSilk(scenario);
  SetKeys(16, 434, scenario);
  Load& load = scenario->base.load;
  load.put_share = 0.57;
  load.get_share = 0.41;
  load.scan_share = 0.02;
  if (scenario->base.seconds == 0) scenario->base.seconds = kDay;
  load.phases = NutanixLikeTrace(seed, scenario->base.seconds);
}

/// Figure 8B: valleys of 10,000 and peaks of 40,000 requests per second.
void SilkPeaks(double put_share, double peak_seconds, Scenario* scenario) {
  SetUpSilk(scenario);
  SetKeys(8, 1024, scenario);
  Load& load = scenario->base.load;
  load.put_share = put_share;
  load.get_share = 1 - put_share;
  load.phases = {{10, 10'000}, {peak_seconds, 40'000}};
  if (scenario->base.seconds == 0) scenario->base.seconds = 1000;
}

void SilkShortPeaks(int seconds, Scenario* scenario) {
  SilkPeaks(0.5, seconds, scenario);
  scenario->title =
      "Peaks of " + std::to_string(seconds) + " s, valleys of 10 s, half writes (SILK, figure 8B)";
  scenario->claim = "SILK keeps the tail low and the throughput steady";
}

void SilkLongPeak(double put_share, const char* claim, Scenario* scenario) {
  SilkPeaks(put_share, 1000, scenario);
  scenario->base.load.phases = {{200, 10'000}, {1000, 40'000}};
  scenario->title = "One long peak from 200 s on (SILK, figure 8B, last rows)";
  scenario->claim = claim;
}

void SilkParts(Scenario* scenario) {
  if (scenario->base.seconds == 0) scenario->base.seconds = 2000;
  SilkPeaks(0.5, 100, scenario);
  scenario->title = "SILK and its parts (figure 8C), on peaks of 100 s";
  scenario->claim = "neither the rates alone nor the priorities alone sustain the load";
  scenario->policies = {"rocksdb", "silk-rate-only", "silk-priority-only", "silk"};
}

/// Figures 12 and 13, YCSB with uniform keys: A, B, C, E or F. A read-modify-write is a read and a
/// write. D is missing: it reads the newest entries, and the model has only uniform keys.
void SilkYcsb(char workload, double put_share, Scenario* scenario) {
  SilkPeaks(put_share, 10, scenario);
  Load& load = scenario->base.load;
  if (workload == 'E') {
    load.get_share = 0;
    load.scan_share = 0.95;
    load.scan_entries = 50;
  }
  // At the rates of the other workloads, scans alone would overload the model fivefold.
  const double factor = workload == 'F' ? 1.5 : workload == 'E' ? 0.15 : 1;
  for (Phase& phase : load.phases) phase.requests_per_sec *= factor;
  scenario->title = std::string("YCSB ") + workload + " with uniform keys (SILK, figures 12, 13)";
  scenario->claim =
      "SILK: throughput at most 7 % lower; p99 at least 5 % lower, in A and F by up to two orders "
      "of magnitude";
  scenario->policies = {"rocksdb", "silk", "lull"};
}

/// ADOC, section 6.2: fillrandom, 16 B keys and 1000 B values, as fast as the store accepts them.
void AdocFill(const std::string& device, const char* claim, Scenario* scenario) {
  scenario->title = "fillrandom for an hour on " + device + " (ADOC, figures 12 to 16, 20)";
  scenario->claim = std::string("ADOC: ") + claim;
  SimulationOptions& base = scenario->base;
  base.device = *FindDevice(device);
  base.cores = 40;
  base.layout.l1_bytes_target = 256 * kMiB;
  base.layout.table_bytes_max = 64 * kMiB;
  base.merge_miss_share = 0.8;
  base.load.closed_loop = true;
  base.load.value_bytes = 1000;
  base.load.phases = {{3600, 1}};
  if (base.seconds == 0) base.seconds = 3600;
  scenario->memtable_bytes = 64 * kMiB;
  // Of RocksDB's two background threads, one flushes.
  scenario->scheduling =
      "compaction_threads=1;memory_budget_bytes=1G;l0_slowdown=20;l0_stop=36;debt_bytes_max=64G";
  // A quarter of the bandwidth is for urgent work. The limits on L0 are out of reach, as SILK's
  // authors set them.
  const auto bandwidth = static_cast<uint64_t>(base.device.write_bytes_per_sec);
  const std::string silk =
      "memory_budget_bytes=2G;l0_slowdown=1000000;l0_stop=1000000;silk_bandwidth_bytes_per_sec=" +
      std::to_string(bandwidth) + ";silk_urgent_bytes_per_sec_min=" + std::to_string(bandwidth / 4);
  scenario->settings = {
      {"silk-d", {silk, 64 * kMiB}},
      {"silk-p", {silk + ";compaction_threads=3", 128 * kMiB}},
      {"silk-o", {silk + ";compaction_threads=6", 512 * kMiB}},
      {"adoc", {"compaction_threads=20", 0}},
      // As many threads and L0 tables as by default, and the memory of silk-o.
      {"lull",
       {"compaction_threads=4;l0_slowdown=128;l0_stop=256;memory_budget_bytes=2G", 512 * kMiB}},
  };
  scenario->policies = {
      "rocksdb", "rocksdb-autotuned", "silk-d", "silk-p", "silk-o", "adoc", "adoc-t", "adoc-b",
      "lull"};
}

/// vLSM, section 5: inserts of 200 B, at this rate over four regions, of which this is one; L0 and
/// L1 of 256 MB, growth factor 8, debt limited to 64 MB.
void VlsmLoad(int requests_per_sec, Scenario* scenario) {
  scenario->title = "Load A at " + std::to_string(requests_per_sec) +
                    " inserts/s over four regions (vLSM, figures 1 and 8)";
  scenario->claim =
      "RocksDB's p99 is over 1 s; ADOC stalls as little as vLSM, at 1.8 times "
      "RocksDB's I/O amplification; vLSM's p99 is 4.8 times lower than RocksDB's";
  SimulationOptions& base = scenario->base;
  base.device = *FindDevice("nvme");
  base.device.read_bytes_per_sec /= 4;
  base.device.write_bytes_per_sec /= 4;
  base.cores = 4;
  base.costs.table_value_share = 1;
  base.layout.l1_bytes_target = 256 * kMiB;
  base.layout.table_bytes_max = 64 * kMiB;
  base.load.clients = 4;
  base.load.value_bytes = 184;
  base.load.phases = {{100, requests_per_sec / 4.0}};
  if (base.seconds == 0) base.seconds = 3600;
  scenario->memtable_bytes = 64 * kMiB;
  scenario->scheduling =
      "compaction_threads=4;memory_budget_bytes=192M;l0_slowdown=8;l0_stop=12;debt_bytes_max=64M;"
      "growth_factor=8";
  scenario->policies = {"rocksdb", "rocksdb+vsst", "adoc", "lull", "lull+vsst"};
}

/// S_M and Φ at one size of L2.
void VlsmPairs(Scenario* scenario) {
  VlsmLoad(100'000, scenario);
  scenario->title = "that load, with tables of 64 to 4 MiB (vLSM, figures 7, 9(a) and 13(a))";
  scenario->claim =
      "vLSM's I/O amplification equals RocksDB's up to Φ 32; a chain is 10 GB for RocksDB, 32 MB "
      "for vLSM with tables of 4 MB";
  scenario->policies = {"rocksdb"};
  for (const char* pair : {"64-4", "32-8", "16-16", "8-32", "8-32-1", "4-64"}) {
    scenario->policies.push_back(std::string("rocksdb+vsst-") + pair);
  }
}

/// Policies of the scenarios that --validate also runs on a real store.
std::vector<std::string> ValidatedPolicies() {
  return {"lull", "leveldb", "idle-threshold", "idle-quiet"};
}

/// Bursts as in db_bench, on a store with default options, on this machine.
void Bursts(double value_bytes, int batch, bool sync, double burst_seconds, double idle_seconds,
            Scenario* scenario) {
  SimulationOptions& base = scenario->base;
  base.device = *FindDevice("local");
  base.merge_miss_share = 0;
  Load& load = base.load;
  load.closed_loop = true;
  load.value_bytes = value_bytes;
  load.batch_entries = batch;
  load.sync = sync;
  load.key_count = 1e6;
  load.phases = {{burst_seconds, 1}, {idle_seconds, 0}};
  if (base.seconds == 0) base.seconds = 2 * (burst_seconds + idle_seconds);
  scenario->policies = ValidatedPolicies();
}

/// Section 6.3 of the paper of the policies idle-*, table 2: synced batches on three cores.
void DataDriven(const std::string& device, Scenario* scenario) {
  if (scenario->base.seconds == 0) scenario->base.seconds = 120;
  Bursts(100, 100, true, 10, 20, scenario);
  SimulationOptions& base = scenario->base;
  base.device = *FindDevice(device);
  base.cores = 3;
  scenario->title =
      "Synced batches, 10 s on and 20 s off, on " + device + " (data-driven LSM, table 2)";
  scenario->claim = "throughput in bursts 2.24 and 2.34 times LevelDB's";
  scenario->policies = {"leveldb", "idle-threshold", "idle-quiet", "lull"};
}

void ShortBursts(double value_bytes, int batch, bool sync, Scenario* scenario) {
  Bursts(value_bytes, batch, sync, 5, 10, scenario);
  scenario->title = "bursts of 5 s in a closed loop, lulls of 10 s";
}

void OpenLoop(Scenario* scenario) {
  scenario->title = "open loop, 20,000 requests/s, 57 % puts of 400 B";
  SimulationOptions& base = scenario->base;
  base.device = *FindDevice("local");
  base.merge_miss_share = 0;
  Load& load = base.load;
  load.clients = 2;
  load.put_share = 0.57;
  load.get_share = 0.43;
  load.value_bytes = 400;
  load.key_count = 1e6;
  load.phases = {{1000, 20'000}};
  if (base.seconds == 0) base.seconds = 20;
  // db_bench first fills the store with a million writes, which hit 63 % of the keys.
  base.populated_bytes =
      632'000 * (16 + 400 * base.costs.table_value_share + base.costs.table_entry_bytes);
  scenario->policies = ValidatedPolicies();
}

using Builder = std::function<void(uint64_t seed, Scenario* scenario)>;
struct Named {
  const char* name;
  Builder build;
};

std::vector<Named> MakeNamed() {
  const auto with = [](auto build, auto... values) -> Builder {
    return [=](uint64_t, Scenario* scenario) { build(values..., scenario); };
  };
  return {
      {"silk-24h", Silk24h},
      {"silk-peaks-10", with(SilkShortPeaks, 10)},
      {"silk-peaks-50", with(SilkShortPeaks, 50)},
      {"silk-peaks-100", with(SilkShortPeaks, 100)},
      {"silk-long-50", with(SilkLongPeak, 0.5, "SILK degrades after about 500 s of peak")},
      {"silk-long-90", with(SilkLongPeak, 0.9, "SILK degrades after about 300 s of peak")},
      {"silk-parts", with(SilkParts)},
      {"silk-ycsb-a", with(SilkYcsb, 'A', 0.5)},
      {"silk-ycsb-b", with(SilkYcsb, 'B', 0.05)},
      {"silk-ycsb-c", with(SilkYcsb, 'C', 0.0)},
      {"silk-ycsb-e", with(SilkYcsb, 'E', 0.05)},
      {"silk-ycsb-f", with(SilkYcsb, 'F', 1.0 / 3)},
      {"adoc-pm", with(AdocFill, "pm", "67 % more throughput than SILK, stalls -45 %")},
      {"adoc-nvme", with(AdocFill, "nvme", "38 % more throughput than SILK, stalls +1.5 %")},
      {"adoc-sata", with(AdocFill, "sata", "31 % more throughput than SILK, stalls -8.7 %")},
      {"adoc-hdd", with(AdocFill, "hdd", "55 % more throughput than SILK, stalls -10 %")},
      {"data-driven-ssd", with(DataDriven, "capped-ssd")},
      {"data-driven-hdd", with(DataDriven, "capped-hdd")},
      {"vlsm-load-a", with(VlsmLoad, 100'000)},
      {"vlsm-60k", with(VlsmLoad, 60'000)},
      {"vlsm-200k", with(VlsmLoad, 200'000)},
      {"vlsm-pairs", with(VlsmPairs)},
      {"bursts-1k", with(ShortBursts, 1024.0, 1, false)},
      {"bursts-synced", with(ShortBursts, 100.0, 100, true)},
      {"openloop", with(OpenLoop)},
  };
}

const std::vector<Named>& AllNamed() {
  static const std::vector<Named> all = MakeNamed();
  return all;
}

/// The real policy whose options a name has.
std::string BaseOf(const std::string& policy) {
  static const std::map<std::string, std::string> bases = {
      {"rocksdb", "leveldb"},     {"rocksdb-autotuned", "leveldb"},
      {"silk-rate-only", "silk"}, {"silk-priority-only", "silk"},
      {"silk-d", "silk"},         {"silk-p", "silk"},
      {"silk-o", "silk"},         {"adoc-t", "adoc"},
      {"adoc-b", "adoc"},
  };
  const auto found = bases.find(policy);
  return found != bases.end() ? found->second : policy;
}

Scenario::Setting SettingOf(const Scenario& scenario, const std::string& policy) {
  for (const std::string& name : {policy, BaseOf(policy)}) {
    const auto found = scenario.settings.find(name);
    if (found != scenario.settings.end()) return found->second;
  }
  return {};
}

std::unique_ptr<Policy> PolicyOf(const std::string& name, PolicyOptions limits, double bandwidth) {
  if (name == "rocksdb") return MakeRocksDbPolicy(limits);
  if (name == "rocksdb-autotuned") return MakeAutoTunedRocksDbPolicy(limits, bandwidth);
  if (name == "adoc-t") limits.adoc.batch_factor_max = 1;
  std::unique_ptr<Policy> whole = MakePolicy(BaseOf(name), limits);
  if (name == "adoc-b") return MakeBatchOnly(std::move(whole));
  if (name == "silk-rate-only") return MakeRateOnly(limits, std::move(whole));
  if (name == "silk-priority-only") return MakePriorityOnly(std::move(whole));
  if (BaseOf(name) == "silk") return MakeWithRocksDbLimits(limits, std::move(whole));
  return whole;
}

/// "vsst", or "vsst-8-32-1" for tables of 8 MiB, Φ 32, and one table of L0 a job. Later parts may
/// be missing.
std::string LayoutOptionsOf(const std::string& name) {
  constexpr std::array<std::pair<const char*, const char*>, 4> kOptionsAndUnits = {
      {{"layout=", ""},
       {";table_bytes_max=", "M"},
       {";vsst_phi=", ""},
       {";vsst_l0_tables_max=", ""}}};
  std::string text;
  size_t begin = 0;
  for (const auto& [option, unit] : kOptionsAndUnits) {
    const size_t end = std::min(name.find('-', begin), name.size());
    text += option + name.substr(begin, end - begin) + unit;
    if (end == name.size()) break;
    begin = end + 1;
  }
  return text;
}

}  // namespace

std::vector<std::string> ScenarioNames() {
  std::vector<std::string> names;
  for (const Named& named : AllNamed()) names.push_back(named.name);
  return names;
}

std::string MakeScenario(const std::string& name, const Costs& costs, uint64_t seed, double seconds,
                         Scenario* scenario) {
  for (const Named& named : AllNamed()) {
    if (name != named.name) continue;
    *scenario = Scenario();
    scenario->name = name;
    scenario->base.costs = costs;
    scenario->base.seed = seed;
    scenario->base.seconds = seconds;
    named.build(seed, scenario);
    return "";
  }
  return "there is no scenario '" + name + "'";
}

std::string MakeOptions(const Scenario& scenario, const std::string& with_layout,
                        SimulationOptions* options) {
  const size_t plus = std::min(with_layout.find('+'), with_layout.size());
  const std::string policy = with_layout.substr(0, plus);
  const std::string base = BaseOf(policy);
  const std::vector<std::string>& known = PolicyNames();
  if (std::find(known.begin(), known.end(), base) == known.end()) {
    return "there is no policy '" + policy + "'";
  }
  OptionValues scheduling;
  std::string text = "policy=" + base + ";" + scenario.scheduling;
  const Scenario::Setting setting = SettingOf(scenario, policy);
  text += ";" + setting.scheduling;
  if (plus < with_layout.size()) text += ";" + LayoutOptionsOf(with_layout.substr(plus + 1));
  const leveldb::Status status = ParseOptions(text, &scheduling);
  if (!status.ok()) return status.ToString();

  *options = scenario.base;
  uint64_t memtable_bytes =
      setting.memtable_bytes > 0 ? setting.memtable_bytes : scenario.memtable_bytes;
  uint64_t memory_budget_bytes = std::max(scheduling.memory_budget_bytes, 2 * memtable_bytes);
  if (scheduling.layout == "vsst") {  // the paper's rule: a memtable is as large as a table
    const uint64_t memtables = memory_budget_bytes / memtable_bytes;
    memtable_bytes = TableBytesMax(scheduling, options->layout.table_bytes_max);
    memory_budget_bytes = memtables * memtable_bytes;
  }
  options->memory_budget_bytes = memory_budget_bytes;
  options->limits = ResolvePolicyOptions(scheduling, memtable_bytes,
                                         options->layout.table_bytes_max, options->cores);
  const uint64_t l1_bytes_target = options->layout.l1_bytes_target;
  options->layout =
      ResolveLayoutOptions(scheduling, options->limits, options->layout.table_bytes_max);
  options->layout.l1_bytes_target = l1_bytes_target;
  options->l0_first = !policy.starts_with("rocksdb") && policy != "silk-rate-only";
  const PolicyOptions limits = options->limits;
  const double bandwidth = options->device.write_bytes_per_sec;
  options->make_policy = [=] { return PolicyOf(policy, limits, bandwidth); };
  return "";
}

}  // namespace lull::sim
