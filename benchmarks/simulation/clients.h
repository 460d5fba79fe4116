// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// The clients of a modelled store: how many requests they complete in a time step, and with which
// latency. Requests are a fluid: a Poisson number arrives per step, served first come, first
// served. latency.h has the arithmetic. One thread; time is an argument.
#pragma once

#include <cstdint>
#include <vector>

#include "benchmarks/loadgen/rng.h"
#include "benchmarks/simulation/latency.h"
#include "benchmarks/simulation/load.h"
#include "benchmarks/simulation/profile.h"

namespace lull::sim {

/// Conditions that the clients run under, constant until the next Clients::Set().
struct Conditions {
  double requests_per_sec = 0;  ///< open loop: arrival rate; closed: > 0 while clients run
  double cores = 1;             ///< available to the clients
  double device = 1;            ///< share of the device available to them
  double busy = 0;              ///< share of the cores used by background work at normal priority
  double queue_seconds = 0;     ///< average wait of a small read at the device
  double queue_seconds_max = 0;
  double memtable_bytes = 0;
  double delay_us_per_write = 0;
  double write_bytes_per_sec_max = 0;  ///< 0: no limit
  bool blocked = false;                ///< a write waits for room, and later requests wait for it
  bool operator==(const Conditions&) const = default;
};

struct ClientMachine {
  Costs costs;
  Device device;
  int cores = 2;
  double read_miss_share = 0;  ///< share of reads that go to the device
  bool log_writes = true;      ///< whether the WAL uses the device's bandwidth
};

/// The work done in one step.
struct Served {
  double arrived = 0;
  double requests = 0;
  double writes = 0;
};

class Clients {
 public:
  Clients(const Load& load, const ClientMachine& machine, uint64_t seed);

  void Set(const Conditions& conditions);
  Served Advance(double from, double to);
  /// Adds pending latencies to the tallies `all` and `writes`, which the caller clears.
  void Settle();

  double write_bytes() const { return entry_bytes_ * load_.batch_entries; }
  double memtable_bytes_per_write() const;
  double client_bytes_per_write() const { return write_bytes() + 12; }
  /// Maximum requests per second under these conditions.
  double capacity() const { return capacity_; }
  bool backlogged() const { return !backlog_.empty(); }
  /// Whether the pace or a delay holds writes back. A pace that clients do not reach does not.
  bool slowed() const {
    return delay_seconds_ > 0 || (paused_share_ > 0 && requests_per_sec_wanted() >= capacity_);
  }
  double backlog() const { return backlog_.count(); }
  /// Cores and device share used when `requests` per second are served.
  double CoresFor(double requests) const { return requests * cpu_seconds_; }
  double DeviceFor(double requests) const { return requests * device_seconds_; }
  double requests_per_sec_wanted() const;

  LatencyTally all;
  LatencyTally writes;

 private:
  void SetCapacity();
  double PutSeconds() const;
  void AdvanceClosed(double from, double seconds, Served* served);
  void AdvanceOpen(double from, double to, Served* served);
  void TallySteady(double requests);
  size_t KindAt(double share) const;

  const Load load_;
  const ClientMachine machine_;
  const double entry_bytes_;
  bench::Rng rng_;
  Conditions conditions_;

  double capacity_ = 0;
  double cpu_seconds_ = 0;             // per average request
  double device_seconds_ = 0;          // per average request
  double put_seconds_ = 0;             // per write, from its start
  double delay_seconds_ = 0;           // part of put_seconds_: the sleep before the write
  double alone_seconds_ = 0;           // per average request, without contention
  double paused_share_ = 0;            // share of writes that sleep because of pacing
  std::vector<ServiceTime> services_;  // put, get from cache, get from device, scan
  WaitTail tail_;
  std::vector<Backlog::Waited> waited_;
  double steady_requests_ = 0;  // served under these conditions, not yet in the tallies
  Backlog backlog_;
  double blocked_since_ = -1;
};

}  // namespace lull::sim
