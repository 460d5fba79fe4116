// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// When the bursts of a burst benchmark begin and end. All client threads begin a burst at the same
// moment, and the burst ends when the last write of the last thread has completed.
//
// Every thread calls BeginBurst() and EndBurst() in turn until BeginBurst() returns false. A thread
// that fails calls Leave() once instead.
#pragma once

#include <atomic>
#include <barrier>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace lull::bench {

struct BurstPlan {
  double duration_seconds = 0;        // no burst begins after this
  std::vector<double> burst_seconds;  // used in turn; empty: bursts end by count, not by time
  std::vector<double> idle_seconds;   // used in turn
};

struct Burst {
  uint64_t begin_ns = 0;
  uint64_t due_ns = 0;  // planned end; UINT64_MAX if the burst ends by count
  uint64_t end_ns = 0;  // when its last write completed
  uint64_t ops = 0;     // of all threads
};

class BurstSchedule {
 public:
  using ShowPhase =
      std::function<void(const char*)>;  // "burst" or "lull"; called on any of the threads

  BurstSchedule(BurstPlan plan, int threads, ShowPhase show_phase);

  // Blocks until the next burst begins. False when there are no more bursts.
  bool BeginBurst();
  // The burst that BeginBurst() began.
  const Burst& current() const { return bursts_.back(); }
  // Blocks until every thread's last write of this burst has completed. `ops` is the number of the
  // caller's operations in it.
  void EndBurst(uint64_t ops);
  void Leave();

  // Only after all threads are done: the bursts in order, and the sum of their lengths.
  std::span<const Burst> bursts() const { return bursts_; }
  double ActiveSeconds() const;

 private:
  // Runs on the last thread that arrives, while the others wait.
  struct Step {
    BurstSchedule* schedule;
    void operator()() noexcept { schedule->Advance(); }
  };

  void Advance();
  void PlanNext(uint64_t now_ns);

  const BurstPlan plan_;
  const ShowPhase show_phase_;
  uint64_t first_ns_ = 0;  // when the first burst began
  bool in_burst_ = false;
  std::atomic<uint64_t> burst_ops_{0};
  bool over_ = false;
  std::vector<Burst> bursts_;
  std::barrier<Step> meet_;
};

}  // namespace lull::bench
