// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// The tables that a layout produces, seen through the public API; and stores that change the
// layout.
#include <algorithm>
#include <memory>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "lull/lull.h"
#include "tests/support/crash_env.h"
#include "util/random.h"

namespace lull {
namespace {

// Under `leveldb` each memtable is flushed by itself.
constexpr char kVsst[] =
    "policy=leveldb;layout=vsst;table_bytes_max=32K;growth_factor=4;vsst_phi=8";
constexpr uint64_t kTableBytesMax = 32 << 10;
// The largest excess of a table: a block not yet written, its last entry, filter and index.
constexpr uint64_t kOverBytes = 8 << 10;
constexpr int kKeys = 1500;

struct ListedTable {
  int level;
  uint64_t bytes;
  std::string smallest, largest;  // user keys
};

class LayoutStoreTest : public ::testing::Test {
 protected:
  void OpenWith(const std::string& scheduling) {
    db_.reset();
    leveldb::Options options;
    options.env = &env_;
    options.create_if_missing = true;
    options.write_buffer_size = 64 << 10;
    leveldb::DB* raw = nullptr;
    const leveldb::Status status = Open(options, scheduling, "/store", &raw);
    ASSERT_TRUE(status.ok()) << status.ToString();
    db_.reset(raw);
  }

  static std::string Key(uint64_t i) { return "key" + std::to_string(10000 + i); }

  // Overwrites `count` keys at random; values cannot be compressed.
  void Overwrite(int count) {
    if (values_.empty()) values_.resize(kKeys);
    for (int i = 0; i < count; ++i) {
      const uint64_t key = random_.Uniform(kKeys);
      std::string& value = values_[key];
      value.clear();
      while (value.size() < 400) value.push_back(static_cast<char>(random_.Uniform(256)));
      ASSERT_TRUE(db_->Put(leveldb::WriteOptions(), Key(key), value).ok());
    }
    ASSERT_TRUE(WaitForIdle(db_.get()).ok());
  }

  void CheckValues() {
    for (uint64_t i = 0; i < kKeys; ++i) {
      std::string value;
      const leveldb::Status status = db_->Get(leveldb::ReadOptions(), Key(i), &value);
      ASSERT_TRUE(status.ok() || (status.IsNotFound() && values_[i].empty())) << Key(i);
      ASSERT_EQ(value, values_[i]) << Key(i);
    }
  }

  std::vector<ListedTable> Tables() {
    std::string text;
    EXPECT_TRUE(db_->GetProperty("leveldb.sstables", &text));
    static const std::regex kTable(R"( \d+:(\d+)\['(\w+)' @ .* \.\. '(\w+)' @ .*\])");
    std::vector<ListedTable> tables;
    std::istringstream lines(text);
    int level = -1;
    for (std::string line; std::getline(lines, line);) {
      std::smatch match;
      if (line.starts_with("---")) ++level;
      if (std::regex_match(line, match, kTable)) {
        tables.push_back({level, std::stoull(match[1]), match[2], match[3]});
      }
    }
    EXPECT_FALSE(tables.empty()) << text;
    return tables;
  }

  uint64_t LevelBytes(int level) {
    uint64_t bytes = 0;
    for (const ListedTable& table : Tables()) bytes += table.level == level ? table.bytes : 0;
    return bytes;
  }

  // The number after the first `name` in the property lull.layout.
  uint64_t Figure(const std::string& name) {
    std::string text;
    EXPECT_TRUE(db_->GetProperty("lull.layout", &text));
    const size_t at = text.find("\"" + name + "\":");
    EXPECT_NE(at, std::string::npos) << name << " in " << text;
    return at == std::string::npos ? 0 : std::stoull(text.substr(at + name.size() + 3));
  }

