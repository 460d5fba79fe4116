// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "db/report/layout_stats.h"

#include <algorithm>
#include <initializer_list>
#include <utility>

namespace lull {
namespace {

uint64_t OverlapBytes(const Version& version, const TableMeta& table) {
  const UserRange range{UserKeyOf(table.smallest).ToString(), UserKeyOf(table.largest).ToString()};
  uint64_t bytes = 0;
  for (const TableRef& below : version.Overlapping(2, range)) bytes += below->file_bytes();
  return bytes;
}

using Member = std::pair<const char*, uint64_t>;

std::string JsonObject(std::initializer_list<Member> members) {
  std::string text;
  for (const auto& [name, value] : members) {
    text += text.empty() ? "{\"" : ",\"";
    text += name;
    text += "\":" + std::to_string(value);
  }
  return text + "}";
}

std::string TablesJson(const LayoutFigures::Tables& tables) {
  return JsonObject(
      {{"count", tables.count}, {"bytes", tables.bytes}, {"overlap_bytes", tables.overlap_bytes}});
}

}  // namespace

void LayoutStats::OnCompaction(const CompactionPlan& plan, const std::vector<TableMeta>& outputs,
                               const Version& after, const LayoutOptions& layout) {
  LayoutFigures::Level& level = figures_.levels[plan.level];
  uint64_t upper_bytes = 0;
  for (const TableRef& table : plan.upper) upper_bytes += table->file_bytes();
  if (plan.trivial_move) {
    level.moves += plan.upper.size();
    level.moved_bytes += upper_bytes;
  } else {
    ++level.merges;
    level.upper_bytes += upper_bytes;
    level.lower_bytes += plan.input_bytes - upper_bytes;
    for (const TableMeta& table : outputs) level.written_bytes += table.file_bytes;
    width_bytes_ += plan.input_bytes;
    touched_[plan.level] = true;
  }
  if (plan.level == 0) {
    for (const TableMeta& table : outputs) {
      const uint64_t overlap = OverlapBytes(after, table);
      const bool is_good = static_cast<double>(overlap) <=
                           layout.growth_factor * static_cast<double>(table.file_bytes);
      LayoutFigures::Tables& tables = is_good ? figures_.good : figures_.poor;
      ++tables.count;
      tables.bytes += table.file_bytes;
      tables.overlap_bytes += overlap;
    }
  }
  if (plan.level == 1 && !plan.is_rewrite() && layout.kind == LayoutKind::kVsst) {
    ++(plan.least_bad ? figures_.picks_least_bad : figures_.picks_good);
  }
}

void LayoutStats::OnFlush(uint64_t memtables, uint64_t written_bytes) {
  LayoutFigures::Chains& chains = figures_.chains;
  ++chains.flushes;
  chains.memtables += memtables;
  chains.flushed_bytes += written_bytes;
  const uint64_t length = std::count(touched_.begin(), touched_.end(), true);
  if (length > 0) ++chains.chains;
  chains.width_bytes_sum += width_bytes_;
  chains.width_bytes_max = std::max(chains.width_bytes_max, width_bytes_);
  chains.length_sum += length;
  chains.length_max = std::max(chains.length_max, length);
  width_bytes_ = 0;
  touched_.fill(false);
}

std::string LayoutJson(const LayoutFigures& figures, const LayoutOptions& layout) {
  const bool vsst = layout.kind == LayoutKind::kVsst;
  std::string text = "{\"layout\":\"" + LayoutNames()[vsst ? 1 : 0] + "\",\"options\":";
  text += JsonObject({{"table_bytes_max", layout.table_bytes_max},
                      {"growth_factor", static_cast<uint64_t>(layout.growth_factor)},
                      {"vsst_phi", static_cast<uint64_t>(layout.vsst_phi)},
                      {"pick_by_overlap", layout.pick_by_overlap ? 1 : 0},
                      {"align_outputs", layout.align_outputs ? 1 : 0}});
  text += ",\"levels\":[";
  for (int i = 0; i + 1 < kLevels; ++i) {
    const LayoutFigures::Level& level = figures.levels[i];
    if (i > 0) text += ',';
    text += JsonObject({{"from", static_cast<uint64_t>(i)},
                        {"merges", level.merges},
                        {"moves", level.moves},
                        {"moved_bytes", level.moved_bytes},
                        {"upper_bytes", level.upper_bytes},
                        {"lower_bytes", level.lower_bytes},
                        {"written_bytes", level.written_bytes}});
  }
  const LayoutFigures::Chains& chains = figures.chains;
  text += "],\"chains\":" + JsonObject({{"flushes", chains.flushes},
                                        {"memtables", chains.memtables},
                                        {"flushed_bytes", chains.flushed_bytes},
                                        {"chains", chains.chains},
                                        {"width_bytes_sum", chains.width_bytes_sum},
                                        {"width_bytes_max", chains.width_bytes_max},
                                        {"length_sum", chains.length_sum},
                                        {"length_max", chains.length_max}});
  text += ",\"l1_tables\":{\"good\":" + TablesJson(figures.good) +
          ",\"poor\":" + TablesJson(figures.poor) + "}";
  text += ",\"l1_picks\":" +
          JsonObject({{"good", figures.picks_good}, {"least_bad", figures.picks_least_bad}});
  return text + "}";
}

}  // namespace lull
