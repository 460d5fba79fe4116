// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// A filter block of arbitrary bytes.
//
// Input: a block's offset, a key, then the filter block. Checks: a damaged filter gives an answer,
// and one that cannot be read excludes nothing.
#include "leveldb/filter_policy.h"
#include "table/filter_block.h"
#include "tests/fuzz/fuzz.h"

namespace lull::fuzz {

void RunOne(Input input) {
  static const leveldb::FilterPolicy* const bloom = leveldb::NewBloomFilterPolicy(10);
  const uint64_t block_offset = input.Long();
  const leveldb::Slice key = input.TakePrefixed();
  const Exact contents(input.rest());
  bloom->KeyMayMatch(key, contents.slice());
  FilterBlockReader reader;
  const bool opened = reader.Open(bloom, contents.slice()) == nullptr;
  for (const uint64_t offset : {block_offset, uint64_t{0}, uint64_t{4096}, UINT64_MAX}) {
    const bool matches = reader.MayMatch(offset, key);
    Require(opened || matches, "a filter that cannot be read excludes nothing");
  }
}

}  // namespace lull::fuzz
