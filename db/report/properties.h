// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// The text of LevelDB's properties, byte for byte as LevelDB 1.23 writes it, so that programs that
// parse it keep working. Pure functions of a plain value, which DB::GetProperty fills under the
// store's lock; any thread.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "db/dbformat.h"
#include "db/version/version.h"
#include "leveldb/slice.h"

namespace lull {

/// What compactions into a level cost since the store was opened.
struct LevelStats {
  uint64_t micros = 0;
  uint64_t bytes_read = 0;
  uint64_t bytes_written = 0;
};

struct PropertySource {
  const Version* version = nullptr;  ///< never null
  std::array<LevelStats, kLevels> stats{};
  uint64_t memory_bytes = 0;  ///< of all memtables and the block cache
};

/// False, and `out` empty, for a name that is not LevelDB's.
bool RenderProperty(const leveldb::Slice& property, const PropertySource& source, std::string* out);

}  // namespace lull
