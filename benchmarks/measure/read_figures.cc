// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "benchmarks/measure/read_figures.h"

#include <array>
#include <cstdio>
#include <nlohmann/json.hpp>

namespace lull::bench {
namespace {

struct Field {
  const char* name;
  uint64_t ReadFigures::*value;
};
constexpr std::array kFields = {Field{"gets", &ReadFigures::gets},
                                Field{"gets_found", &ReadFigures::gets_found},
                                Field{"tables_searched", &ReadFigures::tables_searched},
                                Field{"seeks", &ReadFigures::seeks},
                                Field{"steps", &ReadFigures::steps},
                                Field{"entries_skipped", &ReadFigures::entries_skipped},
                                Field{"cache_blocks", &ReadFigures::cache_blocks},
                                Field{"file_blocks", &ReadFigures::file_blocks},
                                Field{"file_block_bytes", &ReadFigures::file_block_bytes},
                                Field{"filter_checks", &ReadFigures::filter_checks},
                                Field{"filter_false_passes", &ReadFigures::filter_false_passes}};

double Ratio(uint64_t part, uint64_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

}  // namespace

std::optional<ReadFigures> ReadFigures::Since(const ReadFigures& earlier) const {
  ReadFigures added;
  for (const Field& field : kFields) {
    if (this->*field.value < earlier.*field.value) return std::nullopt;
    added.*field.value = this->*field.value - earlier.*field.value;
  }
  return added;
}

std::string ReadFigures::Text() const {
  const uint64_t reads = gets + seeks;
  if (reads == 0) return "";
  char part[160];
  std::snprintf(part, sizeof(part), "blocks per read: %.2f from the cache, %.2f from files",
                Ratio(cache_blocks, reads), Ratio(file_blocks, reads));
  std::string text = part;
  if (gets > 0) {
    std::snprintf(part, sizeof(part), "; tables per get: %.2f", Ratio(tables_searched, gets));
    text += part;
  }
  if (filter_checks > 0) {
    std::snprintf(part, sizeof(part), "; false passes of filters: %.2f %%",
                  100 * Ratio(filter_false_passes, filter_checks));
    text += part;
  }
  if (seeks > 0) {
    std::snprintf(part, sizeof(part), "; per seek: %.1f steps, %.1f skipped entries",
                  Ratio(steps, seeks), Ratio(entries_skipped, seeks));
    text += part;
  }
  return text;
}

nlohmann::json ReadFigures::ToJson() const {
  nlohmann::json object;
  for (const Field& field : kFields) object[field.name] = this->*field.value;
  return object;
}

std::optional<ReadFigures> ParseReads(std::string_view stats) {
  const auto object = nlohmann::json::parse(stats, nullptr, /*allow_exceptions=*/false);
  if (!object.is_object() || !object.contains("reads")) return std::nullopt;
  const nlohmann::json& reads = object["reads"];
  const auto count = [&](const char* name) { return reads.value(name, uint64_t{0}); };
  ReadFigures figures;
  for (const Field& field : kFields) figures.*field.value = count(field.name);
  figures.gets = count("gets_found") + count("gets_not_found");
  figures.filter_checks = count("key_filter_checks") + count("filter_checks");
  return figures;
}

}  // namespace lull::bench
