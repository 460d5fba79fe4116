// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "scheduler/policies/limited_policy.h"

#include <algorithm>

namespace lull {

Directive LimitedPolicy::OnEvent(EventKind event, const Pressure& pressure, uint64_t now_us) {
  Directive directive = policy_->OnEvent(event, pressure, now_us);
  RateBudget& rate = directive.rate;
  if (rate.bytes_per_sec == 0) {
    rate = {bytes_per_sec_, bytes_per_sec_};
  } else {
    rate.bytes_per_sec = std::min(rate.bytes_per_sec, bytes_per_sec_);
    rate.urgent_bytes_per_sec_min = std::min(rate.urgent_bytes_per_sec_min, bytes_per_sec_);
  }
  rate.is_users = true;
  return directive;
}

}  // namespace lull
