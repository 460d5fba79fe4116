// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.

#include "db/compaction/drop_rule.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "tests/db/version_text.h"
#include "util/random.h"

namespace lull {
namespace {

using testing::InternalOrder;
using testing::VersionFromText;

constexpr ValueKind kPut = ValueKind::kValue;
constexpr ValueKind kDelete = ValueKind::kDeletion;

struct Entry {
  std::string key;
  SequenceNumber sequence;
  ValueKind kind;
};

// The entries that the rule keeps, as "a@3 b@2x", x for a deletion.
std::string Kept(DropRule rule, const std::vector<Entry>& entries) {
  std::string text;
  for (const Entry& entry : entries) {
    if (rule.ShouldDrop(MakeInternalKey(entry.key, entry.sequence, entry.kind))) continue;
    if (!text.empty()) text += ' ';
    text += entry.key + "@" + std::to_string(entry.sequence);
    if (entry.kind == kDelete) text += 'x';
  }
  return text;
}

TEST(DropRule, KeepsOneEntryAKeyForAllAndThoseThatSnapshotsTellApart) {
  const std::vector<Entry> entries = {
      {"a", 9, kPut}, {"a", 7, kPut}, {"a", 5, kPut}, {"a", 3, kPut}, {"b", 2, kPut}};
  EXPECT_EQ(Kept({InternalOrder(), 9, nullptr, 0}, entries), "a@9 b@2");
  EXPECT_EQ(Kept({InternalOrder(), 8, nullptr, 0}, entries), "a@9 a@7 b@2");
  EXPECT_EQ(Kept({InternalOrder(), 7, nullptr, 0}, entries), "a@9 a@7 b@2");
  EXPECT_EQ(Kept({InternalOrder(), 4, nullptr, 0}, entries), "a@9 a@7 a@5 a@3 b@2");
  EXPECT_EQ(Kept({InternalOrder(), kMaxSequence, nullptr, 0}, entries), "a@9 b@2");
}

TEST(DropRule, ADeletionGoesOnlyWhereNothingLiesBelow) {
  const std::vector<Entry> entries = {
      {"a", 9, kDelete}, {"a", 7, kPut}, {"c", 8, kDelete}, {"c", 2, kPut}, {"f", 4, kDelete}};
  const VersionRef below = VersionFromText("L1: 1:[a..z] L2: 2:[b..d] L4: 3:[f..h]");
  EXPECT_EQ(Kept({InternalOrder(), 9, nullptr, 0}, entries), "a@9x c@8x f@4x") << "a flush";
  EXPECT_EQ(Kept({InternalOrder(), 9, below, 0}, entries), "a@9x c@8x f@4x");
  EXPECT_EQ(Kept({InternalOrder(), 9, below, 1}, entries), "c@8x f@4x");
  EXPECT_EQ(Kept({InternalOrder(), 9, below, 2}, entries), "f@4x");
  EXPECT_EQ(Kept({InternalOrder(), 9, below, 4}, entries), "");
  EXPECT_EQ(Kept({InternalOrder(), 9, below, 6}, entries), "");
  EXPECT_EQ(Kept({InternalOrder(), 8, below, 4}, entries), "a@9x a@7");
}

TEST(DropRule, MalformedKeysAreKeptAndHideNothing) {
  DropRule rule(InternalOrder(), 9, nullptr, 0);
  EXPECT_FALSE(rule.ShouldDrop(MakeInternalKey("a", 5, kPut)));
  EXPECT_FALSE(rule.ShouldDrop("short"));
  EXPECT_FALSE(rule.SameUserKeyAsBefore());
  EXPECT_FALSE(rule.ShouldDrop(MakeInternalKey("a", 4, kPut)))
      << "the order can no longer be known";
  std::string unknown_kind = MakeInternalKey("a", 3, kPut);
  unknown_kind[1] = 7;
  EXPECT_FALSE(rule.ShouldDrop(unknown_kind));
}

// The entries that a filter may drop, as "b@2", with an x where a deletion must take their place.
std::string Filterable(DropRule rule, const std::vector<Entry>& entries) {
  std::string text;
  for (const Entry& entry : entries) {
    if (rule.ShouldDrop(MakeInternalKey(entry.key, entry.sequence, entry.kind))) continue;
    if (!rule.IsFilterable()) continue;
    if (!text.empty()) text += ' ';
    text += entry.key + "@" + std::to_string(entry.sequence);
    if (rule.NeedsDeletion()) text += 'x';
  }
  return text;
}

TEST(DropRule, AFilterMayDropTheNewestValueThatAllSee) {
  const std::vector<Entry> entries = {{"a", 9, kPut},    {"a", 7, kPut}, {"b", 6, kPut},
                                      {"c", 5, kDelete}, {"c", 4, kPut}, {"d", 8, kPut}};
  const VersionRef nothing = VersionFromText("");
  EXPECT_EQ(Filterable({InternalOrder(), 9, nothing, 1}, entries), "a@9 b@6 d@8");
  EXPECT_EQ(Filterable({InternalOrder(), 8, nothing, 1}, entries), "b@6 d@8")
      << "not a@7, which a newer entry follows";
  EXPECT_EQ(Filterable({InternalOrder(), 5, nothing, 1}, entries), "");
}

TEST(DropRule, AFilteredValueLeavesADeletionWhereADeeperLevelMayHoldItsKey) {
  const std::vector<Entry> entries = {{"a", 9, kPut}, {"c", 8, kPut}, {"f", 4, kPut}};
  const VersionRef below = VersionFromText("L1: 1:[a..z] L2: 2:[b..d] L4: 3:[f..h]");
  EXPECT_EQ(Filterable({InternalOrder(), 9, below, 0}, entries), "a@9x c@8x f@4x");
  EXPECT_EQ(Filterable({InternalOrder(), 9, below, 1}, entries), "a@9 c@8x f@4x");
  EXPECT_EQ(Filterable({InternalOrder(), 9, below, 2}, entries), "a@9 c@8 f@4x");
  EXPECT_EQ(Filterable({InternalOrder(), 9, below, 4}, entries), "a@9 c@8 f@4");
}

TEST(DropRule, NoFilterSeesDamage) {
  DropRule rule(InternalOrder(), 9, VersionFromText(""), 0);
  rule.ShouldDrop(MakeInternalKey("b", 5, kPut));
  EXPECT_TRUE(rule.IsFilterable());
  rule.ShouldDrop("short");
  EXPECT_FALSE(rule.IsFilterable());
}

TEST(DropRule, TellsWhereAnOutputMustNotBeCut) {
  DropRule rule(InternalOrder(), 2, nullptr, 0);
  rule.ShouldDrop(MakeInternalKey("", 5, kPut));
  EXPECT_FALSE(rule.SameUserKeyAsBefore());
  rule.ShouldDrop(MakeInternalKey("", 4, kPut));
  EXPECT_TRUE(rule.SameUserKeyAsBefore());
  rule.ShouldDrop(MakeInternalKey("a", 3, kPut));
  EXPECT_FALSE(rule.SameUserKeyAsBefore());
}

TEST(DropRule, KeysOutOfOrderKeepTheDeletionsThatAreNeeded) {
  DropRule rule(InternalOrder(), 9, VersionFromText("L2: 1:[a..b] 2:[x..z]"), 1);
  EXPECT_FALSE(rule.ShouldDrop(MakeInternalKey("y", 5, kDelete)));
  EXPECT_FALSE(rule.ShouldDrop(MakeInternalKey("b", 4, kDelete)));
  EXPECT_TRUE(rule.ShouldDrop(MakeInternalKey("c", 3, kDelete)));
}

TEST(DropRule, TellsOfEntriesThatNoStoreWritesThere) {
  DropRule rule(InternalOrder(), 2, nullptr, 0);
  const auto is_damaged = [&](const std::string& key) {
    rule.ShouldDrop(key);
    return rule.IsDamaged();
  };
  EXPECT_FALSE(is_damaged(MakeInternalKey("b", 5, kPut)));
  EXPECT_FALSE(is_damaged(MakeInternalKey("b", 4, kDelete)));
  EXPECT_FALSE(is_damaged(MakeInternalKey("b", 4, kDelete))) << "the same entry in two tables";
  EXPECT_TRUE(is_damaged(MakeInternalKey("b", 6, kPut)));
  EXPECT_TRUE(is_damaged(MakeInternalKey("a", 9, kPut)));
  EXPECT_FALSE(is_damaged(MakeInternalKey("c", kMaxStoredSequence, kPut)));
  EXPECT_TRUE(is_damaged(MakeInternalKey("d", kMaxStoredSequence + 1, kPut)));
  EXPECT_TRUE(is_damaged("short"));
}

// The sequence of the newest of `entries` (any order) that a reader at `sequence` sees, or 0 when
// it does not find the key.
SequenceNumber Visible(const std::vector<Entry>& entries, const std::string& key,
                       SequenceNumber sequence) {
  const Entry* newest = nullptr;
  for (const Entry& entry : entries) {
    if (entry.key != key || entry.sequence > sequence) continue;
    if (newest == nullptr || entry.sequence > newest->sequence) newest = &entry;
  }
  return newest == nullptr || newest->kind == kDelete ? 0 : newest->sequence;
}

struct Scene {
  std::vector<Entry> merged;  // sorted as internal keys
  std::vector<Entry> deeper;  // older than all of `merged`
  VersionRef version;         // whose L3 to L6 cover `deeper`
  std::vector<SequenceNumber> snapshots;
  SequenceNumber oldest = 0;
  SequenceNumber last = 0;
};

std::string KeyName(uint64_t i) { return std::string(1, static_cast<char>('a' + i)); }

Scene RandomScene(Random* random) {
  Scene scene;
  const uint64_t keys = 1 + random->Uniform(8);
  SequenceNumber sequence = 1;
  const auto write = [&](std::vector<Entry>* to) {
    to->push_back({KeyName(random->Uniform(keys)), sequence++, random->OneIn(2) ? kDelete : kPut});
  };
  for (uint64_t n = random->Uniform(6); n > 0; --n) write(&scene.deeper);
  for (uint64_t n = random->Uniform(20); n > 0; --n) write(&scene.merged);
  scene.last = sequence;
  std::sort(scene.merged.begin(), scene.merged.end(), [](const Entry& a, const Entry& b) {
    return a.key != b.key ? a.key < b.key : a.sequence > b.sequence;
  });

  scene.oldest = scene.last;
  for (uint64_t n = random->Uniform(4); n > 0; --n) {
    scene.snapshots.push_back(random->Uniform(scene.last + 1));
    scene.oldest = std::min(scene.oldest, scene.snapshots.back());
  }

  VersionEdit edit;
  uint64_t number = 1;
  for (int level = 3; level < kLevels; ++level) {
    std::vector<std::string> held;
    for (const Entry& entry : scene.deeper) {
      if (static_cast<int>(3 + entry.sequence % 4) == level) held.push_back(entry.key);
    }
    std::sort(held.begin(), held.end());
    held.erase(std::unique(held.begin(), held.end()), held.end());
    for (size_t i = 0; i < held.size();) {
      const size_t end = std::min(held.size(), i + 1 + random->Uniform(3));
      edit.new_tables.push_back({level, number++, 1, MakeInternalKey(held[i], 1, kPut),
                                 MakeInternalKey(held[end - 1], 1, kPut)});
      i = end;
    }
  }
  scene.version = testing::Applied(testing::EmptyVersion(), edit);
  return scene;
}

TEST(DropRule, NoSnapshotSeesADifference) {
  for (uint64_t seed = 1; seed <= 20000; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    const Scene scene = RandomScene(&random);
    ASSERT_NE(scene.version, nullptr);

    DropRule rule(InternalOrder(), scene.oldest, scene.version, 2);
    std::vector<Entry> before = scene.deeper, after = scene.deeper;
    for (size_t i = 0; i < scene.merged.size(); ++i) {
      const Entry& entry = scene.merged[i];
      const bool dropped = rule.ShouldDrop(MakeInternalKey(entry.key, entry.sequence, entry.kind));
      before.push_back(entry);
      if (!dropped) after.push_back(entry);

      // The rule drops exactly what its definition says.
      const bool overwritten = i > 0 && scene.merged[i - 1].key == entry.key &&
                               scene.merged[i - 1].sequence <= scene.oldest;
      const bool spent = entry.kind == kDelete && entry.sequence <= scene.oldest &&
                         !scene.version->MayHoldBelow(2, entry.key);
      ASSERT_EQ(dropped, overwritten || spent) << entry.key << "@" << entry.sequence;
      ASSERT_EQ(rule.SameUserKeyAsBefore(), i > 0 && scene.merged[i - 1].key == entry.key);
    }

    std::vector<SequenceNumber> readers = scene.snapshots;
    readers.push_back(scene.last);
    for (const SequenceNumber reader : readers) {
      for (uint64_t key = 0; key < 8; ++key) {
        ASSERT_EQ(Visible(after, KeyName(key), reader), Visible(before, KeyName(key), reader))
            << "key " << KeyName(key) << " at " << reader;
      }
    }
  }
}

// Whatever a filter drops, a reader finds the entry that it found before, or none.
TEST(DropRule, AFilterNeverMakesAnOlderValueVisible) {
  int dropped = 0;
  for (uint64_t seed = 1; seed <= 20000; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    const Scene scene = RandomScene(&random);
    ASSERT_NE(scene.version, nullptr);

    DropRule rule(InternalOrder(), scene.oldest, scene.version, 2);
    std::vector<Entry> before = scene.deeper, after = scene.deeper;
    std::set<SequenceNumber> filtered;
    for (const Entry& entry : scene.merged) {
      before.push_back(entry);
      if (rule.ShouldDrop(MakeInternalKey(entry.key, entry.sequence, entry.kind))) continue;
      if (rule.IsFilterable() && random.OneIn(2)) {
        ++dropped;
        filtered.insert(entry.sequence);
        if (rule.NeedsDeletion()) after.push_back({entry.key, entry.sequence, kDelete});
      } else {
        after.push_back(entry);
      }
    }

    std::vector<SequenceNumber> readers = scene.snapshots;
    readers.push_back(scene.last);
    for (const SequenceNumber reader : readers) {
      for (uint64_t key = 0; key < 8; ++key) {
        const SequenceNumber expected = Visible(before, KeyName(key), reader);
        ASSERT_EQ(Visible(after, KeyName(key), reader), filtered.contains(expected) ? 0 : expected)
            << "key " << KeyName(key) << " at " << reader;
      }
    }
  }
  EXPECT_GT(dropped, 5000);
}

}  // namespace
}  // namespace lull
