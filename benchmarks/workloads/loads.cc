// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// The benchmark "load": loadgen's clients on a store. openloop and b0 to b11 (load_presets.h) run
// it.
#include <algorithm>
#include <memory>
#include <optional>
#include <string>

#include "benchmarks/loadgen/client.h"
#include "benchmarks/stores/store.h"
#include "benchmarks/workloads/workload.h"
#include "leveldb/iterator.h"
#include "leveldb/write_batch.h"

namespace lull::bench {
namespace {

using loadgen::Operation;

// A load is cut off after this many times its length, and waiting requests are given up. Otherwise
// a store that cannot keep up would never finish.
constexpr double kPatience = 2;

// Sends one client's requests to a store. Owned by the client's thread.
class StoreTarget final : public loadgen::Target {
 public:
  StoreTarget(Worker& worker, leveldb::DB& db) : worker_(worker), db_(db) {
    write_.sync = worker.run.sync;
  }

  bool Execute(const loadgen::Request& request, uint64_t* bytes) override {
    switch (request.operation) {
      case Operation::kPut:
      case Operation::kInsert:
        return Put(request.entries, bytes);
      case Operation::kGet:
        return Get(request.entries.front(), bytes);
      case Operation::kScan:
        return Scan(request.entries.front(), request.scan_entries, bytes);
      case Operation::kDelete:
        return Delete(request.entries.front(), bytes);
      case Operation::kReadModifyWrite:
        break;
    }
    uint64_t read_bytes = 0;
    return Get(request.entries.front(), &read_bytes) && Put(request.entries, bytes);
  }

 private:
  leveldb::Slice KeyOf(const loadgen::Entry& entry) { return worker_.KeyOf(entry.key); }
  leveldb::Slice ValueOf(const loadgen::Entry& entry) {
    return worker_.NextValue(entry.value_bytes);
  }

  bool Ended(const leveldb::Status& status, const char* what) {
    if (!status.ok()) worker_.run.Fail(what, status);
    return status.ok();
  }

  bool Put(std::span<const loadgen::Entry> entries, uint64_t* bytes) {
    for (const loadgen::Entry& entry : entries) *bytes += key_bytes() + entry.value_bytes;
    if (entries.size() == 1) {
      const loadgen::Entry& entry = entries.front();
      return Ended(db_.Put(write_, KeyOf(entry), ValueOf(entry)), "put failed");
    }
    batch_.Clear();
    for (const loadgen::Entry& entry : entries) batch_.Put(KeyOf(entry), ValueOf(entry));
    return Ended(db_.Write(write_, &batch_), "write failed");
  }

  bool Get(const loadgen::Entry& entry, uint64_t* bytes) {
    const leveldb::Status status = db_.Get(leveldb::ReadOptions(), KeyOf(entry), &scratch_);
    if (status.IsNotFound()) return true;
    *bytes += key_bytes() + scratch_.size();
    return Ended(status, "get failed");
  }

  bool Scan(const loadgen::Entry& entry, uint64_t entries, uint64_t* bytes) {
    const std::unique_ptr<leveldb::Iterator> cursor(db_.NewIterator(leveldb::ReadOptions()));
    cursor->Seek(KeyOf(entry));
    for (; entries > 0 && cursor->Valid(); --entries) {
      *bytes += cursor->key().size() + cursor->value().size();
      cursor->Next();
    }
    return Ended(cursor->status(), "scan failed");
  }

  bool Delete(const loadgen::Entry& entry, uint64_t* bytes) {
    *bytes += key_bytes();
    return Ended(db_.Delete(write_, KeyOf(entry)), "delete failed");
  }

  uint64_t key_bytes() const {
    return KeyText::kDigits + static_cast<uint64_t>(worker_.run.config.key_prefix);
  }

