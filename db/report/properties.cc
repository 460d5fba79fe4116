// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "db/report/properties.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "util/logging.h"

namespace lull {
namespace {

constexpr std::string_view kFilesAtLevel = "num-files-at-level";

std::string StatsText(const PropertySource& source) {
  constexpr double kMiB = 1 << 20;
  std::string text = std::string(31, ' ') + "Compactions\n";
  text += "Level  Files Size(MB) Time(sec) Read(MB) Write(MB)\n";
  text += std::string(50, '-') + "\n";
  for (int level = 0; level < kLevels; ++level) {
    const int files = source.version->TableCount(level);
    const LevelStats& stats = source.stats[level];
    if (files == 0 && stats.micros == 0) continue;
    // Columns have a fixed width; larger numbers widen them.
    text += Format("%3d %8d %8.0f %9.0f %8.0f %9.0f\n", level, files,
                   static_cast<double>(source.version->LevelBytes(level)) / kMiB,
                   static_cast<double>(stats.micros) / 1e6,
                   static_cast<double>(stats.bytes_read) / kMiB,
                   static_cast<double>(stats.bytes_written) / kMiB);
  }
  return text;
}

/// A level's tables in the order of LevelDB's listing: by smallest key, in L0 too.
std::vector<const TableFile*> InKeyOrder(const Version& version, int level) {
  std::vector<const TableFile*> tables;
  for (const TableRef& table : version.level(level)) tables.push_back(table.get());
  std::stable_sort(tables.begin(), tables.end(), [&](const TableFile* a, const TableFile* b) {
    const int order = version.order().Compare(a->smallest(), b->smallest());
    return order != 0 ? order < 0 : a->number() < b->number();
  });
  return tables;
}

std::string TablesText(const Version& version) {
  std::string text;
  for (int level = 0; level < kLevels; ++level) {
    text += "--- level " + std::to_string(level) + " ---\n";
    for (const TableFile* table : InKeyOrder(version, level)) {
      text += " " + std::to_string(table->number()) + ":" + std::to_string(table->file_bytes());
      text += "[" + KeyText(table->smallest()) + " .. " + KeyText(table->largest()) + "]\n";
    }
  }
  return text;
}

/// `digits`: the rest of the property's name. Leading zeros are ignored.
bool FilesAtLevel(leveldb::Slice digits, const Version& version, std::string* out) {
  uint64_t level = 0;
  if (!ConsumeDecimal(&digits, &level) || !digits.empty() || level >= kLevels) return false;
  *out = std::to_string(version.TableCount(static_cast<int>(level)));
  return true;
}

}  // namespace

bool RenderProperty(const leveldb::Slice& property, const PropertySource& source,
                    std::string* out) {
  out->clear();
  constexpr std::string_view kPrefix = "leveldb.";
  std::string_view name(property.data(), property.size());
  if (!name.starts_with(kPrefix)) return false;
  name.remove_prefix(kPrefix.size());
  if (name.starts_with(kFilesAtLevel)) {
    name.remove_prefix(kFilesAtLevel.size());
    return FilesAtLevel({name.data(), name.size()}, *source.version, out);
  }
  if (name == "stats") {
    *out = StatsText(source);
  } else if (name == "sstables") {
    *out = TablesText(*source.version);
  } else if (name == "approximate-memory-usage") {
    *out = std::to_string(source.memory_bytes);
  } else {
    return false;
  }
  return true;
}

}  // namespace lull
