// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "tests/schedule/removed_ranges.h"

#include <memory>
#include <utility>

#include "leveldb/iterator.h"

namespace lull::testing {
namespace {

constexpr uint64_t kKeys = 40;

std::string KeyOf(uint64_t number) { return RemovedRanges::kPrefix + std::to_string(10 + number); }

}  // namespace

std::string RemovedRanges::Step(leveldb::DB* db, Rng* rng) {
  leveldb::Status status;
  if (rng->OneIn(4)) {
    const uint64_t begin = rng->Below(kKeys);
    const uint64_t end = begin + 1 + rng->Below(kKeys - begin);
    removals_.push_back(log_.size());
    removed_ = false;
    const leveldb::Snapshot* const snapshot = db->GetSnapshot();
    const Contents seen = Read(db, snapshot, &status);
    if (status.ok()) status = log_.Remove(db, {KeyOf(begin), KeyOf(end)}, /*files_only=*/false);
    if (status.ok() && Read(db, snapshot, &status) != seen)
      return "removed ranges: a snapshot sees other entries after a removal";
    db->ReleaseSnapshot(snapshot);
    removed_ = true;
  } else {
    WriteOps ops;
    for (uint64_t count = 1 + rng->Below(8); count > 0; --count) {
      const std::string key = KeyOf(rng->Below(kKeys));
      ops.push_back({key, std::to_string(log_.size()) + std::string(rng->Below(6000), ' ')});
    }
    status = log_.Write(db, std::move(ops), /*sync=*/false);
  }
  if (!status.ok()) return "a write or removal failed: " + status.ToString();
  return Compare(db, CommitLog::Demand::kAckedSurvives);
}

std::string RemovedRanges::Check(leveldb::DB* db, size_t removals) {
  using Fate = CommitLog::Fate;
  for (size_t i = 0; i < removals_.size(); ++i) {
    log_.SetFate(removals_[i], i < removals ? Fate::kAckedSynced : Fate::kUnknown);
  }
  return Compare(db, CommitLog::Demand::kSyncedSurvives);
}

Contents RemovedRanges::Read(leveldb::DB* db, const leveldb::Snapshot* snapshot,
                             leveldb::Status* status) {
  leveldb::ReadOptions options;
  options.verify_checksums = true;
  options.snapshot = snapshot;
  Contents contents;
  const std::unique_ptr<leveldb::Iterator> iterator(db->NewIterator(options));
  for (iterator->Seek(std::string(1, kPrefix));
       iterator->Valid() && iterator->key().starts_with({&kPrefix, 1}); iterator->Next()) {
    contents.emplace(iterator->key().ToString(), iterator->value().ToString());
  }
  *status = iterator->status();
  return contents;
}

std::string RemovedRanges::Compare(leveldb::DB* db, CommitLog::Demand demand) const {
  leveldb::Status status;
  const Contents contents = Read(db, nullptr, &status);
  if (!status.ok()) return "a scan failed: " + status.ToString();
  const CommitLog::Verdict verdict = log_.MatchesPrefix(contents, demand);
  return verdict.ok ? "" : "removed ranges: " + verdict.detail;
}

}  // namespace lull::testing
