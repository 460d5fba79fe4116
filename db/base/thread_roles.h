// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// The roles of a store's threads. In each store, at most one thread at a time has a role. The
// thread that opens or closes the store has both.
#pragma once

#include "util/thread_role.h"

namespace lull {

/// The client thread that leads the writers' queue (db/engine/writers_queue.h).
inline constexpr ThreadRole kLeadingWriter{};
/// The thread that runs the store's flush slices (scheduler/threads/flush_thread.h).
inline constexpr ThreadRole kFlushThread{};

}  // namespace lull
