// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Compactions that free space. Candidates are all tables of L0 together, and each deeper table. A
// candidate's deletions, and a share of its values, hide entries of the next level with tables in
// its range. How much that frees is an estimate from counts of entries: most deletions hide one
// entry each. If no deeper level has tables in the range, the deletions themselves can go. Old
// deletions make a table a candidate whatever it frees.
//
// Each pick moves its tables down, or drops the deletions of a table of the last level, which a
// snapshot has kept. So picks come to an end.
#include <algorithm>
#include <utility>

#include "db/compaction/picker.h"
#include "db/compaction/planner.h"

namespace lull {
namespace {

using Tables = Planner::Tables;

// A compaction must free this share of the bytes that it rewrites, and at least so many bytes.
constexpr double kShareMin = 0.25;
constexpr double kFreedBytesMin = 128 << 10;
// Overwritten values are only an estimate, and a level is compacted anyway once it is full. So they
// count from this share of all tables on.
constexpr double kOverwrittenMin = 0.25;

struct Candidate {
  double share = 0;  // bytes to free for each byte to rewrite
  int level = 0;
  Tables upper;
};

/// TableSpace, in floating point.
struct Sum {
  explicit Sum(const Tables& tables) {
    TableSpace space;
    space.Add(tables);
    values = static_cast<double>(space.values);
    deletions = static_cast<double>(space.deletions);
    unknown_bytes = static_cast<double>(space.unknown_bytes);
    bytes = static_cast<double>(space.known_bytes) + unknown_bytes;
  }

  double values, deletions, unknown_bytes, bytes;
};

/// The tables of the next level below `level` that has any in `range`.
Tables NextBelow(const Version& version, int level, const UserRange& range) {
  for (int below = level + 1; below < kLevels; ++below) {
    Tables tables = version.Overlapping(below, range);
    if (!tables.empty()) return tables;
  }
  return {};
}

/// How many bytes a compaction of `upper` would free for each byte that it would rewrite; 0 if it
/// would free too few.
double ShareFreed(const Version& version, int level, const Tables& upper, double overwrite_share) {
  const Sum own(upper);
  const Sum below(NextBelow(version, level, RangeOf(version.order(), upper)));
  const double entries = own.values + own.deletions;
  // Tables of L0 also hide entries of each other.
  double values = level == 0 ? own.values : 0;
  double value_bytes = values > 0 ? own.bytes : 0;
  // Entries of unknown tables are taken to be as large as here.
  values += below.values + below.unknown_bytes * entries / own.bytes;
  value_bytes += below.bytes;
  const double hiding = own.deletions + overwrite_share * own.values;
  double freed = 0;
  if (value_bytes == 0) {
    freed = own.bytes * own.deletions / entries;
  } else if (values > 0) {
    freed = value_bytes * std::min(hiding / values, 1.0);
  }
  return freed < kFreedBytesMin ? 0 : freed / (own.bytes + below.bytes);
}

bool HasAny(const OldDeletions& old, const Tables& tables) {
  return std::any_of(tables.begin(), tables.end(), [&](const TableRef& table) {
    return table->contents.deletions > 0 && old.Include(table->contents.deletions_since);
  });
}

bool IsMuchOverwritten(const Version& version, double overwrite_share) {
  if (overwrite_share == 0) return false;
  const TableSpace space = SpaceOf(version);
  return static_cast<double>(space.OverwrittenBytes(overwrite_share)) >=
         kOverwrittenMin * static_cast<double>(space.known_bytes);
}

class Candidates {
 public:
  Candidates(const Version& version, const ReclaimRule& rule) : version_(version), rule_(rule) {
    Consider(0, version.level(0));
    for (int level = 1; level < kLevels; ++level) {
      for (const TableRef& table : version.level(level)) Consider(level, {table});
    }
    std::stable_sort(found_.begin(), found_.end(),
                     [](const auto& a, const auto& b) { return a.share > b.share; });
  }

  const std::vector<Candidate>& best_first() const { return found_; }

 private:
  void Consider(int level, Tables upper) {
    if (upper.empty()) return;
    bool hides = rule_.overwrite_share > 0;
    for (const TableRef& table : upper) {
      if (table->contents.newest_deletion > rule_.oldest_snapshot) return;
      hides = hides || table->contents.deletions > 0;
    }
    if (HasAny(rule_.old, upper)) {
      found_.push_back({1, level, std::move(upper)});
      return;
    }
    if (!hides || rule_.only_old || level + 1 == kLevels) return;
    const double share = ShareFreed(version_, level, upper, rule_.overwrite_share);
    if (share >= kShareMin) found_.push_back({share, level, std::move(upper)});
  }

