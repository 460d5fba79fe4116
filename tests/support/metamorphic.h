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
#include "leveldb/status.h"

namespace lull::testing {

// Functions that the caller can inject; an unset one is skipped (open: leveldb::DB::Open).
struct Hooks {
  std::function<leveldb::Status(const leveldb::Options&, const std::string&, leveldb::DB**)> open;
  // Sets or removes a compaction filter that drops values that Expires (workload.h).
  std::function<leveldb::Status(leveldb::DB*, bool on)> filter;
  // Changes live options; the number is drawn from the seed.
  std::function<leveldb::Status(leveldb::DB*, uint64_t)> set_options;
  // Sets the time of day: later than the real one by so many seconds, which can be negative.
  std::function<void(int64_t seconds)> move_clock;
  // Calls FlushStore, WaitForIdleStore, RemoveRange and IngestInto of open_store.h, as far as the
  // library has them. The store must be the library's own.
  bool calls_extensions = false;
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
