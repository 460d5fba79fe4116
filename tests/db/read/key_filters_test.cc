// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Which tables of a store have a key filter, and what it spares reads.
#include <memory>
#include <string>

#include "gtest/gtest.h"
#include "leveldb/db.h"
#include "leveldb/filter_policy.h"
#include "lull/lull.h"
#include "tests/db/support/scripted_store.h"
#include "tests/db/support/store_files.h"
#include "tests/support/json_value.h"

namespace lull {
namespace {

/// A store with a table in L1 and one in L2. Both have "a" and "z"; L2 has "key" too.
class KeyFiltersTest : public testing::ScriptedStoreTest {
 protected:
  void MakeStore() {
    testing::StoreFiles files(&env_, name_);
    files.AddTable(1, "a@3=upper z@4=upper");
    files.AddTable(2, "a@1=lower key@2=lower z@2=lower");
    files.WriteManifest(0);
  }
  /// Rewrites the table in L1: adds one to L0 and compacts them.
  void CompactIntoL1() {
    for (const char* const key : {"a", "z"})
      ASSERT_TRUE(db_->Put(leveldb::WriteOptions(), key, "new").ok());
    ASSERT_TRUE(Flush(db_.get()).ok());
    scheduling_.l0_trigger = 1;
    ASSERT_TRUE(SetOptions(db_.get(), "l0_trigger=1").ok());
    AwaitObeyed();
    ASSERT_TRUE(WaitForIdle(db_.get()).ok());
    ASSERT_EQ(TablesAt(0) + TablesAt(2), 1);
    ASSERT_EQ(TablesAt(1), 1);
  }
  int TablesAt(int level) {
    std::string count;
    EXPECT_TRUE(db_->GetProperty("leveldb.num-files-at-level" + std::to_string(level), &count));
    return std::stoi(count);
  }
  uint64_t Bytes(const std::string& member) {
    std::string text;
    EXPECT_TRUE(db_->GetProperty("lull.stats", &text));
    return testing::Json::Parse(text)["memory"][member].Count();
  }
  std::string Get(const std::string& key) {
    std::string value;
    const leveldb::Status status = db_->Get(leveldb::ReadOptions(), key, &value);
    return status.ok() ? value : status.ToString();
  }
};

TEST_F(KeyFiltersTest, ACompactionAboveTheDeepestLevelBuildsOne) {
  MakeStore();
  Open();
  EXPECT_EQ(Bytes("key_filter_bytes"), 0u);
  CompactIntoL1();
  EXPECT_EQ(Bytes("key_filter_bytes"), 64u);
  ASSERT_EQ(Bytes("block_cache_bytes"), 0u);
  EXPECT_EQ(Get("key"), "lower");
  const uint64_t one_block = Bytes("block_cache_bytes");
  EXPECT_EQ(Get("a"), "new");
  EXPECT_EQ(Get("z"), "new");
  EXPECT_GT(Bytes("block_cache_bytes"), one_block) << "the search for key read L1 too";
}

TEST_F(KeyFiltersTest, ATableWithItsOwnFilterHasNone) {
  const std::unique_ptr<const leveldb::FilterPolicy> bloom(leveldb::NewBloomFilterPolicy(10));
  options_.filter_policy = bloom.get();
  MakeStore();
  Open();
  CompactIntoL1();
  EXPECT_EQ(Bytes("key_filter_bytes"), 0u);
}

}  // namespace
}  // namespace lull
