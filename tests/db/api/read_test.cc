// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "lull/read.h"

#include <algorithm>
#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "leveldb/write_batch.h"
#include "tests/db/support/scripted_store.h"

namespace lull {
namespace {

using leveldb::Slice;
using testing::Json;
using testing::ReadForward;
using Entries = testing::Contents;
using Bound = std::optional<std::string>;

Entries Within(const Entries& entries, const Bound& begin, const Bound& end) {
  if (begin && end && *begin >= *end) return {};
  return {begin ? entries.lower_bound(*begin) : entries.begin(),
          end ? entries.lower_bound(*end) : entries.end()};
}

std::unique_ptr<leveldb::Iterator> Iterate(leveldb::DB* db, const Bound& begin, const Bound& end,
                                           const leveldb::ReadOptions& options = {}) {
  const Slice from = begin ? Slice(*begin) : Slice(), to = end ? Slice(*end) : Slice();
  return std::unique_ptr<leveldb::Iterator>(
      NewIterator(db, options, begin ? &from : nullptr, end ? &to : nullptr));
}

Entries ScanBackward(leveldb::Iterator* at) {
  Entries seen;
  for (at->SeekToLast(); at->Valid(); at->Prev())
    seen[at->key().ToString()] = at->value().ToString();
  EXPECT_TRUE(at->status().ok()) << at->status().ToString();
  return seen;
}

class ReadTest : public testing::ScriptedStoreTest {
 protected:
  void SetUp() override {
    options_.write_buffer_size = 64 << 10;
    scheduling_.l0_trigger = scheduling_.l0_slowdown = scheduling_.l0_stop = 1000;
    script_.Set(script_.Nothing());
    Open();
  }

  static std::string Key(uint64_t i) { return "k" + std::to_string(1000 + i); }
  void Put(const std::string& key, const std::string& value) {
    ASSERT_TRUE(db_->Put({}, key, value).ok());
    entries_[key] = value;
  }
  void Erase(const std::string& key) {
    ASSERT_TRUE(db_->Delete({}, key).ok());
    entries_.erase(key);
  }
  /// Entries and deletions of 300 keys: in L1, in three tables of L0, and in memory.
  void FillAllLevels() {
    testing::Rng rng(7);
    for (int round = 0; round < 5; ++round) {
      for (int i = 0; i < 200; ++i) {
        const std::string key = Key(rng.Below(300));
        rng.OneIn(3) ? Erase(key) : Put(key, std::to_string(round).append(50, 'v'));
      }
      if (round < 4) {
        ASSERT_TRUE(Flush(db_.get()).ok());
      }
      if (round == 0) db_->CompactRange(nullptr, nullptr);
    }
  }
  static Bound SomeBound(testing::Rng* rng) {
    if (rng->OneIn(8)) return std::nullopt;
    return Key(rng->Below(320)) + (rng->OneIn(2) ? "x" : "");
  }
  void ExpectBounded(leveldb::DB* db, const Entries& entries,
                     const leveldb::ReadOptions& options = {}) {
    testing::Rng rng(11);
    for (int i = 0; i < 200; ++i) {
      const Bound begin = SomeBound(&rng), end = SomeBound(&rng);
      SCOPED_TRACE(begin.value_or("first") + " to " + end.value_or("last"));
      const Entries expected = Within(entries, begin, end);
      const auto at = Iterate(db, begin, end, options);
      ASSERT_EQ(ReadForward(at.get()), expected);
      ASSERT_EQ(ScanBackward(at.get()), expected);
      const std::string target = Key(rng.Below(320));
      at->Seek(target);
      const auto next = expected.lower_bound(target);
      ASSERT_EQ(at->Valid(), next != expected.end());
      if (!at->Valid()) continue;
      ASSERT_EQ(at->key().ToString(), next->first);
      at->Prev();
      ASSERT_EQ(at->Valid(), next != expected.begin());
      if (!at->Valid()) continue;
      ASSERT_EQ(at->key().ToString(), std::prev(next)->first);
      at->Next();
      ASSERT_EQ(at->key().ToString(), next->first);
    }
  }
  std::unique_ptr<leveldb::DB> OpenCopy() {
    std::unique_ptr<leveldb::DB> copy;
    EXPECT_TRUE(testing::IsOk(testing::OpenForReadingAt(options_, name_, &copy)));
    return copy;
  }
  Json Reads() { return testing::JsonProperty(db_.get(), "lull.stats")["reads"]; }
  uint64_t BlocksRead() {
    const Json reads = Reads();
    return reads["cache_blocks"].Count() + reads["file_blocks"].Count();
  }

