// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// A window of --num live entries moves over the keys: each step puts an entry at its front and
// deletes the one at its end, until 20 times as many have passed. Between rounds of --num steps the
// clients rest. Then everything is deleted, and they rest ten times as long. `queue`: keys in
// order. `churn`: keys spread over the whole range, as in google/leveldb#164.
//
// Measures the disk space that the store takes, and how long it takes to find the first entry.
#include <algorithm>
#include <cstdio>
#include <memory>

#include "benchmarks/workloads/rests.h"
#include "benchmarks/workloads/workload.h"
#include "leveldb/iterator.h"
#include "leveldb/write_batch.h"

namespace lull::bench {
namespace {

constexpr int kRounds = 20;
constexpr uint64_t kStepsBetweenLooks = 5000;
constexpr double kQueueRestSeconds = 1;  // without --idle_seconds
constexpr double kLastRests = 10;

class Window {
 public:
  Window(Worker& worker, bool in_order) : worker_(worker), in_order_(in_order) {}

  bool Fill() {
    phase("fill");
    for (int64_t i = 0; i < run().num; ++i)
      if (!Put()) return false;
    return true;
  }

  bool MoveOn() {
    phase("move");
    const uint64_t began_ns = NowNs();
    for (int64_t i = 0; i < run().num; ++i) {
      if (!Put() || !Delete()) return false;
      if (i % kStepsBetweenLooks == 0) first_ns_ = std::max(first_ns_, FindFirst());
    }
    moving_ns_ += NowNs() - began_ns;
    return true;
  }

  void RestOnce() {
    if (Seconds() <= 0 || !Rest(worker_, Seconds())) return;
    first_at_rest_ns_ = std::max(first_at_rest_ns_, FindFirst());
    at_rest_bytes_ = std::max(at_rest_bytes_, DirectoryBytes(run().directory));
  }

  bool Empty() {
    phase("empty");
    while (end_ < front_)
      if (!Delete()) return false;
    return Rest(worker_, kLastRests * Seconds());
  }

  std::string Figures() const {
    char text[300];
    std::snprintf(
        text, sizeof(text),
        "(MB: %.1f live, disk at most %.1f, at rest %.1f, all deleted %.1f; "
        "first entry: %.2f ms, at rest %.2f ms; step: %.2f us)",
        Megabytes(static_cast<uint64_t>(run().num) * worker_.entry_bytes),
        Megabytes(run().disk_bytes_max.load()), Megabytes(at_rest_bytes_),
        Megabytes(DirectoryBytes(run().directory)), Milliseconds(first_ns_),
        Milliseconds(first_at_rest_ns_),
        static_cast<double>(moving_ns_) / 1e3 / (kRounds * static_cast<double>(run().num)));
    return text;
  }

 private:
  Run& run() const { return worker_.run; }
  void phase(const char* name) { run().phase = name; }
  double Seconds() const { return RestSeconds(run(), kQueueRestSeconds); }

  /// Threads have separate windows.
  leveldb::Slice KeyOf(uint64_t step) {
    const uint64_t number =
        step * static_cast<uint64_t>(run().threads) + static_cast<uint64_t>(worker_.index);
    return worker_.KeyOf(in_order_ ? number : loadgen::Scatter(number, kKeyNumbers));
  }

  bool Check(const leveldb::Status& status, uint64_t bytes) {
    if (!status.ok()) run().Fail("write failed", status);
    worker_.meter.Done(OpKind::kWrite, 1, bytes);
    return status.ok() && !StopRequested();
  }
  bool Put() {
    return Check(run().db->Put(leveldb::WriteOptions(), KeyOf(front_++), worker_.NextValue()),
                 worker_.entry_bytes);
  }
  bool Delete() { return Check(run().db->Delete(leveldb::WriteOptions(), KeyOf(end_++)), 0); }

  uint64_t FindFirst() {
    const uint64_t began_ns = NowNs();
    const std::unique_ptr<leveldb::Iterator> iterator(
        run().db->NewIterator(leveldb::ReadOptions()));
    iterator->SeekToFirst();
    if (!iterator->status().ok()) run().Fail("seek failed", iterator->status());
    const uint64_t now_ns = NowNs();
    worker_.meter.Resume(now_ns);
    return now_ns - began_ns;
  }

  Worker& worker_;
  const bool in_order_;
  uint64_t front_ = 0;  // steps
  uint64_t end_ = 0;
  uint64_t moving_ns_ = 0;
  uint64_t first_ns_ = 0;
  uint64_t first_at_rest_ns_ = 0;
  uint64_t at_rest_bytes_ = 0;
};

void MoveWindow(Worker& worker, bool in_order) {
  Window window(worker, in_order);
  if (!window.Fill()) return;
  for (int round = 0; round < kRounds; ++round) {
    if (!window.MoveOn()) return;
    window.RestOnce();
  }
  if (window.Empty()) worker.message = window.Figures();
}

void Queue(Worker& worker) { MoveWindow(worker, /*in_order=*/true); }
void Churn(Worker& worker) { MoveWindow(worker, /*in_order=*/false); }

constexpr WorkloadSpec kQueueSpecs[] = {
    {.name = "queue", .body = Queue, .fresh_store = true, .num_divisor = 10, .writer = SampleDisk},
    {.name = "churn", .body = Churn, .fresh_store = true, .num_divisor = 10, .writer = SampleDisk},
};

}  // namespace

std::span<const WorkloadSpec> QueueWorkloads() { return kQueueSpecs; }

}  // namespace lull::bench
