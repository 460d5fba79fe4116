// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "table/block.h"

#include <algorithm>

namespace lull {

using leveldb::Slice;

const char* Block::Parse(const Slice& contents) {
  *this = Block();
  if (contents.size() < sizeof(uint32_t)) return "block is too short";
  if (contents.size() > UINT32_MAX) return "block is too long";
  const size_t room = contents.size() - sizeof(uint32_t);
  const uint32_t restarts = DecodeFixed32(contents.data() + room);
  if (restarts > room / sizeof(uint32_t)) return "block has no room for its restart points";
  const char* entries_end = contents.data() + room - restarts * sizeof(uint32_t);
  if (entries_end == contents.data()) return nullptr;
  if (restarts == 0 || DecodeFixed32(entries_end) != 0)
    return "block does not begin with a restart point";
  entries_ = contents.data();
  entries_end_ = entries_end;
  restart_count_ = restarts;
  return nullptr;
}

void BlockCursor::GrowKeyMemory(size_t bytes, size_t keep) {
  const size_t capacity = std::max(bytes, 2 * key_capacity_);
  auto grown = std::make_unique_for_overwrite<char[]>(capacity);
  if (key_ == key_memory_) {
    std::memcpy(grown.get(), key_memory_, keep);
    key_ = grown.get();
  }
  heap_key_ = std::move(grown);
  key_memory_ = heap_key_.get();
  key_capacity_ = capacity;
}

/// Advances to the last entry that begins before `place`. That entry must end at `place`.
bool BlockCursor::AdvanceTo(const char* place) {
  while (next_ < place) {
    if (!Advance()) return false;
  }
  return next_ == place || Fail("restart point inside an entry");
}

void BlockCursor::SeekToLast() {
  if (GoToStart() && GoToRestart(block_.restart_count() - 1)) AdvanceTo(block_.entries_end());
}

void BlockCursor::Prev() {
  const char* from = entry_;
  const size_t offset = static_cast<size_t>(from - block_.entries());
  if (!GoToStart() || offset == 0) return;
  uint32_t low = 0;
  uint32_t high = block_.restart_count();
  while (low < high) {
    const uint32_t middle = low + (high - low) / 2;
    if (block_.restart(middle) < offset) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  if (low == 0) {
    Fail("restart points out of order");
  } else if (GoToRestart(low - 1)) {
    AdvanceTo(from);
  }
}

}  // namespace lull
