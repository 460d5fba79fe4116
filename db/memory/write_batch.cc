// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// leveldb::WriteBatch, on top of batch_format.h.
#include "leveldb/write_batch.h"

#include <algorithm>
#include <cstring>

#include "db/base/dbformat.h"
#include "db/memory/batch_format.h"
#include "leveldb/slice.h"
#include "util/coding.h"

namespace leveldb {
namespace {

/// Reserves `bytes` more, so that an entry costs at most one allocation.
void ReserveMore(std::string* rep, size_t bytes) {
  const size_t needed = rep->size() + bytes;
  if (needed > rep->capacity()) rep->reserve(std::max(needed, 2 * rep->capacity()));
}

/// Appends `lead` unless it is null, then the length and bytes of `value`.
void AppendPrefixed(std::string* rep, const char* lead, const Slice& value) {
  char prefix[1 + lull::kVarint32BytesMax];
  char* out = prefix;
  if (lead != nullptr) *out++ = *lead;
  out = lull::EncodeVarint32(out, static_cast<uint32_t>(value.size()));
  rep->append(prefix, out);
  rep->append(value.data(), value.size());
}

}  // namespace

WriteBatch::Handler::~Handler() = default;

WriteBatch::WriteBatch() : rep_(lull::batch::kHeaderBytes, '\0') {}

WriteBatch::~WriteBatch() = default;

void WriteBatch::Put(const Slice& key, const Slice& value) {
  lull::batch::SetCount(this, lull::batch::Count(*this) + 1);
  if (key.size() > lull::batch::kEntryBytesMax ||
      value.size() > lull::batch::kEntryBytesMax - key.size()) {
    rep_.push_back(lull::batch::kOversizeMark);
    return;
  }
  constexpr char kKind = static_cast<char>(lull::ValueKind::kValue);
  ReserveMore(&rep_, 1 + 2 * lull::kVarint32BytesMax + key.size() + value.size());
  AppendPrefixed(&rep_, &kKind, key);
  AppendPrefixed(&rep_, nullptr, value);
}

void WriteBatch::Delete(const Slice& key) {
  lull::batch::SetCount(this, lull::batch::Count(*this) + 1);
  if (key.size() > lull::batch::kEntryBytesMax) {
    rep_.push_back(lull::batch::kOversizeMark);
    return;
  }
  constexpr char kKind = static_cast<char>(lull::ValueKind::kDeletion);
  ReserveMore(&rep_, 1 + lull::kVarint32BytesMax + key.size());
  AppendPrefixed(&rep_, &kKind, key);
}

void WriteBatch::Clear() { rep_.assign(lull::batch::kHeaderBytes, '\0'); }

size_t WriteBatch::ApproximateSize() const { return rep_.size(); }

void WriteBatch::Append(const WriteBatch& source) { lull::batch::Append(this, source); }

Status WriteBatch::Iterate(Handler* handler) const {
  return lull::batch::ForEach(
      rep_, [handler](lull::ValueKind kind, const Slice& key, const Slice& value) {
        if (kind == lull::ValueKind::kValue) {
          handler->Put(key, value);
        } else {
          handler->Delete(key);
        }
      });
}

}  // namespace leveldb
