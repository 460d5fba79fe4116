// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// LimitedPolicy: the user's limit on background writes (background_bytes_per_sec), under any
// policy. Forwards events to the policy and lowers the rate in its directive. Compactions get what
// flushes leave of the limit, L0 first. The limit also holds where a policy would lift its own: for
// work paused too long, for L0 at its stop, and while a client waits for background work. Two
// things exceed every rate (dispatcher.h): manual compactions, and a job that got no slice for ten
// seconds, until the next round. No clock; one thread at a time, like every policy.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>

#include "scheduler/policy.h"

namespace lull {

class LimitedPolicy final : public Policy {
 public:
  LimitedPolicy(std::unique_ptr<Policy> policy, uint64_t bytes_per_sec)
      : policy_(std::move(policy)), bytes_per_sec_(bytes_per_sec) {}

  Directive OnEvent(EventKind event, const Pressure& pressure, uint64_t now_us) override;
  PolicyState State() const override { return policy_->State(); }

 private:
  const std::unique_ptr<Policy> policy_;
  const uint64_t bytes_per_sec_;
};

}  // namespace lull
