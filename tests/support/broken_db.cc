// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "tests/support/broken_db.h"

#include <vector>

namespace lull::testing {

using leveldb::Slice;
using leveldb::Status;

namespace {

class SkippingIterator : public leveldb::Iterator {
 public:
  SkippingIterator(leveldb::Iterator* target, uint64_t* prevs) : target_(target), prevs_(prevs) {}

  bool Valid() const override { return target_->Valid(); }
  void SeekToFirst() override { target_->SeekToFirst(); }
  void SeekToLast() override { target_->SeekToLast(); }
  void Seek(const Slice& target) override { target_->Seek(target); }
  void Next() override { target_->Next(); }
  void Prev() override {
    target_->Prev();
    if (++*prevs_ % 200 == 0 && target_->Valid()) target_->Prev();
  }
  Slice key() const override { return target_->key(); }
  Slice value() const override { return target_->value(); }
  Status status() const override { return target_->status(); }

 private:
  const std::unique_ptr<leveldb::Iterator> target_;
  uint64_t* const prevs_;
};

// Copies a batch without its last entry.
class AllButLast : public leveldb::WriteBatch::Handler {
 public:
  void Put(const Slice& key, const Slice& value) override {
    Push();
    is_put_ = true;
    key_ = key.ToString();
    value_ = value.ToString();
  }
  void Delete(const Slice& key) override {
    Push();
    is_put_ = false;
    key_ = key.ToString();
  }
  leveldb::WriteBatch* result() { return &result_; }

 private:
  void Push() {
    if (pending_ && is_put_) result_.Put(key_, value_);
    if (pending_ && !is_put_) result_.Delete(key_);
    pending_ = true;
  }

  leveldb::WriteBatch result_;
  bool pending_ = false;
  bool is_put_ = false;
  std::string key_, value_;
};

}  // namespace

BrokenDB::BrokenDB(leveldb::DB* target, PlantedBug bug) : target_(target), bug_(bug) {}

BrokenDB::~BrokenDB() {
  if (stale_ != nullptr) target_->ReleaseSnapshot(stale_);
}

bool BrokenDB::Strikes(PlantedBug bug, uint64_t n) { return bug == bug_ && ++calls_ % n == 0; }

void BrokenDB::AgeStale() {
  if (bug_ != PlantedBug::kStaleReads || ++writes_ % 700 != 1) return;
  if (stale_ != nullptr) target_->ReleaseSnapshot(stale_);
  stale_ = target_->GetSnapshot();
}

Status BrokenDB::Put(const leveldb::WriteOptions& options, const Slice& key, const Slice& value) {
  AgeStale();
  if (Strikes(PlantedBug::kLosesWrites, 500)) return Status::OK();
  return target_->Put(options, key, value);
}

Status BrokenDB::Delete(const leveldb::WriteOptions& options, const Slice& key) {
  AgeStale();
  return target_->Delete(options, key);
}

Status BrokenDB::Write(const leveldb::WriteOptions& options, leveldb::WriteBatch* updates) {
  AgeStale();
  if (!Strikes(PlantedBug::kTornBatches, 20)) return target_->Write(options, updates);
  AllButLast shorter;
  Status s = updates->Iterate(&shorter);
  return s.ok() ? target_->Write(options, shorter.result()) : s;
}

Status BrokenDB::Get(const leveldb::ReadOptions& options, const Slice& key, std::string* value) {
  leveldb::ReadOptions changed = options;
  if (options.snapshot == nullptr && stale_ != nullptr && Strikes(PlantedBug::kStaleReads, 100)) {
    changed.snapshot = stale_;
  }
  if (options.snapshot != nullptr && Strikes(PlantedBug::kSnapshotIgnored, 50)) {
    changed.snapshot = nullptr;
  }
  return target_->Get(changed, key, value);
}

leveldb::Iterator* BrokenDB::NewIterator(const leveldb::ReadOptions& options) {
  leveldb::Iterator* it = target_->NewIterator(options);
  return bug_ == PlantedBug::kIteratorSkipsPrev ? new SkippingIterator(it, &prevs_) : it;
}

const leveldb::Snapshot* BrokenDB::GetSnapshot() { return target_->GetSnapshot(); }

void BrokenDB::ReleaseSnapshot(const leveldb::Snapshot* snapshot) {
  target_->ReleaseSnapshot(snapshot);
}

bool BrokenDB::GetProperty(const Slice& property, std::string* value) {
  return target_->GetProperty(property, value);
}

void BrokenDB::GetApproximateSizes(const leveldb::Range* range, int n, uint64_t* sizes) {
  target_->GetApproximateSizes(range, n, sizes);
}

void BrokenDB::CompactRange(const Slice* begin, const Slice* end) {
  target_->CompactRange(begin, end);
}

}  // namespace lull::testing