  testing::CrashEnv env_;
  Random random_{7};
  std::vector<std::string> values_;
  std::unique_ptr<leveldb::DB> db_;
};

TEST_F(LayoutStoreTest, VsstKeepsItsSizes) {
  OpenWith(kVsst);
  Overwrite(4000);
  CheckValues();
  EXPECT_EQ(LevelBytes(0), 0u) << "one table is due";
  EXPECT_LT(LevelBytes(1), 4 * kTableBytesMax);
  EXPECT_GT(LevelBytes(2), 4 * kTableBytesMax);
  const std::vector<ListedTable> tables = Tables();
  for (const ListedTable& table : tables) {
    EXPECT_LT(table.bytes, kTableBytesMax + kOverBytes) << "in L" << table.level;
  }
  EXPECT_TRUE(std::any_of(tables.begin(), tables.end(),
                          [](const ListedTable& table) { return table.level == 1; }));
}

TEST_F(LayoutStoreTest, AKeyWithManyVersionsIsNotSplit) {
  for (const std::string layout : {kVsst, "layout=leveled;table_bytes_max=32K;l0_trigger=1"}) {
    OpenWith(layout);
    Overwrite(500);
    std::vector<const leveldb::Snapshot*> snapshots;
    for (int i = 0; i < 300; ++i) {
      const std::string value(400, static_cast<char>('a' + i % 26));
      ASSERT_TRUE(db_->Put(leveldb::WriteOptions(), Key(700), value + std::to_string(i)).ok());
      values_[700] = value + std::to_string(i);
      snapshots.push_back(db_->GetSnapshot());
    }
    Overwrite(1000);
    const std::vector<ListedTable> tables = Tables();
    for (size_t i = 1; i < tables.size(); ++i) {
      if (tables[i].level == 0 || tables[i].level != tables[i - 1].level) continue;
      EXPECT_LT(tables[i - 1].largest, tables[i].smallest) << "L" << tables[i].level;
    }
    CheckValues();
    for (const leveldb::Snapshot* snapshot : snapshots) db_->ReleaseSnapshot(snapshot);
  }
}

TEST_F(LayoutStoreTest, AStoreTakesAnotherLayoutEachTime) {
  const std::string layouts[] = {
      "layout=leveled;table_bytes_max=16K",
      kVsst,
      "layout=vsst;table_bytes_max=8K;growth_factor=1;vsst_phi=1",
      "layout=leveled",
      "layout=vsst;table_bytes_max=4K;growth_factor=1000;vsst_phi=1000",
      "layout=leveled;growth_factor=2;table_bytes_max=16K;pick_by_overlap=true;policy=leveldb"};
  for (int round = 0; round < 2; ++round) {
    for (const std::string& layout : layouts) {
      SCOPED_TRACE(layout);
      OpenWith(layout);
      if (!values_.empty()) CheckValues();
      Overwrite(600);
      CheckValues();
    }
  }
}

TEST_F(LayoutStoreTest, SequentialWritesAreMoved) {
  OpenWith(kVsst);
  for (uint64_t i = 0; i < kKeys; ++i) {
    std::string value(400, static_cast<char>(random_.Uniform(256)));
    ASSERT_TRUE(db_->Put(leveldb::WriteOptions(), Key(i), value).ok());
  }
  ASSERT_TRUE(WaitForIdle(db_.get()).ok());
  EXPECT_GT(Figure("moves"), 0u);
  EXPECT_EQ(Figure("lower_bytes"), 0u) << "from L0";
}

TEST_F(LayoutStoreTest, CountsWhatItDoes) {
  OpenWith(kVsst);
  Overwrite(4000);
  EXPECT_EQ(Figure("table_bytes_max"), kTableBytesMax);
  EXPECT_GT(Figure("merges"), 0u);
  EXPECT_GT(Figure("lower_bytes"), 0u);
  EXPECT_GT(Figure("count"), 0u) << "flushes";
  EXPECT_GE(Figure("memtables"), Figure("count"));
  EXPECT_GE(Figure("merges_sum"), Figure("merges_max"));
  EXPECT_GE(Figure("width_bytes_sum"), Figure("width_bytes_max"));
  EXPECT_LE(Figure("length_max"), 6u);
  std::string text;
  EXPECT_FALSE(db_->GetProperty("lull.layouts", &text));
}

}  // namespace
}  // namespace lull
