// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Gives memory that the heap has free back to the system.
#pragma once

#include <cstdlib>
#if defined(__GLIBC__)
#include <malloc.h>
#endif

namespace lull {

/// Returns the free pages of the process's heap to the system. free() returns only memory at the
/// end of an arena: after many compactions, the heap can keep tens of megabytes. Takes about a
/// millisecond, during which threads that share an arena wait for malloc. Does nothing without
/// glibc.
inline void ReturnFreeHeap() {
#if defined(__GLIBC__)
  malloc_trim(0);
#endif
}

}  // namespace lull
