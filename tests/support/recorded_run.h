// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// What a policy was told while a real store ran, as text: to be replayed against any policy, in
// moments and without a store. One line an event:
//
//   policy lull threads=2 l0_trigger=4 l0_slowdown=128 l0_stop=256 debt_max=4294967296
//   memtable=4194304 table=2097152          (one line: the policy and what its store was set to)
//   +1000000 opened budget=67108864
//   +10012 tick client+=1048576 idle=0
//   +9988 sealed immutables=1 immutable=4202496 client+=3145728
//
// The first word is the time since the line before, in microseconds, the second the event; then the
// fields of Pressure that have changed, totals by how much they grew. Lines that begin with # are
// comments. Nothing here depends on a policy's answers: what a recording shows of the store came
// about under the policy that it was made with.
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

/// The text of a run; a reader gets back the same run.
std::string RecordedText(const RecordedRun& run);

/// Returns what is wrong and in which line, or "".
std::string ReadRecorded(const std::string& text, RecordedRun* run);

/// Passes everything on to another policy, and keeps what it was told. To record a store, give it
/// one of these; `run` must outlive it, and is the caller's again when the store is closed.
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
