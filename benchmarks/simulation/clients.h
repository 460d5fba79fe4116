// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// The clients of a modelled store: what they get done in a stretch of time, and with which latency.
// Requests are a fluid, drawn as Poisson numbers a step, that is served first come, first served;
// latency.h has the arithmetic. One thread; time is an argument.
#pragma once

#include <cstdint>
#include <vector>

#include "benchmarks/loadgen/rng.h"
#include "benchmarks/simulation/latency.h"
#include "benchmarks/simulation/load.h"
#include "benchmarks/simulation/profile.h"

namespace lull::sim {

/// What the clients meet with, constant until it is set anew.
struct Conditions {
  double requests_per_sec = 0;  ///< open loop: that come; closed: > 0 when clients are at work
  double cores = 1;             ///< that they could have
  double device = 1;            ///< share of the device that they could have
  double busy = 0;           ///< share of the cores that background work takes at normal priority
  double queue_seconds = 0;  ///< what a small read waits for on average at the device
  double queue_seconds_max = 0;
  double memtable_bytes = 0;
  double delay_us_per_write = 0;
  double write_bytes_per_sec_max = 0;  ///< 0: none
  bool blocked = false;                ///< a write waits for room, and whatever comes behind it
  bool operator==(const Conditions&) const = default;
};

struct ClientMachine {
  Costs costs;
  Device device;
  int cores = 2;
  double read_miss_share = 0;  ///< of reads that go to the device
  bool log_writes = true;      ///< the write-ahead log takes the device's bandwidth
};

/// What was done in a step.
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
  /// Adds what has not been added to the tallies yet. They are the caller's to clear.
  void Settle();

  double write_bytes() const { return entry_bytes_ * load_.batch_entries; }
  double memtable_bytes_per_write() const;
  double client_bytes_per_write() const { return write_bytes() + 12; }
  /// Requests a second that can be served at most under these conditions.
  double capacity() const { return capacity_; }
  bool backlogged() const { return !backlog_.empty(); }
  double backlog() const { return backlog_.count(); }
  /// What they would use of cores and device if `requests` were served a second.
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
  double cpu_seconds_ = 0;             // of an average request
  double device_seconds_ = 0;          // likewise
  double put_seconds_ = 0;             // of a write, from its start
  double delay_seconds_ = 0;           // of that, slept before it joins the others
  double alone_seconds_ = 0;           // of an average request, that nobody is in the way of
  double paused_share_ = 0;            // of writes that sleep because they are paced
  std::vector<ServiceTime> services_;  // put, get from cache, get from device, scan
  WaitTail tail_;
  std::vector<Backlog::Waited> waited_;
  double steady_requests_ = 0;  // served since the conditions were set, and not yet tallied
  Backlog backlog_;
  double blocked_since_ = -1;
};

}  // namespace lull::sim
