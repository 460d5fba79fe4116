// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "table/merging_iterator.h"

#include <gtest/gtest.h>

#include <iterator>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tests/table/table_test_util.h"

namespace lull::testing {
namespace {

/// The keys that a MapIterator cannot read, and what it does then.
struct Unreadable {
  std::set<std::string> keys;
  OnError on_error = OnError::kStop;  ///< kStop: fails permanently
  int seeks_left = -1;                ///< after so many seeks all keys can be read
};

/// Iterates over a map.
class MapIterator final : public Iterator {
 public:
  MapIterator(Entries entries, Unreadable* unreadable)
      : entries_(std::move(entries)), unreadable_(unreadable), at_(entries_.end()) {}

  bool Valid() const override { return at_ != entries_.end(); }
  void SeekToFirst() override { Forward(entries_.begin()); }
  void SeekToLast() override { Backward(entries_.end()); }
  void Seek(const Slice& target) override {
    Forward(entries_.lower_bound(target.ToString()));
    if (unreadable_ != nullptr && --unreadable_->seeks_left == 0) unreadable_->keys.clear();
  }
  void Next() override { Forward(std::next(at_)); }
  void Prev() override { Backward(at_); }
  Slice key() const override { return at_->first; }
  Slice value() const override { return at_->second; }
  Status status() const override {
    return failed_ ? Status::IOError("child", "failed") : Status::OK();
  }

 private:
  bool CanRead(Entries::const_iterator at) {
    if (unreadable_ == nullptr || !unreadable_->keys.contains(at->first)) return true;
    failed_ = true;
    return false;
  }
  bool HasStopped() const { return failed_ && unreadable_->on_error == OnError::kStop; }
  void Forward(Entries::const_iterator at) {
    while (at != entries_.end() && !CanRead(at) && !HasStopped()) ++at;
    at_ = HasStopped() ? entries_.end() : at;
  }
  /// Moves to the last readable entry before `end`.
  void Backward(Entries::const_iterator end) {
    at_ = entries_.end();
    while (end != entries_.begin() && !HasStopped()) {
      if (CanRead(--end)) {
        at_ = end;
        return;
      }
    }
  }

