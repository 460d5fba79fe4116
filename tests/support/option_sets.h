// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// The option sets that tests run stores with: sixteen named ones, and more that are drawn from
// their number. Set i is the same in every process, so one process can pass a directory to another
// by number.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "leveldb/cache.h"
#include "leveldb/comparator.h"
#include "leveldb/filter_policy.h"
#include "leveldb/options.h"
#include "tests/support/rng.h"

namespace lull::testing {

inline constexpr size_t kOptionSetCount = 36;

// Owns the objects that `options` points to. Must outlive every store opened with them.
struct OptionSet {
  std::string name;
  leveldb::Options options;
  std::unique_ptr<const leveldb::FilterPolicy> filter;
  std::unique_ptr<leveldb::Cache> cache;
};

// REQUIRES: index < kOptionSetCount. create_if_missing is set, env is the default one.
std::unique_ptr<OptionSet> MakeOptionSet(size_t index);

// The reverse byte order, with a different comparator name.
const leveldb::Comparator* ReverseComparator();

// A set that can open what set `index` has written: one with the same comparator.
size_t CompatibleSet(size_t index, Rng* rng);

}  // namespace lull::testing
