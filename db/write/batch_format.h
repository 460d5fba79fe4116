// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// The bytes of a write batch, which are also a WAL record: sequence (8), count (4), then entries:
// kind (1), length-prefixed key, and for values a length-prefixed value. What WriteBatch keeps
// private is read and changed here.
#pragma once

#include <cstdint>
#include <functional>

#include "db/dbformat.h"
#include "leveldb/slice.h"
#include "leveldb/status.h"
#include "leveldb/write_batch.h"

namespace lull {

class MemTable;

/// The one door to WriteBatch's representation. (leveldb::WriteBatchInternal is the friend the
/// frozen header names.)
namespace batch {

constexpr size_t kHeaderBytes = 12;

uint32_t Count(const leveldb::WriteBatch& batch);
void SetCount(leveldb::WriteBatch* batch, uint32_t count);
void SetSequence(leveldb::WriteBatch* batch, SequenceNumber sequence);
leveldb::Slice Contents(const leveldb::WriteBatch& batch);
void Append(leveldb::WriteBatch* destination, const leveldb::WriteBatch& source);

/// Writes the header in place, over the first 12 bytes of `record`.
void EncodeHeader(char* record, SequenceNumber sequence, uint32_t count);

/// Header of a WAL record. REQUIRES: record.size() >= kHeaderBytes.
SequenceNumber SequenceOf(const leveldb::Slice& record);
uint32_t CountOf(const leveldb::Slice& record);
/// Whether no entry bears a sequence beyond kMaxStoredSequence: what comes back of a log must be
/// such that it can be written to a MANIFEST. (An empty batch bears the sequence of the next
/// entry.)
bool HasPossibleSequence(const leveldb::Slice& record);

/// Of a key and its value together: with a key's trailer, and all that stands around an entry, they
/// must fit into a block of a table, whose offsets have 32 bits.
constexpr uint64_t kEntryBytesMax = UINT32_MAX - 64;

/// Stands in a batch, without key or value, for an entry that was too large to be added.
constexpr char kOversizeMark = '\xff';

/// Walks the entries of a record: visit(kind, key, value). Corruption when the record is cut short,
/// holds an unknown kind, or its count is not the number of entries; visits nothing behind the
/// fault.
template <typename Visit>
leveldb::Status ForEach(const leveldb::Slice& record, Visit&& visit);

/// Adds every entry of `record` to `memtable` with consecutive sequences from the header's.
leveldb::Status InsertInto(const leveldb::Slice& record, MemTable* memtable);

/// Whether `record` is whole: what InsertInto would accept. Checked before anything is logged.
/// InvalidArgument for a batch to which an entry of 4 GiB or more was added.
leveldb::Status Validate(const leveldb::Slice& record);

namespace internal {
/// Parses one entry from the front of `rest` and advances it; nullptr on success, else the cause.
/// REQUIRES: *rest is not empty.
const char* ConsumeEntry(leveldb::Slice* rest, ValueKind* kind, leveldb::Slice* key,
                         leveldb::Slice* value);
}  // namespace internal

template <typename Visit>
leveldb::Status ForEach(const leveldb::Slice& record, Visit&& visit) {
  if (record.size() < kHeaderBytes)
    return leveldb::Status::Corruption("write batch: shorter than its header");
  leveldb::Slice rest(record.data() + kHeaderBytes, record.size() - kHeaderBytes);
  uint32_t found = 0;
  ValueKind kind;
  leveldb::Slice key, value;
  while (!rest.empty()) {
    if (const char* cause = internal::ConsumeEntry(&rest, &kind, &key, &value)) {
      return leveldb::Status::Corruption("write batch", cause);
    }
    visit(kind, key, value);
    ++found;
  }
  if (found != CountOf(record))
    return leveldb::Status::Corruption("write batch: wrong count of entries");
  return leveldb::Status::OK();
}

}  // namespace batch
}  // namespace lull
