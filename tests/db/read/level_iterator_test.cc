// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "db/read/level_iterator.h"

#include <gtest/gtest.h>

#include "tests/db/read/vector_iterator.h"
#include "tests/table/table_test_util.h"

namespace lull {
namespace {

using leveldb::Iterator;
using leveldb::Status;
using testing::Entries;

/// Entries, split at random into the tables of a level.
class LevelIteratorTest : public ::testing::Test {
 protected:
  void Fill(size_t count, Random* random) {
    all_.clear();
    parts_.clear();
    tables_.clear();
    for (size_t i = 0; i < count; ++i) {
      const std::string user_key = "k" + std::to_string(random->Uniform(100000));
      all_[testing::InternalKey(user_key, i)] = std::to_string(i);
    }
    testing::Pairs part;
    for (const auto& entry : all_) {
      part.push_back(entry);
      if (random->OneIn(4) || entry.first == all_.rbegin()->first)
        AddTable(std::exchange(part, {}));
    }
    // Some tables are empty despite their bounds.
    for (size_t i = 3; i < parts_.size(); i += 7) {
      for (const auto& entry : parts_[i]) all_.erase(entry.first);
      parts_[i].clear();
    }
  }

  void AddTable(testing::Pairs part) {
    TableMeta table;
    table.number = parts_.size();
    table.smallest = part.front().first;
    table.largest = part.back().first;
    tables_.push_back(std::make_shared<TableFile>(table, nullptr));
    parts_.push_back(std::move(part));
  }

  std::unique_ptr<Iterator> Open(std::optional<uint64_t> bad = std::nullopt,
                                 OnError on_error = OnError::kStop) {
    const auto open = [this, bad](TableFile* file) {
      ++opened_;
      if (bad == file->number())
        return std::unique_ptr<Iterator>(leveldb::NewErrorIterator(Status::Corruption("bad")));
      return std::unique_ptr<Iterator>(
          std::make_unique<testing::VectorIterator>(order_, parts_[file->number()]));
    };
    return NewLevelIterator(order_, tables_, open, on_error);
  }

  const KeyOrder order_ = testing::InternalOrder();
  Entries all_{testing::LessByOrder{order_}};
  std::vector<testing::Pairs> parts_;
  std::vector<TableRef> tables_;
  int opened_ = 0;
};

TEST_F(LevelIteratorTest, WalksAtRandom) {
  Random random(79);
  for (const size_t count : {0, 1, 2, 10, 300}) {
    Fill(count, &random);
    const std::unique_ptr<Iterator> level = Open();
    ASSERT_FALSE(level->Valid());
    ASSERT_NO_FATAL_FAILURE(testing::ExpectHolds(level.get(), all_));
    ASSERT_NO_FATAL_FAILURE(testing::WalkAtRandom(level.get(), all_, &random, 3000));
  }
}

TEST_F(LevelIteratorTest, OpensATableOnceForManySeeks) {
  Random random(80);
  Fill(1, &random);
  const std::unique_ptr<Iterator> level = Open();
  EXPECT_EQ(0, opened_);
  for (int i = 0; i < 10; ++i) level->Seek(all_.begin()->first);
  EXPECT_TRUE(level->Valid());
  EXPECT_EQ(1, opened_);
}

TEST_F(LevelIteratorTest, StopsAtATableThatCannotBeRead) {
  Random random(81);
  Fill(100, &random);
  ASSERT_GT(tables_.size(), 10u);
  const std::unique_ptr<Iterator> level = Open(/*bad=*/7);
  auto expected = all_.begin();
  for (level->SeekToFirst(); level->Valid(); level->Next())
    ASSERT_EQ((expected++)->first, level->key().ToString());
  EXPECT_NE(expected, all_.end());
  EXPECT_TRUE(level->status().IsCorruption());
  level->SeekToLast();
  EXPECT_TRUE(level->Valid());
  EXPECT_TRUE(level->status().ok());
  for (; level->Valid(); level->Prev()) {
  }
  EXPECT_TRUE(level->status().IsCorruption());
}

TEST_F(LevelIteratorTest, SkipsATableThatCannotBeReadAndRemembersIt) {
  Random random(81);
  Fill(100, &random);
  ASSERT_GT(tables_.size(), 10u);
  Entries readable = all_;
  for (const auto& entry : parts_[7]) readable.erase(entry.first);
  ASSERT_LT(readable.size(), all_.size());
  for (const bool forward : {true, false}) {
    const std::unique_ptr<Iterator> level = Open(/*bad=*/7, OnError::kSkip);
    level->Seek(parts_[8].front().first);
    EXPECT_TRUE(level->Valid());
    EXPECT_TRUE(level->status().ok()) << "it has not reached the table";
    size_t seen = 0;
    for (forward ? level->SeekToFirst() : level->SeekToLast(); level->Valid();
         forward ? level->Next() : level->Prev()) {
      ++seen;
    }
    EXPECT_EQ(seen, readable.size());
    EXPECT_TRUE(level->status().IsCorruption());
    level->SeekToFirst();
    EXPECT_TRUE(level->status().IsCorruption()) << "entries shown before may be incomplete";
  }
  const std::unique_ptr<Iterator> level = Open(/*bad=*/7, OnError::kSkip);
  ASSERT_NO_FATAL_FAILURE(testing::WalkAtRandom(level.get(), readable, &random, 3000));
}

TEST_F(LevelIteratorTest, LosesNoErrorWhenTheLastTableCannotBeRead) {
  Random random(82);
  Fill(100, &random);
  const size_t last = tables_.size() - 1;
  for (const OnError on_error : {OnError::kStop, OnError::kSkip}) {
    const std::unique_ptr<Iterator> level = Open(last, on_error);
    for (level->SeekToFirst(); level->Valid(); level->Next()) {
    }
    EXPECT_TRUE(level->status().IsCorruption());
  }
}

}  // namespace
}  // namespace lull
