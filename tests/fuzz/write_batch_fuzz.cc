// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// The bytes of a write batch, as in a WAL.
//
// Input: the record. Checks: a record that Validate accepts can be walked and inserted, entry by
// entry, at its sequences; the walk refuses what Validate refuses.
#include <memory>
#include <string>
#include <vector>

#include "db/memory/batch_format.h"
#include "db/memory/memtable.h"
#include "leveldb/comparator.h"
#include "tests/fuzz/fuzz.h"

namespace lull::fuzz {
namespace {

using leveldb::Slice;
using leveldb::Status;

struct Entry {
  ValueKind kind;
  std::string key;
  std::string value;
};

std::vector<Entry> WalkOver(const Slice& record, Status* status) {
  std::vector<Entry> entries;
  *status = batch::ForEach(record, [&](ValueKind kind, const Slice& key, const Slice& value) {
    entries.push_back(
        {kind, key.ToString(), kind == ValueKind::kValue ? value.ToString() : std::string()});
  });
  return entries;
}

void CheckMemTable(const Slice& record, const std::vector<Entry>& entries) {
  const SequenceNumber first = batch::SequenceOf(record);
  if (!batch::HasPossibleSequence(record)) return;  // every reader of a WAL refuses these
  const KeyOrder order(leveldb::BytewiseComparator(), KeyOrder::Keys::kInternal);
  static const auto pool = std::make_shared<BlockPool>(4 << 10);
  const auto memtable = std::make_unique<MemTable>(order, pool);
  RequireOk(batch::InsertInto(record, memtable.get()), "a whole batch is inserted");
  Require(memtable->EntryCount() == entries.size(), "entry by entry");
  for (size_t i = 0; i < entries.size(); ++i) {
    std::string value;
    const auto found = memtable->Get(LookupKey(entries[i].key, first + i), &value);
    const bool is_value = entries[i].kind == ValueKind::kValue;
    Require(found == (is_value ? MemTable::Found::kValue : MemTable::Found::kDeleted),
            "an entry is found at its sequence");
    Require(!is_value || value == entries[i].value, "with its value");
  }
}

}  // namespace

void RunOne(Input input) {
  const Exact record(input.rest());
  const Status valid = batch::Validate(record.slice());
  Status walked;
  const std::vector<Entry> entries = WalkOver(record.slice(), &walked);
  Require(valid.ok() == walked.ok(), "Validate and the walk agree");
  if (!valid.ok()) return;
  Require(entries.size() == batch::CountOf(record.slice()), "a whole batch has its entries");
  CheckMemTable(record.slice(), entries);
}

}  // namespace lull::fuzz
