// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// RemovedRanges: keys that one client at a time writes, and removes with DeleteRange, beside the
// other clients of a run. It reads them after each call, and again after a power loss. Used by one
// thread at a time.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "leveldb/db.h"
#include "leveldb/status.h"
#include "tests/support/model.h"
#include "tests/support/rng.h"

namespace lull::testing {

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

}  // namespace lull::testing
