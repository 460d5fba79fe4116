// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Open loop: requests come when they come, not when the store is ready for them. Each thread draws
// the times of its requests beforehand, as it were (a Poisson process with a seed), and a latency
// counts from the time a request was due. A thread that is late starts at once, and what it is late
// by is part of the latency: a pause of the store is felt by every request that fell into it, as it
// would be by a client.
#include "benchmarks/workload.h"

namespace lull::bench {
namespace {

// A store that cannot keep up would make the run endless: this many times --duration, then the rest
// is given up.
constexpr double kPatience = 2;

leveldb::Status Request(Worker& worker, bool put, std::string* scratch) {
  Run& run = worker.run;
  const std::string_view key =
      worker.key.Of(worker.rng.Below(static_cast<uint64_t>(run.config.num)));
  if (put) {
    leveldb::WriteOptions options;
    options.sync = run.sync;
    const std::string_view value = worker.values.Next(static_cast<size_t>(run.value_size));
    return run.db->Put(options, {key.data(), key.size()}, {value.data(), value.size()});
  }
  const leveldb::Status status =
      run.db->Get(leveldb::ReadOptions(), {key.data(), key.size()}, scratch);
  return status.IsNotFound() ? leveldb::Status::OK() : status;
}

void ServeArrivals(Worker& worker) {
  Run& run = worker.run;
  UsePreciseSleep();
  const double mean_gap_ns = kNsPerSecond * run.threads / run.config.rate;
  const double length_ns = run.config.duration * kNsPerSecond;
  const uint64_t give_up_ns = run.begin_ns + static_cast<uint64_t>(kPatience * length_ns);
  std::string scratch;
  uint64_t now_ns = NowNs();
  for (double due = worker.rng.Exponential(mean_gap_ns); due < length_ns;
       due += worker.rng.Exponential(mean_gap_ns)) {
    if (run.failed()) return;
    if (now_ns >= give_up_ns) {
      ++run.unserved;
      continue;
    }
    const uint64_t due_ns = run.begin_ns + static_cast<uint64_t>(due);
    if (now_ns < due_ns) SleepUntilNs(due_ns);
    const bool put = static_cast<double>(worker.rng.Below(10000)) < run.config.put_percent * 100;
    const leveldb::Status status = Request(worker, put, &scratch);
    if (!status.ok()) return run.Fail(put ? "put failed" : "get failed", status);
    now_ns = NowNs();
    worker.meter.DoneSince(put ? OpKind::kWrite : OpKind::kRead, due_ns, now_ns, 1,
                           put ? worker.entry_bytes : 0);
  }
}

// Fills the store, unmeasured, and lets it come to rest, so that gets find something and every run
// begins alike.
void Preload(Run& run) {
  if (run.config.use_existing_db) return;
  run.phase = "preload";
  Worker worker(run, run.threads, false);
  for (int64_t i = 0; i < run.num; ++i) {
    const std::string_view key =
        worker.key.Of(worker.rng.Below(static_cast<uint64_t>(run.config.num)));
    const std::string_view value = worker.values.Next(static_cast<size_t>(run.value_size));
    const leveldb::Status status = run.db->Put(leveldb::WriteOptions(), {key.data(), key.size()},
                                               {value.data(), value.size()});
    if (!status.ok()) return run.Fail("preload failed", status);
  }
  uint64_t idle_since_ns = 0;
  const leveldb::Status status = run.wait_idle(&idle_since_ns);
  if (!status.ok()) run.Fail("waiting for the background work failed", status);
  run.phase = "run";
}

constexpr WorkloadSpec kWorkloads[] = {
    {.name = "openloop",
     .body = ServeArrivals,
     .fresh_store = true,
     .long_form = true,
     .prepare = Preload},
};

}  // namespace

std::span<const WorkloadSpec> OpenLoopWorkloads() { return kWorkloads; }

}  // namespace lull::bench
