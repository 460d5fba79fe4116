// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Policies used only for comparisons with papers, never to open a store: RocksDB's rules as the
// papers measured them, the separate parts of SILK, as in its figure 8C, and ADOC with one knob, as
// in its figure 20.
#pragma once

#include <memory>

#include "scheduler/policy.h"

namespace lull::sim {

/// RocksDB without a rate limit. One memtable fills while another is flushed. All due compactions
/// run at once on all threads, regardless of client writes. Writes slow down from `l0_slowdown`
/// tables in L0 and from `debt_bytes_max`, and stop at `l0_stop`.
std::unique_ptr<Policy> MakeRocksDbPolicy(const PolicyOptions& options);

/// The same with RocksDB's auto-tuned rate limiter, which SILK was compared with. The limit follows
/// the demand of background work and ignores clients. It rises by a twentieth if the last period
/// used nine tenths of it, and falls by as much if it used less than half. It stays between a
/// twentieth of the device's bandwidth and all of it. One limit covers all compactions. (In RocksDB
/// a flush also waits for it, ahead of compactions; here a flush only draws from it.)
std::unique_ptr<Policy> MakeAutoTunedRocksDbPolicy(const PolicyOptions& options,
                                                   double bandwidth_bytes_per_sec);

/// `whole` with RocksDB's limits on L0 and debt, which also hold for a policy built into RocksDB.
std::unique_ptr<Policy> MakeWithRocksDbLimits(const PolicyOptions& options,
                                              std::unique_ptr<Policy> whole);

/// RocksDB's rules with `whole`'s rate budget: compactions get what the clients leave, without
/// priorities. REQUIRES: SimulationOptions::l0_first is false; otherwise L0 jobs would still go
/// first and get their minimum.
std::unique_ptr<Policy> MakeRateOnly(const PolicyOptions& options, std::unique_ptr<Policy> whole);

/// `whole` without its rate budget: priorities and pauses, but no rate limit on compactions.
std::unique_ptr<Policy> MakePriorityOnly(std::unique_ptr<Policy> whole);

/// `whole` with its batch, but always two compactions at a time, which is where ADOC starts.
std::unique_ptr<Policy> MakeBatchOnly(std::unique_ptr<Policy> whole);

}  // namespace lull::sim
