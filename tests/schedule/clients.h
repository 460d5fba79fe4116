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
#include "tests/support/model.h"
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

// Keys that one client at a time writes, and removes with DeleteRange, beside the other clients of
// a run. It reads them after each call, and again after a power loss.
class RemovedRanges {
 public:
  // All these keys begin with it, and no key of another client does.
  static constexpr char kPrefix = 'r';

  // Writes some keys or removes a range. Returns what is wrong, or nothing.
  std::string Step(leveldb::DB* db, Rng* rng);

  // The number of ranges removed so far: the removals are durable, with all writes before them.
  size_t removals() const { return removed_ ? removals_.size() : removals_.size() - 1; }
  // A store after a power loss has a prefix of the writes that includes the first `removals` ranges
  // removed. Returns what is wrong, or nothing.
  std::string Check(leveldb::DB* db, size_t removals);

 private:
  static Contents Read(leveldb::DB* db, const leveldb::Snapshot* snapshot, leveldb::Status* status);
  std::string Compare(leveldb::DB* db, CommitLog::Demand demand) const;

  CommitLog log_;
  std::vector<size_t> removals_;  // their numbers in the log
  bool removed_ = true;           // the last one has returned
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
