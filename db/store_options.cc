// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// The scheduling options of a store: what they come to, and their change while it is open.
#include <utility>

#include "db/api/scheduling_options.h"
#include "db/store.h"
#include "util/thread.h"

namespace lull {

PolicyOptions Store::Resolved(const SchedulingOptions& scheduling) const {
  return ResolvePolicyOptions(scheduling, context_->options.write_buffer_size,
                              context_->layout.table_bytes_max, CoreCount());
}

LayoutOptions Store::LayoutFor(const PolicyOptions& options) const {
  LayoutOptions layout = context_->layout;
  layout.l0_trigger = options.l0_trigger;
  layout.l0_job_bytes_max = options.l0_job_bytes_max;
  return layout;
}

/// What the string says stands at once; what the policy and the picker go by changes between two
/// rounds of the monitor. A policy for which nothing changes stays, with all it has learned.
leveldb::Status Store::SetOptions(const std::string& text) {
  if (IsInherited()) return InheritedError();
  MutexLock options_lock(options_mutex_);
  SchedulingOptions changed = scheduling_;
  leveldb::Status status = ParseLive(text, &changed);
  if (!status.ok()) return status;
  const PolicyOptions resolved = Resolved(changed);
  if (changed.policy != scheduling_.policy || resolved != Resolved(scheduling_)) {
    std::unique_ptr<Policy> policy = make_policy_(changed.policy, resolved);
    coordinator_->SetPolicy(this, std::move(policy), [this, layout = LayoutFor(resolved)] {
      MutexLock lock(mutex_);
      layout_ = layout;
      ++plan_basis_;
    });
  }
  scheduling_ = std::move(changed);
  activity_.OptionsAre(scheduling_.policy, scheduling_.ToString());
  return status;
}

std::string Store::OptionsText() {
  MutexLock lock(options_mutex_);
  return scheduling_.ToString();
}

}  // namespace lull
