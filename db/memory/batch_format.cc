// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "db/memory/batch_format.h"

#include <string>

#include "db/memory/memtable.h"
#include "util/coding.h"

namespace leveldb {

class WriteBatchInternal {
 public:
  static const std::string& Bytes(const WriteBatch& batch) { return batch.rep_; }
  static std::string* MutableBytes(WriteBatch* batch) { return &batch->rep_; }
};

}  // namespace leveldb

namespace lull::batch {
namespace {

constexpr size_t kCountOffset = 8;

// Compared by address: Validate reports this cause as the caller's error, not as damage.
constexpr char kOversize[] = "a key or value of 4 GiB or more";

using Internal = leveldb::WriteBatchInternal;

/// Reads a length and that many bytes from [in, limit). Returns their end, or nullptr.
inline const char* TakePrefixed(const char* in, const char* limit, leveldb::Slice* bytes) {
  uint32_t length;
  in = DecodeVarint32(in, limit, &length);
  if (in == nullptr || length > static_cast<size_t>(limit - in)) return nullptr;
  *bytes = leveldb::Slice(in, length);
  return in + length;
}

}  // namespace

uint32_t Count(const leveldb::WriteBatch& batch) { return CountOf(Internal::Bytes(batch)); }

void SetCount(leveldb::WriteBatch* batch, uint32_t count) {
  EncodeFixed32(Internal::MutableBytes(batch)->data() + kCountOffset, count);
}

void SetSequence(leveldb::WriteBatch* batch, SequenceNumber sequence) {
  EncodeFixed64(Internal::MutableBytes(batch)->data(), sequence);
}

leveldb::Slice Contents(const leveldb::WriteBatch& batch) { return Internal::Bytes(batch); }

void Append(leveldb::WriteBatch* destination, const leveldb::WriteBatch& source) {
  const uint32_t count = Count(*destination) + Count(source);
  Internal::MutableBytes(destination)
      ->append(Internal::Bytes(source), kHeaderBytes, std::string::npos);
  SetCount(destination, count);
}

void EncodeHeader(char* record, SequenceNumber sequence, uint32_t count) {
  EncodeFixed64(record, sequence);
  EncodeFixed32(record + kCountOffset, count);
}

SequenceNumber SequenceOf(const leveldb::Slice& record) { return DecodeFixed64(record.data()); }

uint32_t CountOf(const leveldb::Slice& record) {
  return DecodeFixed32(record.data() + kCountOffset);
}

bool HasPossibleSequence(const leveldb::Slice& record) {
  return SequenceOf(record) <= kMaxStoredSequence + 1 - CountOf(record);
}

namespace internal {

const char* ConsumeEntry(leveldb::Slice* rest, ValueKind* kind, leveldb::Slice* key,
                         leveldb::Slice* value) {
  const char* const limit = rest->data() + rest->size();
  const char tag = rest->data()[0];
  if (tag == kOversizeMark) return kOversize;
  if (tag != static_cast<char>(ValueKind::kValue) &&
      tag != static_cast<char>(ValueKind::kDeletion)) {
    return "an entry of unknown kind";
  }
  *kind = static_cast<ValueKind>(tag);
  const char* next = TakePrefixed(rest->data() + 1, limit, key);
  if (next == nullptr) return "a key is cut short";
  if (*kind == ValueKind::kDeletion) {
    value->clear();
  } else {
    next = TakePrefixed(next, limit, value);
    if (next == nullptr) return "a value is cut short";
  }
  if (uint64_t{key->size()} + value->size() > kEntryBytesMax) return kOversize;
  *rest = leveldb::Slice(next, static_cast<size_t>(limit - next));
  return nullptr;
}

}  // namespace internal

leveldb::Status InsertInto(const leveldb::Slice& record, MemTable* memtable) {
  if (record.size() < kHeaderBytes) return Validate(record);
  SequenceNumber sequence = SequenceOf(record);
  return ForEach(record,
                 [&](ValueKind kind, const leveldb::Slice& key, const leveldb::Slice& value) {
                   memtable->Add(sequence++, kind, key, value);
                 });
}

leveldb::Status Validate(const leveldb::Slice& record) {
  if (record.size() < kHeaderBytes) {
    return leveldb::Status::Corruption("write batch: shorter than its header");
  }
  leveldb::Slice rest(record.data() + kHeaderBytes, record.size() - kHeaderBytes);
  uint32_t found = 0;
  for (; !rest.empty(); ++found) {
    ValueKind kind;
    leveldb::Slice key, value;
    const char* const cause = internal::ConsumeEntry(&rest, &kind, &key, &value);
    if (cause == nullptr) continue;
    return cause == kOversize ? leveldb::Status::InvalidArgument("write batch", cause)
                              : leveldb::Status::Corruption("write batch", cause);
  }
  if (found == CountOf(record)) return leveldb::Status::OK();
  return leveldb::Status::Corruption("write batch: wrong count of entries");
}

}  // namespace lull::batch
