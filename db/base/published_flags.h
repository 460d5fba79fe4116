// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// PublishedFlags: the parts of a store's state that are read without its mutex, on paths that must
// not wait for it. The part that owns a value publishes it under the mutex. A reader can see the
// previous value.
#pragma once

#include <atomic>

namespace lull {

struct PublishedFlags {
  /// The leading writer must ask StoreHealth before it appends. Set by StoreHealth.
  std::atomic<bool> refuses_writes{false};
  /// From StoreHealth::Opened to Closing. A table that no Version lists then is obsolete.
  std::atomic<bool> is_open{false};
  /// Edits can be appended to the MANIFEST, so memtables can be flushed. Set by StoreHealth, on the
  /// flush thread only, so the flush thread always sees the current value.
  std::atomic<bool> may_install{true};
  /// Count of sealed memtables that are not yet in tables. Set by MemTables.
  std::atomic<int> immutables{0};

  /// Whether files that the MANIFEST no longer needs can be deleted.
  bool MayDelete() const {
    return is_open.load(std::memory_order_acquire) && may_install.load(std::memory_order_acquire);
  }
};

}  // namespace lull
