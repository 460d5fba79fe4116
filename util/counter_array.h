// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// An array of sums to which many threads add. Each of the first threads of the process has counters
// of its own, so an addition costs it no locked instruction. Reading the sums loads all counters,
// and can miss concurrent additions.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "util/owned_counter.h"
#include "util/thread.h"

namespace lull {

template <size_t kCounters>
class CounterArray {
 public:
  using Counters = std::array<OwnedCounter, kCounters>;
  using Sums = std::array<uint64_t, kCounters>;

  /// The counters of the calling thread; null if it has none. Any thread.
  Counters* Own() {
    const unsigned thread = ThreadOrdinal();
    return thread < kOwners ? &owned_[thread].counters : nullptr;
  }
  /// Any thread.
  void Add(size_t counter, uint64_t amount) {
    if (Counters* const own = Own()) {
      (*own)[counter] += amount;
    } else {
      shared_[ThreadOrdinal() % kShared].counters[counter].fetch_add(amount,
                                                                     std::memory_order_relaxed);
    }
  }
  /// Moves what the caller counted elsewhere to the sums. Any thread.
  void Add(Counters* counters) {
    for (size_t i = 0; i < kCounters; ++i) {
      if ((*counters)[i] > 0) Add(i, (*counters)[i].Take());
    }
  }
  /// Any thread.
  Sums SumAll() const {
    Sums sums{};
    for (size_t i = 0; i < kCounters; ++i) sums[i] = Sum(i);
    return sums;
  }
  uint64_t Sum(size_t counter) const {
    uint64_t sum = 0;
    for (const Owned& each : owned_) sum += each.counters[counter];
    for (const Shared& each : shared_)
      sum += each.counters[counter].load(std::memory_order_relaxed);
    return sum;
  }

 private:
  static constexpr unsigned kOwners = 32;
  static constexpr unsigned kShared = 8;
  struct alignas(64) Owned {
    Counters counters;
  };
  struct alignas(64) Shared {
    std::array<std::atomic<uint64_t>, kCounters> counters{};
  };

  std::array<Owned, kOwners> owned_;
  std::array<Shared, kShared> shared_;
};

/// Where one call counts: in the counters of its thread, or in its own, which it adds at its end.
template <size_t kCounters>
class CountingCall {
 public:
  explicit CountingCall(CounterArray<kCounters>* sums) : sums_(sums), own_(sums->Own()) {
    if (own_ == nullptr) [[unlikely]]
      own_ = &local_.emplace();
  }
  ~CountingCall() {
    if (local_) [[unlikely]]
      sums_->Add(&*local_);
  }
  CountingCall(const CountingCall&) = delete;
  CountingCall& operator=(const CountingCall&) = delete;

  OwnedCounter& operator[](size_t counter) { return (*own_)[counter]; }
  OwnedCounter* data() { return own_->data(); }

 private:
  CounterArray<kCounters>* const sums_;
  typename CounterArray<kCounters>::Counters* own_;
  std::optional<typename CounterArray<kCounters>::Counters> local_;
};

}  // namespace lull
