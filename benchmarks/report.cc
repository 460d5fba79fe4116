// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "benchmarks/report.h"

#include <cstdio>
#include <nlohmann/json.hpp>

#include "benchmarks/generator.h"
#include "benchmarks/platform.h"

namespace lull::bench {
namespace {

constexpr double kMiB = 1024.0 * 1024.0;

double PerSecond(double amount, double seconds) { return seconds > 0 ? amount / seconds : 0; }

double MbPerSecond(const Result& result) {
  return PerSecond(static_cast<double>(result.bytes) / kMiB, result.active_seconds);
}

nlohmann::json LatencyJson(const Histogram& latency) {
  return {{"count", latency.count()},
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

// The lines below the usual one, for benchmarks with a drain.
void PrintLongForm(const Result& result) {
  constexpr int kIndent = 13;
  if (result.writes.count() > 0) {
    std::printf("%*s  %s\n", kIndent, "", LatencyText("write", result.writes).c_str());
  }
  if (result.reads.count() > 0) {
    std::printf("%*s  %s\n", kIndent, "", LatencyText("read", result.reads).c_str());
  }
  std::printf("%*s  stalls %d, %.3f s; drain %.2f s; peak memory %.1f MB; CPU %.2f s", kIndent, "",
              result.stalls.count, result.stalls.seconds, *result.drain_seconds,
              static_cast<double>(result.peak_rss_bytes) / kMiB, result.cpu_seconds);
  if (result.write_amplification) {
    std::printf("; write amplification %.2f", *result.write_amplification);
  }
  if (result.unserved > 0) {
    std::printf("; %llu requests given up", static_cast<unsigned long long>(result.unserved));
  }
  std::printf("\n");
}

}  // namespace

std::unique_ptr<JsonLog> JsonLog::Open(const std::string& path) {
  std::FILE* file = std::fopen(path.c_str(), "a");
  if (file == nullptr) {
    std::fprintf(stderr, "--json: cannot open %s for writing\n", path.c_str());
    return nullptr;
  }
  return std::unique_ptr<JsonLog>(new JsonLog(file));
}

JsonLog::~JsonLog() { std::fclose(file_); }

void JsonLog::Write(const nlohmann::json& object) {
  std::fprintf(file_, "%s\n", object.dump().c_str());
  std::fflush(file_);
}

void PrintHeader(const Config& config, const std::string& store_version) {
  const CpuFacts cpu = ReadCpuFacts();
  std::fprintf(stderr, "LevelDB:    version %s\n", store_version.c_str());
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
  std::printf("WARNING: built without optimization; the figures mean little\n");
#endif
#if !defined(NDEBUG)
  std::printf("WARNING: built with assertions; the figures are lower than they should be\n");
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
  if (result.drain_seconds) PrintLongForm(result);
  if (histogram && result.timed) {
    Histogram all = result.writes;
    all.Merge(result.reads);
    std::printf("Microseconds per op:\n%s\n", all.LevelDbText().c_str());
  }
  std::fflush(stdout);
}

void PrintSkipped(const std::string& name, const std::string& why) {
  std::printf("%-12s : skipped (%s)\n", name.c_str(), why.c_str());
  std::fflush(stdout);
}

nlohmann::json ToJson(const Result& result, const Config& config, const std::string& store,
                      const std::string& store_version) {
  nlohmann::json object = {
      {"kind", "result"},
      {"benchmark", result.name},
      {"store", store},
      {"version", store_version},
      {"date", UtcTimestamp()},
      {"scheduling", config.scheduling},
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
      {"micros_per_op", result.micros_per_op},
      {"active_seconds", result.active_seconds},
      {"wall_seconds", result.wall_seconds},
      {"mb_per_s", MbPerSecond(result)},
      {"ops_per_s", PerSecond(static_cast<double>(result.ops), result.active_seconds)},
      {"message", result.message},
      {"device_write_bytes", result.device_write_bytes},
      {"call_write_bytes", result.call_write_bytes},
      {"cpu_seconds", result.cpu_seconds},
      {"peak_rss_bytes", result.peak_rss_bytes}};
  if (result.open_loop) {
    object["rate"] = config.rate;
    object["put_percent"] = config.put_percent;
    object["unserved"] = result.unserved;
  }
  if (result.drain_seconds) object["drain_seconds"] = *result.drain_seconds;
  if (result.write_amplification) object["write_amplification"] = *result.write_amplification;
  if (!result.bursts.empty()) {
    object["burst_seconds"] = config.burst_seconds;
    object["idle_seconds"] = config.idle_seconds;
    const uint64_t first_ns = result.bursts.front().begin_ns;
    for (const Burst& burst : result.bursts) {
      const double seconds = static_cast<double>(burst.end_ns - burst.begin_ns) / kNsPerSecond;
      object["bursts"].push_back(
          {{"begin_seconds", static_cast<double>(burst.begin_ns - first_ns) / kNsPerSecond},
           {"seconds", seconds},
           {"ops", burst.ops}});
    }
  }
  if (!result.timed) return object;
  Histogram all = result.writes;
  all.Merge(result.reads);
  object.update(LatencyJson(all));
  if (result.writes.count() > 0) object["write_latency"] = LatencyJson(result.writes);
  if (result.reads.count() > 0) object["read_latency"] = LatencyJson(result.reads);
  object["stall_seconds"] = result.stalls.seconds;
  object["stalls"] = result.stalls.count;
  return object;
}

}  // namespace lull::bench
