// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Why no object is freed under a guard that can see it
//
// A guard reads the epoch g, increments its counter in the column of g, and reads the epoch again.
// It starts over unless the epoch is still g. (Otherwise a reader delayed between the two steps
// could increment a counter in a column that Collect has already found empty.) All these accesses,
// the epoch flip and Collect's scan of the counters are sequentially consistent; let S be their
// single total order. Collect stores e + 1 only after it has seen every counter of column (e + 1) %
// 2 at zero while the epoch was e.
//
// (1) While a guard of epoch g is held, the epoch does not pass g + 1. Before g + 2 is stored, each
//     counter of column g % 2 must be zero in a scan made after g + 1 was stored. The guard read g
//     after incrementing its counter. So in S its increment precedes that read, which precedes the
//     store of g + 1, which precedes the scan. The counter is at least 1 until the guard is
//     released.
// (2) A guard that can still see an object retired in epoch r has g <= r. Epochs change under
//     mutex_, and Retire read r under it. So any later epoch is stored after Retire, and thus after
//     the object was unlinked. A guard that reads such an epoch happens after both, and finds the
//     replacement of the object.
// (3) So once the epoch is r + 2, no guard with g <= r is held, and the object can be freed. The
//     readers' accesses happen before its destruction: their decrements release, the scan that saw
//     them acquires, and the increments and decrements in between continue the release sequence.
//
// A guard that starts over increments a counter for a short time. That can only delay a flip.

#include "util/grace.h"

#include <algorithm>
#include <utility>

namespace lull {

GraceDomain::~GraceDomain() {
  while (true) {
    Collect();
    MutexLock lock(mutex_);
    if (retired_.empty()) break;
  }
}

void GraceDomain::Retire(std::function<void()> destroy) {
  MutexLock lock(mutex_);
  retired_.push_back({epoch_.load(std::memory_order_relaxed), std::move(destroy)});
}

bool GraceDomain::TryFlipLocked() {
  const uint64_t next = epoch_.load(std::memory_order_relaxed) + 1;
  for (const Stripe& stripe : stripes_) {
    if (stripe.readers[next % 2].load(std::memory_order_seq_cst) != 0) return false;
  }
  epoch_.store(next, std::memory_order_seq_cst);
  return true;
}

size_t GraceDomain::Collect() {
  std::vector<Retired> free_to_go;
  size_t remaining;
  {
    MutexLock lock(mutex_);
    // Two flips make a full grace period; more would free nothing more. If nothing is retired, the
    // epoch stays unchanged, so no guard has to start over.
    for (int flips = 0; flips < 2 && !retired_.empty() && TryFlipLocked(); flips++) {
    }
    const uint64_t epoch = epoch_.load(std::memory_order_relaxed);
    // In epoch order, so the objects past their grace period come first.
    const auto first_kept =
        std::find_if(retired_.begin(), retired_.end(),
                     [epoch](const Retired& retired) { return retired.epoch + 2 > epoch; });
    free_to_go.assign(std::make_move_iterator(retired_.begin()),
                      std::make_move_iterator(first_kept));
    retired_.erase(retired_.begin(), first_kept);
    remaining = retired_.size();
  }
  // Outside the lock: a destructor can retire other objects.
  for (Retired& retired : free_to_go) retired.destroy();
  return remaining;
}

GraceGuard::GraceGuard(GraceDomain& domain) {
  GraceDomain::Stripe& stripe = domain.stripes_[ThreadOrdinal() % GraceDomain::kStripes];
  uint64_t epoch = domain.epoch_.load(std::memory_order_seq_cst);
  while (true) {
    counter_ = &stripe.readers[epoch % 2];
    counter_->fetch_add(1, std::memory_order_seq_cst);
    const uint64_t now = domain.epoch_.load(std::memory_order_seq_cst);
    if (now == epoch) return;
    counter_->fetch_sub(1, std::memory_order_release);
    epoch = now;
  }
}

GraceGuard::~GraceGuard() { counter_->fetch_sub(1, std::memory_order_release); }

}  // namespace lull
