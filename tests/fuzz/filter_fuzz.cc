// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// A filter block of arbitrary bytes, and built filter blocks.
//
// Input: flags, a block's offset, a key, then the filter block, or the keys to build one from.
// Checks: a damaged filter gives an answer; a built one, and a Bloom filter of any size, denies
// none of its keys.
#include <memory>
#include <string>
#include <vector>

#include "leveldb/filter_policy.h"
#include "table/filter_block.h"
#include "tests/fuzz/fuzz.h"

namespace lull::fuzz {
namespace {

using leveldb::Slice;

constexpr uint8_t kBuilt = 1;  // built from keys instead of used as it is

const leveldb::FilterPolicy& Bloom(uint8_t bits_per_key) {
  static std::unique_ptr<const leveldb::FilterPolicy> policies[256];
  auto& policy = policies[bits_per_key];
  if (policy == nullptr) policy.reset(leveldb::NewBloomFilterPolicy(bits_per_key));
  return *policy;
}

void CheckAnyFilter(const Slice& bytes, uint64_t block_offset, const Slice& key) {
  const Exact contents(bytes);
  Bloom(10).KeyMayMatch(key, contents.slice());
  FilterBlockReader reader;
  const bool opened = reader.Open(&Bloom(10), contents.slice()) == nullptr;
  for (const uint64_t offset : {block_offset, uint64_t{0}, uint64_t{4096}, UINT64_MAX}) {
    const bool matches = reader.MayMatch(offset, key);
    Require(opened || matches, "a filter that cannot be read excludes nothing");
  }
}

void CheckBuiltFilter(Input input, uint8_t bits_per_key) {
  struct Added {
    uint64_t block_offset;
    Slice key;
  };
  const leveldb::FilterPolicy& policy = Bloom(bits_per_key);
  FilterBlockBuilder builder(&policy);
  std::vector<Added> added;
  std::vector<Slice> keys;
  uint64_t block_offset = 0;
  builder.StartBlock(block_offset);
  while (!input.empty()) {
    if (const uint8_t gap = input.Byte(); gap % 4 == 3) {
      block_offset += 1 + uint64_t{gap} * 61;
      builder.StartBlock(block_offset);
    }
    added.push_back({block_offset, input.TakePrefixed()});
    keys.push_back(added.back().key);
    builder.AddKey(keys.back());
  }
  const Exact contents(builder.Finish());
  FilterBlockReader reader;
  Require(reader.Open(&policy, contents.slice()) == nullptr, "a built filter is a filter");
  for (const Added& one : added) {
    Require(reader.MayMatch(one.block_offset, one.key), "a key that is there is not excluded");
  }
  std::string filter;
  policy.CreateFilter(keys.data(), static_cast<int>(keys.size()), &filter);
  const Exact exact(filter);
  for (const Slice& key : keys) {
    Require(policy.KeyMayMatch(key, exact.slice()), "a key that was added is not excluded");
  }
}

void RunOne(Input input) {
  const uint8_t flags = input.Byte();
  if ((flags & kBuilt) != 0) return CheckBuiltFilter(input, flags >> 1);
  const uint64_t block_offset = input.Long();
  const Slice key = input.TakePrefixed();
  CheckAnyFilter(input.rest(), block_offset, key);
}

}  // namespace
}  // namespace lull::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  lull::fuzz::RunOne(lull::fuzz::Input(data, size));
  return 0;
}
