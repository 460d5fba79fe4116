// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// A block of arbitrary bytes, read by a cursor and as an index.
//
// Input: flags, then a target to seek, then the block. Checks: each walk, forward, backward and
// after a search, ends and stays within the block's bytes.
#include <string>

#include "leveldb/comparator.h"
#include "table/block.h"
#include "table/index_block.h"
#include "tests/fuzz/fuzz.h"

namespace lull::fuzz {
namespace {

using leveldb::Slice;

constexpr uint8_t kInternalKeys = 2;  // keys have a trailer

/// Walks on from the cursor's position. Each entry takes at least three bytes.
void Walk(const Slice& contents, bool forward, BlockCursor* cursor) {
  for (size_t steps = 0; cursor->Valid(); ++steps) {
    Require(steps <= contents.size() / 3, "a walk ends");
    Touch(cursor->key());
    Touch(cursor->value());
    forward ? cursor->Next() : cursor->Prev();
  }
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

}  // namespace

void RunOne(Input input) {
  const uint8_t flags = input.Byte();
  const KeyOrder order(leveldb::BytewiseComparator(), (flags & kInternalKeys) != 0
                                                          ? KeyOrder::Keys::kInternal
                                                          : KeyOrder::Keys::kUser);
  std::string target = input.TakePrefixed().ToString();
  if (order.internal()) PutFixed64(&target, input.Byte());
  CheckAnyBlock(input.rest(), order, target);
}

}  // namespace lull::fuzz
