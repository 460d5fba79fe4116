// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "db/read/db_iterator.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "db/read/level_iterator.h"
#include "tests/db/support/version_text.h"
#include "tests/support/option_sets.h"
#include "tests/support/setting.h"
#include "tests/table/table_test_util.h"
#include "util/random.h"

namespace lull {
namespace {

using leveldb::Iterator;
using testing::InternalOrder;

using Pairs = std::vector<std::pair<std::string, std::string>>;

/// An iterator over internal keys in memory, in the given order. It can fail on request.
class VectorIterator final : public leveldb::Iterator {
 public:
  // Reaching position `fail_at` is an I/O error.
  VectorIterator(const KeyOrder& order, Pairs pairs, std::optional<size_t> fail_at = std::nullopt)
      : order_(order), pairs_(std::move(pairs)), fail_at_(fail_at), at_(pairs_.size()) {}

  bool Valid() const override { return at_ < pairs_.size() && !failed_; }
  leveldb::Slice key() const override { return key_; }
  leveldb::Slice value() const override { return pairs_[at_].second; }
  leveldb::Status status() const override {
    return failed_ ? leveldb::Status::IOError("made to fail") : leveldb::Status::OK();
  }
  void SeekToFirst() override { Stand(0); }
  void SeekToLast() override { Stand(pairs_.size() - 1); }
  void Seek(const leveldb::Slice& target) override {
    const auto before = [&](const auto& pair) {
      return !order_.Comparable(pair.first) || order_.Compare(pair.first, target) < 0;
    };
    Stand(std::partition_point(pairs_.begin(), pairs_.end(), before) - pairs_.begin());
  }
  void Next() override { Stand(at_ + 1); }
  void Prev() override { Stand(at_ - 1); }

 private:
  void Stand(size_t position) {  // the position before the first wraps around and becomes invalid
    at_ = std::min(position, pairs_.size());
    failed_ = fail_at_ == at_;
    // Each step frees the key's memory, so that the use of an older slice is detected.
    std::string().swap(key_);
    if (Valid()) key_ = pairs_[at_].first;
  }

