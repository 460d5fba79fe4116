// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "util/fork.h"

#include <pthread.h>

namespace lull {

constinit std::atomic<uint32_t> fork_generation{0};

namespace {

void InChild() { fork_generation.fetch_add(1, std::memory_order_relaxed); }

[[maybe_unused]] const int registered = pthread_atfork(nullptr, nullptr, &InChild);

}  // namespace
}  // namespace lull
