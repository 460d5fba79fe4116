// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// One client of a load. It sends requests when they are due (open loop), or as soon as the last one
// is done (closed loop). Latency counts from the due time, so a delayed client includes the wait of
// every request that became due meanwhile (no coordinated omission). The client sleeps until an
// absolute time and never spins.
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
  std::span<const Entry> entries;  // one entry; for a put, one batch
  uint64_t scan_entries = 0;       // scans only
};

// Receives the requests. Called on the client's thread.
class Target {
 public:
  virtual ~Target() = default;
  // Blocks until the request is done. Returns false on failure, which ends the client. Adds to
  // `*bytes` the bytes of the keys and values written, or returned by a get or scan.
  virtual bool Execute(const Request& request, uint64_t* bytes) = 0;
};

// Settings shared by the clients of one group. Constant while they run.
struct ClientGroup {
  LoadShape shape;
  OperationMix mix;
  KeySpec keys;
  SizeDistribution values;  // bytes
  SizeDistribution scans;   // entries
  int threads = 1;
  int batch_size = 1;  // entries per put
};

class Client {
 public:
  // `group` and `keys` must outlive the client. Clients of a load differ in `seed` and share
  // `load_seed`.
  Client(const ClientGroup& group, KeySpace& keys, uint64_t seed, uint64_t load_seed);

  // Sends requests until the arrivals end or `stop` is set. The load begins at `begin_ns`. Gives up
  // the requests still waiting at `give_up_ns` and returns their number. Times are NowNs() times.
  uint64_t Run(Arrivals& arrivals, Target& target, bench::Meter& meter, uint64_t begin_ns,
               uint64_t give_up_ns, const std::atomic<bool>& stop);

  // Hash of all requests sent, in order, with their due times. Two runs with equal hashes sent the
  // same requests. Keys of inserts are excluded, because clients share one counter of new keys.
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
