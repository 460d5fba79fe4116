// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// RemovedRanges: keys that one client at a time writes, and removes with DeleteRange, beside the
// other clients of a run. It reads them after each call, and again after a power loss. Used by one
// thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "leveldb/db.h"
#include "tests/support/model.h"
#include "tests/support/rng.h"

namespace lull::testing {

class RemovedRanges {
 public:
  // All these keys begin with it, and no key of another client does.
  static constexpr char kPrefix = 'r';

  // Writes some keys or removes a range. Returns what is wrong, or nothing.
  std::string Step(leveldb::DB* db, Rng* rng);

  // The number of ranges removed so far: the removals are durable.
  size_t removals() const { return removals_.size(); }
  // A store after a power loss has no value that the first `removals` removed. Returns what is
  // wrong, or nothing.
  std::string Check(leveldb::DB* db, size_t removals) const;

 private:
  struct Removal {
    KeySpan span;
    uint64_t last_value = 0;  // the newest one that it removed
  };
  using Values = std::map<std::string, uint64_t>;

  std::string Write(leveldb::DB* db, Rng* rng);
  std::string Remove(leveldb::DB* db, Rng* rng);
  static std::string Read(leveldb::DB* db, Values* values);

  uint64_t last_value_ = 0;  // values ascend
  Values values_;
  std::vector<Removal> removals_;
};

}  // namespace lull::testing
