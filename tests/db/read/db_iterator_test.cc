// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.

#include "db/read/db_iterator.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "tests/db/read/vector_iterator.h"
#include "tests/db/support/version_text.h"
#include "tests/support/option_sets.h"
#include "tests/support/setting.h"
#include "util/random.h"

namespace lull {
namespace {

using leveldb::Iterator;
using testing::InternalOrder;
using testing::Pairs;
using testing::VectorIterator;

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

}  // namespace
}  // namespace lull
