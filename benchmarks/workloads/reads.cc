// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// LevelDB's read benchmarks. They read existing data, so they need a write benchmark before them or
// --use_existing_db.
#include <cstdio>
#include <memory>
#include <vector>

#include "benchmarks/stores/store.h"
#include "benchmarks/workloads/workload.h"
#include "leveldb/iterator.h"

namespace lull::bench {
namespace {

std::string FoundOf(int64_t found, int64_t tries) {
  char text[64];
  std::snprintf(text, sizeof(text), "(%lld of %lld found)", static_cast<long long>(found),
                static_cast<long long>(tries));
  return text;
}

std::unique_ptr<leveldb::Iterator> NewCursor(const Run& run) {
  return std::unique_ptr<leveldb::Iterator>(run.db->NewIterator(leveldb::ReadOptions()));
}

// Gets run.reads random keys below `range`, each with `suffix` appended.
int64_t GetRandom(Worker& worker, int64_t range, std::string_view suffix) {
  Run& run = worker.run;
  const leveldb::ReadOptions options;
  std::string key;
  std::string value;
  int64_t found = 0;
  for (int64_t i = 0; i < run.reads && !StopRequested(); ++i) {
    const leveldb::Slice drawn = worker.KeyOf(worker.rng.Below(static_cast<uint64_t>(range)));
    key.assign(drawn.data(), drawn.size()).append(suffix);
    const leveldb::Status status = run.db->Get(options, key, &value);
    if (status.ok()) {
      ++found;
    } else if (!status.IsNotFound()) {
      run.Fail("get failed", status);
    }
    worker.meter.Done(OpKind::kRead, 1, 0);
  }
  return found;
}

void ReadRandom(Worker& worker) {
  worker.message = FoundOf(GetRandom(worker, worker.run.config.num, ""), worker.run.reads);
}

// Random keys, as readrandom, 64 in one call.
void MultiReadRandom(Worker& worker) {
  constexpr size_t kKeysAtOnce = 64;
  Run& run = worker.run;
  std::vector<std::string> keys(kKeysAtOnce), values;
  int64_t found = 0;
  int64_t read = 0;
  while (read < run.reads && !StopRequested()) {
    for (std::string& key : keys) {
      key = worker.KeyOf(worker.rng.Below(static_cast<uint64_t>(run.config.num))).ToString();
    }
    const std::vector<leveldb::Slice> slices(keys.begin(), keys.end());
    for (const leveldb::Status& status : MultiGet(run.db, {}, slices, &values)) {
      found += status.ok();
      if (!status.ok() && !status.IsNotFound()) run.Fail("get failed", status);
    }
    worker.meter.Done(OpKind::kRead, kKeysAtOnce, 0);
    read += kKeysAtOnce;
  }
  worker.message = FoundOf(found, read);
}

void ReadMissing(Worker& worker) { GetRandom(worker, worker.run.config.num, "."); }

// All reads go to one percent of the keys.
void ReadHot(Worker& worker) { GetRandom(worker, (worker.run.config.num + 99) / 100, ""); }

template <typename Step>
void Walk(Worker& worker, leveldb::Iterator& cursor, const Step& step) {
  for (int64_t i = 0; i < worker.run.reads && cursor.Valid() && !StopRequested(); ++i) {
    const uint64_t bytes = cursor.key().size() + cursor.value().size();
    step(cursor);
    worker.meter.Done(OpKind::kRead, 1, bytes);
  }
  if (!cursor.status().ok()) worker.run.Fail("iteration failed", cursor.status());
}

void ReadForward(Worker& worker) {
  const auto cursor = NewCursor(worker.run);
  cursor->SeekToFirst();
  Walk(worker, *cursor, [](leveldb::Iterator& at) { at.Next(); });
}

void ReadBackward(Worker& worker) {
  const auto cursor = NewCursor(worker.run);
  cursor->SeekToLast();
  Walk(worker, *cursor, [](leveldb::Iterator& at) { at.Prev(); });
}

bool SeekFinds(leveldb::Iterator& cursor, const leveldb::Slice& key) {
  cursor.Seek(key);
  return cursor.Valid() && cursor.key() == key;
}

// Creates a new iterator for every seek.
void SeekRandom(Worker& worker) {
  const Run& run = worker.run;
  int64_t found = 0;
  for (int64_t i = 0; i < run.reads && !StopRequested(); ++i) {
    const auto cursor = NewCursor(run);
    found += SeekFinds(*cursor, worker.KeyOf(worker.DrawKey()));
    worker.meter.Done(OpKind::kRead, 1, 0);
  }
  worker.message = FoundOf(found, run.reads);
}

// One iterator that moves forward by up to 99 keys per seek, and wraps around at the end.
void SeekOrdered(Worker& worker) {
  const Run& run = worker.run;
  const auto cursor = NewCursor(run);
  const auto range = static_cast<uint64_t>(run.config.num);
  int64_t found = 0;
  uint64_t number = 0;
  for (int64_t i = 0; i < run.reads && !StopRequested(); ++i) {
    number = (number + worker.rng.Below(100)) % range;
    found += SeekFinds(*cursor, worker.KeyOf(number));
    worker.meter.Done(OpKind::kRead, 1, 0);
  }
  worker.message = FoundOf(found, run.reads);
}

constexpr WorkloadSpec kReadSpecs[] = {
    {.name = "readseq", .body = ReadForward},
    {.name = "readreverse", .body = ReadBackward},
    {.name = "readrandom", .body = ReadRandom},
    {.name = "readrandomsmall", .body = ReadRandom, .reads_divisor = 1000},
    {.name = "multireadrandom", .body = MultiReadRandom},
    {.name = "readmissing", .body = ReadMissing},
    {.name = "readhot", .body = ReadHot},
    {.name = "seekrandom", .body = SeekRandom},
    {.name = "seekordered", .body = SeekOrdered},
    {.name = "readwhilewriting", .body = ReadRandom, .writer = WriteUntilMeasured},
};

}  // namespace

std::span<const WorkloadSpec> ReadWorkloads() { return kReadSpecs; }

}  // namespace lull::bench
