// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "util/fork.h"

#include "util/os.h"

namespace lull {

constinit std::atomic<uint32_t> fork_generation{0};

namespace {

void InChild() { fork_generation.fetch_add(1, std::memory_order_relaxed); }

[[maybe_unused]] const bool registered = (os::OnFork(&InChild), true);

}  // namespace
}  // namespace lull
