// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// The format of a write batch, which is also that of a WAL record: sequence (8), count (4), then
// entries. An entry is kind (1), length-prefixed key and, for values, length-prefixed value. Only
// this file reads and changes the private bytes of a WriteBatch.
#pragma once

#include <cstdint>
#include <functional>

#include "db/base/dbformat.h"
#include "leveldb/slice.h"
#include "leveldb/status.h"
#include "leveldb/write_batch.h"

namespace lull {

class MemTable;

/// Access to WriteBatch's bytes. (leveldb::WriteBatchInternal is the friend that the fixed public
/// header names.)
namespace batch {

constexpr size_t kHeaderBytes = 12;

uint32_t Count(const leveldb::WriteBatch& batch);
void SetCount(leveldb::WriteBatch* batch, uint32_t count);
void SetSequence(leveldb::WriteBatch* batch, SequenceNumber sequence);
leveldb::Slice Contents(const leveldb::WriteBatch& batch);
void Append(leveldb::WriteBatch* destination, const leveldb::WriteBatch& source);

/// Overwrites the first 12 bytes of `record` with the header.
void EncodeHeader(char* record, SequenceNumber sequence, uint32_t count);

/// The header of a WAL record. REQUIRES: record.size() >= kHeaderBytes.
SequenceNumber SequenceOf(const leveldb::Slice& record);
uint32_t CountOf(const leveldb::Slice& record);
/// Whether all entries have a sequence up to kMaxStoredSequence. A record read from a log must, so
/// that its sequence can go into a MANIFEST. (An empty batch has the sequence of the next entry.)
bool HasPossibleSequence(const leveldb::Slice& record);

/// The maximum size of key plus value. With its trailer and headers, an entry must fit into a
/// table's block, whose offsets have 32 bits.
constexpr uint64_t kEntryBytesMax = UINT32_MAX - 64;

/// The mark in a batch for an entry that was too large to add. It has no key and no value.
constexpr char kOversizeMark = '\xff';

/// Calls visit(kind, key, value) for each entry of a record, up to the first fault. Returns
/// Corruption if the record is cut short, has an unknown kind, or its count is wrong.
template <typename Visit>
leveldb::Status ForEach(const leveldb::Slice& record, Visit&& visit);

/// Adds every entry of `record` to `memtable`, with consecutive sequences from the header's on.
leveldb::Status InsertInto(const leveldb::Slice& record, MemTable* memtable);

/// Checks that InsertInto would accept `record`. The write path calls it before it logs anything.
/// Returns InvalidArgument for a batch to which an entry of 4 GiB or more was added.
leveldb::Status Validate(const leveldb::Slice& record);

namespace internal {
/// Parses one entry at the front of `rest` and advances it. Returns nullptr, or the cause of the
/// failure. REQUIRES: *rest is not empty.
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