  Entries entries_;
};

TEST_F(ReadTest, IteratorsShowWhatIsWithinTheirBounds) {
  FillAllLevels();
  ExpectBounded(db_.get(), entries_);
  const Entries before = entries_;
  const leveldb::Snapshot* const snapshot = db_->GetSnapshot();
  for (int i = 0; i < 300; i += 2) Put(Key(i), "later");
  for (int i = 0; i < 300; i += 7) Erase(Key(i));
  ExpectBounded(db_.get(), before, testing::At(snapshot));
  ExpectBounded(db_.get(), entries_);
  db_->ReleaseSnapshot(snapshot);
  ExpectBounded(OpenCopy().get(), entries_);
}

TEST_F(ReadTest, TablesOutsideTheBoundsAreNotRead) {
  constexpr int kTables = 100;
  for (int table = 0; table < kTables; ++table) {
    for (int i = 0; i < 5; ++i) Put(Key(static_cast<uint64_t>(5 * table + i)), "v");
    ASSERT_TRUE(Flush(db_.get()).ok());
  }
  ASSERT_EQ(TablesAt(0), kTables);
  const uint64_t before = BlocksRead();
  EXPECT_EQ(ReadForward(Iterate(db_.get(), Key(203), Key(207)).get()).size(), 4u);
  EXPECT_EQ(BlocksRead() - before, 2u);
  const auto beyond = Iterate(db_.get(), Key(0), Key(5));
  beyond->Seek(Key(300));
  EXPECT_FALSE(beyond->Valid());
  EXPECT_EQ(BlocksRead() - before, 2u);
}

TEST_F(ReadTest, DeletionsOutsideTheBoundsAreNotPassed) {
  for (uint64_t i = 0; i < 5; ++i) Put("a" + std::to_string(i), "v");
  for (uint64_t i = 0; i < 1000; ++i) Erase(Key(i));
  const uint64_t before = Reads()["entries_skipped"].Count();
  EXPECT_EQ(ReadForward(Iterate(db_.get(), "a", "b").get()).size(), 5u);
  EXPECT_EQ(ScanBackward(Iterate(db_.get(), "a", "b").get()).size(), 5u);
  EXPECT_EQ(Reads()["entries_skipped"].Count(), before);
  // The iterator of the whole store reports the deletions as an empty range; that of the bounds
  // must not report more than it has seen.
  Put("z", "last");
  EXPECT_EQ(ReadForward(Iterate(db_.get(), {}, Key(900)).get()).size(), 5u);
  EXPECT_EQ(ReadForward(Iterate(db_.get(), {}, {}).get()).size(), 6u);
}

TEST_F(ReadTest, APrefixEndsAtTheNextOne) {
  const std::string ff = "\xff";
  for (const std::string& key : {std::string("a"), "a" + ff, "a" + ff + ff, std::string("b"),
                                 std::string("ba"), std::string("c"), ff, ff + ff, ff + "a"})
    Put(key, "v");
  for (const std::string& prefix :
       {std::string(), std::string("a"), "a" + ff, std::string("b"), ff, ff + ff, ff + "b"}) {
    Entries expected;
    for (const auto& [key, value] : entries_) {
      if (key.starts_with(prefix)) expected[key] = value;
    }
    const std::unique_ptr<leveldb::Iterator> at(NewPrefixIterator(db_.get(), {}, prefix));
    EXPECT_EQ(ReadForward(at.get()), expected) << prefix;
    EXPECT_EQ(ScanBackward(at.get()), expected) << prefix;
  }
}

TEST_F(ReadTest, SeveralKeysGiveWhatGetsGive) {
  FillAllLevels();
  const leveldb::Snapshot* const snapshot = db_->GetSnapshot();
  for (int i = 0; i < 300; i += 2) Put(Key(static_cast<uint64_t>(i)), "later");
  std::vector<std::string> keys;
  testing::Rng rng(3);
  for (int i = 0; i < 500; ++i) keys.push_back(Key(rng.Below(320)));
  const std::vector<Slice> slices(keys.begin(), keys.end());
  const auto copy = OpenCopy();
  struct Case {
    leveldb::DB* db;
    const leveldb::Snapshot* snapshot = nullptr;
  };
  for (const auto& [db, at] : {Case{db_.get()}, {db_.get(), snapshot}, {copy.get()}}) {
    const leveldb::ReadOptions options = testing::At(at);
    std::vector<std::string> values;
    const std::vector<leveldb::Status> statuses = MultiGet(db, options, slices, &values);
    ASSERT_EQ(statuses.size(), keys.size());
    for (size_t i = 0; i < keys.size(); ++i) {
      std::string value;
      const leveldb::Status status = db->Get(options, keys[i], &value);
      ASSERT_EQ(statuses[i].ToString(), status.ToString()) << keys[i];
      ASSERT_EQ(Exists(db, options, keys[i]).ToString(), status.ToString()) << keys[i];
      if (status.ok()) {
        ASSERT_EQ(values[i], value) << keys[i];
      }
    }
  }
  db_->ReleaseSnapshot(snapshot);
}

TEST_F(ReadTest, SeveralKeysAreReadAtOneMoment) {
  const auto write = [this](int round) {
    leveldb::WriteBatch batch;
    for (uint64_t i = 0; i < 8; ++i) batch.Put(Key(i), std::to_string(round));
    ASSERT_TRUE(db_->Write({}, &batch).ok());
  };
  write(0);
  std::atomic<bool> done{false};
  auto writer = testing::InThread([&] {
    for (int round = 1; !done.load(); ++round) write(round);
  });
  std::vector<std::string> keys, values;
  for (uint64_t i = 0; i < 8; ++i) keys.push_back(Key(7 - i));
  const std::vector<Slice> slices(keys.begin(), keys.end());
  for (int i = 0; i < 5000; ++i) {
    for (const leveldb::Status& status : MultiGet(db_.get(), {}, slices, &values))
      ASSERT_TRUE(status.ok());
    ASSERT_EQ(std::count(values.begin(), values.end(), values[0]), 8) << i;
  }
  done.store(true);
  writer.reset();
}

TEST_F(ReadTest, BlocksOfSeveralKeysAreReadFromTheFileTogether) {
  std::vector<std::string> keys, values;
  for (uint64_t i = 0; i < 10; ++i) keys.push_back(Key(i));
  for (uint64_t i = 0; i < 10; ++i) Put(Key(i), Key(i) + std::string(5000, 'v'));  // in own blocks
  const std::vector<Slice> slices(keys.begin(), keys.end());
  const auto expect_prefetches = [&](leveldb::DB* db, int least, int most) {
    const int before = env_.prefetches.load();
    for (const leveldb::Status& status : MultiGet(db, {}, slices, &values))
      EXPECT_TRUE(status.ok());
    for (size_t i = 0; i < keys.size(); ++i) EXPECT_TRUE(Slice(values[i]).starts_with(keys[i]));
    EXPECT_GE(env_.prefetches.load() - before, least);
    EXPECT_LE(env_.prefetches.load() - before, most);
  };
  expect_prefetches(db_.get(), 0, 0);  // all keys are in memory
  ASSERT_TRUE(Flush(db_.get()).ok());
  expect_prefetches(db_.get(), 9, 9);  // of all but the first
  const auto copy = OpenCopy();
  expect_prefetches(copy.get(), 9, 9);
  expect_prefetches(copy.get(), 0, 8);  // the cache has some
}

TEST_F(ReadTest, ToExistCopiesNoValue) {
  Put("a", std::string(10'000, 'v'));
  ASSERT_TRUE(Flush(db_.get()).ok());
  Put("b", std::string(10'000, 'v'));
  const uint64_t before = Reads()["returned_bytes"].Count();
  EXPECT_TRUE(Exists(db_.get(), {}, "a").ok());
  EXPECT_TRUE(Exists(db_.get(), {}, "b").ok());
  EXPECT_TRUE(Exists(db_.get(), {}, "c").IsNotFound());
  EXPECT_EQ(Reads()["returned_bytes"].Count(), before);
}

class OtherDb final : public leveldb::DB {
 public:
  leveldb::Status Put(const leveldb::WriteOptions&, const Slice&, const Slice&) override {
    return {};
  }
  leveldb::Status Delete(const leveldb::WriteOptions&, const Slice&) override { return {}; }
  leveldb::Status Write(const leveldb::WriteOptions&, leveldb::WriteBatch*) override { return {}; }
  leveldb::Status Get(const leveldb::ReadOptions&, const Slice&, std::string*) override {
    return {};
  }
  leveldb::Iterator* NewIterator(const leveldb::ReadOptions&) override { return nullptr; }
  const leveldb::Snapshot* GetSnapshot() override { return nullptr; }
  void ReleaseSnapshot(const leveldb::Snapshot*) override {}
  bool GetProperty(const Slice&, std::string*) override { return false; }
  void GetApproximateSizes(const leveldb::Range*, int, uint64_t*) override {}
  void CompactRange(const Slice*, const Slice*) override {}
};

TEST(ReadOtherTest, AnotherLibrarysDbIsRefused) {
  OtherDb other;
  std::vector<std::string> values;
  for (leveldb::DB* db : {static_cast<leveldb::DB*>(&other), static_cast<leveldb::DB*>(nullptr)}) {
    const std::vector<leveldb::Status> statuses = MultiGet(db, {}, {"a", "b"}, &values);
    ASSERT_EQ(statuses.size(), 2u);
    EXPECT_TRUE(statuses[1].IsInvalidArgument());
    EXPECT_TRUE(Exists(db, {}, "a").IsInvalidArgument());
    const auto at = Iterate(db, "a", "b");
    at->SeekToFirst();
    EXPECT_FALSE(at->Valid());
    EXPECT_TRUE(at->status().IsInvalidArgument());
  }
}

}  // namespace
}  // namespace lull
