// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "db/tools/top_view.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <string_view>
#include <utility>

#include "util/logging.h"

namespace lull::tools {
namespace {

std::string Scaled(double value, double factor) {
  static constexpr const char* kUnits[] = {"", "k", "M", "G", "T", "P"};
  size_t unit = 0;
  while (value >= 999.5 && unit + 1 < std::size(kUnits)) {
    value /= factor;
    ++unit;
  }
  const bool whole = value >= 9.95 || value == std::floor(value);
  return Format("%.*f%s", whole ? 0 : 1, value, kUnits[unit]);
}

/// The end of a path, which tells stores apart, in at most `width` characters.
std::string PathEnd(const std::string& path, size_t width) {
  const std::string text = Encode(path, Coding::kText);
  if (text.size() <= width) return text;
  constexpr std::string_view kDots = "...";
  if (width <= kDots.size()) return text.substr(text.size() - width);
  return std::string(kDots) + text.substr(text.size() - (width - kDots.size()));
}

std::string Duration(double seconds) {
  if (seconds < 120) return Format("%.0f s", seconds);
  if (seconds < 2 * 3600) return Format("%.0f min", seconds / 60);
  if (seconds < 48 * 3600) return Format("%.0f h", seconds / 3600);
  return Format("%.0f days", seconds / 86400);
}

bool IsWell(const StoreFigures& store) { return store.State() == "ok"; }

/// A row of the list. `figures`: none if there is a problem.
std::string ListRow(const std::string& name, const std::vector<std::string>& figures,
                    const std::string& state, size_t width) {
  constexpr int kWidths[] = {6, 6, 6, 6, 6, 4, 7, 4};
  const size_t name_width = std::max<size_t>(width, 66 + 8) - 66;  // less the other columns
  std::string row = PathEnd(name, name_width);
  row.resize(name_width, ' ');
  for (size_t i = 0; i < figures.size(); ++i) row += Format(" %*s", kWidths[i], figures[i].c_str());
  return row + (figures.empty() ? " " : "  ") + state;
}

/// A row of a table of a store.
std::string TableRow(const std::array<std::string, 7>& cells) {
  constexpr int kWidths[] = {-10, 8, 8, 8, 8, 9, 9};
  std::string row;
  for (size_t i = 0; i < cells.size(); ++i)
    row += Format(i == 0 ? "%*s" : " %*s", kWidths[i], cells[i].c_str());
  return row;
}

/// The figures of one store as text.
class View {
 public:
  explicit View(const StoreFigures& store)
      : store_(store), json_(store.json), has_rates_(json_.value("has_rates", false)) {}

  std::string Row(size_t width) const {
    const std::string state = Encode(store_.State(), Coding::kText);
    if (!store_.problem.empty() || store_.IsStale())
      return ListRow(store_.Name(), {}, state, width);
    double running = 0, paused = 0;
    for (const Json& jobs : json_["jobs"]) {
      running += Number(jobs, "running");
      paused += Number(jobs, "paused");
    }
    const Json& levels = json_["levels"];
    return ListRow(
        store_.Name(),
        {Rate(json_, "writes_per_sec"), ByteRate(json_, "written_bytes_per_sec"),
         Rate(json_, "gets_per_sec"), Bytes(json_, "table_bytes"), Bytes(json_, "debt_bytes"),
         ShortNumber(levels.empty() ? 0 : Number(levels[0], "tables")),
         Format("%.0f+%.0f", running, paused), Percent(store_.StallShare())},
        state, width);
  }

  std::vector<ViewLine> Detail(size_t width) {
    Add(PathEnd(store_.Name(), width));
    if (!store_.problem.empty()) {
      Add(Encode(store_.problem, Coding::kText), LineStyle::kWarning);
      return std::move(lines_);
    }
    AddSummary();
    AddLatencies();
    AddLevels();
    AddJobs();
    AddStalls();
    return std::move(lines_);
  }

 private:
  // Members of `json`.
  static double Number(const Json& json, const char* name) { return json[name].get<double>(); }
  static std::string Bytes(const Json& json, const char* name) {
    return ShortBytes(Number(json, name));
  }
  std::string Rate(const Json& json, const char* name) const {
    return has_rates_ ? ShortNumber(Number(json, name)) : "-";
  }
  std::string ByteRate(const Json& json, const char* name) const {
    return has_rates_ ? Bytes(json, name) : "-";
  }
  std::string Percent(double share) const {
    return has_rates_ ? Format("%.0f%%", share * 100) : "-";
  }

