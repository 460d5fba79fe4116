// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// History: what the clients of one store did, from several threads, and what they were told; and
// whether that, and what a power loss left, is what some one order of their commits explains.
//
// The order is the store's own, so it is asked for it when all is done. Each commit also writes a
// key of its own, its marker, which is never written again: at the sequence of the commit, and at
// no earlier one, a snapshot finds it. Nothing is taken on trust with that: an order that
// contradicts what the clients were told, or what they read, is a failure like any other.
//
// Moments are steps of the schedule. Used by one thread at a time.
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
  uint64_t began = 0;  // with a snapshot: when it was asked for, and when it was had
  uint64_t ended = 0;
  std::optional<SequenceNumber> snapshot;
  std::optional<std::string> key;    // unset: all
  std::optional<std::string> value;  // of the key; unset: it was not found
  Fingerprint state;                 // of all
};

class History {
 public:
  // A commit is about to be written. Returns its number; `ops` gets the marker.
  size_t Begin(WriteOps* ops, uint64_t now);
  void Acked(size_t commit, bool synced, uint64_t now);
  void Saw(Look look) { looks_.push_back(std::move(look)); }
  size_t commits() const { return commits_.size(); }

  // Asks `db`, which holds all that was committed, for the order, and compares it with all that the
  // clients were told and saw. Returns what is wrong, or nothing.
  std::string Check(leveldb::DB* db);

  // ---- after Check ----

  // How many commits, the first ones, give this state.
  std::optional<size_t> PrefixOf(const Fingerprint& state) const;
  // How many must have survived a power loss at that moment: up to the last that was acked by then,
  // and synced.
  size_t RequiredAt(uint64_t moment) const;
  // Which commits a store holds, by their markers: "1-40, 45".
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
    size_t prefix;  // the first that has it
    std::optional<std::string> value;
  };

  std::string LearnOrder(leveldb::DB* db);
  void Replay();
  std::string CheckLook(const Look& look, size_t* seen) const;
  const std::optional<std::string>& ValueAt(const std::string& key, size_t prefix) const;

  std::vector<Commit> commits_;        // as they began; then in order
  std::vector<Look> looks_;            // as they ended
  std::vector<Fingerprint> prefixes_;  // by number of commits
  std::map<std::string, std::vector<Version>> versions_;
};

}  // namespace lull::testing
