// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// When the bursts of a burst benchmark begin and end, for all its client threads together: they
// begin each burst at the same moment, and a burst is over when its last write, of whichever
// thread, has completed.
//
// Every thread calls BeginBurst() and EndBurst() in turn until BeginBurst() says no, or Leave()
// once if it must give up.
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
  std::vector<double> burst_seconds;  // taken in turn; empty: bursts end by count, not by time
  std::vector<double> idle_seconds;   // taken in turn
};

struct Burst {
  uint64_t begin_ns = 0;
  uint64_t due_ns = 0;  // when it ought to end; UINT64_MAX when it ends by count
  uint64_t end_ns = 0;  // when its last write had completed
  uint64_t ops = 0;     // of all threads
};

class BurstSchedule {
 public:
  using ShowPhase =
      std::function<void(const char*)>;  // "burst" or "lull"; called by any of the threads

  BurstSchedule(BurstPlan plan, int threads, ShowPhase show_phase);

  // Blocks until the next burst begins. False when there is none.
  bool BeginBurst();
  // The burst that BeginBurst() began.
  const Burst& current() const { return bursts_.back(); }
  // Blocks until every thread's last write of this burst has completed. `ops` is how many the
  // caller did in it.
  void EndBurst(uint64_t ops);
  void Leave();

  // After all threads are done: the bursts in order, and their lengths added up.
  std::span<const Burst> bursts() const { return bursts_; }
  double ActiveSeconds() const;

 private:
  // What all threads wait for is decided by the last one that arrives, while the others stand
  // still.
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
