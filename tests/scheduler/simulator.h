// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// A toy store that simulates hours of a policy in moments. Clients write in a rhythm, one thread
// flushes, workers compact; each is a number of bytes a second. Clients and flushes advance in
// steps of 10 ms. The real Dispatcher decides which compaction runs, and compactions advance from
// one of its rounds to the next. The hard limits for writers are the coordinator's, which no policy
// can lift. Deterministic; one thread.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "scheduler/policy.h"

namespace lull::testing {

/// A phase of the clients' rhythm. A client writes in a closed loop: it never makes up for writes
/// that it could not do in time.
struct ClientPhase {
  uint64_t length_us = 0;
  uint64_t bytes_per_sec = 0;
  uint64_t read_bytes_per_sec = 0;
};

struct SimulatorOptions {
  std::string policy = "lull";
  PolicyOptions limits;
  std::vector<ClientPhase> rhythm;  ///< over and over
  uint64_t length_us = 0;
  uint64_t memory_budget_bytes = 64 << 20;
  uint64_t write_bytes = 1000;  ///< of one write

  uint64_t flush_bytes_per_sec = 200 << 20;
  uint64_t compaction_bytes_per_sec = 80 << 20;  ///< of one worker: bytes read and written
  double idle_share = 0.5;         ///< of that, at idle CPU priority while clients write
  uint64_t l0_job_bytes_max = 0;   ///< oldest L0 tables of one job, at least one; 0: all
  bool l0_job_matches_l1 = false;  ///< or as many as the deep bytes, if more
  double l0_cost = 3;              ///< bytes read and written to move one byte from L0 to L1
  double deep_cost = 6;            ///< and from L1 to its final level
  /// A deep job that has begun holds the tables that L0 needs: no L0 job begins before it ends or
  /// is abandoned. This is the worst case of overlapping ranges.
  bool deep_jobs_hold_l0 = false;
};

struct SimulatorResult {
  uint64_t bytes_offered = 0;
  uint64_t bytes_written = 0;
  uint64_t memory_bytes_max = 0;  ///< sealed memtables
  int l0_tables_max = 0;
  int late_l0_tables_max = 0;  ///< in the second half of the run, likewise below
  uint64_t late_bytes_written = 0;
  uint64_t l0_held_us_max = 0;  ///< the longest time in which a deep job blocked L0
  uint64_t debt_bytes_max = 0;
  uint64_t wait_us_max = 0;                    ///< the longest time in which no write succeeded
  uint64_t waited_us = 0;                      ///< all such time
  uint64_t paced_us = 0;                       ///< time in which writes were slowed
  uint64_t compacted_while_written_bytes = 0;  ///< deep work done while clients wrote
  uint64_t quiet_phases = 0;
  uint64_t quiet_phases_undrained = 0;  ///< those that ended with work left
  uint64_t policy_calls = 0;
  uint64_t fingerprint = 0;  ///< of all directives, in order
};

SimulatorResult Simulate(const SimulatorOptions& options);

}  // namespace lull::testing
