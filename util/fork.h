// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// What fork(2) means for objects with threads or locks. A forked child has only the thread that
// called fork: no background thread runs there, and a mutex that another thread held stays locked.
// So such an object belongs to the process that made it. The child replaces what is process-wide
// (PerProcess) and refuses to use the rest.
//
// The handlers of pthread_atfork do not take the locks instead: every fork, even one before an
// exec, would wait for background work, and the child would still have no threads.
#pragma once

#include <atomic>
#include <cstdint>

namespace lull {

extern constinit std::atomic<uint32_t> fork_generation;

/// Differs between a process and its forked children. Costs one load. fork(2) and its wrappers
/// advance it; vfork(2) and a direct clone(2) do not.
inline uint32_t ForkGeneration() { return fork_generation.load(std::memory_order_relaxed); }

/// A T that each process makes for itself at first use. A forked child leaves the inherited one
/// as it is. For static storage: nothing is destroyed. Thread-safe, without a lock.
template <class T>
class PerProcess {
 public:
  T& Get() {
    Node* node = current_.load(std::memory_order_acquire);
    while (node == nullptr || node->generation != ForkGeneration()) {
      Node* const made = new Node{ForkGeneration(), node};
      if (current_.compare_exchange_strong(node, made, std::memory_order_acq_rel))
        return made->value;
      delete made;  // another thread was first
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
