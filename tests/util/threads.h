// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "util/thread.h"

namespace lull {

/// Runs body(0), body(1), ... at once, each in its own thread, and waits for their ends.
inline void RunThreads(int count, const std::function<void(int)>& body) {
  std::vector<std::unique_ptr<ThreadHandle>> threads;
  for (int i = 0; i < count; ++i) {
    threads.push_back(
        ThreadFactory::System()->Start("test", CpuClass::kNormal, [&, i] { body(i); }));
  }
}

}  // namespace lull
