// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// The LRU cache of NewLRUCache with a capacity that can change, and with a rule for what is worth
// inserting. Thread-safe.
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

  /// Lookup that also says, if it finds nothing, whether the object should be inserted. A full
  /// cache admits only objects that were missed twice within about as many misses as it has
  /// entries. So neither a scan nor random reads of far more than fits replace what is read again,
  /// or pay for an insertion and an eviction each.
  virtual Handle* LookupOrAdmit(const leveldb::Slice& key, bool* admits) = 0;
};

std::unique_ptr<ResizableCache> NewResizableCache(size_t capacity);

}  // namespace lull
