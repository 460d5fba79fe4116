// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// The metamorphic runner must pass on the store, and must fail on the same store with a planted
// bug.
#include "tests/support/metamorphic.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "leveldb/iterator.h"
#include "leveldb/write_batch.h"
#include "tests/support/crash_env.h"
#include "tests/support/open_store.h"
#include "tests/support/option_sets.h"

namespace lull::testing {
namespace {

using leveldb::Slice;
using leveldb::Status;

enum class PlantedBug {
  kNone,
  kLosesWrites,        // every 500th Put is acked and dropped
  kStaleReads,         // every 100th Get without a snapshot reads an old state
  kTornBatches,        // every 20th batch loses what follows its first entry
  kSnapshotIgnored,    // every 50th read at a snapshot reads the latest state
  kIteratorSkipsPrev,  // every 200th Prev moves by two
};

// True for every n-th call.
class Strikes {
 public:
  bool operator()(bool planted, uint64_t n) { return planted && ++calls_ % n == 0; }

 private:
  uint64_t calls_ = 0;
};

class SkippingIterator final : public leveldb::Iterator {
 public:
  SkippingIterator(leveldb::Iterator* target, Strikes* strikes)
      : target_(target), strikes_(strikes) {}

  bool Valid() const override { return target_->Valid(); }
  void SeekToFirst() override { target_->SeekToFirst(); }
  void SeekToLast() override { target_->SeekToLast(); }
  void Seek(const Slice& target) override { target_->Seek(target); }
  void Next() override { target_->Next(); }
  void Prev() override {
    target_->Prev();
    if ((*strikes_)(target_->Valid(), 200)) target_->Prev();
  }
  Slice key() const override { return target_->key(); }
  Slice value() const override { return target_->value(); }
  Status status() const override { return target_->status(); }

 private:
  const std::unique_ptr<leveldb::Iterator> target_;
  Strikes* const strikes_;
};

class FirstEntry final : public leveldb::WriteBatch::Handler {
 public:
  void Put(const Slice& key, const Slice& value) override {
    if (batch.ApproximateSize() == empty_bytes_) batch.Put(key, value);
  }
  void Delete(const Slice& key) override {
    if (batch.ApproximateSize() == empty_bytes_) batch.Delete(key);
  }
  leveldb::WriteBatch batch;

 private:
  const size_t empty_bytes_ = leveldb::WriteBatch().ApproximateSize();
};

// Forwards every call to another DB but has one planted bug. Owns its target.
class BrokenDB final : public leveldb::DB {
 public:
  BrokenDB(leveldb::DB* target, PlantedBug bug) : target_(target), bug_(bug) {}
  ~BrokenDB() override {
    if (stale_ != nullptr) target_->ReleaseSnapshot(stale_);
  }

  Status Put(const leveldb::WriteOptions& options, const Slice& key, const Slice& value) override {
    AgeStale();
    if (strikes_(bug_ == PlantedBug::kLosesWrites, 500)) return Status::OK();
    return target_->Put(options, key, value);
  }
  Status Delete(const leveldb::WriteOptions& options, const Slice& key) override {
    return target_->Delete(options, key);
  }
  Status Write(const leveldb::WriteOptions& options, leveldb::WriteBatch* updates) override {
    if (!strikes_(bug_ == PlantedBug::kTornBatches, 20)) return target_->Write(options, updates);
    FirstEntry first;
    const Status s = updates->Iterate(&first);
    return s.ok() ? target_->Write(options, &first.batch) : s;
  }
  Status Get(const leveldb::ReadOptions& options, const Slice& key, std::string* value) override {
    leveldb::ReadOptions changed = options;
    if (options.snapshot == nullptr && strikes_(stale_ != nullptr, 100)) changed.snapshot = stale_;
    if (options.snapshot != nullptr && strikes_(bug_ == PlantedBug::kSnapshotIgnored, 50)) {
      changed.snapshot = nullptr;
    }
    return target_->Get(changed, key, value);
  }
  leveldb::Iterator* NewIterator(const leveldb::ReadOptions& options) override {
    leveldb::Iterator* it = target_->NewIterator(options);
    return bug_ == PlantedBug::kIteratorSkipsPrev ? new SkippingIterator(it, &strikes_) : it;
  }
  const leveldb::Snapshot* GetSnapshot() override { return target_->GetSnapshot(); }
  void ReleaseSnapshot(const leveldb::Snapshot* snapshot) override {
    target_->ReleaseSnapshot(snapshot);
  }
  bool GetProperty(const Slice& property, std::string* value) override {
    return target_->GetProperty(property, value);
  }
  void GetApproximateSizes(const leveldb::Range* range, int n, uint64_t* sizes) override {
    target_->GetApproximateSizes(range, n, sizes);
  }
  void CompactRange(const Slice* begin, const Slice* end) override {
    target_->CompactRange(begin, end);
  }