  const Version& version_;
  const ReclaimRule& rule_;
  std::vector<Candidate> found_;
};

}  // namespace

uint64_t TableSpace::HiddenBytes(uint64_t more) const {
  const auto hidden = static_cast<double>(std::min(deletions + more, values));
  return values == 0 ? 0
                     : static_cast<uint64_t>(static_cast<double>(known_bytes) * hidden /
                                             static_cast<double>(values));
}

uint64_t TableSpace::OverwrittenBytes(double overwrite_share) const {
  if (values == 0) return 0;
  const double share =
      overwrite_share * static_cast<double>(upper_values) / static_cast<double>(values);
  return static_cast<uint64_t>(static_cast<double>(known_bytes - HiddenBytes()) * share);
}

void TableSpace::Add(const TableFile& table) {
  const TableContents& contents = table.contents;
  (contents.entries == 0 ? unknown_bytes : known_bytes) += table.file_bytes();
  values += contents.entries - contents.deletions;
  deletions += contents.deletions;
}

TableSpace SpaceOf(const Version& version) {
  TableSpace space;
  const int deepest = version.DeepestLevel();
  for (int level = 0; level < kLevels; ++level) {
    // Tables of L0 hide values of each other.
    if (level == deepest && level > 0) space.upper_values = space.values;
    space.Add(version.level(level));
  }
  if (deepest == 0) space.upper_values = space.values;
  return space;
}

uint64_t HiddenBytesKept(const Version& version, SequenceNumber oldest_snapshot) {
  const TableSpace all = SpaceOf(version);
  TableSpace freeable = all;
  for (int level = 0; level < kLevels; ++level) {
    for (const TableRef& table : version.level(level)) {
      if (table->contents.newest_deletion > oldest_snapshot)
        freeable.deletions -= table->contents.deletions;
    }
  }
  return all.HiddenBytes() - freeable.HiddenBytes();
}

std::array<TableSpace, kLevels> SpaceByLevel(const Version& version) {
  std::array<TableSpace, kLevels> levels{};
  for (int level = 0; level < kLevels; ++level) levels[level].Add(version.level(level));
  return levels;
}

std::array<uint64_t, kLevels> HiddenByLevel(const std::array<TableSpace, kLevels>& levels) {
  std::array<uint64_t, kLevels> hidden{};
  uint64_t deletions = levels[0].deletions;
  for (int level = 0; level < kLevels; ++level) {
    TableSpace space = levels[level];
    space.deletions = std::min(deletions, space.values);
    hidden[level] = space.HiddenBytes();
    deletions -= space.deletions;
    if (level > 0) deletions += levels[level].deletions;
  }
  return hidden;
}

bool IsFlushToReclaimDue(const TableSpace& space, uint64_t deletions) {
  if (deletions == 0 || space.unknown_bytes > 0) return false;
  const auto hidden = static_cast<double>(space.HiddenBytes(deletions));
  return hidden >= kFreedBytesMin && hidden >= kShareMin * static_cast<double>(space.known_bytes);
}

std::optional<CompactionPlan> PickReclaim(const Version& version,
                                          const std::vector<RunningRange>& running,
                                          const LayoutOptions& layout, const ReclaimRule& rule,
                                          const OutputLimit& limit) {
  const Planner planner(version, running, layout, limit);
  ReclaimRule used = rule;
  if (!IsMuchOverwritten(version, rule.overwrite_share)) used.overwrite_share = 0;
  const Candidates candidates(version, used);
  for (const Candidate& candidate : candidates.best_first()) {
    Tables upper = candidate.upper;
    planner.AddSplitKeys(candidate.level, &upper);
    auto plan = candidate.level + 1 == kLevels
                    ? planner.Rewrite(candidate.level, std::move(upper))
                    : planner.Complete(candidate.level, std::move(upper), /*widen=*/false);
    if (!plan) continue;
    // A move would keep the deletions, and here nothing below needs them.
    const UserRange range{plan->range.smallest_user, plan->range.largest_user};
    if (NextBelow(version, candidate.level, range).empty() && !planner.MakeMerge(&*plan)) continue;
    plan->reclaims = true;
    return plan;
  }
  return std::nullopt;
}

}  // namespace lull
