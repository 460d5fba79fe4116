// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// History: the operations of one store's clients, on several threads, and their results. It checks
// that a single order of the commits explains these results and the state after a power loss.
//
// After the run it reads the order from the store. Each commit also writes a unique key, its
// marker: a snapshot finds it at the commit's sequence, but at no earlier one. The order is not
// trusted: an order that contradicts a result or a read is a failure like any other.
//
// Times are steps of the schedule. Used by one thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "db/base/dbformat.h"
#include "leveldb/db.h"
#include "tests/support/model.h"

namespace lull::testing {

// What a client saw: one key, or all of them.
struct Look {
  size_t client = 0;
  uint64_t began = 0;  // for a snapshot: the begin and end of GetSnapshot
  uint64_t ended = 0;
  std::optional<SequenceNumber> snapshot;
  std::optional<std::string> key;    // unset: all keys
  std::optional<std::string> value;  // of the key; unset: it was not found
  Contents state;                    // of all keys
};

class History {
 public:
  // A commit is about to be written. Returns its number; adds the marker to `ops`.
  size_t Begin(WriteOps* ops, uint64_t now);
  void Acked(size_t commit, bool synced, uint64_t now);
  void Saw(Look look) { looks_.push_back(std::move(look)); }
  size_t commits() const { return commits_.size(); }

  // Reads the order from `db`, which has all commits, and compares it with all results and looks of
  // the clients. Returns what is wrong, or nothing.
  std::string Check(leveldb::DB* db);

  // After Check: the commits in their order, with what a power loss at that moment could not lose:
  // all up to the last synced one that was acked by then. Markers make all states different.
  const CommitLog& LogAt(uint64_t moment);

 private:
  static constexpr uint64_t kNever = std::numeric_limits<uint64_t>::max();

  struct Commit {
    WriteOps ops;
    uint64_t began = 0;
    uint64_t acked = kNever;
    bool synced = false;
    SequenceNumber sequence = 0;  // of its first entry
  };
  std::string LearnOrder(leveldb::DB* db);
  std::string CheckLook(const Look& look, size_t* seen) const;

  std::vector<Commit> commits_;  // in the order of their begin; later in the store's order
  std::vector<Look> looks_;      // in the order of their end
  Model model_{leveldb::BytewiseComparator()};  // a sequence of it is a number of commits
  CommitLog log_;
};

}  // namespace lull::testing
