// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "benchmarks/loadgen/text.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <numeric>
#include <utility>

namespace lull::loadgen {
namespace {

// The least number of letters to insert, remove or replace that turns one word into the other.
size_t EditDistance(std::string_view from, std::string_view to) {
  std::vector<size_t> row(to.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 0; i < from.size(); ++i) {
    size_t diagonal = std::exchange(row[0], i + 1);
    for (size_t j = 0; j < to.size(); ++j) {
      const size_t replaced = diagonal + (from[i] == to[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, diagonal + 1, row[j] + 1});
    }
  }
  return row.back();
}

}  // namespace

std::vector<std::string_view> Split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (!text.empty()) {
    const size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + 1);
    if (text.empty()) parts.push_back(text);
  }
  return parts;
}

std::optional<double> ParseAmount(std::string_view text) {
  double unit = 1;
  if (text.ends_with('k')) unit = 1e3;
  if (text.ends_with('m')) unit = 1e6;
  if (unit > 1) text.remove_suffix(1);
  const std::string digits(text);  // strtod needs a terminator
  char* end = nullptr;
  const double value = std::strtod(digits.c_str(), &end) * unit;
  if (digits.empty() || *end != '\0' || !std::isfinite(value) || value < 0) return std::nullopt;
  return value;
}

std::string ReadLines(const std::string& path,
                      const std::function<std::string(std::string_view line)>& read) {
  std::ifstream file(path);
  if (!file) return "cannot read " + path;
  int number = 0;
  for (std::string line; std::getline(file, line);) {
    ++number;
    if (line.empty() || line[0] == '#') continue;
    const std::string fault = read(line);
    if (!fault.empty()) return path + ":" + std::to_string(number) + ": " + fault;
  }
  return "";
}

std::string Quoted(std::string_view text) { return "'" + std::string(text) + "'"; }

std::string DidYouMean(std::string_view word, std::span<const std::string_view> known) {
  std::string_view nearest;
  size_t best = word.size() / 2 + 1;  // more than half wrong is a different word
  for (const std::string_view candidate : known) {
    const bool cut_short = !word.empty() && candidate.starts_with(word);
    const size_t distance = cut_short ? 1 : EditDistance(word, candidate);
    if (distance < best) {
      best = distance;
      nearest = candidate;
    }
  }
  return nearest.empty() ? "" : "; did you mean '" + std::string(nearest) + "'?";
}

}  // namespace lull::loadgen
