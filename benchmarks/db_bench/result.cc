// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "benchmarks/db_bench/result.h"

#include <cinttypes>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "benchmarks/loadgen/key_value.h"
#include "benchmarks/measure/platform.h"
#include "util/build_info.h"

namespace lull::bench {
namespace {

constexpr double kMiB = 1024.0 * 1024.0;
constexpr int kIndent = 13;  // of lines that continue a result

double PerSecond(double amount, double seconds) { return seconds > 0 ? amount / seconds : 0; }

// For bursts and loads, counts written bytes only; for LevelDB's benchmarks, read and written ones.
double MbPerSecond(const Result& result) {
  const uint64_t bytes = result.long_form ? result.written_bytes : result.bytes;
  return PerSecond(static_cast<double>(bytes) / kMiB, result.active_seconds);
}

double RequestsPerSecond(const Result& result) {
  return PerSecond(static_cast<double>(result.AllLatencies().count()), result.active_seconds);
}

double OfferedPerSecond(const LoadPlan& load) { return load.OfferedRate(0, load.duration()); }

nlohmann::json LatencyJson(const Histogram& latency) {
  nlohmann::json curve = nlohmann::json::array();
  for (const Histogram::Point& point : latency.Curve()) curve.push_back({point.percent, point.us});
  return {{"curve", std::move(curve)},
          {"count", latency.count()},
          {"mean_us", latency.MeanUs()},
          {"p50_us", latency.PercentileUs(50)},
          {"p99_us", latency.PercentileUs(99)},
          {"p999_us", latency.PercentileUs(99.9)},
          {"p9999_us", latency.PercentileUs(99.99)},
          {"max_us", latency.MaxUs()}};
}

std::string LatencyText(const char* name, const Histogram& latency) {
  char text[160];
  std::snprintf(text, sizeof(text), "%s us: p50 %.1f, p99 %.1f, p99.9 %.1f, p99.99 %.1f, max %.1f",
                name, latency.PercentileUs(50), latency.PercentileUs(99),
                latency.PercentileUs(99.9), latency.PercentileUs(99.99), latency.MaxUs());
  return text;
}

nlohmann::json LoadJson(const Result& result, const Config& config) {
  const LoadPlan& load = *result.load;
  nlohmann::json object = {{"mix", config.mix},
                           {"shape", config.shape},
                           {"keys", config.keys},
                           {"values", config.values},
                           {"scans", config.scans},
                           {"arrivals", config.arrivals.empty() ? "poisson" : config.arrivals},
                           {"duration", config.duration},
                           {"preload", config.preload},
                           {"clients", load.clients()},
                           {"closed_loop", load.closed_loop()},
                           {"x", result.sustainable_rate},
                           {"generator_ns_per_request", result.generator_ns_per_request},
                           {"device_syncs_per_s", result.device_syncs_per_s},
                           {"requests", result.AllLatencies().count()},
                           {"requests_per_s", RequestsPerSecond(result)}};
  // How many requests a load sends in a closed loop, or before it is cut short, depends on the
  // store.
  const bool all_served = !result.interrupted && result.unserved == 0;
  if (all_served && std::isfinite(OfferedPerSecond(load))) {
    char hash[24];
    std::snprintf(hash, sizeof(hash), "%016" PRIx64, result.operations_hash);
    object["operations_hash"] = hash;
  }
  if (!load.closed_loop()) {
    object["offered_per_s"] = OfferedPerSecond(load);
    double begin = 0;
    for (const loadgen::Segment& segment : load.groups.front().shape.segments()) {
      object["segments"].push_back({{"begin_seconds", begin},
                                    {"seconds", segment.seconds},
                                    {"closed_loop", segment.rate == loadgen::kClosedLoop},
                                    {"rate", segment.rate}});
      begin += segment.seconds;
    }
  }
  return object;
}

nlohmann::json BurstsJson(const std::vector<Burst>& bursts) {
  nlohmann::json array = nlohmann::json::array();
  const uint64_t first_ns = bursts.front().begin_ns;
  for (const Burst& burst : bursts) {
    array.push_back(
        {{"begin_seconds", static_cast<double>(burst.begin_ns - first_ns) / kNsPerSecond},
         {"seconds", static_cast<double>(burst.end_ns - burst.begin_ns) / kNsPerSecond},
         {"ops", burst.ops}});
  }
  return array;
}

void PrintLoad(const Result& result) {
  std::printf("%*s  %.0f requests/s", kIndent, "", RequestsPerSecond(result));
  const double offered = OfferedPerSecond(*result.load);
  if (std::isfinite(offered)) std::printf(" of %.0f due", offered);
  if (result.sustainable_rate > 0) std::printf("; X %.0f/s", result.sustainable_rate);
  if (result.device_syncs_per_s > 0) {
    std::printf("; one writer's limit on the device %.0f/s", result.device_syncs_per_s);
  }
  std::printf("; generator %.0f ns per request\n", result.generator_ns_per_request);
}

void PrintReads(const Result& result) {
  const std::string text = result.reads ? result.reads->Text() : "";
  if (!text.empty()) std::printf("%*s  %s\n", kIndent, "", text.c_str());
}

// The lines after the usual one, for bursts and loads.
void PrintLongForm(const Result& result) {
  result.ForEachKind([](const char* name, const Histogram& latency) {
    std::printf("%*s  %s\n", kIndent, "", LatencyText(name, latency).c_str());
  });
  if (result.load != nullptr) PrintLoad(result);
  std::printf("%*s  stalls %d, %.3f s", kIndent, "", result.stalls.count, result.stalls.seconds);
  for (const auto& [cause, seconds] : result.stall_seconds_by_cause) {
    std::printf(" (%s %.3f s)", cause.c_str(), seconds);
  }
  if (result.drain_seconds) std::printf("; drain %.2f s", *result.drain_seconds);
  std::printf("; peak memory %.1f MB; CPU %.2f s",
              static_cast<double>(result.peak_rss_bytes) / kMiB, result.cpu_seconds);
  if (result.stolen_cpu_seconds > 0) std::printf(", stolen %.2f s", result.stolen_cpu_seconds);
  if (result.write_amplification) {
    std::printf("; write amplification %.2f", *result.write_amplification);
  }
  if (result.space_amplification) {
    std::printf("; space amplification %.2f", *result.space_amplification);
  }
  if (result.limit_held == false) std::printf("; NOT a limit: tables were written");
  if (result.interrupted) std::printf("; interrupted");
  if (result.unserved > 0) {
    std::printf("; %llu requests given up", static_cast<unsigned long long>(result.unserved));
  }
  std::printf("\n");
}

}  // namespace

Histogram Result::AllLatencies() const {
  Histogram all;
  for (const Histogram& latency : latencies) all.Merge(latency);
  return all;
}

void PrintHeader(const Config& config, const std::string& store, const std::string& store_version) {
  const CpuFacts cpu = ReadCpuFacts();
  // For Lull too: it is the API's version, and scripts search for this word.
  std::fprintf(stderr, "%s:    version %s\n", store == "rocksdb" ? "RocksDB" : "LevelDB",
               store_version.c_str());
  std::fprintf(stderr, "Commit:     %s, %s\n", BuildCommit(), BuildCompiler().c_str());
  std::fprintf(stderr, "Date:       %s\n", UtcTimestamp().c_str());
  std::fprintf(stderr, "CPU:        %d * %s\n", cpu.count, cpu.model.c_str());
  std::fprintf(stderr, "CPUCache:   %s\n", cpu.cache.c_str());

  const double key_bytes = static_cast<double>(KeyText::kDigits) + config.key_prefix;
  const double packed_bytes = config.value_size * config.compression_ratio;
  const auto entries = static_cast<double>(config.num);
  std::printf("Keys:       %.0f bytes each\n", key_bytes);
  std::printf("Values:     %d bytes each (%.0f bytes after compression)\n", config.value_size,
              packed_bytes);
  std::printf("Entries:    %lld\n", static_cast<long long>(config.num));
  std::printf("RawSize:    %.1f MB (estimated)\n",
              (key_bytes + config.value_size) * entries / kMiB);
  std::printf("FileSize:   %.1f MB (estimated)\n", (key_bytes + packed_bytes) * entries / kMiB);
#if !defined(__OPTIMIZE__)
  std::printf("WARNING: built without optimization; the figures are not meaningful\n");
#endif
#if !defined(NDEBUG)
  std::printf("WARNING: built with assertions, which slow the store down\n");
#endif
  std::printf("------------------------------------------------\n");
  std::fflush(stdout);
}

void PrintResult(const Result& result, bool histogram) {
  std::string extra;
  if (result.bytes > 0) {
    char rate[40];
    std::snprintf(rate, sizeof(rate), "%6.1f MB/s", MbPerSecond(result));
    extra = rate;
  }
  if (!result.message.empty()) extra += (extra.empty() ? "" : " ") + result.message;
  std::printf("%-12s : %11.3f micros/op;%s%s\n", result.name.c_str(), result.micros_per_op,
              extra.empty() ? "" : " ", extra.c_str());
  if (result.long_form) PrintLongForm(result);
  if (result.long_form || histogram) PrintReads(result);
  if (histogram && result.timed) {
    std::printf("Microseconds per op:\n%s\n", result.AllLatencies().LevelDbText().c_str());
  }
  std::fflush(stdout);
}

void PrintSkipped(const std::string& name, const std::string& why) {
  std::printf("%-12s : skipped (%s)\n", name.c_str(), why.c_str());
  std::fflush(stdout);
}

nlohmann::json ToJson(const Result& result, const Config& config, const std::string& store,
                      const std::string& store_version) {
  const SystemFacts system = ReadSystemFacts(config.db);
  nlohmann::json object = {
      {"kind", "result"},
      {"benchmark", result.name},
      {"store", store},
      {"store_kind", config.store},
      {"version", store_version},
      {"commit", BuildCommit()},
      {"compiler", BuildCompiler()},
      {"kernel", system.kernel},
      {"file_system", system.file_system},
      {"disk", system.disk},
      {"date", UtcTimestamp()},
      {"scheduling", config.scheduling},
      {"device", config.device},
      {"rocksdb_profile", store == "rocksdb" ? config.rocksdb_profile : ""},
      {"seed", config.seed},
      {"threads", config.threads},
      {"num", config.num},
      {"value_size", result.value_size},
      {"batch_size", result.batch_size},
      {"sync", result.sync},
      {"write_buffer_size", config.write_buffer_size},
      {"cache_size", config.cache_size},
      {"ops", result.ops},
      {"bytes", result.bytes},
      {"written_bytes", result.written_bytes},
      {"micros_per_op", result.micros_per_op},
      {"active_seconds", result.active_seconds},
      {"wall_seconds", result.wall_seconds},
      {"mb_per_s", MbPerSecond(result)},
      {"ops_per_s", PerSecond(static_cast<double>(result.ops), result.active_seconds)},
      {"message", result.message},
      {"device_write_bytes", result.device_write_bytes},
      {"device_read_bytes", result.device_read_bytes},
      {"store_bytes", result.store_bytes},
      {"call_write_bytes", result.call_write_bytes},
      {"cpu_seconds", result.cpu_seconds},
      {"stolen_cpu_seconds", result.stolen_cpu_seconds},
      {"peak_rss_bytes", result.peak_rss_bytes}};
  if (result.load != nullptr) {
    object["load"] = LoadJson(result, config);
    object["unserved"] = result.unserved;
  }
  if (result.interrupted) object["interrupted"] = true;
  if (result.limit_held) object["limit_held"] = *result.limit_held;
  if (result.drain_seconds) object["drain_seconds"] = *result.drain_seconds;
  if (result.reads) object["reads"] = result.reads->ToJson();
  if (result.write_amplification) object["write_amplification"] = *result.write_amplification;
  if (result.space_amplification) object["space_amplification"] = *result.space_amplification;
  if (!result.bursts.empty()) {
    object["burst_seconds"] = config.burst_seconds;
    object["idle_seconds"] = config.idle_seconds;
    object["bursts"] = BurstsJson(result.bursts);
  }
  if (!result.timed) return object;
  object.update(LatencyJson(result.AllLatencies()));
  result.ForEachKind([&object](const char* name, const Histogram& latency) {
    object[std::string(name) + "_latency"] = LatencyJson(latency);
  });
  object["stall_seconds"] = result.stalls.seconds;
  object["stalls"] = result.stalls.count;
  object["stall_seconds_by_cause"] = result.stall_seconds_by_cause;
  return object;
}

}  // namespace lull::bench
