// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// ProfiledPart: measures the time from its construction to its destruction for the profiles of the
// calling thread, if there are any. Any thread.
//
// A thread adds to counters of its own, and a profile is a difference of two readings. So a thread
// never writes to a profile, which can be destroyed anywhere at any time.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

#include "lull/call_profile.h"
#include "util/owned_counter.h"

namespace lull {

/// What the profiled calls of one thread did. The thread and its profiles share it.
class CallParts {
 public:
  struct Part {
    OwnedCounter count;
    OwnedCounter nanos;
  };
  std::array<Part, 32> parts;         ///< as many as a profile has room for
  std::atomic<uint32_t> profiles{0};  ///< that exist now
};

class ProfiledPart {
 public:
  explicit ProfiledPart(CallPart part) : part_(part) {
    if (of_thread != nullptr) [[unlikely]]
      Begin();
  }
  ~ProfiledPart() {
    if (begin_nanos_ != 0) [[unlikely]]
      End();
  }
  ProfiledPart(const ProfiledPart&) = delete;
  ProfiledPart& operator=(const ProfiledPart&) = delete;

  /// Null before the thread's first profile, and while the thread ends.
  static thread_local constinit CallParts* of_thread;

 private:
  void Begin();
  void End();

  const CallPart part_;
  uint64_t begin_nanos_ = 0;  // 0: not measured
};

}  // namespace lull
