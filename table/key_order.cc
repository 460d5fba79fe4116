// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "table/key_order.h"

namespace lull {

using leveldb::Slice;

namespace {

/// What a shortened internal key ends in: the largest sequence and kind, so that it sorts before
/// every real entry of its user key.
constexpr uint64_t kFirstTrailer = ((uint64_t{1} << 56) - 1) << 8 | 1;

/// Puts `shorter` in place of the user key of `*key`, if that is worth it and moves the key up.
void ReplaceUserKey(const KeyOrder& order, std::string&& shorter, std::string* key) {
  const Slice user_key = order.UserKey(*key);
  if (shorter.size() < user_key.size() && order.CompareUser(user_key, shorter) < 0) {
    *key = std::move(shorter);
    PutFixed64(key, kFirstTrailer);
  }
}

}  // namespace

void KeyOrder::ShortenSeparator(std::string* a, const Slice& b) const {
  if (!internal_) return user_->FindShortestSeparator(a, b);
  std::string shorter = UserKey(*a).ToString();
  user_->FindShortestSeparator(&shorter, UserKey(b));
  ReplaceUserKey(*this, std::move(shorter), a);
}

void KeyOrder::ShortenSuccessor(std::string* a) const {
  if (!internal_) return user_->FindShortSuccessor(a);
  std::string shorter = UserKey(*a).ToString();
  user_->FindShortSuccessor(&shorter);
  ReplaceUserKey(*this, std::move(shorter), a);
}

}  // namespace lull
