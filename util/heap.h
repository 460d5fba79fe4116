// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Gives memory that the heap has free back to the system.
#pragma once

#include <cstdlib>
#if defined(__GLIBC__)
#include <malloc.h>
#endif

namespace lull {

/// Returns the free pages of the process's heap to the system. Freeing does so only at the end of
/// an arena: after heavy compactions, tens of megabytes can stay behind. Takes about a millisecond,
/// during which threads that share an arena wait for malloc. Without glibc it does nothing.
inline void ReturnFreeHeap() {
#if defined(__GLIBC__)
  malloc_trim(0);
#endif
}

}  // namespace lull
