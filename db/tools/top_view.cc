// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "db/tools/top_view.h"

#include <algorithm>
#include <cmath>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <iterator>
#include <string_view>

namespace lull::tools {
namespace {

std::string Format(const char* format, ...) __attribute__((format(printf, 1, 2)));
std::string Format(const char* format, ...) {
  char text[512];
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(text, sizeof(text), format, arguments);
  va_end(arguments);
  return text;
}

std::string Scaled(double value, double factor) {
  static constexpr const char* kUnits[] = {"", "k", "M", "G", "T", "P"};
  size_t unit = 0;
  while (value >= 999.5 && unit + 1 < std::size(kUnits)) {
    value /= factor;
    ++unit;
  }
  const bool whole = value >= 9.95 || value == std::floor(value);
  return Format(whole ? "%.0f%s" : "%.1f%s", value, kUnits[unit]);
}

/// The end of a path, which tells stores apart, in at most `width` characters.
std::string PathEnd(const std::string& path, size_t width) {
  const std::string text = Encode(path, Coding::kText);
  if (text.size() <= width) return text;
  constexpr std::string_view kDots = "...";
  if (width <= kDots.size()) return text.substr(text.size() - width);
  return std::string(kDots) + text.substr(text.size() - (width - kDots.size()));
}

std::string Padded(std::string text, size_t width) {
  text.resize(width, ' ');
  return text;
}

std::string Rate(const StoreFigures& store, double per_sec) {
  return store.has_rates ? ShortNumber(per_sec) : "-";
}

std::string ByteRate(const StoreFigures& store, double per_sec) {
  return store.has_rates ? ShortBytes(per_sec) : "-";
}

std::string Percent(const StoreFigures& store, double share) {
  return store.has_rates ? Format("%.0f%%", share * 100) : "-";
}

std::string Duration(double seconds) {
  if (seconds < 120) return Format("%.0f s", seconds);
  if (seconds < 2 * 3600) return Format("%.0f min", seconds / 60);
  if (seconds < 48 * 3600) return Format("%.0f h", seconds / 3600);
  return Format("%.0f days", seconds / 86400);
}

const std::string& NameOf(const StoreFigures& store) {
  return store.store.empty() ? store.file : store.store;
}

bool IsWell(const StoreFigures& store) { return store.State() == "ok"; }

constexpr size_t kFiguresWidth = 66;  // of a row without the name

std::string Row(const StoreFigures& store, size_t width) {
  const size_t name_width = width > kFiguresWidth + 8 ? width - kFiguresWidth : 8;
  std::string row = Padded(PathEnd(NameOf(store), name_width), name_width);
  if (!store.problem.empty() || store.IsStale())
    return row + " " + Encode(store.State(), Coding::kText);
  double running = 0, paused = 0;
  for (const JobFigures& jobs : store.jobs) {
    running += jobs.running;
    paused += jobs.paused;
  }
  return row + Format(" %6s %6s %6s %6s %6s %4s %7s %4s  %s",
                      Rate(store, store.writes_per_sec).c_str(),
                      ByteRate(store, store.written_per_sec).c_str(),
                      Rate(store, store.gets_per_sec).c_str(),
                      ShortBytes(store.table_bytes).c_str(), ShortBytes(store.debt_bytes).c_str(),
                      ShortNumber(store.levels.empty() ? 0 : store.levels[0].tables).c_str(),
                      Format("%.0f+%.0f", running, paused).c_str(),
                      Percent(store, store.StallShare()).c_str(), store.State().c_str());
}

std::string ListHeading(size_t width) {
  const size_t name_width = width > kFiguresWidth + 8 ? width - kFiguresWidth : 8;
  return Padded("STORE", name_width) + Format(" %6s %6s %6s %6s %6s %4s %7s %4s  %s", "WR/s",
                                              "WR B/s", "GET/s", "SIZE", "DEBT", "L0", "JOBS",
                                              "HELD", "STATE");
}

/// What is not ASCII is already encoded, so each character has one column.
void Cut(const ViewSize& size, std::vector<ViewLine>* lines) {
  if (!size.cuts_lines) return;
  for (ViewLine& line : *lines) line.text.resize(std::min(line.text.size(), size.width));
}

void AddSummary(const StoreFigures& store, std::vector<ViewLine>* lines) {
  lines->push_back(
      {Format("policy %s, open for %s, written %s ago", store.policy.c_str(),
              Duration(store.uptime_seconds).c_str(), Duration(store.age_seconds).c_str())});
  lines->push_back({"state  " + Encode(store.State(), Coding::kText),
                    IsWell(store) ? LineStyle::kPlain : LineStyle::kWarning});
  lines->push_back({Format(
      "writes %s/s, %sB/s   gets %s/s   next/prev %s/s   returned %sB/s",
      Rate(store, store.writes_per_sec).c_str(), ByteRate(store, store.written_per_sec).c_str(),
      Rate(store, store.gets_per_sec).c_str(), Rate(store, store.steps_per_sec).c_str(),
      ByteRate(store, store.returned_per_sec).c_str())});
  const std::string free =
      store.disk_free_bytes > 0 ? ShortBytes(store.disk_free_bytes) : std::string("?");
  lines->push_back({Format(
      "memory %s of %s   debt %s of %s   disk free %s   cache %s   WA %.1f",
      ShortBytes(store.memory_used_bytes).c_str(), ShortBytes(store.memory_budget_bytes).c_str(),
      ShortBytes(store.debt_bytes).c_str(), ShortBytes(store.debt_bytes_max).c_str(), free.c_str(),
      Percent(store, store.cache_hit_share).c_str(), store.write_amplification)});
}

void AddLevels(const StoreFigures& store, std::vector<ViewLine>* lines) {
  lines->push_back({Format("%-10s %8s %8s %8s %8s %9s %9s", "LEVEL", "tables", "size", "target",
                           "score", "read/s", "written/s"),
                    LineStyle::kHeading});
  for (size_t level = 0; level < store.levels.size(); ++level) {
    const LevelFigures& about = store.levels[level];
    const std::string target =
        about.target_bytes > 0 ? ShortBytes(about.target_bytes) : std::string("-");
    lines->push_back({Format("L%-9zu %8.0f %8s %8s %8.2f %9s %9s", level, about.tables,
                             ShortBytes(about.bytes).c_str(), target.c_str(), about.score,
                             ByteRate(store, about.read_per_sec).c_str(),
                             ByteRate(store, about.written_per_sec).c_str())});
  }
}

void AddJobs(const StoreFigures& store, std::vector<ViewLine>* lines) {
  lines->push_back({Format("%-10s %8s %8s %8s %8s %9s %9s", "JOBS", "running", "paused", "failed",
                           "", "read/s", "written/s"),
                    LineStyle::kHeading});
  for (const JobFigures& jobs : store.jobs) {
    lines->push_back({Format("%-10s %8.0f %8.0f %8s %8s %9s %9s", jobs.job_class.c_str(),
                             jobs.running, jobs.paused, ShortNumber(jobs.failed).c_str(), "",
                             ByteRate(store, jobs.read_per_sec).c_str(),
                             ByteRate(store, jobs.written_per_sec).c_str()),
                      jobs.failed > 0 ? LineStyle::kWarning : LineStyle::kPlain});
  }
}

/// A line for each kind of stall: the time in which writes were held, by cause.
void AddStalls(const StoreFigures& store, std::vector<ViewLine>* lines) {
  std::vector<std::string> kinds;
  for (const StallFigures& stall : store.stalls) {
    if (std::ranges::find(kinds, stall.kind) == kinds.end()) kinds.push_back(stall.kind);
  }
  for (const std::string& kind : kinds) {
    std::string text = Format("%-10s", kind.c_str());
    double share = 0;
    for (const StallFigures& stall : store.stalls) {
      if (stall.kind != kind) continue;
      text += Format(" %s %s (%s)", stall.cause.c_str(), Percent(store, stall.share).c_str(),
                     ShortNumber(stall.count).c_str());
      share += stall.share;
    }
    lines->push_back({text, share > 0 ? LineStyle::kWarning : LineStyle::kPlain});
  }
}

void AddLatencies(const StoreFigures& store, std::vector<ViewLine>* lines) {
  if (store.latencies.empty()) {
    lines->push_back({"no latencies: the store is open without latency_histograms=true"});
    return;
  }
  for (const LatencyFigures& latency : store.latencies) {
    lines->push_back(
        {Format("%-10s %8s/s   p50 %-8s p99 %-8s p99.9 %s", latency.operation.c_str(),
                Rate(store, latency.per_sec).c_str(), ShortTime(latency.seconds[0]).c_str(),
                ShortTime(latency.seconds[1]).c_str(), ShortTime(latency.seconds[2]).c_str())});
  }
}

/// A value that is a whole number, without a decimal point.
Json Whole(double value) { return static_cast<uint64_t>(value); }

Json LevelsJson(const StoreFigures& store) {
  Json levels = Json::array();
  for (const LevelFigures& level : store.levels) {
    levels.push_back({{"tables", Whole(level.tables)},
                      {"bytes", Whole(level.bytes)},
                      {"target_bytes", Whole(level.target_bytes)},
                      {"score", level.score},
                      {"read_bytes_per_sec", level.read_per_sec},
                      {"written_bytes_per_sec", level.written_per_sec}});
  }
  return levels;
}

}  // namespace

std::string ShortNumber(double value) { return Scaled(value, 1000); }
std::string ShortBytes(double bytes) { return Scaled(bytes, 1024); }

std::string ShortTime(double seconds) {
  if (seconds < 1e-3) return Format("%.0f us", seconds * 1e6);
  if (seconds < 1) return Format("%.1f ms", seconds * 1e3);
  return Format("%.1f s", seconds);
}

std::vector<ViewLine> StoreList(const std::vector<StoreFigures>& stores, size_t selected,
                                const ViewSize& size) {
  std::vector<ViewLine> lines = {{ListHeading(size.width), LineStyle::kHeading}};
  const size_t rows = size.height > 1 ? size.height - 1 : 0;
  const size_t first =
      selected < stores.size() && selected >= rows && rows > 0 ? selected - rows + 1 : 0;
  for (size_t i = first; i < stores.size() && i - first < rows; ++i) {
    const LineStyle style = i == selected       ? LineStyle::kSelected
                            : IsWell(stores[i]) ? LineStyle::kPlain
                                                : LineStyle::kWarning;
    lines.push_back({Row(stores[i], size.width), style});
  }
  Cut(size, &lines);
  return lines;
}

std::vector<ViewLine> StoreDetail(const StoreFigures& store, const ViewSize& size) {
  std::vector<ViewLine> lines = {{PathEnd(NameOf(store), size.width)}};
  if (!store.problem.empty()) {
    lines.push_back({Encode(store.problem, Coding::kText), LineStyle::kWarning});
  } else {
    AddSummary(store, &lines);
    AddLatencies(store, &lines);
    AddLevels(store, &lines);
    AddJobs(store, &lines);
    AddStalls(store, &lines);
  }
  Cut(size, &lines);
  return lines;
}

Json StoreJson(const StoreFigures& store) {
  Json json = {{"file", store.file}, {"state", store.State()}};
  if (!store.problem.empty()) return json;
  json.update({{"store", store.store},
               {"policy", store.policy},
               {"uptime_seconds", store.uptime_seconds},
               {"age_seconds", store.age_seconds},
               {"has_rates", store.has_rates},
               {"writes_per_sec", store.writes_per_sec},
               {"written_bytes_per_sec", store.written_per_sec},
               {"gets_per_sec", store.gets_per_sec},
               {"iterator_steps_per_sec", store.steps_per_sec},
               {"returned_bytes_per_sec", store.returned_per_sec},
               {"cache_hit_share", store.cache_hit_share},
               {"write_amplification", store.write_amplification},
               {"debt_bytes", Whole(store.debt_bytes)},
               {"debt_bytes_max", Whole(store.debt_bytes_max)},
               {"memory_used_bytes", Whole(store.memory_used_bytes)},
               {"memory_budget_bytes", Whole(store.memory_budget_bytes)},
               {"disk_free_bytes", Whole(store.disk_free_bytes)},
               {"table_bytes", Whole(store.table_bytes)},
               {"levels", LevelsJson(store)},
               {"jobs", Json::object()},
               {"stalls", Json::object()},
               {"latency", Json::object()}});
  for (const JobFigures& jobs : store.jobs) {
    json["jobs"][jobs.job_class] = {{"running", Whole(jobs.running)},
                                    {"paused", Whole(jobs.paused)},
                                    {"failed", Whole(jobs.failed)},
                                    {"read_bytes_per_sec", jobs.read_per_sec},
                                    {"written_bytes_per_sec", jobs.written_per_sec}};
  }
  for (const StallFigures& stall : store.stalls)
    json["stalls"][stall.kind][stall.cause] = {{"held_share", stall.share},
                                               {"count", Whole(stall.count)}};
  for (const LatencyFigures& latency : store.latencies) {
    json["latency"][latency.operation] = {{"per_sec", latency.per_sec},
                                          {"p50_us", latency.seconds[0] * 1e6},
                                          {"p99_us", latency.seconds[1] * 1e6},
                                          {"p999_us", latency.seconds[2] * 1e6}};
  }
  return json;
}

}  // namespace lull::tools
