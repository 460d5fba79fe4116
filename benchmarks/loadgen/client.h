// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// One client of a load: sends requests when they are due, or in a closed loop as soon as the last
// one is done, and counts. A latency is taken from the moment a request was due, so a client that
// was held up counts the wait of every request that came due meanwhile (no coordinated omission).
// It sleeps until an absolute time and never spins.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "benchmarks/loadgen/arrivals.h"
#include "benchmarks/loadgen/distributions.h"
#include "benchmarks/loadgen/operation_mix.h"
#include "benchmarks/loadgen/rng.h"
#include "benchmarks/measure/meter.h"

namespace lull::loadgen {

struct Entry {
  uint64_t key = 0;
  uint64_t value_bytes = 0;
};

struct Request {
  Operation operation = Operation::kPut;
  std::span<const Entry> entries;  // one; of a put, as many as a batch has
  uint64_t scan_entries = 0;       // of a scan
};

// What requests are sent to. The client's thread calls it.
class Target {
 public:
  virtual ~Target() = default;
  // Returns once the request is done; false if it failed, which ends the client. Adds the bytes of
  // keys and values that were written, or that a get or scan returned, to `*bytes`.
  virtual bool Execute(const Request& request, uint64_t* bytes) = 0;
};

// What the clients of one group have in common. Constant while they run.
struct ClientGroup {
  LoadShape shape;
  OperationMix mix;
  KeySpec keys;
  SizeDistribution values;  // bytes
  SizeDistribution scans;   // entries
  int threads = 1;
  int batch_size = 1;  // entries of a put
};

class Client {
 public:
  // `group` and `keys` must outlive the client. Clients of a load differ in `seed` and share
  // `load_seed`.
  Client(const ClientGroup& group, KeySpace& keys, uint64_t seed, uint64_t load_seed);

  // Serves all arrivals, or until `stop`. Requests that are still waiting at `give_up_ns` (a time
  // of NowNs()) are not sent; they are returned as a number. The load begins at `begin_ns`.
  uint64_t Run(Arrivals& arrivals, Target& target, bench::Meter& meter, uint64_t begin_ns,
               uint64_t give_up_ns, const std::atomic<bool>& stop);

  // Of all requests that were sent, in their order, with the times at which they were due: two runs
  // with the same one asked the same of their stores. The key of an insert is left out, since
  // clients take new keys in turn.
  uint64_t operations_hash() const { return operations_hash_; }

 private:
  Request NextRequest();
  Entry DrawEntry(Operation operation);

  KeySpace& keys_;
  bench::Rng rng_;
  OperationMix mix_;
  SizeDistribution values_;
  SizeDistribution scans_;
  const std::unique_ptr<KeyChooser> chooser_;
  const size_t batch_size_;
  std::vector<Entry> entries_;
  uint64_t operations_hash_ = 1;
};

}  // namespace lull::loadgen
