// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Finds a Lull object by a pointer to its public base class. dynamic_cast cannot: it crashes on
// objects of classes compiled with -fno-rtti, as subclasses in LevelDB programs often are. Objects
// add themselves in their constructor and remove themselves in their destructor. Thread-safe, but
// the caller must keep a found object alive.
#pragma once

#include <map>

#include "util/mutex.h"

namespace lull {

template <class Base, class Own>
class Registry {
 public:
  /// Never destroyed: objects in static storage can outlive everything else.
  static Registry& Get() {
    static Registry* const registry = new Registry;
    return *registry;
  }

  void Add(const Base* base, Own* own) LULL_EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    objects_[base] = own;
  }

  void Remove(const Base* base) LULL_EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    objects_.erase(base);
  }

  /// Null if `base` is null or not registered.
  Own* Find(const Base* base) LULL_EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    const auto found = objects_.find(base);
    return found == objects_.end() ? nullptr : found->second;
  }

 private:
  Mutex mutex_;
  std::map<const Base*, Own*> objects_ LULL_GUARDED_BY(mutex_);
};

}  // namespace lull
