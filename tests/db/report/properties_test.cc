// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// LevelDB 1.23 wrote the expected texts, for a store with the same tables.
#include "db/report/properties.h"

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "tests/db/support/version_text.h"

namespace lull::testing {
namespace {

constexpr char kStatsHeader[] =
    "                               Compactions\n"
    "Level  Files Size(MB) Time(sec) Read(MB) Write(MB)\n"
    "--------------------------------------------------\n";

TableMeta Table(int level, uint64_t number, uint64_t file_bytes,
                std::pair<std::string, SequenceNumber> smallest,
                std::pair<std::string, SequenceNumber> largest) {
  return {level, number, file_bytes,
          MakeInternalKey(smallest.first, smallest.second, ValueKind::kValue),
          MakeInternalKey(largest.first, largest.second, ValueKind::kValue)};
}

VersionRef MakeVersion(std::vector<TableMeta> tables) {
  VersionEdit edit;
  edit.new_tables = std::move(tables);
  return Applied(EmptyVersion(), edit);
}

VersionRef SampleVersion() {
  const std::string odd("k\x00\xff\n'x", 6);
  return MakeVersion({Table(0, 32, 50134, {"kez000001", 5146}, {"kez002994", 5145}),
                      Table(0, 28, 50134, {"kez000002", 4289}, {"kez002995", 4288}),
                      Table(0, 30, 50126, {"kez000005", 4718}, {"kez002998", 4717}),
                      Table(1, 26, 50134, {"kez000006", 3861}, {"kez002999", 3860}),
                      Table(2, 22, 342422, {odd, 1}, {"key002999", 860}),
                      Table(2, 24, 50126, {"kez000000", 3003}, {"kez002996", 3431})});
}

class PropertiesTest : public ::testing::Test {
 protected:
  std::string Get(const std::string& property) {
    std::string text = "left over";
    known_ = RenderProperty(property, source_, &text);
    return text;
  }
  std::string GetKnown(const std::string& property) {
    std::string text = Get(property);
    EXPECT_TRUE(known_) << property;
    return text;
  }

  VersionRef empty_ = EmptyVersion();
  VersionRef sample_ = SampleVersion();
  PropertySource source_{sample_.get(), {}, 0};
  bool known_ = false;
};

TEST_F(PropertiesTest, FilesAtLevelAndMemoryUsage) {
  source_.memory_bytes = UINT64_MAX;
  for (const auto& [name, text] : std::map<std::string, std::string>{
           {"leveldb.num-files-at-level0", "3"},
           {"leveldb.num-files-at-level2", "2"},
           {"leveldb.num-files-at-level6", "0"},
           {"leveldb.num-files-at-level00", "3"},
           {"leveldb.approximate-memory-usage", "18446744073709551615"}}) {
    EXPECT_EQ(GetKnown(name), text);
  }
}

TEST_F(PropertiesTest, UnknownNames) {
  for (const char* name :
       {"", "leveldb", "leveldb.", "stats", "Leveldb.stats", "leveldb.statsx", "leveldb.sstablesx",
        "leveldb.stats ", "leveldb.approximate-memory-usage1", "leveldb.num-files-at-level",
        "leveldb.num-files-at-level7", "leveldb.num-files-at-level-1",
        "leveldb.num-files-at-level1x", "leveldb.num-files-at-level 0",
        "leveldb.num-files-at-level4294967296", "leveldb.num-files-at-level18446744073709551616"}) {
    EXPECT_EQ(Get(name), "") << name;
    EXPECT_FALSE(known_) << name;
  }
}

TEST_F(PropertiesTest, StatsListLevelsWithFilesOrTime) {
  source_.stats[1] = {0, 1 << 20, 1 << 20};
  EXPECT_EQ(GetKnown("leveldb.stats"), std::string(kStatsHeader) +
                                           "  0        3        0         0        0         0\n"
                                           "  1        1        0         0        1         1\n"
                                           "  2        2        0         0        0         0\n");
  source_.stats[4] = {1, 0, 0};
  EXPECT_NE(GetKnown("leveldb.stats").find("\n  4        0"), std::string::npos);
  // A level with only bytes gets no row.
  source_.stats[5] = {0, 1 << 30, 1 << 30};
  EXPECT_EQ(GetKnown("leveldb.stats").find("\n  5"), std::string::npos);
}

TEST_F(PropertiesTest, StatsCountInMebibytesAndSeconds) {
  source_.version = empty_.get();
  EXPECT_EQ(GetKnown("leveldb.stats"), kStatsHeader);
  source_.stats[3] = {1'500'001, uint64_t{2500} << 20, (uint64_t{7} << 20) - (1 << 18)};
  EXPECT_EQ(GetKnown("leveldb.stats"),
            std::string(kStatsHeader) + "  3        0        0         2     2500         7\n");
  // Numbers wider than their column widen the row; nothing is cut off.
  source_.stats[3] = {UINT64_MAX, UINT64_MAX, UINT64_MAX};
  EXPECT_EQ(GetKnown("leveldb.stats"),
            std::string(kStatsHeader) +
                "  3        0        0 18446744073710 17592186044416 17592186044416\n");
}

TEST_F(PropertiesTest, TablesAreListedByLevelInKeyOrder) {
  EXPECT_EQ(GetKnown("leveldb.sstables"),
            "--- level 0 ---\n"
            " 32:50134['kez000001' @ 5146 : 1 .. 'kez002994' @ 5145 : 1]\n"
            " 28:50134['kez000002' @ 4289 : 1 .. 'kez002995' @ 4288 : 1]\n"
            " 30:50126['kez000005' @ 4718 : 1 .. 'kez002998' @ 4717 : 1]\n"
            "--- level 1 ---\n"
            " 26:50134['kez000006' @ 3861 : 1 .. 'kez002999' @ 3860 : 1]\n"
            "--- level 2 ---\n"
            " 22:342422['k\\x00\\xff\\x0a'x' @ 1 : 1 .. 'key002999' @ 860 : 1]\n"
            " 24:50126['kez000000' @ 3003 : 1 .. 'kez002996' @ 3431 : 1]\n"
            "--- level 3 ---\n--- level 4 ---\n--- level 5 ---\n--- level 6 ---\n");
}

TEST_F(PropertiesTest, TablesWithOneSmallestKeyAreListedByNumber) {
  const VersionRef version =
      MakeVersion({Table(0, 9, 1, {"a", 5}, {"b", 6}), Table(0, 7, 2, {"a", 5}, {"c", 7}),
                   Table(0, 8, 3, {"a", 9}, {"a", 9})});
  source_.version = version.get();
  const std::string text = GetKnown("leveldb.sstables");
  EXPECT_EQ(text.substr(0, text.find("--- level 1")),
            "--- level 0 ---\n"
            " 8:3['a' @ 9 : 1 .. 'a' @ 9 : 1]\n"
            " 7:2['a' @ 5 : 1 .. 'c' @ 7 : 1]\n"
            " 9:1['a' @ 5 : 1 .. 'b' @ 6 : 1]\n");
}

}  // namespace
}  // namespace lull::testing
