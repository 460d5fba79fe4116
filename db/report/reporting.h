// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Reporting: a store's reports that its mutex does not guard: jobs and stalls, listeners, and call
// latencies. Any thread. (InstallStats, under the mutex, are the rest.)
#pragma once

#include <memory>

#include "db/report/activity_stats.h"
#include "db/report/event_hub.h"
#include "util/clock.h"
#include "util/latency_histogram.h"

namespace lull {

class Reporting {
 public:
  struct Latencies {
    LatencyHistogram write, sync_write, get;
  };

  explicit Reporting(Clock* clock) : activity_(clock, &events_) {}

  EventHub& events() { return events_; }
  ActivityStats& activity() { return activity_; }

  /// Enables latencies. At the open, before any call.
  void TimeCalls() { latencies_ = std::make_unique<Latencies>(); }
  const Latencies* latencies() const { return latencies_.get(); }
  /// Null if latencies are disabled.
  LatencyHistogram* LatencyOf(LatencyHistogram Latencies::*call) {
    return latencies_ == nullptr ? nullptr : &((*latencies_).*call);
  }

 private:
  EventHub events_;
  ActivityStats activity_;
  std::unique_ptr<Latencies> latencies_;  // constant after the open
};

}  // namespace lull
