// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "table/index_block.h"

#include <algorithm>

namespace lull {

using leveldb::Slice;

namespace {

/// The first eight bytes of `bytes` as a big-endian number, padded with zeros. If two of these
/// numbers differ, the byte strings have the same order.
uint64_t LeadingBytes(const char* bytes, size_t size) {
  if (size >= sizeof(uint64_t)) return __builtin_bswap64(DecodeFixed64(bytes));
  uint64_t result = 0;
  for (size_t i = 0; i < size; ++i) {
    result |= uint64_t{static_cast<unsigned char>(bytes[i])} << (56 - 8 * i);
  }
  return result;
}

}  // namespace

const char* IndexBlock::Open(const KeyOrder& order, std::unique_ptr<char[]> memory,
                             const Slice& contents) {
  memory_ = std::move(memory);
  contents_bytes_ = contents.size();
  if (const char* cause = block_.Parse(contents)) return cause;
  if (!order.bytewise() || block_.restart_count() == 0) return nullptr;
  every_entry_restarts_ = EveryEntryRestarts(order);

  BlockCursor cursor;
  cursor.Reset(block_, order);
  Slice common;
  for (uint32_t i = 0; i < block_.restart_count(); ++i) {
    Slice key;
    if (!cursor.RestartKey(i, &key)) return cursor.damage();
    key = order.UserKey(key);
    if (i == 0) common = key;
    const char* end = common.data() + std::min(common.size(), key.size());
    const char* differs = std::mismatch(common.data(), end, key.data()).first;
    common = Slice(common.data(), static_cast<size_t>(differs - common.data()));
  }
  common_ = common.ToString();
  leading_.reserve(block_.restart_count());
  for (uint32_t i = 0; i < block_.restart_count(); ++i) {
    Slice key;
    cursor.RestartKey(i, &key);
    key = order.UserKey(key);
    leading_.push_back(LeadingBytes(key.data() + common_.size(), key.size() - common_.size()));
  }
  return nullptr;
}

bool IndexBlock::EveryEntryRestarts(const KeyOrder& order) const {
  BlockCursor cursor;
  cursor.Reset(block_, order);
  cursor.SeekToFirst();
  for (uint32_t i = 0; i < block_.restart_count(); ++i, cursor.Next()) {
    if (!cursor.Valid() || cursor.offset() != block_.restart(i)) return false;
  }
  return !cursor.Valid() && cursor.damage() == nullptr;
}

IndexBlock::Range IndexBlock::Narrow(const Slice& user_target) const {
  const uint32_t count = block_.restart_count();
  const int by_common =
      std::memcmp(user_target.data(), common_.data(), std::min(user_target.size(), common_.size()));
  if (by_common != 0) return by_common < 0 ? Range{0, 0} : Range{count, count};
  if (user_target.size() < common_.size()) return {0, 0};

  const uint64_t wanted =
      LeadingBytes(user_target.data() + common_.size(), user_target.size() - common_.size());
  const uint64_t* base = leading_.data();
  for (size_t left = count; left > 1;) {
    const size_t half = left / 2;
    base += base[half - 1] < wanted ? half : 0;  // branchless, to avoid mispredictions
    left -= half;
  }
  const uint32_t low = static_cast<uint32_t>(base - leading_.data()) + (*base < wanted ? 1 : 0);
  if (low == count || leading_[low] != wanted) return {low, low};
  const auto high = std::upper_bound(leading_.begin() + low, leading_.end(), wanted);
  return {low, static_cast<uint32_t>(high - leading_.begin())};
}

void IndexBlock::Seek(const KeyOrder& order, const Slice& target, BlockCursor* cursor) const {
  if (leading_.empty()) return cursor->Seek(order, target);
  Range range = Narrow(order.UserKey(target));
  while (range.low < range.high) {
    const uint32_t middle = range.low + (range.high - range.low) / 2;
    Slice key;
    if (!cursor->RestartKey(middle, &key)) return;
    if (order.Compare(key, target) < 0) {
      range.low = middle + 1;
    } else {
      range.high = middle;
    }
  }
  if (every_entry_restarts_) {
    cursor->SeekToRestart(range.low);
  } else {
    cursor->SeekNear(order, target, range.low);
  }
}

}  // namespace lull
