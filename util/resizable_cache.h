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

  /// To call after a Lookup that found nothing: returns true if the object should be inserted. A
  /// full cache wants only objects that were missed twice within about as many misses as it has
  /// entries. So a scan, or random reads of far more than fits, do not replace what is read again,
  /// nor pay for an insertion and an eviction each.
  virtual bool Admits(const leveldb::Slice& key) = 0;
};

std::unique_ptr<ResizableCache> NewResizableCache(size_t capacity);

}  // namespace lull
