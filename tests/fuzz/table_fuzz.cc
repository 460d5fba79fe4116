// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// A table file of arbitrary bytes.
//
// Input: flags, a key, the file. Checks: it is opened or refused; walks in both directions, also
// past damage, and searches end with data or an error, with any cache and checksum options; a table
// that passes its own checksums shows the same forward and backward.
#include <memory>
#include <string>
#include <vector>

#include "leveldb/cache.h"
#include "leveldb/comparator.h"
#include "leveldb/filter_policy.h"
#include "table/table_reader.h"
#include "tests/fuzz/fuzz.h"
#include "util/coding.h"

namespace lull::fuzz {
namespace {

using leveldb::Slice;

constexpr uint8_t kFixChecksums = 1;  // with valid checksums
constexpr uint8_t kInternalKeys = 2;
constexpr uint8_t kFilter = 4;
constexpr uint8_t kParanoid = 8;
constexpr uint8_t kVerify = 16;
constexpr uint8_t kCache = 32;
constexpr uint8_t kReadahead = 64;
constexpr uint8_t kSkipDamaged = 128;

// An index can name one block a thousand times, so a walk can be longer than the file.
constexpr int kStepsMax = 3000;

struct WalkResult {
  bool complete = false;
  std::vector<std::string> entries;
};

WalkResult Walk(leveldb::Iterator* iterator, bool forward) {
  WalkResult walk;
  forward ? iterator->SeekToFirst() : iterator->SeekToLast();
  for (int steps = 0; iterator->Valid(); ++steps) {
    if (steps == kStepsMax) return walk;
    walk.entries.push_back(iterator->key().ToString() + "\n" + iterator->value().ToString());
    forward ? iterator->Next() : iterator->Prev();
  }
  Require(IsAnswer(iterator->status()), "a walk ends with an answer",
          iterator->status().ToString());
  walk.complete = iterator->status().ok();
  return walk;
}

void Visit(void* arg, const Slice& key, const Slice& value) {
  *static_cast<size_t*>(arg) += key.ToString().size() + value.ToString().size();
}

void Explore(const TableReader& table, const BlockReadOptions& read, const Slice& key,
             bool genuine) {
  size_t bytes = 0;
  Require(IsAnswer(table.Get(read, key, &bytes, &Visit)), "a search ends with an answer");
  table.ApproximateOffsetOf(key);
  const auto iterator = table.NewIterator(read);
  const WalkResult forward = Walk(iterator.get(), true);
  WalkResult backward = Walk(iterator.get(), false);
  if (genuine && forward.complete && backward.complete) {
    std::reverse(backward.entries.begin(), backward.entries.end());
    Require(forward.entries == backward.entries, "both directions show the same");
  }
  iterator->Seek(key);
  for (int steps = 0; iterator->Valid() && steps < 20; ++steps) {
    steps % 3 == 2 ? iterator->Prev() : iterator->Next();
  }
}

}  // namespace

void RunOne(Input input) {
  const uint8_t flags = input.Byte();
  std::string key = input.TakePrefixed().ToString();
  std::string bytes = input.rest().ToString();
  if ((flags & kFixChecksums) != 0) FixTableChecksums(&bytes);
  static const leveldb::FilterPolicy* const bloom = leveldb::NewBloomFilterPolicy(10);

  std::unique_ptr<leveldb::Cache> cache;
  TableReadOptions options;
  if ((flags & kInternalKeys) != 0) {
    options.order = KeyOrder(leveldb::BytewiseComparator(), KeyOrder::Keys::kInternal);
    PutFixed64(&key, UINT64_MAX);
  }
  if ((flags & kFilter) != 0) options.filter_policy = bloom;
  if ((flags & kCache) != 0) {
    cache.reset(leveldb::NewLRUCache(1 << 20));
    options.block_cache = cache.get();
  }
  options.paranoid_checks = (flags & kParanoid) != 0;
  options.file_name = "000007.ldb";
  BlockReadOptions read;
  read.verify_checksums = (flags & kVerify) != 0;
  read.readahead_bytes = (flags & kReadahead) != 0 ? 16 << 10 : 0;
  read.skip_damaged_blocks = (flags & kSkipDamaged) != 0;

  std::unique_ptr<TableReader> table;
  const leveldb::Status status =
      TableReader::Open(options, std::make_unique<RandomAccessBytes>(bytes), bytes.size(), &table);
  Require(IsAnswer(status) && status.ok() == (table != nullptr), "a table opens or does not");
  const bool genuine = (flags & kFixChecksums) == 0 && read.verify_checksums;
  if (table != nullptr) Explore(*table, read, key, genuine);
}

}  // namespace lull::fuzz
