// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// A counter that threads wait on and any thread advances. On Linux lock-free (a futex): a waker of
// idle CPU priority can never delay the thread that it wakes.
#pragma once

#include <atomic>
#include <cstdint>

namespace lull {

class WakeSignal {
 public:
  /// For Wait: no limit. An idle process must not wake up.
  static constexpr uint64_t kForEver = UINT64_MAX;

  /// Any thread, with or without locks. Makes a system call only if a thread is waiting.
  void Wake() {
    count_.fetch_add(1, std::memory_order_seq_cst);
    if (waiters_.load(std::memory_order_seq_cst) > 0) WakeSleepers();
  }

  /// Take a ticket before looking for work: Wait returns at once if Wake was called after that.
  uint32_t Ticket() const { return count_.load(std::memory_order_acquire); }

  /// Returns after a Wake, after `nanos`, or spuriously. Does not depend on a clock.
  void Wait(uint32_t ticket, uint64_t nanos);

 private:
  void WakeSleepers();

  std::atomic<uint32_t> count_{0};
  std::atomic<uint32_t> waiters_{0};
};

}  // namespace lull
