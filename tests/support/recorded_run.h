// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// The events that a policy received while a real store ran, as text. They can be replayed against
// any policy, in moments and without a store. One line for each event:
//
//   policy lull threads=2 l0_trigger=4 l0_slowdown=128 l0_stop=256 debt_max=4294967296
//   memtable=4194304 table=2097152          (one line: the policy and the store's settings)
//   +1000000 opened budget=67108864
//   +10012 tick client+=1048576 idle=0
//   +9988 sealed immutables=1 immutable=4202496 client+=3145728
//
// The first word is the time since the line before, in microseconds; the second is the event. The
// fields of Pressure that changed follow; for totals the line gives the increase. Lines that begin
// with # are comments. A replay does not change with the policy's answers: the recording shows the
// store as it ran under the policy of the recording.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "scheduler/policy.h"

namespace lull::testing {

struct RecordedRun {
  struct Moment {
    EventKind event = EventKind::kTick;
    Pressure pressure;
    uint64_t now_us = 0;
  };

  std::string policy;
  PolicyOptions options;  ///< the constants of single policies are the defaults
  std::vector<Moment> moments;
};

/// The text of a run. A reader parses it into the same run.
std::string RecordedText(const RecordedRun& run);

/// Returns the error and its line, or "".
std::string ReadRecorded(const std::string& text, RecordedRun* run);

/// Forwards everything to another policy and records the events. To record a store, pass it this
/// policy. `run` must outlive the policy, and is safe to read after the store is closed.
class RecordingPolicy final : public Policy {
 public:
  RecordingPolicy(std::unique_ptr<Policy> policy, RecordedRun* run)
      : policy_(std::move(policy)), run_(run) {}
  Directive OnEvent(EventKind event, const Pressure& pressure, uint64_t now_us) override {
    run_->moments.push_back({event, pressure, now_us});
    return policy_->OnEvent(event, pressure, now_us);
  }
  PolicyState State() const override { return policy_->State(); }

 private:
  const std::unique_ptr<Policy> policy_;
  RecordedRun* const run_;
};

}  // namespace lull::testing
