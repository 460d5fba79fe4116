// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// What is asked of a store without its mutex, on paths that must not wait for it. Each value is
// published by the part that knows it, under the mutex; a reader may see the one from before.
#pragma once

#include <atomic>

namespace lull {

struct StoreGates {
  /// The leading writer must ask StoreHealth before it appends. By StoreHealth.
  std::atomic<bool> refuses_writes{false};
  /// Files that the MANIFEST no longer needs may be deleted. By StoreHealth.
  std::atomic<bool> may_delete{false};
  /// Edits may be appended to the MANIFEST, so memtables may be flushed. By StoreHealth; changes on
  /// the flush thread only, which therefore sees the present value.
  std::atomic<bool> may_install{true};
  /// Sealed memtables that are not yet in tables. By MemTables.
  std::atomic<int> immutables{0};
};

}  // namespace lull
