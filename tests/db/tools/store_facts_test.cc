// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// The facts of stores that were written with known options.
#include "db/tools/store_facts.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "db/base/filename.h"
#include "leveldb/db.h"
#include "leveldb/filter_policy.h"
#include "leveldb/helpers/memenv.h"
#include "lull/lull.h"
#include "table/compression.h"
#include "tests/db/support/expect_ok.h"
#include "tests/db/support/small_store.h"

namespace lull::tools {
namespace {

using lull::testing::IsOk;
using lull::testing::OpenAt;

constexpr char kStore[] = "/store";

/// In memory.
class StoreFactsTest : public ::testing::Test {
 protected:
  StoreFactsTest() : env_(leveldb::NewMemEnv(leveldb::Env::Default())) {
    options_.env = env_.get();
    options_.create_if_missing = true;
  }

  StoreFacts Facts() const { return FindStoreFacts(options_, kStore); }

  const std::unique_ptr<leveldb::Env> env_;
  leveldb::Options options_;
};

struct Case {
  const char* name;
  leveldb::CompressionType compression;
  int bloom_bits;
  size_t block_bytes;
  size_t table_mib;  // 0: too little data to show it
  size_t value_bytes;
  int entries;
};

const Case kCases[] = {
    {"plain", leveldb::kNoCompression, 0, 4096, 0, 100, 3000},
    {"plain with a filter", leveldb::kNoCompression, 10, 4096, 0, 100, 3000},
    {"snappy", leveldb::kSnappyCompression, 0, 4096, 0, 100, 3000},
    {"zstd with a filter", leveldb::kZstdCompression, 10, 4096, 0, 100, 3000},
    {"two bits", leveldb::kNoCompression, 2, 4096, 0, 100, 3000},
    {"nine bits", leveldb::kNoCompression, 9, 4096, 0, 100, 3000},
    {"many bits", leveldb::kSnappyCompression, 40, 4096, 0, 100, 3000},
    {"large values", leveldb::kNoCompression, 10, 4096, 0, 9000, 100},
    {"small blocks", leveldb::kNoCompression, 10, 1024, 0, 50, 3000},
    {"large blocks", leveldb::kSnappyCompression, 6, 64 << 10, 0, 100, 9000},
    {"blocks of a strange size", leveldb::kNoCompression, 10, 5000, 0, 20, 9000},
    {"tables of LevelDB's default size", leveldb::kNoCompression, 10, 4096, 2, 8000, 2000},
    {"large tables", leveldb::kNoCompression, 10, 4096, 4, 8000, 3000},
};

/// Compressible.
std::string ValueOf(int entry, size_t bytes) {
  std::string value = std::to_string(entry);
  while (value.size() < bytes) value += value;
  value.resize(bytes);
  return value;
}

void WriteStore(const Case& c, leveldb::Options options) {
  const std::unique_ptr<const leveldb::FilterPolicy> filter(
      leveldb::NewBloomFilterPolicy(c.bloom_bits));
  options.compression = c.compression;
  if (c.bloom_bits > 0) options.filter_policy = filter.get();
  options.block_size = c.block_bytes;
  SchedulingOptions scheduling;
  if (c.table_mib > 0) scheduling.Set("table_bytes_max", std::to_string(c.table_mib) + "M");
  std::unique_ptr<leveldb::DB> db;
  ASSERT_TRUE(IsOk(OpenAt(options, kStore, &db, scheduling)));
  for (int round = 0; round < 2; ++round) {
    for (int i = 0; i < c.entries; ++i) {
      ASSERT_TRUE(IsOk(db->Put({}, std::to_string(100'000 + i), ValueOf(i, c.value_bytes))));
    }
    db->CompactRange(nullptr, nullptr);
  }
}

TEST_F(StoreFactsTest, AreTheOptionsOfTheWriter) {
  const size_t usual_table_bytes = leveldb::Options().max_file_size;
  for (const Case& c : kCases) {
    SCOPED_TRACE(c.name);
    if (!CanDecompress(CodecOf(c.compression))) continue;
    WriteStore(c, options_);
    for (const bool has_manifest : {true, false}) {
      if (!has_manifest) env_->RemoveFile(CurrentFileName(kStore));
      const StoreFacts facts = Facts();
      EXPECT_EQ(facts.codec, CodecOf(c.compression));
      EXPECT_EQ(facts.bloom_bits, c.bloom_bits);
      EXPECT_NEAR(static_cast<double>(facts.block_bytes), static_cast<double>(c.block_bytes), 50);
      size_t table_bytes = usual_table_bytes;
      if (has_manifest && c.table_mib > 0) table_bytes = c.table_mib << 20;
      // With the default itself, tables would grow with their level.
      const bool is_shown_default = has_manifest && c.table_mib == 2;
      EXPECT_EQ(facts.table_bytes, table_bytes + is_shown_default);
    }
    std::vector<std::string> names;
    env_->GetChildren(kStore, &names);
    for (const std::string& name : names) env_->RemoveFile(std::string(kStore) + "/" + name);
  }
}

TEST_F(StoreFactsTest, OfAStoreWithoutTablesAreThoseThatEveryLevelDBReads) {
  for (const bool exists : {false, true}) {
    if (exists) {
      std::unique_ptr<leveldb::DB> db;
      ASSERT_TRUE(IsOk(OpenAt(options_, kStore, &db)));
      ASSERT_TRUE(IsOk(db->Put({}, "key", std::string(1000, 'v'))));
    }
    const StoreFacts facts = Facts();
    EXPECT_EQ(facts.codec, Codec::kNone);
    EXPECT_EQ(facts.bloom_bits, 0);
    EXPECT_EQ(facts.block_bytes, leveldb::Options().block_size);
    EXPECT_EQ(facts.table_bytes, leveldb::Options().max_file_size);
  }
}

TEST_F(StoreFactsTest, MostBytesDecide) {
  if (!CanDecompress(Codec::kSnappy)) GTEST_SKIP() << "a build without snappy";
  const auto add = [&](leveldb::CompressionType compression, const char* prefix, int entries) {
    options_.compression = compression;
    std::unique_ptr<leveldb::DB> db;
    ASSERT_TRUE(
        IsOk(OpenAt(options_, kStore, &db, "l0_trigger=1000;l0_slowdown=1000;l0_stop=1000")));
    for (int i = 0; i < entries; ++i)
      ASSERT_TRUE(IsOk(db->Put({}, prefix + std::to_string(i), ValueOf(i, 500))));
    ASSERT_TRUE(IsOk(Flush(db.get())));
  };
  add(leveldb::kNoCompression, "a", 1000);
  add(leveldb::kSnappyCompression, "b", 100);
  add(leveldb::kSnappyCompression, "c", 100);
  EXPECT_EQ(Facts().codec, Codec::kNone);
  for (const char* prefix : {"d", "e"}) add(leveldb::kSnappyCompression, prefix, 7000);
  EXPECT_EQ(Facts().codec, Codec::kSnappy);
}

}  // namespace
}  // namespace lull::tools
