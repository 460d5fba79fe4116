// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// The user's limit on background writes (background_bytes_per_sec), for any policy: passes the
// events on, and lowers the rate in the answer. Compactions get what flushes leave of the limit, L0
// first. The limit holds even where a policy would lift its own, for paused work that has grown old
// and while a client waits for background work. Like every policy: no clock, one thread at a time.
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
