// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "db/base/layout_options.h"

#include <algorithm>
#include <limits>

#include "db/base/option_values.h"
#include "leveldb/options.h"
#include "scheduler/policy.h"

namespace lull {
namespace {

// The values used in the evaluation of vLSM. Two differ (docs/research/papers/vlsm.md). Φ is 32
// there and 8 here, so that compactions write a third less and chains are a third narrower. An L0
// job takes one table there and up to four here: it rewrites all of L1 that it overlaps, so four at
// once rewrite a quarter as much for each of them.
constexpr double kVsstGrowthFactor = 8;
constexpr uint64_t kVsstTableBytes = 8u << 20;

constexpr uint64_t kGrownTableBytesMax = 64u << 20;
// Larger tables overlap fewer tables of the next level, so this smaller limit causes few short
// tables. With the default limit, compactions would write 5 % more.
constexpr int kGrownOverlapTablesMax = 5;

/// If an L0 job takes only a part of L0, it can rewrite all of L1. So L1 holds no more than that
/// part, and no more than a level's usual multiple of what is above it: a table of L0, into which
/// policies that let L0 grow flush a few memtables. A larger L1 saves a level.
uint64_t L1BytesTarget(const PolicyOptions& policy, double growth_factor) {
  constexpr double kMemtablesPerFlush = 4;
  const auto multiple = static_cast<uint64_t>(growth_factor * kMemtablesPerFlush *
                                              static_cast<double>(policy.memtable_bytes));
  return std::max(LayoutOptions().l1_bytes_target, std::min(multiple, policy.l0_job_bytes_max));
}

bool IsVsst(const OptionValues& options) { return options.layout == LayoutNames()[1]; }

}  // namespace

const std::vector<std::string>& LayoutNames() {
  static const auto& names = *new std::vector<std::string>{"leveled", "vsst"};
  return names;
}

uint64_t LayoutOptions::TableBytesMin() const {
  return static_cast<uint64_t>(static_cast<double>(table_bytes_max) / growth_factor);
}

void LayoutOptions::Follow(const PolicyOptions& policy) {
  l0_trigger = policy.l0_trigger;
  l0_job_bytes_max = policy.l0_job_bytes_max;
  l1_bytes_target = L1BytesTarget(policy, growth_factor);
}

std::array<uint64_t, kLevels> LevelTargets(const LayoutOptions& layout) {
  constexpr uint64_t kUnlimited = std::numeric_limits<uint64_t>::max();
  const bool vsst = layout.kind == LayoutKind::kVsst;
  std::array<uint64_t, kLevels> targets{};
  double bytes = vsst ? layout.growth_factor * static_cast<double>(layout.table_bytes_max)
                      : static_cast<double>(layout.l1_bytes_target);
  for (int level = 1; level + 1 < kLevels; ++level) {
    // 2^63 exceeds any disk, and converts safely.
    targets[level] = bytes < 0x1p63 ? static_cast<uint64_t>(bytes) : kUnlimited;
    bytes *= vsst && level == 1 ? layout.vsst_phi : layout.growth_factor;
  }
  targets[kLevels - 1] = kUnlimited;
  return targets;
}

uint64_t TableBytesAt(const LayoutOptions& layout, int level) {
  const uint64_t base = layout.table_bytes_max;
  if (!layout.tables_grow) return base;
  return std::clamp(base << (level - 1), base, std::max(base, kGrownTableBytesMax));
}

uint64_t TableBytesMax(const OptionValues& options, uint64_t max_file_size) {
  if (options.table_bytes_max != 0) return options.table_bytes_max;
  return IsVsst(options) ? kVsstTableBytes : max_file_size;
}

LayoutOptions ResolveLayoutOptions(const OptionValues& options, const PolicyOptions& policy,
                                   uint64_t max_file_size) {
  LayoutOptions layout;
  const bool vsst = IsVsst(options);
  if (vsst) layout.kind = LayoutKind::kVsst;
  if (vsst) layout.growth_factor = kVsstGrowthFactor;
  if (options.growth_factor != 0) layout.growth_factor = options.growth_factor;
  layout.Follow(policy);
  layout.vsst_phi = options.vsst_phi;
  layout.vsst_l0_tables_max = options.vsst_l0_tables_max;
  layout.table_bytes_max = TableBytesMax(options, max_file_size);
  // A size that the user sets applies to all levels.
  layout.tables_grow =
      !vsst && options.table_bytes_max == 0 && max_file_size == leveldb::Options().max_file_size;
  if (layout.tables_grow) layout.grandparent_overlap_tables_max = kGrownOverlapTablesMax;
  layout.pick_by_overlap = options.pick_by_overlap;
  layout.align_outputs = options.align_outputs;
  return layout;
}

}  // namespace lull
