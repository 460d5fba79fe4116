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
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "db/dbformat.h"
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
  Fingerprint state;                 // of all keys
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

  // ---- after Check ----

  // The number of first commits that result in this state.
  std::optional<size_t> PrefixOf(const Fingerprint& state) const;
  // The number of commits that must have survived a power loss at that moment: up to the last
  // synced one acked by then.
  size_t RequiredAt(uint64_t moment) const;
  // The commits that a store contains, by their markers: "1-40, 45".
  std::string Describe(leveldb::DB* db) const;

 private:
  static constexpr uint64_t kNever = std::numeric_limits<uint64_t>::max();

  struct Commit {
    WriteOps ops;
    uint64_t began = 0;
    uint64_t acked = kNever;
    bool synced = false;
    SequenceNumber sequence = 0;  // of its first entry
  };
  struct Version {
    size_t prefix;  // the first prefix that has it
    std::optional<std::string> value;
  };

  std::string LearnOrder(leveldb::DB* db);
  void Replay();
  std::string CheckLook(const Look& look, size_t* seen) const;
  const std::optional<std::string>& ValueAt(const std::string& key, size_t prefix) const;

  std::vector<Commit> commits_;        // in the order of their begin; later in the store's order
  std::vector<Look> looks_;            // in the order of their end
  std::vector<Fingerprint> prefixes_;  // by number of commits
  std::map<std::string, std::vector<Version>> versions_;
};

}  // namespace lull::testing
