// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "util/wake_signal.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <climits>

namespace lull {

static_assert(sizeof(std::atomic<uint32_t>) == sizeof(uint32_t), "a futex is 4 bytes");

void WakeSignal::Wait(uint32_t ticket, uint64_t nanos) {
  waiters_.fetch_add(1, std::memory_order_seq_cst);
  // The kernel compares the counter with the ticket atomically, so a Wake before the call makes it
  // return at once.
  timespec limit{};
  limit.tv_sec = static_cast<time_t>(nanos / 1'000'000'000);
  limit.tv_nsec = static_cast<long>(nanos % 1'000'000'000);
  syscall(SYS_futex, reinterpret_cast<uint32_t*>(&count_), FUTEX_WAIT_PRIVATE, ticket, &limit,
          nullptr, 0);
  waiters_.fetch_sub(1, std::memory_order_seq_cst);
  (void)count_.load(std::memory_order_acquire);
}

void WakeSignal::WakeSleepers() {
  syscall(SYS_futex, reinterpret_cast<uint32_t*>(&count_), FUTEX_WAKE_PRIVATE, INT_MAX, nullptr,
          nullptr, 0);
}

}  // namespace lull