  const KeyOrder order_;
  const Pairs pairs_;
  const std::optional<size_t> fail_at_;
  size_t at_;
  bool failed_ = false;
  std::string key_;
};

constexpr ValueKind kPut = ValueKind::kValue;
constexpr ValueKind kDelete = ValueKind::kDeletion;

std::unique_ptr<Iterator> Open(Pairs pairs, SequenceNumber sequence,
                               std::optional<size_t> fail_at = std::nullopt) {
  return NewDbIterator(InternalOrder(),
                       std::make_unique<VectorIterator>(InternalOrder(), std::move(pairs), fail_at),
                       sequence, std::make_unique<IteratorReads>(nullptr, BlockReadOptions()));
}

// "key=value", "end", or the error.
std::string Here(const Iterator& iterator) {
  if (iterator.Valid()) return iterator.key().ToString() + "=" + iterator.value().ToString();
  return iterator.status().ok() ? "end" : iterator.status().ToString();
}

Pairs Sample() {
  return {{MakeInternalKey("a", 5, kPut), "a5"},  {MakeInternalKey("a", 2, kPut), "a2"},
          {MakeInternalKey("b", 6, kDelete), ""}, {MakeInternalKey("b", 1, kPut), "b1"},
          {MakeInternalKey("c", 9, kPut), "c9"},  {MakeInternalKey("d", 4, kPut), "d4"}};
}

TEST(DbIterator, SkipsAMalformedKeyAndRemembersIt) {
  for (const std::string& bad : {std::string("short"), MakeInternalKey("b", 1, kPut)}) {
    Pairs pairs = Sample();
    pairs[3].first = bad;
    if (bad.size() > KeyOrder::kTrailerBytes) pairs[3].first[1] = 9;  // no such kind
    auto iterator = Open(pairs, 10);
    iterator->SeekToFirst();
    EXPECT_EQ(Here(*iterator), "a=a5");
    EXPECT_TRUE(iterator->status().ok());
    iterator->Next();
    EXPECT_EQ(Here(*iterator), "c=c9");
    EXPECT_TRUE(iterator->status().IsCorruption());

    iterator = Open(pairs, 10);
    iterator->Seek("c");
    EXPECT_EQ(Here(*iterator), "c=c9");
    EXPECT_TRUE(iterator->status().ok());
    iterator->Prev();
    EXPECT_EQ(Here(*iterator), "a=a5");
    EXPECT_TRUE(iterator->status().IsCorruption());
    iterator->Seek("c");
    EXPECT_TRUE(iterator->status().IsCorruption()) << "as on LevelDB, a Seek does not clear it";
  }
}

TEST(DbIterator, ShowsAnOldVersionOnlyWithABadStatus) {
  // At 10, a2 comes before a5 on the way back; b1 comes before the deletion.
  const auto first = Open(Sample(), 10, 0);
  first->Seek("c");
  EXPECT_TRUE(first->status().ok());
  first->Prev();
  EXPECT_EQ(Here(*first), "a=a2");
  EXPECT_TRUE(first->status().IsIOError());
  const auto second = Open(Sample(), 10, 2);
  second->SeekToLast();
  second->Prev();
  EXPECT_EQ(Here(*second), "c=c9");
  EXPECT_TRUE(second->status().ok());
  second->Prev();
  EXPECT_EQ(Here(*second), "b=b1");
  EXPECT_TRUE(second->status().IsIOError());
  const auto ahead = Open(Sample(), 10, 2);
  ahead->SeekToFirst();
  ahead->Next();
  EXPECT_FALSE(ahead->Valid());
  EXPECT_TRUE(ahead->status().IsIOError());
}

TEST(DbIterator, AHugeValueDoesNotStayInMemoryOnTheWayBack) {
  Pairs pairs = Sample();
  pairs[5].second.assign(8 << 20, 'x');
  const auto iterator = Open(pairs, 10);
  iterator->SeekToLast();
  EXPECT_EQ(iterator->value().size(), 8u << 20);
  iterator->Prev();
  EXPECT_EQ(Here(*iterator), "c=c9");
  iterator->Prev();
  EXPECT_EQ(Here(*iterator), "a=a5");
}

// Random walks against a map: the test knows every entry's history; the map shows one sequence.
struct History {
  using Before = std::function<bool(const std::string&, const std::string&)>;
  Pairs pairs;
  std::map<std::string, std::string, Before> shown;
};

History RandomHistory(const KeyOrder& order, SequenceNumber at, Random* random) {
  History history{{}, decltype(History::shown)([order](const std::string& a, const std::string& b) {
                    return order.CompareUser(a, b) < 0;
                  })};
  const uint64_t writes = random->Uniform(60);
  const uint64_t keys = 1 + random->Uniform(20);
  for (SequenceNumber sequence = 1; sequence <= writes; ++sequence) {
    const std::string key = "k" + std::to_string(random->Uniform(keys));
    const bool put = !random->OneIn(3);
    const std::string value = put ? key + "@" + std::to_string(sequence) : "";
    history.pairs.emplace_back(MakeInternalKey(key, sequence, put ? kPut : kDelete), value);
    if (sequence > at) continue;
    if (put) {
      history.shown[key] = value;
    } else {
      history.shown.erase(key);
    }
  }
  std::sort(history.pairs.begin(), history.pairs.end(),
            [&](const auto& a, const auto& b) { return order.Compare(a.first, b.first) < 0; });
  return history;
}

void WalkAtRandom(const KeyOrder& order, uint64_t seed) {
  SCOPED_TRACE("seed " + std::to_string(seed));
  Random random(seed);
  const SequenceNumber at = random.Uniform(70);
  const History history = RandomHistory(order, at, &random);
  const auto iterator =
      NewDbIterator(order, std::make_unique<VectorIterator>(order, history.pairs), at,
                    std::make_unique<IteratorReads>(nullptr, BlockReadOptions()));
  const auto& shown = history.shown;
  auto expected = shown.end();
  EXPECT_FALSE(iterator->Valid()) << "before the first seek";
  for (int step = 0; step < 60; ++step) {
    const uint64_t choice = random.Uniform(12);
    if (choice == 0) {
      iterator->SeekToFirst();
      expected = shown.begin();
    } else if (choice == 1) {
      iterator->SeekToLast();
      expected = shown.empty() ? shown.end() : std::prev(shown.end());
    } else if (choice == 2 || expected == shown.end()) {
      const std::string target = "k" + std::to_string(random.Uniform(22));
      iterator->Seek(target);
      expected = shown.lower_bound(target);
      if (iterator->Valid() && random.OneIn(2)) iterator->Seek(iterator->key());
    } else if (choice < 8) {
      iterator->Next();
      ++expected;
    } else {
      iterator->Prev();
      expected = expected == shown.begin() ? shown.end() : std::prev(expected);
    }
    const std::string want =
        expected == shown.end() ? "end" : expected->first + "=" + expected->second;
    ASSERT_EQ(Here(*iterator), want) << "step " << step;
  }
}

TEST(DbIterator, AgreesWithAMap) {
  const KeyOrder reverse(testing::ReverseComparator(), KeyOrder::Keys::kInternal);
  for (uint64_t seed = 1; seed <= testing::Strided(6'000); ++seed) {
    WalkAtRandom(seed % 6 == 0 ? reverse : InternalOrder(), seed);
    if (HasFatalFailure()) return;
  }
}

// ---- a level

/// Entries, split at random into the tables of a level.
class LevelIteratorTest : public ::testing::Test {
 protected:
  void Fill(size_t count) {
    all_.clear();
    parts_.clear();
    tables_.clear();
    for (size_t i = 0; i < count; ++i) {
      const std::string user_key = "k" + std::to_string(random_.Uniform(100000));
      all_[testing::InternalKey(user_key, i)] = std::to_string(i);
    }
    Pairs part;
    for (const auto& entry : all_) {
      part.push_back(entry);
      if (random_.OneIn(4) || entry.first == all_.rbegin()->first)
        AddTable(std::exchange(part, {}));
    }
    // Some tables are empty despite their bounds.
    for (size_t i = 3; i < parts_.size(); i += 7) {
      for (const auto& entry : parts_[i]) all_.erase(entry.first);
      parts_[i].clear();
    }
  }

  void AddTable(Pairs part) {
    TableMeta table;
    table.number = parts_.size();
    table.smallest = part.front().first;
    table.largest = part.back().first;
    tables_.push_back(std::make_shared<TableFile>(table, nullptr));
    parts_.push_back(std::move(part));
  }

  std::unique_ptr<Iterator> OpenLevel(std::optional<uint64_t> bad = std::nullopt,
                                      OnError on_error = OnError::kStop) {
    const auto open = [this, bad](TableFile* file) {
      ++opened_;
      if (bad == file->number())
        return std::unique_ptr<Iterator>(
            leveldb::NewErrorIterator(leveldb::Status::Corruption("bad")));
      return std::unique_ptr<Iterator>(
          std::make_unique<VectorIterator>(order_, parts_[file->number()]));
    };
    return NewLevelIterator(order_, tables_, open, on_error);
  }

  const KeyOrder order_ = testing::InternalOrder();
  testing::Entries all_{testing::LessByOrder{order_}};
  std::vector<Pairs> parts_;
  std::vector<TableRef> tables_;
  Random random_{79};
  int opened_ = 0;
};

TEST_F(LevelIteratorTest, WalksAtRandom) {
  for (const size_t count : {0, 1, 2, 10, 300}) {
    Fill(count);
    const std::unique_ptr<Iterator> level = OpenLevel();
    ASSERT_FALSE(level->Valid());
    ASSERT_NO_FATAL_FAILURE(testing::ExpectHolds(level.get(), all_));
    ASSERT_NO_FATAL_FAILURE(testing::WalkAtRandom(level.get(), all_, &random_, 3000));
  }
}

TEST_F(LevelIteratorTest, OpensATableOnceForManySeeks) {
  Fill(1);
  const std::unique_ptr<Iterator> level = OpenLevel();
  EXPECT_EQ(0, opened_);
  for (int i = 0; i < 10; ++i) level->Seek(all_.begin()->first);
  EXPECT_TRUE(level->Valid());
  EXPECT_EQ(1, opened_);
}

TEST_F(LevelIteratorTest, StopsAtATableThatCannotBeRead) {
  Fill(100);
  ASSERT_GT(tables_.size(), 10u);
  const std::unique_ptr<Iterator> level = OpenLevel(/*bad=*/7);
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
  Fill(100);
  ASSERT_GT(tables_.size(), 10u);
  testing::Entries readable = all_;
  for (const auto& entry : parts_[7]) readable.erase(entry.first);
  ASSERT_LT(readable.size(), all_.size());
  for (const bool forward : {true, false}) {
    const std::unique_ptr<Iterator> level = OpenLevel(/*bad=*/7, OnError::kSkip);
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
  const std::unique_ptr<Iterator> level = OpenLevel(/*bad=*/7, OnError::kSkip);
  ASSERT_NO_FATAL_FAILURE(testing::WalkAtRandom(level.get(), readable, &random_, 3000));
}

TEST_F(LevelIteratorTest, LosesNoErrorWhenTheLastTableCannotBeRead) {
  Fill(100);
  const size_t last = tables_.size() - 1;
  for (const OnError on_error : {OnError::kStop, OnError::kSkip}) {
    const std::unique_ptr<Iterator> level = OpenLevel(last, on_error);
    for (level->SeekToFirst(); level->Valid(); level->Next()) {
    }
    EXPECT_TRUE(level->status().IsCorruption());
  }
}

}  // namespace
}  // namespace lull
