// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// MemoryCharge: adds the size of its owner's memory to a counter, and subtracts it at destruction.
// So a counter is the sum over the owners that exist. One thread at a time per charge; any thread
// reads the counter. Not for hot paths: a change is a locked instruction.
#pragma once

#include <atomic>
#include <cstdint>
#include <utility>

namespace lull {

using MemoryCounter = std::atomic<uint64_t>;

class MemoryCharge {
 public:
  /// `counter` outlives the charge. Null: nothing is counted.
  explicit MemoryCharge(MemoryCounter* counter = nullptr, uint64_t bytes = 0) : counter_(counter) {
    Set(bytes);
  }
  MemoryCharge(MemoryCharge&& other) noexcept
      : counter_(other.counter_), bytes_(std::exchange(other.bytes_, 0)) {}
  MemoryCharge& operator=(MemoryCharge&& other) noexcept {
    std::swap(counter_, other.counter_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  ~MemoryCharge() { Set(0); }

  uint64_t bytes() const { return bytes_; }
  /// Replaces the charged size.
  void Set(uint64_t bytes) {
    if (bytes == bytes_) return;
    // Modulo 2^64, so a smaller size subtracts.
    if (counter_ != nullptr) counter_->fetch_add(bytes - bytes_, std::memory_order_relaxed);
    bytes_ = bytes;
  }

 private:
  MemoryCounter* counter_;
  uint64_t bytes_ = 0;
};

}  // namespace lull
