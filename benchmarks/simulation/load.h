// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// What clients ask for: phases of constant rate, and what a request is. Plain values; the traces
// are drawn from a seed.
#pragma once

#include <cstdint>
#include <vector>

#include "benchmarks/loadgen/rng.h"

namespace lull::sim {

/// The number of events of a Poisson process in an interval where `mean` are expected. Beyond 60
/// the normal distribution stands for it: the error is far below what anything here can tell.
uint64_t DrawPoisson(bench::Rng& rng, double mean);

/// A stretch of time in which requests come at one rate. In a closed loop every client sends its
/// next request when it has the answer: then the rate only says whether they are at work (> 0).
struct Phase {
  double seconds = 0;
  double requests_per_sec = 0;
};

struct Load {
  std::vector<Phase> phases;  ///< over and over
  bool closed_loop = false;
  int clients = 1;  ///< threads that serve requests, first come, first served

  // A request: a write, a read or a scan. Shares add up to 1.
  double put_share = 1;
  double get_share = 0;
  double scan_share = 0;
  double key_bytes = 16;
  double value_bytes = 100;
  int batch_entries = 1;  ///< of a write
  bool sync = false;
  double scan_entries = 20;
  double key_count = 0;  ///< writes draw uniformly from so many keys; 0: every key is new
};

/// A day as SILK's section 6.2 tells of Nutanix's: peaks of about 20,000 requests a second between
/// valleys of a few hundred. Valleys last 5 to 20 s, 15 s on average; nine peaks of ten last 10 to
/// 20 s, the others 100 to 400 s, long ones being rarer.
std::vector<Phase> NutanixLikeTrace(uint64_t seed, double seconds);

}  // namespace lull::sim
