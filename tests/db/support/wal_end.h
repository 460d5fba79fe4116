// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// How a WAL with given bytes ends.
#pragma once

#include <memory>
#include <string>

#include "db/wal/wal_reader.h"
#include "tests/db/support/memory_files.h"

namespace lull::testing {

inline log::LogEnd EndOfWal(const std::string& bytes) {
  WalReader reader(std::make_unique<MemorySequential>(bytes), "log");
  leveldb::Slice record;
  while (reader.ReadRecord(&record)) {
  }
  return reader.end();
}

}  // namespace lull::testing
