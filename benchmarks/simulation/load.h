// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// A load on the modelled store: phases of constant rate, and the kinds of request. Plain values;
// traces are drawn from a seed.
#pragma once

#include <cstdint>
#include <vector>

#include "benchmarks/loadgen/rng.h"

namespace lull::sim {

/// The number of events of a Poisson process in an interval with `mean` expected events. Above 60
/// it uses the normal distribution; the error does not matter to this model.
uint64_t DrawPoisson(bench::Rng& rng, double mean);

/// A time span in which requests arrive at one rate. In a closed loop every client sends its next
/// request after the previous answer; the rate then only says whether clients are active (> 0).
struct Phase {
  double seconds = 0;
  double requests_per_sec = 0;
};

struct Load {
  std::vector<Phase> phases;  ///< repeated
  bool closed_loop = false;
  int clients = 1;  ///< threads that serve requests, first come, first served

  // Kinds of request: write, read, scan. The shares sum to 1.
  double put_share = 1;
  double get_share = 0;
  double scan_share = 0;
  double key_bytes = 16;
  double value_bytes = 100;
  int batch_entries = 1;  ///< per write
  bool sync = false;
  double scan_entries = 20;
  double key_count = 0;  ///< writes draw uniformly from this many keys; 0: every key is new
};

/// A day of load as SILK's section 6.2 describes it for Nutanix: peaks of about 20,000 requests per
/// second between valleys of a few hundred. Valleys last 5 to 20 s, 15 s on average. Nine of ten
/// peaks last 10 to 20 s; the others 100 to 400 s, with long ones rarer.
std::vector<Phase> NutanixLikeTrace(uint64_t seed, double seconds);

}  // namespace lull::sim