  const Entries entries_;
  Unreadable* const unreadable_;
  Entries::const_iterator at_;
  bool failed_ = false;
};

/// Keys of one letter without values.
Entries Letters(const std::string& letters) {
  Entries entries;
  for (const char letter : letters) entries[std::string(1, letter)];
  return entries;
}

std::unique_ptr<Iterator> Over(Entries entries, Unreadable* unreadable = nullptr) {
  return std::make_unique<MapIterator>(std::move(entries), unreadable);
}

std::unique_ptr<Iterator> MergeOver(const KeyOrder& order, const std::vector<Entries>& parts,
                                    Unreadable* unreadable = nullptr) {
  std::vector<std::unique_ptr<Iterator>> children;
  for (const Entries& part : parts) children.push_back(Over(part, unreadable));
  return NewMergingIterator(order, std::move(children),
                            unreadable == nullptr ? OnError::kStop : unreadable->on_error);
}

template <class... Children>
std::unique_ptr<Iterator> Merge(OnError on_error, Children... child) {
  std::vector<std::unique_ptr<Iterator>> children;
  (children.push_back(std::move(child)), ...);
  return NewMergingIterator(UserOrder(), std::move(children), on_error);
}

std::unique_ptr<Iterator> Corrupt() {
  return std::unique_ptr<Iterator>(leveldb::NewErrorIterator(Status::Corruption("bad table")));
}

/// The keys from here on, forward or backward.
std::string Rest(Iterator* iterator, bool forward) {
  std::string keys;
  for (; iterator->Valid(); forward ? iterator->Next() : iterator->Prev()) {
    keys += iterator->key().ToString();
  }
  return keys;
}

TEST(MergingIteratorTest, WalksAtRandomOverAnyNumberOfChildren) {
  Random random(77);
  for (const KeyOrder& order : {UserOrder(), InternalOrder()}) {
    for (const size_t count : {0, 1, 2, 3, 4, 5, 8, 40}) {
      std::vector<Entries> parts(count, Entries(LessByOrder{order}));
      Entries all(LessByOrder{order});
      if (count > 0) {
        for (const auto& [key, value] : RandomEntries(&random, order, 400, 10)) {
          all.emplace(key, value);
          parts[random.Uniform(count)].emplace(key, value);
        }
      }
      const std::unique_ptr<Iterator> merged = MergeOver(order, parts);
      ASSERT_FALSE(merged->Valid());
      ASSERT_NO_FATAL_FAILURE(ExpectHolds(merged.get(), all));
      ASSERT_NO_FATAL_FAILURE(WalkAtRandom(merged.get(), all, &random, 5000));
      ASSERT_TRUE(merged->status().ok());
    }
  }
}

TEST(MergingIteratorTest, EqualKeysKeepTheOrderOfTheChildrenBothWays) {
  constexpr int kChildren = 6;
  Random random(78);
  std::vector<std::pair<std::string, std::string>> expected;
  std::vector<Entries> parts(kChildren);
  for (int key = 0; key < 30; ++key) {
    for (int child = 0; child < kChildren; ++child) {
      if (random.OneIn(3)) continue;
      const std::string name = "k" + std::to_string(100 + key);
      parts[static_cast<size_t>(child)][name] = std::to_string(child);
      expected.emplace_back(name, std::to_string(child));
    }
  }
  const std::unique_ptr<Iterator> merged = MergeOver(UserOrder(), parts);
  size_t at = 0;
  merged->SeekToFirst();
  for (int step = 0; step < 20000; ++step) {
    ASSERT_TRUE(merged->Valid());
    ASSERT_EQ(expected[at].first, merged->key().ToString());
    ASSERT_EQ(expected[at].second, merged->value().ToString());
    const bool forward = at == 0 || (at + 1 < expected.size() && random.OneIn(2));
    if (forward) {
      merged->Next();
      ++at;
    } else {
      merged->Prev();
      --at;
    }
  }
}

TEST(MergingIteratorTest, AFailedChildEndsTheMerge) {
  Unreadable bad{{"d"}};
  const auto make = [&] {
    return Merge(OnError::kStop, Over(Letters("ace")), Over(Letters("bdf"), &bad));
  };
  std::unique_ptr<Iterator> merged = make();
  merged->SeekToFirst();
  // c would be right, but after b it is known only that the other child has failed.
  EXPECT_EQ("ab", Rest(merged.get(), true));
  EXPECT_TRUE(merged->status().IsIOError());
  merged = make();
  merged->SeekToLast();
  EXPECT_EQ("f", Rest(merged.get(), false));
  EXPECT_TRUE(merged->status().IsIOError());
  merged = make();
  merged->Seek("c");
  EXPECT_FALSE(merged->Valid());
  EXPECT_TRUE(merged->status().IsIOError());
}

TEST(MergingIteratorTest, AFailureWhileTurningAroundEndsTheMerge) {
  Unreadable bad{{"b"}};
  const auto merged = Merge(OnError::kStop, Over(Letters("ac")), Over(Letters("bd"), &bad));
  merged->Seek("c");
  ASSERT_TRUE(merged->Valid());
  merged->Prev();  // needs the entry before "d" in the second child
  EXPECT_FALSE(merged->Valid());
  EXPECT_TRUE(merged->status().IsIOError());
}

TEST(MergingIteratorTest, SkipsWhatItsChildrenSkip) {
  Random random(79);
  for (int round = 0; round < 300; ++round) {
    std::vector<Entries> parts(2 + random.Uniform(6));
    Entries readable;
    Unreadable unreadable{{}, OnError::kSkip};
    for (int i = 0; i < 60; ++i) {
      const std::string key = RandomKey(&random, UserOrder());
      if (readable.contains(key) || unreadable.keys.contains(key)) continue;
      parts[random.Uniform(parts.size())][key] = key;
      if (random.OneIn(4)) {
        unreadable.keys.insert(key);
      } else {
        readable[key] = key;
      }
    }
    const std::unique_ptr<Iterator> merged = MergeOver(UserOrder(), parts, &unreadable);
    for (int pass = 0; pass < 2; ++pass) {
      ASSERT_NO_FATAL_FAILURE(ExpectEntries(merged.get(), readable));
    }
    ASSERT_EQ(merged->status().ok(), unreadable.keys.empty());
    ASSERT_NO_FATAL_FAILURE(WalkAtRandom(merged.get(), readable, &random, 100));
  }
}

TEST(MergingIteratorTest, WhatCanBeReadAgainDoesNotBreakTheOrder) {
  for (const bool at_the_end : {false, true}) {
    // The turn seeks "e" in the second child. That skips "f"; the step back then reads it.
    Unreadable unreadable{{"f"}, OnError::kSkip, /*seeks_left=*/2};
    const auto merged = Merge(OnError::kSkip, Over(Letters("ce")),
                              Over(Letters(at_the_end ? "bf" : "bfg"), &unreadable));
    merged->Seek("e");
    ASSERT_EQ(merged->key().ToString(), "e");
    merged->Prev();
    EXPECT_EQ(Rest(merged.get(), false), "cb");
    EXPECT_TRUE(merged->status().IsIOError());
  }
}

TEST(MergingIteratorTest, AnUnreadableChildHidesNoOther) {
  const auto merged = Merge(OnError::kSkip, Over(Letters("ac")), Corrupt(), Over(Letters("bd")));
  merged->SeekToFirst();
  EXPECT_EQ(Rest(merged.get(), true), "abcd");
  merged->SeekToLast();
  EXPECT_EQ(Rest(merged.get(), false), "dcba");
  merged->Seek("b");
  ASSERT_TRUE(merged->Valid());
  merged->Prev();
  ASSERT_TRUE(merged->Valid());
  EXPECT_EQ(merged->key().ToString(), "a");
  EXPECT_TRUE(merged->status().IsCorruption());
}

TEST(MergingIteratorTest, ErrorChildren) {
  const auto merged = Merge(OnError::kStop, Over(Letters("a")), Corrupt());
  merged->SeekToFirst();
  EXPECT_FALSE(merged->Valid());
  EXPECT_TRUE(merged->status().IsCorruption());
}

TEST(IteratorTest, CleanupsRunOnceEach) {
  std::vector<int> ran(5, 0);
  const auto note = [](void* arg1, void* arg2) {
    *static_cast<int*>(arg1) += arg2 == nullptr ? 1 : 100;
  };
  {
    const std::unique_ptr<Iterator> iterator(leveldb::NewEmptyIterator());
    for (int& count : ran) iterator->RegisterCleanup(note, &count, nullptr);
    EXPECT_EQ(std::vector<int>(5, 0), ran);
  }
  EXPECT_EQ(std::vector<int>(5, 1), ran);
  const std::unique_ptr<Iterator> none(leveldb::NewEmptyIterator());
  none->SeekToFirst();
  EXPECT_FALSE(none->Valid());
  EXPECT_TRUE(none->status().ok());
}

}  // namespace
}  // namespace lull::testing
