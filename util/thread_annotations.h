// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Clang's thread-safety attributes (-Wthread-safety). No effect with other compilers.
#pragma once

#if defined(__clang__)
#define LULL_TSA(x) __attribute__((x))
#else
#define LULL_TSA(x)
#endif

#define LULL_CAPABILITY(name) LULL_TSA(capability(name))
#define LULL_SCOPED_CAPABILITY LULL_TSA(scoped_lockable)
#define LULL_GUARDED_BY(mutex) LULL_TSA(guarded_by(mutex))
#define LULL_REQUIRES(...) LULL_TSA(requires_capability(__VA_ARGS__))
#define LULL_EXCLUDES(...) LULL_TSA(locks_excluded(__VA_ARGS__))
#define LULL_RETURN_CAPABILITY(mutex) LULL_TSA(lock_returned(mutex))
#define LULL_ACQUIRE(...) LULL_TSA(acquire_capability(__VA_ARGS__))
#define LULL_RELEASE(...) LULL_TSA(release_capability(__VA_ARGS__))
