// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "table/index_block.h"

#include <algorithm>
#include <cstring>

#include "table/block.h"

namespace lull {

using leveldb::Slice;

namespace {

/// The first eight bytes of `bytes` as a big-endian number, padded with zeros. If two of these
/// numbers differ, the byte strings have the same order.
uint64_t LeadingBytes(const char* bytes, size_t size) {
  if (size >= sizeof(uint64_t)) return SwapBytes(DecodeFixed64(bytes));
  uint64_t result = 0;
  for (size_t i = 0; i < size; ++i) {
    result |= uint64_t{static_cast<unsigned char>(bytes[i])} << (56 - 8 * i);
  }
  return result;
}

}  // namespace

const char* IndexBlock::Open(const KeyOrder& order, const Slice& contents, const TablePart* part) {
  if (const char* cause = Decode(order, contents)) return cause;
  if (part != nullptr) KeepOnly(order, *part);
  if (size() > 1) last_is_in_order_ = order.Compare(Key(size() - 2), Key(size() - 1)) <= 0;
  if (order.bytewise() && size() > 1) SetLeading(order);
  keys_.shrink_to_fit();
  entries_.shrink_to_fit();
  return nullptr;
}

const char* IndexBlock::Decode(const KeyOrder& order, const Slice& contents) {
  Block block;
  if (const char* cause = block.Parse(contents)) return cause;
  // LevelDB stores index keys in full, but a key can also share a prefix with the previous one. In
  // a damaged block, many keys could share a long prefix and take up too much memory.
  const size_t keys_bytes_max = std::min<size_t>(64 * contents.size(), UINT32_MAX);
  keys_.reserve(contents.size());
  entries_.reserve(block.restart_count());
  BlockCursor cursor;
  cursor.Reset(block, order);
  for (cursor.SeekToFirst(); cursor.Valid(); cursor.Next()) {
    Slice value = cursor.value();
    BlockHandle handle;
    if (!handle.DecodeFrom(&value) || handle.size > kBlockBytesMax)
      return "malformed handle in the index";
    if (keys_.size() + cursor.key().size() > keys_bytes_max)
      return "keys of the index are too long";
    keys_.append(cursor.key().data(), cursor.key().size());
    entries_.push_back(
        {handle.offset, static_cast<uint32_t>(handle.size), static_cast<uint32_t>(keys_.size())});
  }
  return cursor.damage();
}

/// REQUIRES: just decoded.
void IndexBlock::KeepOnly(const KeyOrder& order, const TablePart& part) {
  const size_t begin = part.begin ? Find(order, *part.begin) : 0;
  const size_t end = part.end ? std::min(size(), Find(order, *part.end) + 1) : size();
  if (begin >= end || end - begin == size()) return;  // not in order; all of it
  const uint32_t keys_begin = begin == 0 ? 0 : entries_[begin - 1].key_end;
  keys_ = keys_.substr(keys_begin, entries_[end - 1].key_end - keys_begin);
  entries_ = std::vector<Entry>(entries_.begin() + static_cast<ptrdiff_t>(begin),
                                entries_.begin() + static_cast<ptrdiff_t>(end));
  for (Entry& entry : entries_) entry.key_end -= keys_begin;
}

Slice IndexBlock::Key(size_t i) const {
  const uint32_t begin = i == 0 ? 0 : entries_[i - 1].key_end;
  return Slice(keys_.data() + begin, entries_[i].key_end - begin);
}

void IndexBlock::SetLeading(const KeyOrder& order) {
  const size_t count = size() - 1;
  Slice common = order.UserKey(Key(0));
  size_t shortest = common.size();
  for (size_t i = 1; i < count; ++i) {
    const Slice key = order.UserKey(Key(i));
    shortest = std::min(shortest, key.size());
    const char* end = common.data() + std::min(common.size(), key.size());
    const char* differs = std::mismatch(common.data(), end, key.data()).first;
    common = Slice(common.data(), static_cast<size_t>(differs - common.data()));
  }
  common_ = common.ToString();
  leading_.reserve(count);
  for (size_t i = 0; i < count; ++i) {
    const Slice key = order.UserKey(Key(i));
    leading_.push_back(LeadingBytes(key.data() + common_.size(), key.size() - common_.size()));
  }
  OmitFirstBytes(std::min(shortest, common_.size() + sizeof(uint64_t)));
}

void IndexBlock::OmitFirstBytes(size_t count) {
  char* end = keys_.data();
  const char* key = keys_.data();
  for (Entry& entry : entries_) {
    const char* const next = keys_.data() + entry.key_end;
    const bool is_last = &entry == &entries_.back();
    end = std::copy(is_last ? key : key + count, next, end);
    key = next;
    entry.key_end = static_cast<uint32_t>(end - keys_.data());
  }
  keys_.resize(static_cast<size_t>(end - keys_.data()));
  omitted_ = count;
}

IndexBlock::Range IndexBlock::Narrow(const Slice& user_target) const {
  const size_t count = leading_.size();
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
  const size_t low = static_cast<size_t>(base - leading_.data()) + (*base < wanted ? 1 : 0);
  if (low == count || leading_[low] != wanted) return {low, low};
  const auto high =
      std::upper_bound(leading_.begin() + static_cast<ptrdiff_t>(low), leading_.end(), wanted);
  return {low, static_cast<size_t>(high - leading_.begin())};
}

size_t IndexBlock::LowerBound(const KeyOrder& order, Range range, const Slice& target) const {
  while (range.low < range.high) {
    const size_t middle = range.low + (range.high - range.low) / 2;
    if (order.Compare(Key(middle), target) < 0) {
      range.low = middle + 1;
    } else {
      range.high = middle;
    }
  }
  return range.low;
}

size_t IndexBlock::Find(const KeyOrder& order, const Slice& target) const {
  if (leading_.empty()) return LowerBound(order, {0, size()}, target);
  const Slice user_target = order.UserKey(target);
  const Range range = Narrow(user_target);
  size_t found = range.low;
  // Otherwise all keys of the range begin with a target that is this short.
  if (range.low < range.high && user_target.size() >= omitted_) {
    const Slice rest(target.data() + omitted_, target.size() - omitted_);
    found = LowerBound(order, range, rest);
  }
  if (found < leading_.size()) return found;
  return LowerBound(order, {found, size()}, target);
}

bool IndexBlock::IsInOrder(const KeyOrder& order) const {
  for (size_t i = 1; i + 1 < size(); ++i) {
    const bool decided = !leading_.empty() && leading_[i - 1] != leading_[i];
    if (decided ? leading_[i - 1] > leading_[i] : order.Compare(Key(i - 1), Key(i)) > 0)
      return false;
  }
  return last_is_in_order_;
}

size_t IndexBlock::MemoryBytes() const {
  return keys_.capacity() + entries_.capacity() * sizeof(Entry) + common_.capacity() +
         leading_.capacity() * sizeof(uint64_t);
}

}  // namespace lull
