// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "table/block_builder.h"

#include <algorithm>

#include "table/format.h"
#include "util/coding.h"

namespace lull {

using leveldb::Slice;

BlockBuilder::BlockBuilder(int restart_interval) { set_restart_interval(restart_interval); }

bool BlockBuilder::Fits(const Slice& key, const Slice& value) const {
  constexpr uint64_t kOverhead = 3 * kVarint32BytesMax + sizeof(uint32_t);
  // The sum can exceed a size_t of 32 bits.
  const uint64_t key_bytes = key.size();
  const uint64_t value_bytes = value.size();
  return key_bytes <= kBlockBytesMax && value_bytes <= kBlockBytesMax &&
         ByteCount() + key_bytes + value_bytes + kOverhead <= kBlockBytesMax;
}

void BlockBuilder::Add(const Slice& key, const Slice& value) {
  size_t shared = 0;
  if (since_restart_ < restart_interval_) {
    const size_t longest = std::min(last_key_.size(), key.size());
    shared = static_cast<size_t>(
        std::mismatch(key.data(), key.data() + longest, last_key_.data()).first - key.data());
  } else {
    restarts_.push_back(static_cast<uint32_t>(buffer_.size()));
    since_restart_ = 0;
  }
  ++since_restart_;

  char lengths[3 * kVarint32BytesMax];
  char* end = EncodeVarint32(lengths, static_cast<uint32_t>(shared));
  end = EncodeVarint32(end, static_cast<uint32_t>(key.size() - shared));
  end = EncodeVarint32(end, static_cast<uint32_t>(value.size()));
  buffer_.append(lengths, static_cast<size_t>(end - lengths));
  buffer_.append(key.data() + shared, key.size() - shared);
  buffer_.append(value.data(), value.size());
  last_key_.replace(shared, std::string::npos, key.data() + shared, key.size() - shared);
}

Slice BlockBuilder::Finish() {
  for (const uint32_t restart : restarts_) PutFixed32(&buffer_, restart);
  PutFixed32(&buffer_, static_cast<uint32_t>(restarts_.size()));
  return buffer_;
}

void BlockBuilder::Reset() {
  buffer_.clear();
  restarts_.assign(1, 0);
  since_restart_ = 0;
  last_key_.clear();
}

}  // namespace lull
