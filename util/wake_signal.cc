// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "util/wake_signal.h"

#include "util/clock.h"
#include "util/os.h"

namespace lull {

void WakeSignal::Wait(uint32_t ticket, uint64_t nanos) {
  const uint64_t begin = nanos == kForEver ? 0 : Clock::System()->NowNanos();
  waiters_.fetch_add(1, std::memory_order_seq_cst);
  const bool woken = os::WaitWhile(&count_, ticket, nanos);
  waiters_.fetch_sub(1, std::memory_order_seq_cst);
  NotePassed(woken ? begin : begin + nanos);
  (void)count_.load(std::memory_order_acquire);
}

void WakeSignal::WakeSleepers() { os::WakeAll(&count_); }

}  // namespace lull