 private:
  // Keeps a snapshot that is some hundreds of writes old.
  void AgeStale() {
    if (bug_ != PlantedBug::kStaleReads || ++writes_ % 500 != 1) return;
    if (stale_ != nullptr) target_->ReleaseSnapshot(stale_);
    stale_ = target_->GetSnapshot();
  }

  const std::unique_ptr<leveldb::DB> target_;
  const PlantedBug bug_;
  Strikes strikes_;
  uint64_t writes_ = 0;
  const leveldb::Snapshot* stale_ = nullptr;
};

class BrokenStore : public ::testing::TestWithParam<PlantedBug> {};

TEST_P(BrokenStore, IsCaughtAndReplayedBySeed) {
  int caught = 0;
  for (uint64_t seed = 1; seed <= 5; ++seed) {
    MetamorphicConfig config;
    config.seed = seed;
    config.ops = 15'000;
    CrashEnv env;
    config.env = &env;
    config.directory = "/store";
    config.hooks.open = [](const leveldb::Options& options, const std::string& name,
                           leveldb::DB** db) {
      Status s = leveldb::DB::Open(options, name, db);
      if (s.ok()) *db = new BrokenDB(*db, GetParam());
      return s;
    };
    MetamorphicReport report = RunMetamorphic(config);
    if (report.ok) {
      for (const char* op : {"put", "get", "batch", "move-held-iterator", "snapshot-gets"}) {
        EXPECT_GT(report.done[op], 100u) << op;
      }
      continue;
    }
    ++caught;
    EXPECT_NE(report.failure.find("--seed=" + std::to_string(seed)), std::string::npos);
    CrashEnv again;
    config.env = &again;
    EXPECT_EQ(RunMetamorphic(config).failure, report.failure);
  }
  EXPECT_EQ(caught, GetParam() == PlantedBug::kNone ? 0 : 5);
}

INSTANTIATE_TEST_SUITE_P(All, BrokenStore,
                         ::testing::Values(PlantedBug::kNone, PlantedBug::kLosesWrites,
                                           PlantedBug::kStaleReads, PlantedBug::kTornBatches,
                                           PlantedBug::kSnapshotIgnored,
                                           PlantedBug::kIteratorSkipsPrev));

TEST(OptionSetTest, EverySetOpensWhatACompatibleOneWrote) {
  Rng rng(3);
  for (size_t index = 0; index < kOptionSetCount; ++index) {
    CrashEnv env;
    for (const size_t use : {index, CompatibleSet(index, &rng), index}) {
      const auto set = MakeOptionSet(use);
      set->options.env = &env;
      leveldb::DB* db = nullptr;
      ASSERT_TRUE(OpenStore(set->options, "", "/store", &db).ok()) << set->name;
      EXPECT_TRUE(db->Put({}, "key", set->name).ok());
      delete db;
    }
  }
}

}  // namespace
}  // namespace lull::testing
