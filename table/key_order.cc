// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "table/key_order.h"

namespace lull {

using leveldb::Slice;

namespace {

/// The trailer of a shortened internal key: the largest sequence and kind, so that it sorts before
/// every real entry of its user key.
constexpr uint64_t kFirstTrailer = ((uint64_t{1} << 56) - 1) << 8 | 1;

/// Replaces the user key of `*key` with `shorter`, if that is shorter and sorts later.
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
