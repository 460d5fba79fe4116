// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Blocks threads of the store while a test keeps it closed, for example in a function of its Env.
// Open at first. Thread-safe. Like every wait of a test, Pass and AwaitBlocked fail after a minute
// (event_count.h).
#pragma once

#include <atomic>

#include "tests/support/event_count.h"

namespace lull::testing {

class Gate {
 public:
  void Close() { closed_.store(true); }
  void Open() {
    closed_.store(false);
    changed_.Note();
  }

  /// Blocks while the gate is closed.
  void Pass() {
    if (!closed_.load()) return;
    blocked_.fetch_add(1);
    changed_.Note();
    changed_.Await("a gate that opens", [this] { return !closed_.load(); });
    blocked_.fetch_sub(1);
  }

  /// Waits until `threads` threads block in Pass.
  void AwaitBlocked(int threads = 1) {
    changed_.Await("a thread at a closed gate", [&] { return blocked_.load() >= threads; });
  }

 private:
  std::atomic<bool> closed_{false};
  std::atomic<int> blocked_{0};
  EventCount changed_;
};

}  // namespace lull::testing
