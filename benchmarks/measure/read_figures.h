// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// What reads did, as Lull counts it. Plain values; any thread.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace lull::bench {

struct ReadFigures {
  uint64_t gets = 0;
  uint64_t gets_found = 0;
  uint64_t tables_searched = 0;  // by gets
  uint64_t seeks = 0;
  uint64_t steps = 0;
  uint64_t entries_skipped = 0;  // by iterators
  uint64_t cache_blocks = 0;
  uint64_t file_blocks = 0;
  uint64_t file_block_bytes = 0;
  uint64_t filter_checks = 0;
  uint64_t filter_false_passes = 0;

  // nullopt if `earlier` is not an earlier state of the same open store.
  std::optional<ReadFigures> Since(const ReadFigures& earlier) const;
  // One line without its end; empty if there were no reads.
  std::string Text() const;
  nlohmann::json ToJson() const;
};

// `stats` is the property lull.stats; nullopt if it has no such figures.
std::optional<ReadFigures> ParseReads(std::string_view stats);

}  // namespace lull::bench
