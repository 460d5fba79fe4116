// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// From the user's SchedulingOptions to the numbers that policies work with. Pure functions: no
// environment variable, no machine is asked here. Called when a store opens; any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "leveldb/status.h"
#include "lull/lull.h"
#include "scheduler/policy.h"

namespace lull {

/// InvalidArgument names the first field that is out of its bounds, an unknown policy, or the L0
/// limit that is out of order once zeros stand for the policy's own.
leveldb::Status ValidateSchedulingOptions(const SchedulingOptions& options);

/// Whether a field of that name may change while a store is open: what only the store's policy
/// uses may, what threads or stores were set up with may not. False for a name that is none.
bool CanChangeLive(std::string_view field);

/// As SchedulingOptions::Parse, for a store that is open with `options`: a pair that would change a
/// field that cannot change live is refused, with the reason. One that leaves it as it is, is not.
leveldb::Status ParseLive(const std::string& text, SchedulingOptions* options);

/// Fills in what the user left to the policy and the machine: no field of the result is 0 for
/// "choose", but where 0 means something to a policy. The sizes are those that the store was opened
/// with. REQUIRES: `options` are valid.
PolicyOptions ResolvePolicyOptions(const SchedulingOptions& options, uint64_t memtable_bytes,
                                   uint64_t table_bytes, int cores);

}  // namespace lull
