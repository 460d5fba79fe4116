// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "db/base/dbformat.h"

#include <cstring>

#include "util/logging.h"

namespace lull {

KeyBounds KeyBounds::OfPrefix(const leveldb::Slice& prefix) {
  KeyBounds bounds;
  bounds.begin = prefix.ToString();
  std::string end = prefix.ToString();
  // The next prefix: without bytes 0xff at its end, and one more in the last of the others.
  while (!end.empty() && static_cast<unsigned char>(end.back()) == 0xff) end.pop_back();
  if (end.empty()) return bounds;
  end.back() = static_cast<char>(static_cast<unsigned char>(end.back()) + 1);
  bounds.end = std::move(end);
  return bounds;
}

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
