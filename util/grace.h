// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Grace periods (epoch-based reclamation). Readers use an object that is replaced as a whole, such
// as the store's view or an open table, without a lock and without a counter that all readers
// share.
//
// A reader holds a GraceGuard while it uses the object. A writer unlinks the object, then passes it
// to Retire. A later Collect destroys it after every guard held at the time of Retire is gone.
// Guards are short: one read, and no waiting for clients. To keep an object longer, take a
// reference to it under the guard.
//
// Implementation: there are two columns of striped counters, and the epoch selects one of them. A
// reader increments a counter in the column of the current epoch. Collect flips the epoch when the
// other column is empty, and destroys objects retired two flips ago (proof in grace.cc). Readers
// never block: if the epoch flips during the increment, they increment again. Collect never blocks
// either: it does what is possible now.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <vector>

#include "util/mutex.h"
#include "util/thread.h"

namespace lull {

class GraceDomain {
 public:
  /// REQUIRES: no guard is held. Destroys all retired objects, and those that they retire in turn.
  ~GraceDomain();

  /// Calls `destroy` from a later Collect or the destructor, after all guards held now are
  /// released. REQUIRES: new guards cannot reach the object. Any thread.
  void Retire(std::function<void()> destroy) LULL_EXCLUDES(mutex_);

  /// Destroys retired objects past their grace period; returns how many remain. Any thread that
  /// holds no guard.
  size_t Collect() LULL_EXCLUDES(mutex_);

 private:
  friend class GraceGuard;
  static constexpr unsigned kStripes = 32;  // power of two
  struct alignas(64) Stripe {
    std::array<std::atomic<uint64_t>, 2> readers{};
  };
  struct Retired {
    uint64_t epoch;
    std::function<void()> destroy;
  };

  /// Advances the epoch if the column that it moves to has no guards.
  bool TryFlipLocked() LULL_REQUIRES(mutex_);

  std::atomic<uint64_t> epoch_{0};  // stored under mutex_
  std::array<Stripe, kStripes> stripes_{};
  Mutex mutex_;
  std::vector<Retired> retired_ LULL_GUARDED_BY(mutex_);
};

/// Marks a read section; on the stack of the reader.
class GraceGuard {
 public:
  explicit GraceGuard(GraceDomain& domain);
  ~GraceGuard();
  GraceGuard(const GraceGuard&) = delete;
  GraceGuard& operator=(const GraceGuard&) = delete;

 private:
  std::atomic<uint64_t>* counter_;
};

}  // namespace lull
