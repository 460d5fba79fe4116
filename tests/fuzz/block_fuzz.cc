// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// A block of arbitrary bytes, read by a cursor and as an index; and built blocks.
//
// Input: flags, then a target to seek, then the block, or the entries to build one from. Checks:
// each walk ends and stays within the block's bytes; forward, backward and by search, a built block
// reads as it was written; an index over it finds the same.
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "leveldb/comparator.h"
#include "table/block.h"
#include "table/block_builder.h"
#include "table/index_block.h"
#include "tests/fuzz/fuzz.h"

namespace lull::fuzz {
namespace {

using leveldb::Slice;
using Entries = std::vector<std::pair<std::string, std::string>>;

constexpr uint8_t kBuilt = 1;         // built from entries instead of used as it is
constexpr uint8_t kInternalKeys = 2;  // keys have a trailer

/// Reads each byte at the cursor, so that ASan checks where it points.
size_t Touch(const BlockCursor& cursor) {
  size_t sum = 0;
  const Slice parts[] = {cursor.key(), cursor.value()};
  for (const Slice& part : parts) {
    for (size_t i = 0; i < part.size(); ++i) sum += static_cast<unsigned char>(part[i]);
  }
  return sum;
}

/// Walks on from the cursor's position. Each entry takes at least three bytes.
void Walk(const Slice& contents, bool forward, BlockCursor* cursor) {
  size_t sum = 0;
  for (size_t steps = 0; cursor->Valid(); ++steps) {
    Require(steps <= contents.size() / 3, "a walk ends");
    sum += Touch(*cursor);
    forward ? cursor->Next() : cursor->Prev();
  }
  [[maybe_unused]] static volatile size_t sink;
  sink = sum;
}

void CheckAnyBlock(const Slice& bytes, const KeyOrder& order, const Slice& target) {
  Exact contents(bytes);
  Block block;
  if (block.Parse(contents.slice()) != nullptr) return;
  BlockCursor cursor;
  cursor.Reset(block, order);
  cursor.SeekToFirst();
  Walk(bytes, true, &cursor);
  // A backward walk begins each step at a restart point, so it runs on small blocks only.
  constexpr size_t kBackwardBytesMax = 2048;
  if (bytes.size() <= kBackwardBytesMax) {
    cursor.SeekToLast();
    Walk(bytes, false, &cursor);
  }
  cursor.Seek(order, target);
  Walk(bytes, true, &cursor);

  IndexBlock index;
  if (index.Open(order, Exact(bytes).slice()) != nullptr) return;
  const size_t at = index.Find(order, target);
  if (at < index.size()) index.handle(at);
}

/// Entries in order, each key once.
Entries SortedEntries(Input* input, const KeyOrder& order) {
  Entries entries;
  while (!input->empty()) {
    std::string key = input->TakePrefixed().ToString();
    if (order.internal()) PutFixed64(&key, input->Byte());
    entries.emplace_back(std::move(key), input->TakePrefixed().ToString());
  }
  const auto before = [&](const auto& a, const auto& b) {
    return order.Compare(a.first, b.first) < 0;
  };
  const auto same = [&](const auto& a, const auto& b) {
    return order.Compare(a.first, b.first) == 0;
  };
  std::stable_sort(entries.begin(), entries.end(), before);
  entries.erase(std::unique(entries.begin(), entries.end(), same), entries.end());
  return entries;
}

bool StandsOn(const BlockCursor& cursor, const Entries& entries, size_t at) {
  if (at >= entries.size()) return !cursor.Valid() && cursor.damage() == nullptr;
  return cursor.Valid() && cursor.key() == Slice(entries[at].first) &&
         cursor.value() == Slice(entries[at].second);
}

void CheckBuiltBlock(const Entries& entries, int restart_interval, const KeyOrder& order,
                     const Slice& target) {
  BlockBuilder builder(restart_interval);
  for (const auto& [key, value] : entries) builder.Add(key, value);
  const size_t predicted = builder.ByteCount();
  Exact contents(builder.Finish());
  Require(contents.slice().size() == predicted, "a block is as long as predicted");
  Block block;
  Require(block.Parse(contents.slice()) == nullptr, "a built block is a block");
  BlockCursor cursor;
  cursor.Reset(block, order);
  size_t at = 0;
  for (cursor.SeekToFirst(); cursor.Valid(); cursor.Next(), ++at) {
    Require(StandsOn(cursor, entries, at), "a walk forward meets what was written");
  }
  Require(at == entries.size(), "and all of it");
  cursor.SeekToLast();
  for (; at > 0; --at, cursor.Prev()) {
    Require(StandsOn(cursor, entries, at - 1), "a walk back meets what was written");
  }
  Require(!cursor.Valid() && cursor.damage() == nullptr, "and no more");

  const bool are_handles = std::all_of(entries.begin(), entries.end(), [](const auto& entry) {
    Slice value = entry.second;
    BlockHandle handle;
    return handle.DecodeFrom(&value) && handle.size <= kBlockBytesMax;
  });
  IndexBlock index;
  const bool is_index = index.Open(order, contents.slice()) == nullptr;
  Require(!is_index || are_handles, "an index has a handle in each entry");
  const auto check_seek = [&](const Slice& key) {
    const auto ends_before = [&](const auto& entry) { return order.Compare(entry.first, key) < 0; };
    const auto found = std::partition_point(entries.begin(), entries.end(), ends_before);
    const auto place = static_cast<size_t>(found - entries.begin());
    cursor.Reset(block, order);
    cursor.Seek(order, key);
    Require(StandsOn(cursor, entries, place), "a search finds the first at or after its target");
    Require(!is_index || index.Find(order, key) == place, "an index finds the same");
  };
  check_seek(target);
  for (const auto& [key, value] : entries) check_seek(key);
}

void RunOne(Input input) {
  const uint8_t flags = input.Byte();
  const KeyOrder order(leveldb::BytewiseComparator(), (flags & kInternalKeys) != 0
                                                          ? KeyOrder::Keys::kInternal
                                                          : KeyOrder::Keys::kUser);
  std::string target = input.TakePrefixed().ToString();
  if (order.internal()) PutFixed64(&target, input.Byte());
  if ((flags & kBuilt) == 0) {
    CheckAnyBlock(input.rest(), order, target);
  } else {
    const int restart_interval = static_cast<int8_t>(input.Byte());
    CheckBuiltBlock(SortedEntries(&input, order), restart_interval, order, target);
  }
}

}  // namespace
}  // namespace lull::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  lull::fuzz::RunOne(lull::fuzz::Input(data, size));
  return 0;
}
