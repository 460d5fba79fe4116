// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Grace periods: how a reader uses an object that is replaced as a whole (the store's view, an open
// table) without a lock and without touching a counter that other readers touch.
//
// A reader holds a GraceGuard around its use. A writer unlinks an object, then hands it to Retire;
// it is destroyed by a later Collect, once every guard that was held at the time of Retire is gone.
// Guards are short (one read, no waiting for clients); anything kept longer takes a reference of
// its own while under a guard.
//
// How: readers count themselves in one of two columns of striped counters, the column of the
// current epoch. Collect flips the epoch when the other column is empty, and frees what was retired
// two flips ago (grace.cc proves it). So no reader ever waits (it counts itself anew if a flip
// comes in between), and Collect never waits either: it does what is possible now.
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
  GraceDomain() = default;
  /// REQUIRES: no guard is held. Destroys what is still retired, and what that retires in turn.
  ~GraceDomain();
  GraceDomain(const GraceDomain&) = delete;
  GraceDomain& operator=(const GraceDomain&) = delete;

  /// Runs `destroy` when no guard held now can still see the object. REQUIRES: new guards cannot
  /// reach the object. Any thread; does not run anything itself.
  void Retire(std::function<void()> destroy) LULL_EXCLUDES(mutex_);

  /// Frees what is free to go; returns how many retired objects remain. Any thread but one that
  /// holds a guard.
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

  /// Advances the epoch if no guard is left in the column it moves to.
  bool TryFlipLocked() LULL_REQUIRES(mutex_);

  std::atomic<uint64_t> epoch_{0};  // stored under mutex_
  std::array<Stripe, kStripes> stripes_{};
  Mutex mutex_;
  std::vector<Retired> retired_ LULL_GUARDED_BY(mutex_);
};

/// Held on the stack by a reader.
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
