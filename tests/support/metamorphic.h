// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// RunMetamorphic: runs a seeded stream of every operation of leveldb::DB and checks each answer
// against a model. It stops at the first difference and reports how to replay it: the same seed
// gives the same stream. Uses the store from the calling thread only.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include "leveldb/db.h"
#include "leveldb/env.h"
#include "leveldb/options.h"
#include "leveldb/slice.h"
#include "leveldb/status.h"
#include "tests/support/model.h"

namespace lull::testing {

// Functions that the caller can inject; an unset one is skipped (open: leveldb::DB::Open).
struct Hooks {
  std::function<leveldb::Status(const leveldb::Options&, const std::string&, leveldb::DB**)> open;
  std::function<leveldb::Status(leveldb::DB*)> flush;
  std::function<leveldb::Status(leveldb::DB*)> wait_for_idle;
  // Sets or removes a compaction filter that drops values that Expires (workload.h).
  std::function<leveldb::Status(leveldb::DB*, bool on)> filter;
  // Changes live options; the number is drawn from the seed.
  std::function<leveldb::Status(leveldb::DB*, uint64_t)> set_options;
  // Deletes the keys from `begin` to just before `end`; null: no bound. `files_only`: only those in
  // tables that contain no others.
  std::function<leveldb::Status(leveldb::DB*, const leveldb::Slice* begin,
                                const leveldb::Slice* end, bool files_only)>
      delete_range;
  // See IngestInto (open_store.h).
  std::function<leveldb::Status(leveldb::DB*, const leveldb::Options&, const std::string& prefix,
                                const WriteOps&)>
      ingest;
  // Sets the time of day: later than the real one by so many seconds, which can be negative.
  std::function<void(int64_t seconds)> move_clock;
};

struct MetamorphicConfig {
  uint64_t seed = 1;
  uint64_t ops = 10'000;
  uint64_t reopen_one_in = 3'000;    // one in so many operations reopens the store
  std::string directory;             // emptied first
  leveldb::Env* env = nullptr;       // default: Env::Default()
  std::optional<size_t> option_set;  // default: drawn from the seed
  Hooks hooks;
};

struct MetamorphicReport {
  bool ok = false;
  std::string failure;                   // seed, op, what was expected; empty if ok
  std::map<std::string, uint64_t> done;  // how often each kind of op ran
};

MetamorphicReport RunMetamorphic(const MetamorphicConfig& config);

}  // namespace lull::testing
