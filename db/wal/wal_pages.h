// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// WalPages: which WALs have mapped pages. Mapped pages count as memory of the process; the contents
// of dropped ones stay in the page cache.
//
// Threads: the flush thread loads and drops pages. The leading writer announces sealed WALs. The
// mutex is never held during I/O, and no other mutex is taken under it.
//
// Invariant: at most one sealed WAL has pages. The flush thread drops them; if it is late, for
// example in a long sync, the leading writer drops those of the next one itself.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "db/base/thread_roles.h"
#include "db/wal/wal_files.h"
#include "util/memory_charge.h"
#include "util/mutex.h"

namespace lull {

class WalPages {
 public:
  /// Call after `wal` has become a sealed one. Weak, since the flush thread can release it
  /// meanwhile, and must then close its file.
  void Sealed(const std::weak_ptr<WalFile>& wal) LULL_REQUIRES(kLeadingWriter)
      LULL_EXCLUDES(mutex_);
  /// Drops the pages of a sealed WAL, and faults in those of the next prepared ones.
  void Tend(WalFiles* files) LULL_REQUIRES(kFlushThread) LULL_EXCLUDES(mutex_);
  /// In a lull: drops the pages of prepared WALs except the next one, and the written pages of the
  /// current one (or null). Until the next Switch, Tend loads no others.
  void DropInLull(WalFiles* files, WalFile* current) LULL_REQUIRES(kFlushThread);

  /// Memory of mapped WALs, in bytes. Any thread.
  uint64_t memory_bytes() const { return memory_bytes_.load(std::memory_order_relaxed); }
  MemoryCounter* counter() { return &memory_bytes_; }

 private:
  // A faster writer faults in further ones itself.
  static constexpr size_t kLoadedMax = 2;

  WalRef TakeSealed() LULL_EXCLUDES(mutex_);

  size_t loaded_max_ LULL_GUARDED_BY(kFlushThread) = kLoadedMax;  // prepared WALs to fault in
  MemoryCounter memory_bytes_{0};
  Mutex mutex_;
  // The sealed WAL whose pages the flush thread will drop.
  std::weak_ptr<WalFile> sealed_ LULL_GUARDED_BY(mutex_);
};

}  // namespace lull
