// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// The bytes of a write batch, as in a WAL.
//
// Input: the record. Checks: a record that Validate accepts can be walked and inserted, entry by
// entry, at its sequences; the walk refuses what Validate refuses; a WriteBatch made of the entries
// is valid and iterates over them.
#include <memory>
#include <string>
#include <vector>

#include "db/write/batch_format.h"
#include "db/write/memtable.h"
#include "leveldb/comparator.h"
#include "leveldb/write_batch.h"
#include "tests/fuzz/fuzz.h"

namespace lull::fuzz {
namespace {

using leveldb::Slice;
using leveldb::Status;

struct Entry {
  ValueKind kind;
  std::string key;
  std::string value;
  bool operator==(const Entry&) const = default;
};

class Collector final : public leveldb::WriteBatch::Handler {
 public:
  void Put(const Slice& key, const Slice& value) override {
    entries.push_back({ValueKind::kValue, key.ToString(), value.ToString()});
  }
  void Delete(const Slice& key) override {
    entries.push_back({ValueKind::kDeletion, key.ToString(), ""});
  }
  std::vector<Entry> entries;
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
  size_t met = 0;
  std::string before;
  const auto iterator = memtable->NewIterator();
  for (iterator->SeekToFirst(); iterator->Valid(); iterator->Next(), ++met) {
    Require(met == 0 || order.Compare(before, iterator->key()) < 0, "entries are in order");
    before = iterator->key().ToString();
  }
  Require(met == entries.size(), "a walk meets each");
}

void CheckWriteBatch(const std::vector<Entry>& entries) {
  leveldb::WriteBatch batch;
  for (const Entry& entry : entries) {
    entry.kind == ValueKind::kValue ? batch.Put(entry.key, entry.value) : batch.Delete(entry.key);
  }
  Require(batch::Count(batch) == entries.size(), "a batch counts its entries");
  RequireOk(batch::Validate(batch::Contents(batch)), "a batch that was made is whole");
  Collector collector;
  RequireOk(batch.Iterate(&collector), "a batch that was made can be walked");
  Require(collector.entries == entries, "and gives what was put in");
  leveldb::WriteBatch twice(batch);
  twice.Append(batch);
  Require(batch::Count(twice) == 2 * entries.size(), "batches add up");
  RequireOk(batch::Validate(batch::Contents(twice)), "and stay whole");
}

void RunOne(const Slice& bytes) {
  const Exact record(bytes);
  const Status valid = batch::Validate(record.slice());
  Status walked;
  const std::vector<Entry> entries = WalkOver(record.slice(), &walked);
  Require(valid.ok() == walked.ok(), "Validate and the walk agree");
  if (!valid.ok()) return;
  Require(entries.size() == batch::CountOf(record.slice()), "a whole batch has its entries");
  CheckMemTable(record.slice(), entries);
  CheckWriteBatch(entries);
}

}  // namespace
}  // namespace lull::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  lull::fuzz::RunOne(lull::fuzz::Input(data, size).rest());
  return 0;
}
