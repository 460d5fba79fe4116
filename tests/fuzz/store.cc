// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "tests/fuzz/store.h"

#include "leveldb/filter_policy.h"
#include "leveldb/helpers/memenv.h"
#include "lull/lull.h"
#include "scheduler/threads/coordinator.h"
#include "tests/fuzz/fuzz.h"

namespace lull::fuzz {
namespace {

using leveldb::Slice;
using leveldb::Status;
using Contents = std::map<std::string, std::string>;

// A hostile table can name one block a thousand times.
constexpr int kStepsMax = 3000;

/// False if the walk ended in an error, or was too long.
bool Walk(leveldb::DB* db, bool forward, Contents* contents) {
  const std::unique_ptr<leveldb::Iterator> entry(db->NewIterator(leveldb::ReadOptions()));
  forward ? entry->SeekToFirst() : entry->SeekToLast();
  for (int steps = 0; entry->Valid(); ++steps) {
    if (steps == kStepsMax) return false;
    (*contents)[entry->key().ToString()] = entry->value().ToString();
    forward ? entry->Next() : entry->Prev();
  }
  const Status status = entry->status();
  Require(IsAnswer(status) || status.IsNotFound(), "a walk ends with an answer", status.ToString());
  return status.ok();
}

}  // namespace

StoreUnderTest::StoreUnderTest() : env_(leveldb::NewMemEnv(leveldb::Env::Default())) {
  static const leveldb::FilterPolicy* const bloom = leveldb::NewBloomFilterPolicy(10);
  options.env = env_.get();
  options.write_buffer_size = 64 << 10;
  options.max_file_size = 1 << 20;
  options.filter_policy = bloom;
}

Status StoreUnderTest::Open() {
  static std::shared_ptr<Coordinator>& threads = *new std::shared_ptr<Coordinator>;
  if (threads == nullptr)
    Require(Coordinator::Shared({.compaction_threads = 1}, &threads).ok(),
            "threads can be started");
  leveldb::DB* raw = nullptr;
  const Status status = lull::Open(options, SchedulingOptions(), kStore, &raw);
  Require(status.ok() == (raw != nullptr), "a store opens or does not");
  db_.reset(raw);
  return status;
}

std::optional<Contents> ReadStore(leveldb::DB* db) {
  Contents forward, backward;
  const bool readable = Walk(db, true, &forward);
  const bool readable_back = Walk(db, false, &backward);
  int gets = 0;
  // The results may differ: a file with valid checksums can have filters that deny a key, or
  // sequences that contradict the order of its tables.
  for (const auto& [key, value] : forward) {
    if (++gets > 50) break;
    std::string found;
    const Status status = db->Get(leveldb::ReadOptions(), key, &found);
    Require(IsAnswer(status) || status.IsNotFound(), "a read ends with an answer",
            status.ToString());
  }
  for (const char* property : {"leveldb.stats", "leveldb.sstables", "lull.stats"}) {
    std::string text;
    db->GetProperty(property, &text);
  }
  const leveldb::Range range("a", "z");
  uint64_t bytes = 0;
  db->GetApproximateSizes(&range, 1, &bytes);
  if (!readable || !readable_back || forward != backward) return std::nullopt;
  return forward;
}

}  // namespace lull::fuzz
