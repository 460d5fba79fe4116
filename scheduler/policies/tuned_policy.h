// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Any policy with knobs that are turned at run time (option online_tuning): what the policy wants
// is passed on, with the sizes of memtables and tables shifted by what an OnlineTuner has found to
// serve the clients better. When work runs, and whether writes are slowed, stays the policy's own.
//
//   memtables     half to eight times the configured size; four must fit into the memory budget
//   tables        the configured size to four times that
#pragma once

#include <memory>

#include "scheduler/policies/online_tuner.h"
#include "scheduler/policy.h"

namespace lull {

class TunedPolicy final : public Policy {
 public:
  TunedPolicy(std::unique_ptr<Policy> policy, const PolicyOptions& options);
  Directive OnEvent(EventKind event, const Pressure& pressure, uint64_t now_us) override;
  PolicyState State() const override;

 private:
  Pressure AsIfUnshifted(const Pressure& pressure) const;
  void Shift(const Pressure& pressure, Directive* wanted);

  const std::unique_ptr<Policy> policy_;
  const PolicyOptions options_;
  OnlineTuner tuner_;
  uint64_t read_bytes_seen_ = 0;
  double memtable_shift_ = 1;  // size of a memtable, as last wanted, in times of the policy's own
};

}  // namespace lull
