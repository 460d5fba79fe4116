// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// ThreadRole: what a thread acts as, such as a store's flush thread, as a capability of clang's
// thread-safety analysis. Functions with LULL_REQUIRES(role) and fields with LULL_GUARDED_BY(role)
// are only for code that has the role. The compiler checks that; nothing happens at run time.
#pragma once

#include "util/thread_annotations.h"

namespace lull {

class LULL_CAPABILITY("role") ThreadRole {};

/// States that this thread has the role until the end of the scope. Only for code that makes it
/// true: the body of a thread, the winner of a queue, or an owner that no other thread can reach.
class LULL_SCOPED_CAPABILITY RoleScope {
 public:
  explicit RoleScope(const ThreadRole& role) LULL_ACQUIRE(role) { (void)role; }
  ~RoleScope() LULL_RELEASE() {}
  RoleScope(const RoleScope&) = delete;
  RoleScope& operator=(const RoleScope&) = delete;
};

}  // namespace lull
