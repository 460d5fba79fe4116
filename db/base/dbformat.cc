// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "db/base/dbformat.h"

#include <cstring>

namespace lull {

LookupKey::LookupKey(const leveldb::Slice& user_key, SequenceNumber sequence)
    : size_(user_key.size() + KeyOrder::kTrailerBytes) {
  data_ = size_ <= sizeof(inline_) ? inline_ : new char[size_];
  if (!user_key.empty()) std::memcpy(data_, user_key.data(), user_key.size());
  EncodeFixed64(data_ + user_key.size(), PackTrailer(sequence, kKindForSeek));
}

LookupKey::~LookupKey() {
  if (data_ != inline_) delete[] data_;
}

}  // namespace lull
