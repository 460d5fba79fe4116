// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "db/version/version.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "db/compaction/picker.h"
#include "tests/db/support/version_text.h"

namespace lull {
namespace {

using testing::Applied;
using testing::EditFromText;
using testing::EmptyVersion;
using ::testing::HasSubstr;
using testing::Numbers;
using testing::Range;
using testing::VersionFromText;

leveldb::Status BuildError(const VersionRef& base, const VersionEdit& edit) {
  VersionBuilder builder(base, DescribedTable);
  leveldb::Status status = builder.Apply(edit);
  VersionRef result;
  return status.ok() ? builder.Build(&result) : status;
}

TEST(Version, OrdersL0ByNumberAndDeeperByKey) {
  const VersionRef version =
      VersionFromText("L0: 3:[a..c] 9:[x..z] 5:[a..z] L1: 8:[m..n] 2:[a..b]");
  EXPECT_EQ(Numbers(version->level(0)), "9 5 3");
  EXPECT_EQ(Numbers(version->level(1)), "2 8");
  EXPECT_EQ(version->LevelBytes(0), 3u << 20);
  EXPECT_EQ(version->TableCount(2), 0);
}

TEST(Version, FindsTheTableThatMayHoldAKey) {
  const VersionRef version = VersionFromText("L2: 1:[b@9..d@5] 2:[d@4..f@3] 3:[h@2..k@1]");
  const auto find = [&](const std::string& user_key, SequenceNumber sequence) {
    return version->FindTable(2, MakeInternalKey(user_key, sequence, kKindForSeek));
  };
  EXPECT_EQ(find("a", 9), 0u);
  EXPECT_EQ(find("c", 9), 0u);
  EXPECT_EQ(find("d", 6), 0u);
  EXPECT_EQ(find("d", 4), 1u) << "the visible version of a split key is in the second table";
  EXPECT_EQ(find("g", 9), 2u);
  EXPECT_EQ(find("l", 9), 3u);
}

TEST(Version, OverlappingIsInclusiveAndUnboundedWhereAnEndIsMissing) {
  const VersionRef version = VersionFromText("L1: 1:[b..d] 2:[f..h] 3:[j..l]");
  EXPECT_EQ(Numbers(version->Overlapping(1, Range("d", "f"))), "1 2");
  EXPECT_EQ(Numbers(version->Overlapping(1, Range("e", "e"))), "");
  EXPECT_EQ(Numbers(version->Overlapping(1, {std::nullopt, "f"})), "1 2");
  EXPECT_EQ(Numbers(version->Overlapping(1, {"i", std::nullopt})), "3");
  EXPECT_EQ(Numbers(version->Overlapping(1, {})), "1 2 3");
  EXPECT_EQ(Numbers(version->Overlapping(3, {})), "");
}

TEST(Version, OverlappingInL0IsClosed) {
  const VersionRef version = VersionFromText("L0: 1:[a..c] 2:[c..f] 3:[f..h] 4:[p..q]");
  EXPECT_EQ(Numbers(version->Overlapping(0, Range("a", "b"))), "3 2 1");
  EXPECT_EQ(Numbers(version->Overlapping(0, Range("i", "o"))), "");
  EXPECT_EQ(Numbers(version->Overlapping(0, Range("q", "q"))), "4");
  EXPECT_EQ(Numbers(version->Overlapping(0, {})), "4 3 2 1");
}

TEST(Version, DebtCountsExcessForEachLevelItPasses) {
  const uint64_t mib = 1 << 20;
  std::array<uint64_t, kLevels> targets = {0, 10 * mib, 100 * mib, ~0ull, ~0ull, ~0ull, ~0ull};
  EXPECT_EQ(VersionFromText("L1: 1:[a..b]*10")->DebtBytes(targets, 4), 0u);
  EXPECT_EQ(VersionFromText("L1: 1:[a..b]*13")->DebtBytes(targets, 4), 3 * mib);
  // L1 is 3 MiB too large, and those 3 make L2 2 too large.
  EXPECT_EQ(VersionFromText("L1: 1:[a..b]*13 L2: 2:[a..b]*99")->DebtBytes(targets, 4), 5 * mib);
  EXPECT_EQ(VersionFromText("L0: 1:[a..b] 2:[a..b]")->DebtBytes(targets, 4), 0u);
  EXPECT_EQ(VersionFromText("L0: 1:[a..b] 2:[a..b]")->DebtBytes(targets, 2), 2 * mib);
  EXPECT_EQ(VersionFromText("L0: 1:[a..b] 2:[a..b] L1: 3:[a..b]*9")->DebtBytes(targets, 2),
            3 * mib);
  EXPECT_EQ(VersionFromText("L6: 1:[a..b]*9999")->DebtBytes(targets, 2), 0u);
}

TEST(VersionBuilder, AMovedTableKeepsItsTableFile) {
  const VersionRef base = VersionFromText("L1: 1:[a..c] 2:[d..f]");
  int made = 0;
  const VersionRef result =
      Applied(base, {EditFromText("L2: 1:[a..c]", {{1, 1}})}, [&](const TableMeta& table) {
        ++made;
        return DescribedTable(table);
      });
  ASSERT_NE(result, nullptr);
  EXPECT_EQ(made, 0);
  EXPECT_EQ(result->level(2)[0], base->level(1)[0]);
  EXPECT_EQ(Numbers(result->level(1)), "2");
  EXPECT_EQ(result->LevelBytes(1), 1u << 20);
}

TEST(VersionBuilder, MakesOnlyWhatIsListedAtTheEnd) {
  std::vector<uint64_t> made;
  const VersionRef result = Applied(
      EmptyVersion(),
      {EditFromText("L0: 1:[a..c] 2:[a..c]"), EditFromText("L1: 3:[a..c]", {{0, 1}, {0, 2}}),
       EditFromText("L2: 3:[a..c]", {{1, 3}})},
      [&](const TableMeta& table) {
        made.push_back(table.number);
        return DescribedTable(table);
      });
  ASSERT_NE(result, nullptr);
  EXPECT_EQ(made, std::vector<uint64_t>{3});
  EXPECT_EQ(Numbers(result->level(2)), "3");
}

TEST(VersionBuilder, TellsWhenTheLastVersionLetsGo) {
  std::vector<uint64_t> unlisted;
  VersionRef first =
      Applied(EmptyVersion(), {EditFromText("L0: 1:[a..c] 2:[a..c]")}, [&](const TableMeta& table) {
        return std::make_shared<TableFile>(
            table, [&](const TableFile& file) { unlisted.push_back(file.number()); });
      });
  VersionRef second = Applied(first, EditFromText("", {{0, 1}}));
  EXPECT_TRUE(unlisted.empty());
  first.reset();
  EXPECT_EQ(unlisted, std::vector<uint64_t>{1});
  EXPECT_EQ(Numbers(second->level(0)), "2");
  second.reset();
}

/// goleveldb lists the tables that it recovered from logs twice.
TEST(VersionBuilder, CountsATableThatIsListedTwiceAlikeOnce) {
  const VersionRef result =
      Applied(EmptyVersion(), {EditFromText("L0: 4:[x..z] 4:[x..z] L1: 5:[a..c] 5:[a..c]"),
                               EditFromText("L0: 4:[x..z]"), EditFromText("", {{1, 5}})});
  ASSERT_NE(result, nullptr);
  EXPECT_EQ(Numbers(result->level(0)), "4");
  EXPECT_EQ(result->LevelBytes(0), 1u << 20);
  EXPECT_EQ(result->TableCount(1), 0);
}

TEST(VersionBuilder, RefusesEditsThatDoNotFit) {
  const VersionRef base = VersionFromText("L0: 1:[a..c] L1: 2:[a..c]");
  EXPECT_TRUE(BuildError(base, EditFromText("", {{1, 1}})).IsCorruption()) << "in another level";
  EXPECT_THAT(BuildError(base, EditFromText("", {{0, 7}})).ToString(), HasSubstr("table 7"));
  EXPECT_TRUE(BuildError(base, EditFromText("", {{0, 1}, {0, 1}})).IsCorruption());
  EXPECT_TRUE(BuildError(base, EditFromText("", {{kLevels, 1}})).IsCorruption());
  EXPECT_THAT(BuildError(base, EditFromText("L3: 2:[x..z]")).ToString(), HasSubstr("added twice"));
  EXPECT_TRUE(BuildError(base, EditFromText("L3: 4:[x..z] 4:[x..y]")).IsCorruption());
  EXPECT_TRUE(BuildError(base, EditFromText("L3: 4:[x..z] L4: 4:[x..z]")).IsCorruption());
  EXPECT_THAT(BuildError(base, EditFromText("L2: 2:[a..d]", {{1, 2}})).ToString(),
              HasSubstr("changed while it moved"));
}

TEST(VersionBuilder, RefusesOverlapsAndKeysOutOfOrder) {
  const VersionRef base = VersionFromText("L1: 2:[c..e]");
  EXPECT_THAT(BuildError(base, EditFromText("L1: 3:[a..c@1]")).ToString(),
              ::testing::AllOf(HasSubstr("level 1"), HasSubstr("tables 3 and 2")));
  EXPECT_TRUE(BuildError(base, EditFromText("L1: 3:[d..d]")).IsCorruption());
  EXPECT_TRUE(BuildError(base, EditFromText("L1: 3:[e@2..f]")).IsCorruption()) << "the same entry";
  EXPECT_TRUE(BuildError(base, EditFromText("L1: 3:[e@1..f]")).ok()) << "older entries of one key";
  EXPECT_TRUE(BuildError(base, EditFromText("L0: 3:[d..d]")).ok());
  EXPECT_THAT(BuildError(base, EditFromText("L0: 3:[d..c]")).ToString(),
              HasSubstr("ends before it begins"));
  EXPECT_TRUE(BuildError(base, EditFromText("L2: 3:[d@1..d@2]")).IsCorruption());

  VersionEdit stub = EditFromText("L4: 3:[a..b]");
  stub.new_tables[0].largest = "short";
  EXPECT_TRUE(BuildError(base, stub).IsCorruption());
}

}  // namespace
}  // namespace lull
