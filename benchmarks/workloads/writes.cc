// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// LevelDB's write benchmarks, in a closed loop: each thread sends its next write after the previous
// one has returned.
#include "benchmarks/workloads/workload.h"
#include "leveldb/write_batch.h"

namespace lull::bench {
namespace {

enum class Order { kSequential, kRandom };

// Writes a thread's share in batches. Calls `fill(batch, key number)` for every entry.
template <typename Fill>
void WriteBatches(Worker& worker, Order order, uint64_t entry_bytes, const Fill& fill) {
  Run& run = worker.run;
  leveldb::WriteOptions options;
  options.sync = run.sync;
  leveldb::WriteBatch batch;
  for (int64_t next = 0; next < run.num && !StopRequested(); next += run.batch_size) {
    batch.Clear();
    for (int i = 0; i < run.batch_size; ++i) {
      const uint64_t number =
          order == Order::kSequential ? static_cast<uint64_t>(next + i) : worker.DrawKey();
      fill(batch, number);
    }
    const leveldb::Status status = run.db->Write(options, &batch);
    if (!status.ok()) return run.Fail("write failed", status);
    const auto entries = static_cast<uint64_t>(run.batch_size);
    worker.meter.Done(OpKind::kWrite, entries, entries * entry_bytes);
  }
}

void PutInOrder(Worker& worker, Order order) {
  WriteBatches(worker, order, worker.entry_bytes,
               [&worker](leveldb::WriteBatch& batch, uint64_t number) {
                 batch.Put(worker.KeyOf(number), worker.NextValue());
               });
}

void DeleteInOrder(Worker& worker, Order order) {
  WriteBatches(worker, order, 0, [&worker](leveldb::WriteBatch& batch, uint64_t number) {
    batch.Delete(worker.KeyOf(number));
  });
}

// Adds the entries after those of earlier runs, each once.
void PutAfterFirst(Worker& worker) {
  const auto first = static_cast<uint64_t>(worker.run.config.first);
  WriteBatches(worker, Order::kSequential, worker.entry_bytes,
               [&worker, first](leveldb::WriteBatch& batch, uint64_t number) {
                 batch.Put(worker.KeyOf(first + number), worker.NextValue());
               });
}

void PutSequential(Worker& worker) { PutInOrder(worker, Order::kSequential); }
void PutRandom(Worker& worker) { PutInOrder(worker, Order::kRandom); }
void DeleteSequential(Worker& worker) { DeleteInOrder(worker, Order::kSequential); }
void DeleteRandom(Worker& worker) { DeleteInOrder(worker, Order::kRandom); }

void CompactAll(Worker& worker) {
  worker.run.db->CompactRange(nullptr, nullptr);
  worker.meter.Done(OpKind::kWrite, 1, 0);
}

// Opening is slow, so it runs --num / 10000 times.
void OpenAgain(Worker& worker) {
  Run& run = worker.run;
  for (int64_t i = 0; i < run.num; ++i) {
    const leveldb::Status status = run.reopen();
    if (!status.ok()) return run.Fail("open failed", status);
    worker.meter.Done(OpKind::kRead, 1, 0);
  }
}

constexpr WorkloadSpec kWriteSpecs[] = {
    {.name = "fillseq", .body = PutSequential, .fresh_store = true, .writes = true},
    {.name = "fillrandom", .body = PutRandom, .fresh_store = true, .writes = true},
    {.name = "fillbatch",
     .body = PutSequential,
     .fresh_store = true,
     .batch_size = 1000,
     .writes = true},
    {.name = "fillsync",
     .body = PutRandom,
     .fresh_store = true,
     .num_divisor = 1000,
     .sync = true,
     .writes = true},
    {.name = "fill100K",
     .body = PutRandom,
     .fresh_store = true,
     .num_divisor = 1000,
     .value_size = 100 * 1000,
     .writes = true},
    {.name = "append", .body = PutAfterFirst, .writes = true},
    {.name = "overwrite", .body = PutRandom, .writes = true},
    {.name = "deleteseq", .body = DeleteSequential},
    {.name = "deleterandom", .body = DeleteRandom},
    {.name = "compact", .body = CompactAll},
    {.name = "open", .body = OpenAgain, .num_divisor = 10000, .reopens = true},
};

}  // namespace

std::span<const WorkloadSpec> WriteWorkloads() { return kWriteSpecs; }

void WriteUntilMeasured(Worker& worker) {
  Run& run = worker.run;
  while (run.measuring.load() > 0 && !StopRequested()) {
    const leveldb::Status status =
        run.db->Put(leveldb::WriteOptions(), worker.KeyOf(worker.DrawKey()), worker.NextValue());
    if (!status.ok()) return run.Fail("put failed", status);
  }
}

}  // namespace lull::bench
