// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// An object shared by all stores of a process. The first store that needs it creates it; releasing
// the last reference destroys it. A forked child creates a new one.
#pragma once

#include <memory>
#include <utility>

#include "leveldb/status.h"
#include "util/fork.h"
#include "util/mutex.h"

namespace lull {

/// For static storage. Thread-safe.
template <class T>
class SharedInProcess {
 public:
  /// `make` takes a std::shared_ptr<T>* and returns a Status. It is called only if no T exists; if
  /// it fails, still none exists.
  template <class Make>
  leveldb::Status Get(Make make, std::shared_ptr<T>* result) {
    Slot& slot = slots_.Get();
    MutexLock lock(slot.mutex);
    *result = slot.shared.lock();
    if (*result != nullptr) return leveldb::Status::OK();
    std::shared_ptr<T> made;
    leveldb::Status status = make(&made);
    if (!status.ok()) return status;
    slot.shared = made;
    *result = std::move(made);
    return status;
  }

 private:
  struct Slot {
    Mutex mutex;
    std::weak_ptr<T> shared LULL_GUARDED_BY(mutex);
  };
  PerProcess<Slot> slots_;
};

}  // namespace lull
