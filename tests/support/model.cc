// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Model: see model.h.
#include "tests/support/model.h"

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <iterator>

namespace lull::testing {

std::string Show(const std::string& bytes) {
  std::string text = "\"";
  for (size_t i = 0; i < bytes.size() && i < 48; ++i) {
    const auto c = static_cast<unsigned char>(bytes[i]);
    char hex[8];
    std::snprintf(hex, sizeof(hex), "\\x%02x", c);
    text += std::isprint(c) != 0 ? std::string(1, bytes[i]) : hex;
  }
  text += "\"";
  if (bytes.size() > 48) text += "+" + std::to_string(bytes.size() - 48);
  return text;
}

void FillBatch(const WriteOps& ops, leveldb::WriteBatch* batch) {
  for (const WriteOp& op : ops) {
    if (op.value.has_value()) {
      batch->Put(op.key, *op.value);
    } else {
      batch->Delete(op.key);
    }
  }
}

uint64_t Model::Commit(const WriteOps& ops) {
  ++last_sequence_;
  for (const WriteOp& op : ops) {
    Versions& versions = keys_[op.key];
    if (versions.empty() || versions.back().sequence != last_sequence_) {
      versions.push_back({last_sequence_, std::nullopt});
    }
    versions.back().value = op.value;
  }
  return last_sequence_;
}

const Model::Version* Model::VisibleAt(const Versions& versions, uint64_t sequence,
                                       uint64_t gone_before) {
  const auto after =
      std::upper_bound(versions.begin(), versions.end(), sequence,
                       [](uint64_t at, const Version& version) { return at < version.sequence; });
  if (after == versions.begin() || !std::prev(after)->IsVisible(gone_before)) return nullptr;
  return &*std::prev(after);
}

const std::string* Model::Find(const std::string& key, uint64_t sequence,
                               std::optional<uint64_t> gone_before) const {
  const auto it = keys_.find(key);
  if (it == keys_.end()) return nullptr;
  const Version* const version =
      VisibleAt(it->second, sequence, gone_before.value_or(gone_count_));
  return version != nullptr ? &*version->value : nullptr;
}

bool Model::Shows(const Contents& contents, uint64_t sequence) const {
  Cursor cursor(*this, sequence);
  cursor.SeekToFirst();
  for (const auto& [key, value] : contents) {
    if (!cursor.Valid() || cursor.key() != key || cursor.value() != value) return false;
    cursor.Next();
  }
  return !cursor.Valid();
}

void Model::MarkGone(const std::string& key, uint64_t sequence) {
  const Version* const version = VisibleAt(keys_.find(key)->second, sequence, gone_count_);
  const_cast<Version*>(version)->gone = ++gone_count_;
}

void Model::MarkGone(const std::string* begin, const std::string* end,
                     bool (*expires)(std::string_view value)) {
  auto it = begin != nullptr ? keys_.lower_bound(*begin) : keys_.begin();
  const auto after = end != nullptr ? keys_.upper_bound(*end) : keys_.end();
  for (; it != after; ++it) {
    Version& newest = it->second.back();
    if (newest.IsVisible(gone_count_) && expires(*newest.value)) newest.gone = ++gone_count_;
  }
}

void Model::Cursor::SkipForward(Keys::const_iterator from) {
  at_ = from;
  while (Valid() && Visible(at_) == nullptr) ++at_;
}

void Model::Cursor::StepBack(Keys::const_iterator from) {
  at_ = keys_.end();
  while (from != keys_.begin()) {
    if (Visible(--from) == nullptr) continue;
    at_ = from;
    return;
  }
}

}  // namespace lull::testing
