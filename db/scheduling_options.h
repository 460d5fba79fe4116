// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// From the user's SchedulingOptions to the numbers that policies work with. Pure functions: no
// environment variable, no machine is asked here. Called when a store opens; any thread.
#pragma once

#include <cstdint>

#include "leveldb/status.h"
#include "lull/lull.h"
#include "scheduler/policy.h"

namespace lull {

/// InvalidArgument names the first field that is out of its bounds, an unknown policy, or the L0
/// limit that is out of order once zeros stand for the policy's own.
leveldb::Status ValidateSchedulingOptions(const SchedulingOptions& options);

/// Fills in what the user left to the policy and the machine: no field of the result is 0 for
/// "choose". REQUIRES: `options` are valid.
PolicyOptions ResolvePolicyOptions(const SchedulingOptions& options, uint64_t memtable_bytes,
                                   int cores);

}  // namespace lull
