// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// The roles of a store's threads, as capabilities of clang's thread-safety analysis. Functions with
// LULL_REQUIRES(role) and fields with LULL_GUARDED_BY(role) are only for code that has the role.
// The compiler checks that; nothing happens at run time. In each store, at most one thread at a
// time has a role. The thread that opens or closes the store has both.
#pragma once

#include "util/thread_annotations.h"

namespace lull {

class LULL_CAPABILITY("role") ThreadRole {};

/// The client thread that leads the writers' queue (db/engine/writers_queue.h).
inline constexpr ThreadRole kLeadingWriter{};
/// The thread that runs the store's flush slices (scheduler/threads/flush_thread.h).
inline constexpr ThreadRole kFlushThread{};

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
