// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Calls that LevelDB lacks, on stores that have them: iterators with bounds, writes that fail
// instead of waiting, readers that follow a writer, and ingestion of tables.
#include <algorithm>
#include <cstdio>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "benchmarks/measure/platform.h"
#include "benchmarks/stores/store.h"
#include "benchmarks/workloads/workload.h"
#include "leveldb/iterator.h"
#include "leveldb/write_batch.h"

namespace lull::bench {
namespace {

constexpr uint64_t kScanEntries = 50;

double Micros(uint64_t ns) { return static_cast<double>(ns) / 1e3; }

// Reads the keys of kScanEntries consecutive numbers, from a random one on.
void Scan(Worker& worker, bool bounded) {
  Run& run = worker.run;
  uint64_t entries = 0;
  for (int64_t i = 0; i < run.reads && !StopRequested(); ++i) {
    const uint64_t first = worker.DrawKey();
    const std::string begin = worker.KeyOf(first).ToString();
    const std::string end = worker.KeyOf(first + kScanEntries).ToString();
    const std::unique_ptr<leveldb::Iterator> entry =
        bounded ? NewBoundedIterator(run.db, begin, end)
                : std::unique_ptr<leveldb::Iterator>(run.db->NewIterator(leveldb::ReadOptions()));
    for (entry->Seek(begin); entry->Valid() && entry->key().compare(end) < 0; entry->Next())
      ++entries;
    if (!entry->status().ok()) return run.Fail("scan failed", entry->status());
    worker.meter.Done(OpKind::kScan, 1, 0);
  }
  worker.message = "(" + std::to_string(entries) + " entries)";
}

void ScanRandom(Worker& worker) { Scan(worker, /*bounded=*/false); }
void ScanBounded(Worker& worker) { Scan(worker, /*bounded=*/true); }

// Random entries. A refused write is tried again after a millisecond, as a service would that does
// something else meanwhile.
void TryWrites(Worker& worker) {
  Run& run = worker.run;
  uint64_t refusals = 0;
  uint64_t longest_ns = 0;
  leveldb::WriteBatch batch;
  for (int64_t i = 0; i < run.num && !StopRequested();) {
    batch.Clear();
    batch.Put(worker.KeyOf(worker.DrawKey()), worker.NextValue());
    bool refused = false;
    const uint64_t began_ns = NowNs();
    const leveldb::Status status = TryWrite(run.db, &batch, &refused);
    longest_ns = std::max(longest_ns, NowNs() - began_ns);
    if (refused) {
      ++refusals;
      SleepUntilNs(NowNs() + kNsPerSecond / 1000);
      continue;
    }
    if (!status.ok()) return run.Fail("write failed", status);
    worker.meter.Done(OpKind::kWrite, 1, worker.entry_bytes);
    ++i;
  }
  char text[100];
  std::snprintf(text, sizeof(text), "(refused %llu times; longest call %.2f ms)",
                static_cast<unsigned long long>(refusals), Micros(longest_ns) / 1e3);
  worker.message = text;
}

// A second reader of the store follows after every 1,000 writes.
void FollowWrites(Worker& worker) {
  constexpr int kWritesBetween = 1000;
  Run& run = worker.run;
  std::unique_ptr<leveldb::DB> follower;
  leveldb::Status status = OpenFollower(run.directory, &follower);
  if (!status.ok()) return run.Fail("opening a second reader failed", status);
  std::vector<uint64_t> refreshes_ns;
  for (int64_t i = 0; i < run.num / kWritesBetween && !StopRequested(); ++i) {
    std::string key, value, seen;
    for (int write = 0; write < kWritesBetween; ++write) {
      key = worker.KeyOf(worker.DrawKey()).ToString();
      value = worker.NextValue().ToString();
      status = run.db->Put(leveldb::WriteOptions(), key, value);
      if (!status.ok()) return run.Fail("put failed", status);
      worker.meter.Done(OpKind::kWrite, 1, worker.entry_bytes);
    }
    const uint64_t began_ns = NowNs();
    status = RefreshFollower(follower.get());
    refreshes_ns.push_back(NowNs() - began_ns);
    if (status.ok()) status = follower->Get(leveldb::ReadOptions(), key, &seen);
    if (status.ok() && seen != value) status = leveldb::Status::Corruption("an old value was read");
    if (!status.ok()) return run.Fail("following failed", status);
    worker.meter.Resume(NowNs());
  }
  if (refreshes_ns.empty()) return;
  std::sort(refreshes_ns.begin(), refreshes_ns.end());
  char text[100];
  std::snprintf(text, sizeof(text), "(refresh: median %.0f us, longest %.0f us)",
                Micros(refreshes_ns[refreshes_ns.size() / 2]), Micros(refreshes_ns.back()));
  worker.message = text;
}

// Tables of consecutive keys, in one call. Making them is not counted in the message.
void IngestAll(Worker& worker) {
  constexpr uint64_t kEntriesOfATable = 100'000;
  Run& run = worker.run;
  std::vector<std::string> paths;
  std::vector<std::pair<std::string, std::string>> entries;
  leveldb::Status status;
  for (uint64_t i = 0; i < static_cast<uint64_t>(run.num) && status.ok(); ++i) {
    entries.emplace_back(worker.KeyOf(i).ToString(), worker.NextValue().ToString());
    if (entries.size() < kEntriesOfATable && i + 1 < static_cast<uint64_t>(run.num)) continue;
    paths.push_back(run.directory + "-table-" + std::to_string(paths.size()));
    status = WriteTable(paths.back(), entries);
    entries.clear();
  }
  const uint64_t began_ns = NowNs();
  if (status.ok()) status = IngestTables(run.db, paths);
  const uint64_t took_ns = NowNs() - began_ns;
  for (const std::string& path : paths) run.env->RemoveFile(path);
  if (!status.ok()) return run.Fail("ingestion failed", status);
  const auto count = static_cast<uint64_t>(run.num);
  worker.meter.Done(OpKind::kWrite, count, count * worker.entry_bytes);
  char text[100];
  std::snprintf(text, sizeof(text), "(ingestion: %.3f s)", Micros(took_ns) / 1e6);
  worker.message = text;
}

constexpr WorkloadSpec kCallSpecs[] = {
    {.name = "scanrandom", .body = ScanRandom},
    {.name = "scanbounded", .body = ScanBounded},
    {.name = "trywrite", .body = TryWrites, .fresh_store = true, .writes = true},
    {.name = "follow", .body = FollowWrites, .writes = true, .one_client = true},
    {.name = "ingest", .body = IngestAll, .fresh_store = true, .writes = true, .one_client = true},
};

}  // namespace

std::span<const WorkloadSpec> CallWorkloads() { return kCallSpecs; }

}  // namespace lull::bench
