// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "tests/schedule/removed_ranges.h"

#include <cstdlib>
#include <memory>

#include "leveldb/iterator.h"
#include "leveldb/write_batch.h"
#include "tests/support/open_store.h"

namespace lull::testing {
namespace {

constexpr uint64_t kKeys = 40;

std::string KeyOf(uint64_t number) { return RemovedRanges::kPrefix + std::to_string(10 + number); }

}  // namespace

std::string RemovedRanges::Step(leveldb::DB* db, Rng* rng) {
  std::string wrong = rng->OneIn(4) ? Remove(db, rng) : Write(db, rng);
  if (!wrong.empty()) return wrong;
  Values found;
  wrong = Read(db, &found);
  if (!wrong.empty()) return wrong;
  return found == values_ ? "" : "the keys with prefix r are not those that were written";
}

std::string RemovedRanges::Check(leveldb::DB* db, size_t removals) const {
  Values found;
  const std::string wrong = Read(db, &found);
  if (!wrong.empty()) return wrong;
  for (size_t i = 0; i < removals; ++i) {
    for (const auto& [key, value] : found) {
      if (removals_[i].span.Contains(key) && value <= removals_[i].last_value)
        return key + " has a removed value";
    }
  }
  return "";
}

std::string RemovedRanges::Write(leveldb::DB* db, Rng* rng) {
  leveldb::WriteBatch batch;
  for (uint64_t count = 1 + rng->Below(8); count > 0; --count) {
    const std::string key = KeyOf(rng->Below(kKeys));
    values_[key] = ++last_value_;
    batch.Put(key, std::to_string(last_value_) + std::string(rng->Below(6000), ' '));
  }
  const leveldb::Status status = db->Write(leveldb::WriteOptions(), &batch);
  return status.ok() ? "" : "a write failed: " + status.ToString();
}

std::string RemovedRanges::Remove(leveldb::DB* db, Rng* rng) {
  const uint64_t begin = rng->Below(kKeys);
  const uint64_t end = begin + 1 + rng->Below(kKeys - begin);
  const KeySpan span = {KeyOf(begin), KeyOf(end)};
  const leveldb::Status status = RemoveRange(db, span, /*files_only=*/false);
  if (!status.ok()) return "a range was not removed: " + status.ToString();
  std::erase_if(values_, [&](const auto& entry) { return span.Contains(entry.first); });
  removals_.push_back({span, last_value_});
  return "";
}

std::string RemovedRanges::Read(leveldb::DB* db, Values* values) {
  leveldb::ReadOptions options;
  options.verify_checksums = true;
  const std::unique_ptr<leveldb::Iterator> iterator(db->NewIterator(options));
  for (iterator->Seek(std::string(1, kPrefix));
       iterator->Valid() && iterator->key().starts_with({&kPrefix, 1}); iterator->Next()) {
    values->emplace(iterator->key().ToString(),
                    std::strtoull(iterator->value().ToString().c_str(), nullptr, 10));
  }
  return iterator->status().ok() ? "" : "a scan failed: " + iterator->status().ToString();
}

}  // namespace lull::testing
