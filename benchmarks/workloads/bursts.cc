// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Bursts and lulls. In a burst, every thread writes random keys as fast as the store accepts them
// (closed loop). In a lull, no thread writes. burstsintime ends a burst after --burst_seconds,
// burstsincount after --burst_ops entries.
#include "benchmarks/workloads/workload.h"
#include "leveldb/write_batch.h"

namespace lull::bench {
namespace {

// Writes one batch of random entries and sets `*now_ns` to the time after it. False on failure.
bool WriteRandomBatch(Worker& worker, const leveldb::WriteOptions& options,
                      leveldb::WriteBatch& batch, uint64_t* now_ns) {
  Run& run = worker.run;
  batch.Clear();
  for (int i = 0; i < run.batch_size; ++i) {
    batch.Put(worker.KeyOf(worker.DrawKey()), worker.NextValue());
  }
  const leveldb::Status status = run.db->Write(options, &batch);
  if (!status.ok()) {
    run.Fail("write failed", status);
    return false;
  }
  const auto entries = static_cast<uint64_t>(run.batch_size);
  *now_ns = worker.meter.Done(OpKind::kWrite, entries, entries * worker.entry_bytes);
  return true;
}

void WriteInBursts(Worker& worker, int64_t entries_a_burst) {
  Run& run = worker.run;
  leveldb::WriteOptions options;
  options.sync = run.sync;
  leveldb::WriteBatch batch;
  while (run.bursts->BeginBurst()) {
    const uint64_t due_ns = run.bursts->current().due_ns;
    const uint64_t ops_before = worker.meter.ops();
    uint64_t now_ns = NowNs();
    worker.meter.Resume(now_ns);
    for (int64_t left = entries_a_burst; left > 0 && now_ns < due_ns; left -= run.batch_size) {
      if (StopRequested()) break;
      if (!WriteRandomBatch(worker, options, batch, &now_ns)) return run.bursts->Leave();
    }
    run.bursts->EndBurst(worker.meter.ops() - ops_before);
  }
}

void BurstsInTime(Worker& worker) { WriteInBursts(worker, INT64_MAX); }

void BurstsInCount(Worker& worker) {
  const int64_t threads = worker.run.threads;
  WriteInBursts(worker, (worker.run.config.burst_ops + threads - 1) / threads);
}

void ScheduleBursts(Run& run, std::vector<double> burst_seconds) {
  BurstPlan plan;
  plan.duration_seconds = run.config.duration;
  plan.burst_seconds = std::move(burst_seconds);
  plan.idle_seconds = run.config.idle_seconds;
  run.bursts = std::make_unique<BurstSchedule>(std::move(plan), run.threads,
                                               [&run](const char* phase) { run.phase = phase; });
}

void ScheduleInTime(Run& run) { ScheduleBursts(run, run.config.burst_seconds); }
void ScheduleInCount(Run& run) { ScheduleBursts(run, {}); }

constexpr WorkloadSpec kBurstSpecs[] = {
    {.name = "burstsintime",
     .body = BurstsInTime,
     .fresh_store = true,
     .long_form = true,
     .prepare = ScheduleInTime},
    {.name = "burstsincount",
     .body = BurstsInCount,
     .fresh_store = true,
     .long_form = true,
     .prepare = ScheduleInCount},
};

}  // namespace

std::span<const WorkloadSpec> BurstWorkloads() { return kBurstSpecs; }

}  // namespace lull::bench
