// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "db/base/dbformat.h"

#include <cstring>

#include "util/logging.h"

namespace lull {

std::string KeyText(const leveldb::Slice& internal_key) {
  ParsedInternalKey parsed;
  if (!ParseInternalKey(internal_key, &parsed)) return "(bad)" + EscapeBytes(internal_key);
  return "'" + EscapeBytes(parsed.user_key) + "' @ " + std::to_string(parsed.sequence) + " : " +
         std::to_string(static_cast<int>(parsed.kind));
}

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
