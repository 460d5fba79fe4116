// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Checks that the list of metrics in docs/metrics.md is the one that the library's table of metrics
// gives.
//
// usage: metrics_page PAGE [--rewrite]
//
// --rewrite puts the list into the page.
#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>

#include "db/report/metric_table.h"

namespace lull {
namespace {

constexpr std::string_view kBegin = "<!-- metrics:begin -->\n";
constexpr std::string_view kEnd = "<!-- metrics:end -->\n";

std::string Code(std::string_view text) { return "`" + std::string(text) + "`"; }

/// `class`: `flush`, `l0`; `state`: `running`, `paused`
std::string LabelsText(const MetricRow& row) {
  std::string text;
  for (const MetricLabel* const label : row.labels()) {
    if (label == nullptr) break;
    text += (text.empty() ? "" : "; ") + Code(label->name);
    const char* before = ": ";
    for (const std::string_view value : label->values) {
      if (value.empty() || label->name == "level") break;
      text += before + Code(value);
      before = ", ";
    }
  }
  return text;
}

/// Where JSON has the value: `stats.levels`
std::string ObjectText(const MetricRow& row) {
  std::string_view path = row.json.substr(0, row.json.rfind('.'));
  path = path.substr(0, path.find(".*"));
  return path.empty() ? "" : Code(path);
}

/// Consecutive metrics share a line if only their names differ.
std::string List() {
  std::string list = "| metrics | labels | JSON |\n|---|---|---|\n";
  std::string names, rest;  // of the line
  for (const MetricRow& row : MetricTable()) {
    const std::string own_rest = " | " + LabelsText(row) + " | " + ObjectText(row) + " |\n";
    if (own_rest != rest && !names.empty()) list += "| " + std::exchange(names, "") + rest;
    rest = own_rest;
    names += (names.empty() ? "" : ", ") + Code(std::string(kMetricPrefix) + std::string(row.name));
  }
  return list + "| " + names + rest;
}

int Main(int argc, char** argv) {
  if (argc < 2) return 2;
  std::string page{std::istreambuf_iterator<char>(std::ifstream(argv[1]).rdbuf()), {}};
  const size_t mark = page.find(kBegin), begin = mark + kBegin.size(), end = page.find(kEnd);
  if (mark == page.npos || end == page.npos || begin > end) {
    std::printf("%s: needs a list between \"metrics:begin\" and \"metrics:end\"\n", argv[1]);
    return 1;
  }
  if (page.substr(begin, end - begin) == List()) return 0;
  if (argc == 2) {
    std::printf("%s: the list differs from the library's table; to renew it:\n  %s %s --rewrite\n",
                argv[1], argv[0], argv[1]);
    return 1;
  }
  std::ofstream(argv[1]) << page.replace(begin, end - begin, List());
  return 0;
}

}  // namespace
}  // namespace lull

int main(int argc, char** argv) { return lull::Main(argc, argv); }
