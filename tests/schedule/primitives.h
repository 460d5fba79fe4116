// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// The part of libc's mutexes that remains on a schedule: whether one is held. See primitives.cc.
#pragma once

#include <pthread.h>

namespace lull::testing {

bool RealTryLock(pthread_mutex_t* mutex);
void RealUnlock(pthread_mutex_t* mutex);

}  // namespace lull::testing
