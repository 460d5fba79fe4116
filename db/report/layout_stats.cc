// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "db/report/layout_stats.h"

#include <algorithm>
#include <initializer_list>
#include <utility>
#include <vector>

#include "db/compaction/planner.h"
#include "util/json_tree.h"

namespace lull {
namespace {

/// The tables of L2 that `table` overlaps.
std::vector<TableRef> BelowL1(const Version& version, const TableMeta& table) {
  return version.Overlapping(
      2, {UserKeyOf(table.smallest).ToString(), UserKeyOf(table.largest).ToString()});
}

}  // namespace

void LayoutStats::Merges::Add(int level, uint64_t input_bytes) {
  ++count;
  width_bytes += input_bytes;
  levels[level] = true;
}

void LayoutStats::Merges::End(LayoutFigures::Chains* chains) {
  if (count == 0) return;
  const uint64_t length = std::count(levels.begin(), levels.end(), true);
  ++chains->chains;
  chains->merges_sum += count;
  chains->merges_max = std::max(chains->merges_max, count);
  chains->width_bytes_sum += width_bytes;
  chains->width_bytes_max = std::max(chains->width_bytes_max, width_bytes);
  chains->length_sum += length;
  chains->length_max = std::max(chains->length_max, length);
  *this = {};
}

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
    chain_.Add(plan.level, plan.input_bytes);
    since_flush_.Add(plan.level, plan.input_bytes);
  }
  if (plan.level == 0) {
    chain_.End(&figures_.chains);
    for (const TableMeta& table : outputs) {
      const std::vector<TableRef> below = BelowL1(after, table);
      const uint64_t overlap = SumBytes(below);
      if (below.size() <= static_cast<size_t>(layout.growth_factor)) ++figures_.over_few_tables;
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
  ++figures_.flushes.count;
  figures_.flushes.memtables += memtables;
  figures_.flushes.written_bytes += written_bytes;
  since_flush_.End(&figures_.between_flushes);
}

std::string LayoutJson(const LayoutFigures& figures, const LayoutOptions& layout) {
  JsonTree json;
  const auto set_all = [&](const std::string& path,
                           std::initializer_list<std::pair<const char*, uint64_t>> members) {
    for (const auto& [name, value] : members) json.Set(path + "." + name, value);
  };
  json.Set("layout", LayoutNames()[layout.kind == LayoutKind::kVsst ? 1 : 0]);
  set_all("options", {{"table_bytes_max", layout.table_bytes_max},
                      {"growth_factor", static_cast<uint64_t>(layout.growth_factor)},
                      {"vsst_phi", static_cast<uint64_t>(layout.vsst_phi)},
                      {"vsst_l0_tables_max", static_cast<uint64_t>(layout.vsst_l0_tables_max)},
                      {"pick_by_overlap", layout.pick_by_overlap ? 1 : 0},
                      {"align_outputs", layout.align_outputs ? 1 : 0}});
  for (size_t i = 0; i + 1 < kLevels; ++i) {
    const LayoutFigures::Level& level = figures.levels[i];
    set_all("levels." + std::to_string(i), {{"from", i},
                                            {"merges", level.merges},
                                            {"moves", level.moves},
                                            {"moved_bytes", level.moved_bytes},
                                            {"upper_bytes", level.upper_bytes},
                                            {"lower_bytes", level.lower_bytes},
                                            {"written_bytes", level.written_bytes}});
  }
  set_all("flushes", {{"count", figures.flushes.count},
                      {"memtables", figures.flushes.memtables},
                      {"written_bytes", figures.flushes.written_bytes}});
  const auto set_chains = [&](const char* path, const LayoutFigures::Chains& chains) {
    set_all(path, {{"chains", chains.chains},
                   {"merges_sum", chains.merges_sum},
                   {"merges_max", chains.merges_max},
                   {"width_bytes_sum", chains.width_bytes_sum},
                   {"width_bytes_max", chains.width_bytes_max},
                   {"length_sum", chains.length_sum},
                   {"length_max", chains.length_max}});
  };
  set_chains("chains", figures.chains);
  set_chains("between_flushes", figures.between_flushes);
  const auto set_tables = [&](const char* path, const LayoutFigures::Tables& tables) {
    set_all(path, {{"count", tables.count},
                   {"bytes", tables.bytes},
                   {"overlap_bytes", tables.overlap_bytes}});
  };
  set_tables("l1_tables.good", figures.good);
  set_tables("l1_tables.poor", figures.poor);
  json.Set("l1_tables.over_few", figures.over_few_tables);
  set_all("l1_picks", {{"good", figures.picks_good}, {"least_bad", figures.picks_least_bad}});
  return json.Text();
}

}  // namespace lull
