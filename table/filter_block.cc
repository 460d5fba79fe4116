// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "table/filter_block.h"

#include "util/coding.h"

namespace lull {

using leveldb::Slice;

namespace {
constexpr unsigned kBaseLog2 = 11;
}

std::string FilterBlockName(const leveldb::FilterPolicy& policy) {
  return std::string("filter.") + policy.Name();
}

void FilterBlockBuilder::StartBlock(uint64_t block_offset) {
  while (offsets_.size() < (block_offset >> kBaseLog2)) EndFilter();
}

void FilterBlockBuilder::AddKey(const Slice& user_key) {
  keys_.append(user_key.data(), user_key.size());
  key_ends_.push_back(keys_.size());
}

void FilterBlockBuilder::EndFilter() {
  offsets_.push_back(static_cast<uint32_t>(result_.size()));
  if (key_ends_.empty()) return;
  size_t begin = 0;
  for (const size_t end : key_ends_) {
    slices_.emplace_back(keys_.data() + begin, end - begin);
    begin = end;
  }
  policy_->CreateFilter(slices_.data(), static_cast<int>(slices_.size()), &result_);
  slices_.clear();
  key_ends_.clear();
  keys_.clear();
}

Slice FilterBlockBuilder::Finish() {
  if (!key_ends_.empty()) EndFilter();
  const uint32_t filters_bytes = static_cast<uint32_t>(result_.size());
  for (const uint32_t offset : offsets_) PutFixed32(&result_, offset);
  PutFixed32(&result_, filters_bytes);
  result_.push_back(static_cast<char>(kBaseLog2));
  return result_;
}

const char* FilterBlockReader::Open(const leveldb::FilterPolicy* policy, const Slice& contents) {
  constexpr size_t kTailBytes = sizeof(uint32_t) + 1;
  if (contents.size() < kTailBytes) return "filter block is too short";
  const size_t room = contents.size() - kTailBytes;
  const unsigned base_log2 = static_cast<unsigned char>(contents[contents.size() - 1]);
  const uint32_t filters_bytes = DecodeFixed32(contents.data() + room);
  if (filters_bytes > room) return "filter offsets lie beyond the filter block";
  if (base_log2 >= 64) return "filters for impossibly large ranges";
  filters_ = contents.data();
  filters_bytes_ = filters_bytes;
  filter_count_ = (room - filters_bytes) / sizeof(uint32_t);
  base_log2_ = base_log2;
  policy_ = policy;
  return nullptr;
}

bool FilterBlockReader::MayMatch(uint64_t block_offset, const Slice& user_key) const {
  if (policy_ == nullptr) return true;
  const uint64_t number = block_offset >> base_log2_;
  if (number >= filter_count_) return true;
  // The offset of the offsets follows the last filter's offset, and is where that filter ends.
  const char* offset = filters_ + filters_bytes_ + number * sizeof(uint32_t);
  const uint32_t begin = DecodeFixed32(offset);
  const uint32_t end = DecodeFixed32(offset + sizeof(uint32_t));
  if (begin > end || end > filters_bytes_) return true;
  // Also an empty filter: a policy can make one for keys of which it knows nothing.
  return policy_->KeyMayMatch(user_key, Slice(filters_ + begin, end - begin));
}

}  // namespace lull
