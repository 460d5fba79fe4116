// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// The clients' operations in a run, and the store. The seed determines them before the run begins,
// so that one operation can be left out without changing the others.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "db/store/store.h"
#include "leveldb/db.h"
#include "leveldb/env.h"
#include "tests/schedule/history.h"
#include "tests/schedule/removed_ranges.h"
#include "tests/support/rng.h"

namespace lull::testing {

// A store with all sizes as small as possible.
struct StoreSetup {
  explicit StoreSetup(uint64_t seed);

  leveldb::Status Open(leveldb::Env* env, uint64_t seed, std::unique_ptr<leveldb::DB>* db) const;
  std::string ToString() const;

  leveldb::Options options;
  std::string scheduling;
  StorePace pace;
  bool adversary = false;  // its policies return arbitrary directives
};

enum class ClientCall {
  kWrite,
  kGet,
  kScan,
  kSnapshot,
  kFlush,
  kCompact,
  kSetOptions,
  kRange,
  kPause
};

const char* ClientCallName(ClientCall call);

struct ClientOperation {
  size_t number = 0;  // in the whole run
  ClientCall call = ClientCall::kWrite;
  uint64_t draw = 0;
};

using Client = std::vector<ClientOperation>;
// One opening of the store: its clients, each on its own thread.
using Life = std::vector<Client>;

std::vector<Life> DrawLives(uint64_t seed);

// Does one operation and records it in the history or in `ranges`. Returns what is wrong, or
// nothing.
std::string Perform(leveldb::DB* db, size_t client, const ClientOperation& operation,
                    History* history, RemovedRanges* ranges);

// The result of one scan, without the keys of RemovedRanges and those that begin with `without`.
leveldb::Status StateOf(leveldb::DB* db, const leveldb::ReadOptions& options, char without,
                        Contents* state);

}  // namespace lull::testing
