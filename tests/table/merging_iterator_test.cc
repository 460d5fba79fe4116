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

namespace lull {
namespace {

using testing::Entries;
using testing::Iterator;
using testing::Slice;
using testing::Status;

/// Iterates over a map. Fails permanently when it reaches `*bad_key`.
class MapIterator final : public Iterator {
 public:
  explicit MapIterator(Entries entries, const std::string* bad_key = nullptr)
      : entries_(std::move(entries)), bad_key_(bad_key), at_(entries_.end()) {}

  bool Valid() const override { return !failed_ && at_ != entries_.end(); }
  void SeekToFirst() override { Stand(entries_.begin()); }
  void SeekToLast() override {
    Stand(entries_.empty() ? entries_.end() : std::prev(entries_.end()));
  }
  void Seek(const Slice& target) override { Stand(entries_.lower_bound(target.ToString())); }
  void Next() override { Stand(std::next(at_)); }
  void Prev() override { Stand(at_ == entries_.begin() ? entries_.end() : std::prev(at_)); }
  Slice key() const override { return at_->first; }
  Slice value() const override { return at_->second; }
  Status status() const override {
    return failed_ ? Status::IOError("child", "failed") : Status::OK();
  }

 private:
  void Stand(Entries::const_iterator at) {
    at_ = at;
    if (bad_key_ != nullptr && at_ != entries_.end() && at_->first == *bad_key_) failed_ = true;
  }

  const Entries entries_;
  const std::string* const bad_key_;
  Entries::const_iterator at_;
  bool failed_ = false;
};

Entries Make(std::initializer_list<std::pair<const std::string, std::string>> list) {
  Entries entries(testing::LessByOrder{testing::UserOrder()});
  entries.insert(list);
  return entries;
}

std::unique_ptr<Iterator> Over(Entries entries, const std::string* bad_key = nullptr) {
  return std::make_unique<MapIterator>(std::move(entries), bad_key);
}

TEST(MergingIteratorTest, WalksAtRandomOverAnyNumberOfChildren) {
  Random random(77);
  for (const KeyOrder& order : {testing::UserOrder(), testing::InternalOrder()}) {
    for (const size_t count : {0, 1, 2, 3, 4, 5, 8, 40}) {
      std::vector<Entries> parts(count, Entries(testing::LessByOrder{order}));
      Entries all(testing::LessByOrder{order});
      if (count > 0) {
        for (const auto& [key, value] : testing::RandomEntries(&random, order, 400, 10)) {
          all.emplace(key, value);
          parts[random.Uniform(count)].emplace(key, value);
        }
      }
      std::vector<std::unique_ptr<Iterator>> children;
      for (Entries& part : parts) children.push_back(Over(std::move(part)));
      const std::unique_ptr<Iterator> merged = NewMergingIterator(order, std::move(children));
      ASSERT_FALSE(merged->Valid());
      ASSERT_NO_FATAL_FAILURE(testing::ExpectHolds(merged.get(), all));
      ASSERT_NO_FATAL_FAILURE(testing::WalkAtRandom(merged.get(), all, &random, 5000));
    }
  }
}

TEST(MergingIteratorTest, EqualKeysKeepTheOrderOfTheChildrenBothWays) {
  constexpr int kChildren = 6;
  Random random(78);
  std::vector<std::pair<std::string, std::string>> expected;
  std::vector<Entries> parts(kChildren, Make({}));
  for (int key = 0; key < 30; ++key) {
    for (int child = 0; child < kChildren; ++child) {
      if (random.OneIn(3)) continue;
      const std::string name = "k" + std::to_string(100 + key);
      parts[static_cast<size_t>(child)][name] = std::to_string(child);
      expected.emplace_back(name, std::to_string(child));
    }
  }
  std::vector<std::unique_ptr<Iterator>> children;
  for (const Entries& part : parts) children.push_back(Over(part));
  const std::unique_ptr<Iterator> merged =
      NewMergingIterator(testing::UserOrder(), std::move(children));
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
  const std::string bad = "d";
  const Entries rest = Make({{"a", ""}, {"c", ""}, {"e", ""}});
  const auto make = [&] {
    std::vector<std::unique_ptr<Iterator>> children;
    children.push_back(Over(rest));
    children.push_back(Over(Make({{"b", ""}, {"d", ""}, {"f", ""}}), &bad));
    return NewMergingIterator(testing::UserOrder(), std::move(children));
  };
  std::unique_ptr<Iterator> merged = make();
  std::string seen;
  for (merged->SeekToFirst(); merged->Valid(); merged->Next()) seen += merged->key().ToString();
  // c would be right, but after b it is known only that the other child has failed.
  EXPECT_EQ("ab", seen);
  EXPECT_TRUE(merged->status().IsIOError());
  merged = make();
  seen.clear();
  for (merged->SeekToLast(); merged->Valid(); merged->Prev()) seen += merged->key().ToString();
  EXPECT_EQ("f", seen);
  EXPECT_TRUE(merged->status().IsIOError());
  merged = make();
  merged->Seek("c");
  EXPECT_FALSE(merged->Valid());
  EXPECT_TRUE(merged->status().IsIOError());
}

TEST(MergingIteratorTest, AFailureWhileTurningAroundEndsTheMerge) {
  const std::string bad = "b";
  std::vector<std::unique_ptr<Iterator>> children;
  children.push_back(Over(Make({{"a", ""}, {"c", ""}})));
  children.push_back(Over(Make({{"b", ""}, {"d", ""}}), &bad));
  const std::unique_ptr<Iterator> merged =
      NewMergingIterator(testing::UserOrder(), std::move(children));
  merged->Seek("c");
  ASSERT_TRUE(merged->Valid());
  merged->Prev();  // needs the entry before "d" in the second child
  EXPECT_FALSE(merged->Valid());
  EXPECT_TRUE(merged->status().IsIOError());
}

/// Iterates over a map. Skips the keys in `unreadable`, and has a bad status from then on.
class SkippingIterator final : public Iterator {
 public:
  SkippingIterator(Entries entries, const std::set<std::string>* unreadable)
      : entries_(std::move(entries)), unreadable_(unreadable), at_(entries_.end()) {}