  void Add(std::string text, LineStyle style = LineStyle::kPlain) {
    lines_.push_back({std::move(text), style});
  }
  void AddSummary() {
    Add(Format("policy %s, open for %s, written %s ago", json_["policy"].get<std::string>().c_str(),
               Duration(Number(json_, "uptime_seconds")).c_str(),
               Duration(Number(json_, "age_seconds")).c_str()));
    Add("state  " + Encode(store_.State(), Coding::kText),
        IsWell(store_) ? LineStyle::kPlain : LineStyle::kWarning);
    Add("writes " + Rate(json_, "writes_per_sec") + "/s, " +
        ByteRate(json_, "written_bytes_per_sec") + "B/s   gets " + Rate(json_, "gets_per_sec") +
        "/s   next/prev " + Rate(json_, "iterator_steps_per_sec") + "/s   returned " +
        ByteRate(json_, "returned_bytes_per_sec") + "B/s");
    const bool knows_free = Number(json_, "disk_free_bytes") > 0;
    Add("memory " + Bytes(json_, "memory_used_bytes") + " of " +
        Bytes(json_, "memory_budget_bytes") + "   debt " + Bytes(json_, "debt_bytes") + " of " +
        Bytes(json_, "debt_bytes_max") + "   disk free " +
        (knows_free ? Bytes(json_, "disk_free_bytes") : "?") + "   cache " +
        Percent(Number(json_, "cache_hit_share")) +
        Format("   WA %.1f", Number(json_, "write_amplification")));
  }

  void AddLatencies() {
    const Json& latencies = json_["latency"];
    if (latencies.empty()) Add("no latencies: the store is open without latency_histograms=true");
    for (const auto& [operation, latency] : latencies.items()) {
      Add(Format("%-10s %8s/s   p50 %-8s p99 %-8s p99.9 %s", operation.c_str(),
                 Rate(latency, "per_sec").c_str(),
                 ShortTime(Number(latency, "p50_us") / 1e6).c_str(),
                 ShortTime(Number(latency, "p99_us") / 1e6).c_str(),
                 ShortTime(Number(latency, "p999_us") / 1e6).c_str()));
    }
  }

  void AddLevels() {
    Add(TableRow({"LEVEL", "tables", "size", "target", "score", "read/s", "written/s"}),
        LineStyle::kHeading);
    size_t number = 0;
    for (const Json& level : json_["levels"]) {
      const bool has_target = Number(level, "target_bytes") > 0;
      Add(TableRow({"L" + std::to_string(number++), Format("%.0f", Number(level, "tables")),
                    Bytes(level, "bytes"), has_target ? Bytes(level, "target_bytes") : "-",
                    Format("%.2f", Number(level, "score")), ByteRate(level, "read_bytes_per_sec"),
                    ByteRate(level, "written_bytes_per_sec")}));
    }
  }

  void AddJobs() {
    Add(TableRow({"JOBS", "running", "paused", "failed", "", "read/s", "written/s"}),
        LineStyle::kHeading);
    for (const auto& [name, jobs] : json_["jobs"].items()) {
      const double failed = Number(jobs, "failed");
      Add(TableRow({name, Format("%.0f", Number(jobs, "running")),
                    Format("%.0f", Number(jobs, "paused")), ShortNumber(failed), "",
                    ByteRate(jobs, "read_bytes_per_sec"), ByteRate(jobs, "written_bytes_per_sec")}),
          failed > 0 ? LineStyle::kWarning : LineStyle::kPlain);
    }
  }

  /// Adds a line for each kind of stall: the time in which writes were held, by cause.
  void AddStalls() {
    for (const auto& [kind, causes] : json_["stalls"].items()) {
      std::string text = Format("%-10s", kind.c_str());
      double share = 0;
      for (const auto& [cause, stall] : causes.items()) {
        text += " " + cause + " " + Percent(Number(stall, "held_share")) + " (" +
                ShortNumber(Number(stall, "count")) + ")";
        share += Number(stall, "held_share");
      }
      Add(text, share > 0 ? LineStyle::kWarning : LineStyle::kPlain);
    }
  }

  const StoreFigures& store_;
  const Json& json_;
  const bool has_rates_;
  std::vector<ViewLine> lines_;
};

/// What is not ASCII is already encoded, so each character has one column.
std::vector<ViewLine> Cut(const ViewSize& size, std::vector<ViewLine> lines) {
  for (ViewLine& line : lines) {
    if (size.cuts_lines) line.text.resize(std::min(line.text.size(), size.width));
  }
  return lines;
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
  std::vector<ViewLine> lines = {
      {ListRow("STORE", {"WR/s", "WR B/s", "GET/s", "SIZE", "DEBT", "L0", "JOBS", "HELD"}, "STATE",
               size.width),
       LineStyle::kHeading}};
  const size_t rows = size.height > 1 ? size.height - 1 : 0;
  const size_t first =
      selected < stores.size() && selected >= rows && rows > 0 ? selected - rows + 1 : 0;
  for (size_t i = first; i < stores.size() && i - first < rows; ++i) {
    const LineStyle style = i == selected       ? LineStyle::kSelected
                            : IsWell(stores[i]) ? LineStyle::kPlain
                                                : LineStyle::kWarning;
    lines.push_back({View(stores[i]).Row(size.width), style});
  }
  return Cut(size, std::move(lines));
}

std::vector<ViewLine> StoreDetail(const StoreFigures& store, const ViewSize& size) {
  return Cut(size, View(store).Detail(size.width));
}

}  // namespace lull::tools
