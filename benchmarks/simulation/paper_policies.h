// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Policies that only comparisons with papers need, and that no store is opened with: RocksDB's
// rules as the papers measured against them, and SILK taken apart, as in its figure 8C.
#pragma once

#include <memory>

#include "scheduler/policy.h"

namespace lull::sim {

/// RocksDB without a rate limit: one memtable fills while another is flushed, and whatever is due
/// is compacted at once by all threads, whoever writes. Writes are slowed from `l0_slowdown` tables
/// in L0 and from `debt_bytes_max`, and stop at `l0_stop`.
std::unique_ptr<Policy> MakeRocksDbPolicy(const PolicyOptions& options);

/// The same under RocksDB's auto-tuned rate limiter, as SILK was compared with it. The limit
/// follows what background work asks for, and takes no notice of clients: up by a twentieth where
/// the last period used nine tenths of it, down by as much where it used less than half, between a
/// twentieth of the device's bandwidth and all of it. One limit for all compactions. (There a flush
/// waits for it too, ahead of compactions; here it only draws.)
std::unique_ptr<Policy> MakeAutoTunedRocksDbPolicy(const PolicyOptions& options,
                                                   double bandwidth_bytes_per_sec);

/// `whole` with RocksDB's limits on L0 and debt, which a policy built into RocksDB keeps.
std::unique_ptr<Policy> MakeWithRocksDbLimits(const PolicyOptions& options,
                                              std::unique_ptr<Policy> whole);

/// RocksDB's rules with `whole`'s rate budget: compactions are given what the clients leave, and
/// know no priorities. It takes more than a policy: SimulationOptions::l0_first must be false, or
/// L0 jobs would still go first and have their minimum.
std::unique_ptr<Policy> MakeRateOnly(const PolicyOptions& options, std::unique_ptr<Policy> whole);

/// `whole` without its rate budget: priorities and pauses, but compactions take what they can get.
std::unique_ptr<Policy> MakePriorityOnly(std::unique_ptr<Policy> whole);

}  // namespace lull::sim
