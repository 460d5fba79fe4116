// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// How fork(2) affects objects with threads or locks. A forked child has only the thread that called
// fork: background threads do not run there, and a mutex that another thread held stays locked. So
// each such object belongs to the process that created it. The child recreates process-wide objects
// (PerProcess) and refuses to use the others.
//
// Taking all locks in pthread_atfork handlers is no alternative: every fork, even one before an
// exec, would wait for background work, and the child would still have no threads.
#pragma once

#include <atomic>
#include <cstdint>

namespace lull {

extern constinit std::atomic<uint32_t> fork_generation;  // 0: no fork is noticed yet
uint32_t NoticeForks();

/// Differs between a process and its forked children, from its first call on. Costs one load.
/// Changed by fork(2) and its wrappers, not by vfork(2) or a direct clone(2).
inline uint32_t ForkGeneration() {
  const uint32_t generation = fork_generation.load(std::memory_order_relaxed);
  return generation != 0 ? generation : NoticeForks();
}

/// A T that each process creates at first use. A forked child ignores the inherited one. For static
/// storage: never destroyed. Thread-safe and lock-free.
template <class T>
class PerProcess {
 public:
  T& Get() {
    Node* node = current_.load(std::memory_order_acquire);
    while (node == nullptr || node->generation != ForkGeneration()) {
      Node* const made = new Node{ForkGeneration(), node};
      if (current_.compare_exchange_strong(node, made, std::memory_order_acq_rel))
        return made->value;
      delete made;  // another thread was faster
    }
    return node->value;
  }

 private:
  struct Node {
    const uint32_t generation;
    Node* const inherited;  // keeps it reachable for leak checkers
    T value{};
  };

  std::atomic<Node*> current_{nullptr};
};

}  // namespace lull
