// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "benchmarks/workloads/burst_schedule.h"

#include <algorithm>
#include <utility>

#include "benchmarks/measure/platform.h"

namespace lull::bench {
namespace {

uint64_t ToNs(double seconds) { return static_cast<uint64_t>(seconds * kNsPerSecond); }

}  // namespace

BurstSchedule::BurstSchedule(BurstPlan plan, int threads, ShowPhase show_phase)
    : plan_(std::move(plan)), show_phase_(std::move(show_phase)), meet_(threads, Step{this}) {}

bool BurstSchedule::BeginBurst() {
  meet_.arrive_and_wait();
  if (over_) return false;
  SleepUntilNs(current().begin_ns, StopRequested());
  if (StopRequested()) {
    Leave();
    return false;
  }
  show_phase_("burst");
  return true;
}

void BurstSchedule::EndBurst(uint64_t ops) {
  burst_ops_ += ops;
  meet_.arrive_and_wait();
}

void BurstSchedule::Leave() { meet_.arrive_and_drop(); }

void BurstSchedule::Advance() {
  const uint64_t now_ns = NowNs();
  if (in_burst_) {
    if (now_ns > current().begin_ns) {
      bursts_.back().end_ns = now_ns;
      bursts_.back().ops = burst_ops_.exchange(0);
    } else {
      bursts_.pop_back();  // stopped before it began
    }
    in_burst_ = false;
    show_phase_("lull");
    return;
  }
  PlanNext(now_ns);
  in_burst_ = !over_;
}

void BurstSchedule::PlanNext(uint64_t now_ns) {
  Burst next;
  if (bursts_.empty()) {
    first_ns_ = next.begin_ns = now_ns;
  } else {
    const double idle = plan_.idle_seconds[(bursts_.size() - 1) % plan_.idle_seconds.size()];
    next.begin_ns = bursts_.back().end_ns + ToNs(idle);
  }
  const uint64_t over_ns = first_ns_ + ToNs(plan_.duration_seconds);
  if (next.begin_ns >= over_ns || StopRequested()) {
    over_ = true;
    return;
  }
  next.due_ns = UINT64_MAX;
  if (!plan_.burst_seconds.empty()) {
    const double length = plan_.burst_seconds[bursts_.size() % plan_.burst_seconds.size()];
    next.due_ns = std::min(next.begin_ns + ToNs(length), over_ns);
  }
  bursts_.push_back(next);
}

double BurstSchedule::ActiveSeconds() const {
  uint64_t sum_ns = 0;
  for (const Burst& burst : bursts_) sum_ns += burst.end_ns - burst.begin_ns;
  return static_cast<double>(sum_ns) / kNsPerSecond;
}

}  // namespace lull::bench
