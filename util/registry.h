// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Finds our own object by a pointer to its public base class. A dynamic_cast cannot: it crashes on
// an object of a class that was compiled with -fno-rtti, as LevelDB's users compile subclasses.
// Objects add themselves in their constructor and remove themselves in their destructor.
// Thread-safe.
#pragma once

#include <map>

#include "util/mutex.h"

namespace lull {

template <class Base, class Own>
class Registry {
 public:
  /// Never destroyed: objects in static storage may outlive everything else.
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

  /// Null if `base` is null or not one of ours.
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