  bool Valid() const override { return at_ != entries_.end(); }
  void SeekToFirst() override { Forward(entries_.begin()); }
  void SeekToLast() override { Backward(entries_.end()); }
  void Seek(const Slice& target) override { Forward(entries_.lower_bound(target.ToString())); }
  void Next() override { Forward(std::next(at_)); }
  void Prev() override { Backward(at_); }
  Slice key() const override { return at_->first; }
  Slice value() const override { return at_->second; }
  Status status() const override {
    return failed_ ? Status::IOError("child", "failed") : Status::OK();
  }

 private:
  bool CanRead(Entries::const_iterator at) {
    if (!unreadable_->contains(at->first)) return true;
    failed_ = true;
    return false;
  }
  void Forward(Entries::const_iterator at) {
    while (at != entries_.end() && !CanRead(at)) ++at;
    at_ = at;
  }
  /// Moves to the last readable entry before `end`.
  void Backward(Entries::const_iterator end) {
    at_ = entries_.end();
    while (end != entries_.begin()) {
      if (CanRead(--end)) {
        at_ = end;
        return;
      }
    }
  }

  const Entries entries_;
  const std::set<std::string>* const unreadable_;
  Entries::const_iterator at_;
  bool failed_ = false;
};

std::unique_ptr<Iterator> SkippingMerge(std::vector<Entries> parts,
                                        const std::set<std::string>* unreadable) {
  std::vector<std::unique_ptr<Iterator>> children;
  for (Entries& part : parts) {
    children.push_back(std::make_unique<SkippingIterator>(std::move(part), unreadable));
  }
  return NewMergingIterator(testing::UserOrder(), std::move(children), OnError::kSkip);
}

TEST(MergingIteratorTest, SkipsWhatItsChildrenSkip) {
  Random random(79);
  for (int round = 0; round < 300; ++round) {
    const size_t count = 2 + random.Uniform(6);
    std::vector<Entries> parts(count, Make({}));
    Entries readable = Make({});
    std::set<std::string> unreadable;
    for (int i = 0; i < 60; ++i) {
      const std::string key = "k" + std::to_string(100 + i);
      parts[random.Uniform(count)][key] = key;
      if (random.OneIn(4)) {
        unreadable.insert(key);
      } else {
        readable[key] = key;
      }
    }
    const std::unique_ptr<Iterator> merged = SkippingMerge(std::move(parts), &unreadable);
    for (int pass = 0; pass < 2; ++pass) {
      auto expected = readable.begin();
      for (merged->SeekToFirst(); merged->Valid(); merged->Next(), ++expected) {
        ASSERT_NE(expected, readable.end());
        ASSERT_EQ(merged->key().ToString(), expected->first);
      }
      ASSERT_EQ(expected, readable.end());
      auto backward = readable.rbegin();
      for (merged->SeekToLast(); merged->Valid(); merged->Prev(), ++backward) {
        ASSERT_NE(backward, readable.rend());
        ASSERT_EQ(merged->key().ToString(), backward->first);
      }
      ASSERT_EQ(backward, readable.rend());
    }
    ASSERT_EQ(merged->status().ok(), unreadable.empty());
    auto at = readable.end();
    for (int step = 0; step < 100; ++step) {
      if (at == readable.end()) {
        const std::string target = "k" + std::to_string(100 + random.Uniform(60));
        merged->Seek(target);
        at = readable.lower_bound(target);
      } else if (random.OneIn(2)) {
        merged->Next();
        ++at;
      } else {
        merged->Prev();
        at = at == readable.begin() ? readable.end() : std::prev(at);
      }
      ASSERT_EQ(merged->Valid(), at != readable.end());
      if (merged->Valid()) {
        ASSERT_EQ(merged->key().ToString(), at->first);
      }
    }
  }
}

TEST(MergingIteratorTest, WhatCanBeReadAgainDoesNotBreakTheOrder) {
  // The turn seeks "e" in the second child. That skips "f"; the step back then reads it.
  for (const bool at_the_end : {false, true}) {
    std::set<std::string> unreadable = {"f"};
    std::vector<Entries> parts;
    parts.push_back(Make({{"c", ""}, {"e", ""}}));
    parts.push_back(Make({{"b", ""}, {"f", ""}}));
    if (!at_the_end) parts.back()["g"] = "";
    // The second child recovers just after it has skipped "f" for the seek of TurnAround.
    class Healing final : public Iterator {
     public:
      Healing(Entries entries, std::set<std::string>* unreadable)
          : inner_(std::move(entries), unreadable), unreadable_(unreadable) {}
      bool Valid() const override { return inner_.Valid(); }
      void SeekToFirst() override { inner_.SeekToFirst(); }
      void SeekToLast() override { inner_.SeekToLast(); }
      void Seek(const Slice& target) override {
        inner_.Seek(target);
        if (++seeks_ == 2) unreadable_->clear();
      }
      void Next() override { inner_.Next(); }
      void Prev() override { inner_.Prev(); }
      Slice key() const override { return inner_.key(); }
      Slice value() const override { return inner_.value(); }
      Status status() const override { return inner_.status(); }

     private:
      SkippingIterator inner_;
      std::set<std::string>* const unreadable_;
      int seeks_ = 0;
    };
    std::vector<std::unique_ptr<Iterator>> children;
    children.push_back(Over(parts[0]));
    children.push_back(std::make_unique<Healing>(parts[1], &unreadable));
    const std::unique_ptr<Iterator> merged =
        NewMergingIterator(testing::UserOrder(), std::move(children), OnError::kSkip);
    merged->Seek("e");
    ASSERT_EQ(merged->key().ToString(), "e");
    std::string seen;
    for (merged->Prev(); merged->Valid(); merged->Prev()) seen += merged->key().ToString();
    EXPECT_EQ(seen, "cb");
    EXPECT_TRUE(merged->status().IsIOError());
  }
}

TEST(MergingIteratorTest, AnUnreadableChildHidesNoOther) {
  const auto make = [] {
    std::vector<std::unique_ptr<Iterator>> children;
    children.push_back(Over(Make({{"a", ""}, {"c", ""}})));
    children.emplace_back(leveldb::NewErrorIterator(Status::Corruption("bad table")));
    children.push_back(Over(Make({{"b", ""}, {"d", ""}})));
    return NewMergingIterator(testing::UserOrder(), std::move(children), OnError::kSkip);
  };
  const std::unique_ptr<Iterator> merged = make();
  std::string seen;
  for (merged->SeekToFirst(); merged->Valid(); merged->Next()) seen += merged->key().ToString();
  for (merged->SeekToLast(); merged->Valid(); merged->Prev()) seen += merged->key().ToString();
  EXPECT_EQ(seen, "abcddcba");
  merged->Seek("b");
  ASSERT_TRUE(merged->Valid());
  merged->Prev();
  ASSERT_TRUE(merged->Valid());
  EXPECT_EQ(merged->key().ToString(), "a");
  EXPECT_TRUE(merged->status().IsCorruption());
}

TEST(MergingIteratorTest, ErrorChildren) {
  std::vector<std::unique_ptr<Iterator>> children;
  children.push_back(Over(Make({{"a", ""}})));
  children.emplace_back(leveldb::NewErrorIterator(Status::Corruption("bad table")));
  const std::unique_ptr<Iterator> merged =
      NewMergingIterator(testing::UserOrder(), std::move(children));
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
}  // namespace lull
