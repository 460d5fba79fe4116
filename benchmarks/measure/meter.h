// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Counts the work of one client thread: operations, bytes, latencies, and the time spans in which
// it waited for a write. The owning thread calls everything. The interval reporter can read ops(),
// the bytes and Latencies() concurrently.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <span>
#include <vector>

#include "benchmarks/measure/histogram.h"
#include "benchmarks/measure/platform.h"

namespace lull::bench {

enum class OpKind { kWrite, kRead, kScan, kReadModifyWrite };
inline constexpr std::array kOpKinds = {OpKind::kWrite, OpKind::kRead, OpKind::kScan,
                                        OpKind::kReadModifyWrite};
// Printed names; also the prefixes of JSON keys.
inline constexpr std::array<const char*, kOpKinds.size()> kOpKindNames = {"write", "read", "scan",
                                                                          "rmw"};

// A write that has not completed for this long counts as a stall.
inline constexpr uint64_t kStallNs = kNsPerSecond / 10;

struct TimeSpan {
  uint64_t begin_ns = 0;
  uint64_t end_ns = 0;
  bool operator==(const TimeSpan&) const = default;
};

class Meter {
 public:
  // An untimed meter reads no clock between Begin() and End(): a clock read would distort very
  // short operations.
  explicit Meter(bool timed) : timed_(timed) {}

  void Begin() { begin_ns_ = last_ns_ = NowNs(); }
  void End() { end_ns_ = NowNs(); }
  double Seconds() const { return static_cast<double>(end_ns_ - begin_ns_) / kNsPerSecond; }

  // Closed loop: an operation ended that began when the previous one ended. Returns the time, or 0
  // when untimed. One clock read ends this operation and begins the next, so the next latency
  // includes generating the next key.
  uint64_t Done(OpKind kind, uint64_t entries, uint64_t bytes) {
    Count(kind, entries, bytes);
    if (!timed_) return 0;
    const uint64_t now_ns = NowNs();
    Record(kind, last_ns_, now_ns);
    last_ns_ = now_ns;
    return now_ns;
  }

  // Open loop: an operation that was due at `due_ns` ended at `end_ns`.
  void DoneSince(OpKind kind, uint64_t due_ns, uint64_t end_ns, uint64_t entries, uint64_t bytes) {
    Count(kind, entries, bytes);
    Record(kind, due_ns, end_ns);
  }

  // The client paused until now; the pause does not count in the next operation's latency.
  void Resume(uint64_t now_ns) { last_ns_ = now_ns; }

  uint64_t ops() const { return ops_.load(std::memory_order_relaxed); }
  uint64_t written_bytes() const { return written_bytes_.load(std::memory_order_relaxed); }
  uint64_t read_bytes() const { return read_bytes_.load(std::memory_order_relaxed); }
  const Histogram& Latencies(OpKind kind) const { return latencies_[static_cast<size_t>(kind)]; }
  const std::vector<TimeSpan>& waits() const {
    return waits_;
  }  // in order, disjoint, each over kStallNs

 private:
  static bool Writes(OpKind kind) {
    return kind == OpKind::kWrite || kind == OpKind::kReadModifyWrite;
  }

  // Only one thread writes, so no locked instruction is needed.
  static void Add(std::atomic<uint64_t>& counter, uint64_t added) {
    counter.store(counter.load(std::memory_order_relaxed) + added, std::memory_order_relaxed);
  }

  void Count(OpKind kind, uint64_t entries, uint64_t bytes) {
    Add(ops_, entries);
    Add(Writes(kind) ? written_bytes_ : read_bytes_, bytes);
  }

  void Record(OpKind kind, uint64_t from_ns, uint64_t to_ns) {
    latencies_[static_cast<size_t>(kind)].Add(to_ns - from_ns);
    if (!Writes(kind)) return;
    // Requests that became due during one wait overlap. Only the time since the last completed
    // write is new.
    const uint64_t wait_from_ns = from_ns > last_write_ns_ ? from_ns : last_write_ns_;
    if (to_ns > wait_from_ns + kStallNs) waits_.push_back({wait_from_ns, to_ns});
    last_write_ns_ = to_ns;
  }

  const bool timed_;
  uint64_t begin_ns_ = 0;
  uint64_t end_ns_ = 0;
  uint64_t last_ns_ = 0;        // end of the last operation of any kind
  uint64_t last_write_ns_ = 0;  // end of the last write
  std::atomic<uint64_t> ops_{0};
  std::atomic<uint64_t> written_bytes_{0};
  std::atomic<uint64_t> read_bytes_{0};
  std::array<Histogram, kOpKinds.size()> latencies_;
  std::vector<TimeSpan> waits_;
};

// The intersection of the lists: the times in which no thread completed a write. Each list is in
// order and disjoint.
std::vector<TimeSpan> CommonSpans(std::span<const std::vector<TimeSpan>> lists);

struct StallTotal {
  int count = 0;
  double seconds = 0;
};
// Sums the spans longer than kStallNs.
StallTotal SumStalls(std::span<const TimeSpan> spans);

}  // namespace lull::bench
