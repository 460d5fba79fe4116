// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Reads a store's files without opening the store or taking its LOCK.
#pragma once

#include <string>

#include "db/base/context.h"
#include "db/version/manifest.h"
#include "leveldb/status.h"

namespace lull::tools {

struct InspectedStore {
  explicit InspectedStore(const leveldb::Options& options = leveldb::Options())
      : context(options) {}

  StoreContext context;
  ManifestState manifest;
};

/// The size of all table files in a directory, which can be missing.
uint64_t TableBytesIn(const std::string& directory);

/// Reads the MANIFEST of the store in directory `directory`.
leveldb::Status Inspect(const std::string& directory, InspectedStore* store);

}  // namespace lull::tools