  Worker& worker_;
  leveldb::DB& db_;
  leveldb::WriteOptions write_;
  leveldb::WriteBatch batch_;
  std::string scratch_;
};

void ServeArrivals(Worker& worker) {
  Run& run = worker.run;
  LoadPlan& plan = *run.load;
  int client = 0;
  const loadgen::ClientGroup& group = plan.GroupOf(worker.index, &client);
  StoreTarget target(worker, *run.db);
  loadgen::Client generator(group, plan.keys, worker.rng.Next(), run.config.seed);
  std::unique_ptr<loadgen::Arrivals> arrivals;
  if (plan.arrival_times.empty()) {
    arrivals =
        std::make_unique<loadgen::PoissonArrivals>(group.shape, group.threads, worker.rng.Next());
  } else {
    arrivals = std::make_unique<loadgen::TraceArrivals>(plan.arrival_times, plan.duration(), client,
                                                        group.threads);
  }
  const auto patience_ns = static_cast<uint64_t>(kPatience * plan.duration() * kNsPerSecond);
  run.unserved += generator.Run(*arrivals, target, worker.meter, run.begin_ns,
                                run.begin_ns + patience_ns, StopRequested());
  run.operations_hash += generator.operations_hash();
}

// Writes every key once in random order, without measuring, and waits until the store is idle. So
// gets find their keys, and every run begins in the same state.
void WriteAllKeys(Run& run) {
  run.phase = "preload";
  Worker worker(run, run.threads, false);
  loadgen::SizeDistribution sizes = run.load->groups.front().values;
  leveldb::WriteBatch batch;
  const uint64_t count = run.load->keys.initial;
  constexpr uint64_t kBatch = 16;
  for (uint64_t i = 0; i < count && !StopRequested();) {
    batch.Clear();
    for (const uint64_t end = std::min(count, i + kBatch); i < end; ++i) {
      const uint64_t value_bytes = sizes.Draw(worker.rng);
      batch.Put(worker.KeyOf(loadgen::Scatter(i, count)), worker.NextValue(value_bytes));
    }
    const leveldb::Status status = run.db->Write(leveldb::WriteOptions(), &batch);
    if (!status.ok()) return run.Fail("preload failed", status);
  }
  uint64_t idle_since_ns = 0;
  const leveldb::Status status = run.wait_idle(&idle_since_ns);
  if (!status.ok()) run.Fail("waiting for the background work failed", status);
  run.phase = "run";
}

// The first `limit` arrivals of another source; counts them.
class LimitedArrivals final : public loadgen::Arrivals {
 public:
  LimitedArrivals(loadgen::Arrivals& all, uint64_t limit) : all_(all), limit_(limit) {}
  std::optional<loadgen::Arrival> Next(double now_seconds) override {
    if (count_ == limit_) return std::nullopt;
    const auto next = all_.Next(now_seconds);
    if (next) ++count_;
    return next;
  }
  uint64_t count() const { return count_; }

 private:
  loadgen::Arrivals& all_;
  const uint64_t limit_;
  uint64_t count_ = 0;
};

// Cost of generating one request: runs the first group's mix in a closed loop on the null store,
// until there are enough requests for a mean.
double GeneratorNsPerRequest(Run& run) {
  constexpr double kLongestSeconds = 0.2;
  constexpr uint64_t kEnough = 100'000;
  const std::unique_ptr<leveldb::DB> nothing = NewNullStore();
  Worker worker(run, run.threads, true);
  StoreTarget target(worker, *nothing);
  loadgen::KeySpace keys(run.load->keys.initial);
  loadgen::ClientGroup group = run.load->groups.front();
  loadgen::LoadShape::Parse("max", 0, kLongestSeconds, 0, &group.shape);
  loadgen::PoissonArrivals all(group.shape, 1, 0);
  LimitedArrivals arrivals(all, kEnough);
  loadgen::Client generator(group, keys, run.config.seed, run.config.seed);
  const uint64_t begin_ns = NowNs();
  generator.Run(arrivals, target, worker.meter, begin_ns, UINT64_MAX, StopRequested());
  const auto ns = static_cast<double>(NowNs() - begin_ns);
  return ns / static_cast<double>(std::max<uint64_t>(1, arrivals.count()));
}

// Appends of one request's size, each with a sync, that the device completes per second. It is the
// upper limit for one writer.
double DeviceSyncsPerSecond(Run& run) {
  const auto length_ns = static_cast<uint64_t>(kNsPerSecond * std::min(1.0, run.config.duration));
  const std::string path = run.directory + "/sync-probe";
  leveldb::WritableFile* opened = nullptr;
  run.env->CreateDir(run.directory);
  if (!run.env->NewWritableFile(path, &opened).ok()) return 0;
  const std::unique_ptr<leveldb::WritableFile> file(opened);
  const std::string record(KeyText::kDigits + run.load->value_bytes_max(), 'x');
  const uint64_t begin_ns = NowNs();
  uint64_t now_ns = begin_ns;
  double syncs = 0;
  for (; now_ns < begin_ns + length_ns; ++syncs) {
    if (!file->Append(record).ok() || !file->Sync().ok()) break;
    now_ns = NowNs();
  }
  run.env->RemoveFile(path);
  return syncs * kNsPerSecond / static_cast<double>(now_ns - begin_ns);
}

void PrepareLoad(Run& run) {
  run.generator_ns_per_request = GeneratorNsPerRequest(run);
  if (run.sync && run.config.store != "null") run.device_syncs_per_s = DeviceSyncsPerSecond(run);
  const bool kept = run.config.use_existing_db || run.config.reuse;
  if (run.config.preload && !kept) WriteAllKeys(run);
}

constexpr WorkloadSpec kLoadSpecs[] = {
    {.name = "load",
     .body = ServeArrivals,
     .fresh_store = true,
     .long_form = true,
     .prepare = PrepareLoad},
};

}  // namespace

std::span<const WorkloadSpec> LoadWorkloads() { return kLoadSpecs; }

}  // namespace lull::bench
