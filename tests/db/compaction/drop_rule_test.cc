// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "db/compaction/drop_rule.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "tests/db/support/version_text.h"
#include "tests/support/setting.h"
#include "util/random.h"

namespace lull {
namespace {

using testing::InternalOrder;

struct Entry {
  std::string key;
  SequenceNumber sequence;
  ValueKind kind;
};

TEST(DropRule, MalformedKeysAreKeptAndHideNothing) {
  DropRule rule(InternalOrder(), 9, nullptr, 0);
  EXPECT_FALSE(rule.ShouldDrop(MakeInternalKey("a", 5, ValueKind::kValue)));
  EXPECT_TRUE(rule.IsFilterable());
  EXPECT_FALSE(rule.ShouldDrop("short"));
  EXPECT_FALSE(rule.IsFilterable());
  EXPECT_FALSE(rule.SameUserKeyAsBefore());
  EXPECT_FALSE(rule.ShouldDrop(MakeInternalKey("a", 4, ValueKind::kValue)))
      << "the order can no longer be known";
  std::string unknown_kind = MakeInternalKey("a", 3, ValueKind::kValue);
  unknown_kind[1] = 7;
  EXPECT_FALSE(rule.ShouldDrop(unknown_kind));
}

TEST(DropRule, KeysOutOfOrderKeepTheDeletionsThatAreNeeded) {
  DropRule rule(InternalOrder(), 9, testing::VersionFromText("L2: 1:[a..b] 2:[x..z]"), 1);
  EXPECT_FALSE(rule.ShouldDrop(MakeInternalKey("y", 5, ValueKind::kDeletion)));
  EXPECT_FALSE(rule.ShouldDrop(MakeInternalKey("b", 4, ValueKind::kDeletion)));
  EXPECT_TRUE(rule.ShouldDrop(MakeInternalKey("c", 3, ValueKind::kDeletion)));
}

TEST(DropRule, TellsOfEntriesThatNoStoreWritesThere) {
  DropRule rule(InternalOrder(), 2, nullptr, 0);
  const auto is_damaged = [&](const std::string& key) {
    rule.ShouldDrop(key);
    return rule.IsDamaged();
  };
  EXPECT_FALSE(is_damaged(MakeInternalKey("b", 5, ValueKind::kValue)));
  EXPECT_FALSE(is_damaged(MakeInternalKey("b", 4, ValueKind::kDeletion)));
  EXPECT_FALSE(is_damaged(MakeInternalKey("b", 4, ValueKind::kDeletion)))
      << "the same entry in two tables";
  EXPECT_TRUE(is_damaged(MakeInternalKey("b", 6, ValueKind::kValue)));
  EXPECT_TRUE(is_damaged(MakeInternalKey("a", 9, ValueKind::kValue)));
  EXPECT_FALSE(is_damaged(MakeInternalKey("c", kMaxStoredSequence, ValueKind::kValue)));
  EXPECT_TRUE(is_damaged(MakeInternalKey("d", kMaxStoredSequence + 1, ValueKind::kValue)));
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
  return newest == nullptr || newest->kind == ValueKind::kDeletion ? 0 : newest->sequence;
}

struct Scene {
  std::vector<Entry> merged;  // sorted as internal keys
  std::vector<Entry> deeper;  // older than all of `merged`
  VersionRef version;         // L3 to L6 cover `deeper`; L1 and L2 lie above the output or in it
  std::vector<SequenceNumber> snapshots;
  SequenceNumber oldest = 0;
  SequenceNumber last = 0;
};

std::string KeyName(uint64_t i) { return i == 0 ? "" : std::string(1, static_cast<char>('a' + i)); }

Scene RandomScene(Random* random) {
  Scene scene;
  const uint64_t keys = 1 + random->Uniform(8);
  SequenceNumber sequence = 1;
  const auto write = [&](std::vector<Entry>* to) {
    to->push_back({KeyName(random->Uniform(keys)), sequence++,
                   random->OneIn(2) ? ValueKind::kDeletion : ValueKind::kValue});
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
  for (int level = 1; level < kLevels; ++level) {
    std::set<std::string> keys;
    for (const Entry& entry : level < 3 ? scene.merged : scene.deeper) {
      if (level < 3 || static_cast<int>(3 + entry.sequence % 4) == level) keys.insert(entry.key);
    }
    const std::vector<std::string> held(keys.begin(), keys.end());
    for (size_t i = 0; i < held.size();) {
      const size_t end = std::min<size_t>(held.size(), i + 1 + random->Uniform(3));
      edit.new_tables.push_back({level, number++, 1, MakeInternalKey(held[i], 1, ValueKind::kValue),
                                 MakeInternalKey(held[end - 1], 1, ValueKind::kValue)});
      i = end;
    }
  }
  scene.version = testing::Applied(testing::EmptyVersion(), edit);
  return scene;
}

bool IsBelow(const Version& version, const std::string& key) {
  for (int level = 3; level < kLevels; ++level) {
    if (!version.Overlapping(level, {key, key}).empty()) return true;
  }
  return false;
}

// Besides, the rule drops exactly what its definition says, and lets a filter drop exactly the
// newest value of a key, if every snapshot sees it.
TEST(DropRule, NoSnapshotSeesADifference) {
  int filtered_in_all = 0;
  for (uint64_t seed = 1; seed <= testing::Strided(20'000); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    const Scene scene = RandomScene(&random);
    ASSERT_NE(scene.version, nullptr);

    const bool is_flush = random.OneIn(8);
    const bool filters = random.OneIn(2);
    DropRule rule(InternalOrder(), scene.oldest, is_flush ? nullptr : scene.version, 2);
    std::vector<Entry> before = scene.deeper, after = scene.deeper;
    std::set<SequenceNumber> filtered;
    for (size_t i = 0; i < scene.merged.size(); ++i) {
      const Entry& entry = scene.merged[i];
      before.push_back(entry);
      const bool dropped = rule.ShouldDrop(MakeInternalKey(entry.key, entry.sequence, entry.kind));
      const bool is_old = entry.sequence <= scene.oldest;
      const bool is_newest = i == 0 || scene.merged[i - 1].key != entry.key;
      const bool overwritten = !is_newest && scene.merged[i - 1].sequence <= scene.oldest;
      const bool may_be_below = is_flush || IsBelow(*scene.version, entry.key);
      ASSERT_EQ(dropped,
                overwritten || (entry.kind == ValueKind::kDeletion && is_old && !may_be_below))
          << entry.key << "@" << entry.sequence;
      ASSERT_EQ(rule.SameUserKeyAsBefore(), !is_newest);
      if (dropped) continue;
      ASSERT_EQ(rule.IsFilterable(), entry.kind == ValueKind::kValue && is_old && is_newest);
      if (!rule.IsFilterable() || !filters || random.OneIn(2)) {
        after.push_back(entry);
        continue;
      }
      filtered.insert(entry.sequence);
      ASSERT_EQ(rule.NeedsDeletion(), may_be_below);
      if (may_be_below) after.push_back({entry.key, entry.sequence, ValueKind::kDeletion});
    }
    filtered_in_all += static_cast<int>(filtered.size());

    // A reader finds the entry that it found before, or none if a filter dropped that one.
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
  EXPECT_GT(filtered_in_all, 2500 / static_cast<int>(testing::TestStride()));
}

}  // namespace
}  // namespace lull
