// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// LULL_SANITIZED: defined under ASan and TSan, which allow no new threads in a child that a process
// with threads has forked, and take descriptors for shared variables.
#pragma once

#if defined(__has_feature)
#if __has_feature(thread_sanitizer) || __has_feature(address_sanitizer)
#define LULL_SANITIZED 1
#endif
#elif defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
#define LULL_SANITIZED 1
#endif
