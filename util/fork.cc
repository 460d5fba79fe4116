// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "util/fork.h"

#include "util/os.h"

namespace lull {

constinit std::atomic<uint32_t> fork_generation{0};

namespace {

void InChild() { fork_generation.fetch_add(1, std::memory_order_relaxed); }

/// Before the program's constructors, so that its own handlers, which can use stores, run after
/// InChild. The libraries that are loaded first can need a generation even earlier.
[[gnu::constructor(101)]] void NoticeAtStart() { ForkGeneration(); }

}  // namespace

uint32_t NoticeForks() {
  os::OnFork(&InChild);  // two threads can register it twice, which is harmless
  uint32_t generation = 0;
  return fork_generation.compare_exchange_strong(generation, 1) ? 1 : generation;
}

}  // namespace lull
