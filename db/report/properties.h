// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// The texts of LevelDB's properties, identical to LevelDB 1.23, so that programs that parse them
// keep working. Pure functions of plain values; any thread.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "db/base/dbformat.h"
#include "db/version/version.h"
#include "leveldb/slice.h"

namespace lull {

/// Costs of compactions into a level since the open.
struct LevelStats {
  uint64_t micros = 0;
  uint64_t bytes_read = 0;
  uint64_t bytes_written = 0;
};

struct PropertySource {
  const Version* version = nullptr;  ///< never null
  std::array<LevelStats, kLevels> stats{};
  uint64_t memory_bytes = 0;  ///< all memtables and the block cache
};

/// Returns false, with an empty `out`, if the name is not one of LevelDB's.
bool RenderProperty(const leveldb::Slice& property, const PropertySource& source, std::string* out);

}  // namespace lull
