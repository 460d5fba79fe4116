// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// What reads count: a test does a few reads and compares what they added to lull.stats.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "leveldb/db.h"
#include "leveldb/filter_policy.h"
#include "lull/lull.h"
#include "tests/db/support/scripted_store.h"
#include "tests/db/support/store_files.h"
#include "tests/support/json_value.h"

namespace lull {
namespace {

using testing::Json;

class ReadCountsTest : public testing::ScriptedStoreTest {
 protected:
  using Counts = std::vector<uint64_t>;

  ReadCountsTest() { script_.Set(script_.Nothing()); }

  Json Reads() { return Stats()["reads"]; }
  /// How much `name` grew during `work`.
  template <class Work>
  Counts Added(const std::vector<const char*>& names, Work work) {
    const Json before = Reads();
    work();
    const Json after = Reads();
    Counts added;
    for (const char* name : names) added.push_back(after[name].Count() - before[name].Count());
    return added;
  }
  uint64_t EndedInLevel(int level) { return Reads()["gets_ended_in_level"][level].Count(); }
  std::string Get(const std::string& key) { return testing::ReadValue(db_.get(), key); }
  void OpenWithTablesAt(int level) {
    Open();
    Write(0, 100);
    ASSERT_TRUE(Flush(db_.get()).ok());
    if (level > 0) {
      db_->CompactRange(nullptr, nullptr);
      Write(200, 201);  // so that L1 does not have the whole range of keys
    }
  }
  /// A present key, then a thousand absent ones. A filter of 10 bits a key passes about one in a
  /// hundred of these.
  void ExpectFiltersCount(const std::string& filter) {
    const std::string checks = filter + "_checks", passes = filter + "_passes";
    const std::vector<const char*> names = {checks.c_str(), passes.c_str(), "filter_false_passes",
                                            "tables_searched"};
    EXPECT_EQ(Added(names, [&] { Get(KeyOf(7)); }), (Counts{1, 1, 0, 1}));
    const Counts absent = Added(names, [&] {
      for (uint64_t i = 0; i < 1000; ++i) Get(KeyOf(7) + std::to_string(i));
    });
    EXPECT_EQ(absent[0], 1000u);
    EXPECT_LT(absent[1], 200u);
    EXPECT_EQ(absent[2], absent[1]);
    EXPECT_EQ(absent[3], absent[1]);
  }
};

TEST_F(ReadCountsTest, GetsByWhatTheyFind) {
  Open();
  Write(0, 1);
  ASSERT_TRUE(db_->Delete({}, "deleted").ok());
  const std::vector<const char*> names = {"gets_found", "gets_not_found", "gets_ended_in_memory",
                                          "returned_bytes"};
  EXPECT_EQ(Added(names, [&] { Get(KeyOf(0)); }), (Counts{1, 0, 1, 1000}));
  EXPECT_EQ(Added(names, [&] { Get("deleted"); }), (Counts{0, 1, 1, 0}));
  EXPECT_EQ(Added(names, [&] { Get("absent"); }), (Counts{0, 1, 0, 0}));
}

TEST_F(ReadCountsTest, GetsByLevel) {
  OpenWithTablesAt(0);
  Get(KeyOf(5));
  EXPECT_EQ(EndedInLevel(0), 1u);
  db_->CompactRange(nullptr, nullptr);
  Get(KeyOf(5));
  EXPECT_EQ(EndedInLevel(0), 1u);
  uint64_t deeper = 0;
  for (int level = 1; level < 7; ++level) deeper += EndedInLevel(level);
  EXPECT_EQ(deeper, 1u);
}

TEST_F(ReadCountsTest, TablesAndBlocksOfAGet) {
  OpenWithTablesAt(0);
  const std::vector<const char*> names = {"tables_searched", "cache_blocks", "file_blocks"};
  EXPECT_EQ(Added(names, [&] { Get(KeyOf(7)); }), (Counts{1, 0, 1}));
  // The block cache can decide to take a block only at its second read.
  Get(KeyOf(7));
  EXPECT_EQ(Added(names, [&] { Get(KeyOf(7)); }), (Counts{1, 1, 0}));
  EXPECT_GE(Added({"file_block_bytes"}, [&] { Get(KeyOf(50)); })[0], 4000u);
}

TEST_F(ReadCountsTest, FiltersOfKeys) {
  OpenWithTablesAt(0);
  ExpectFiltersCount("key_filter");
}

TEST_F(ReadCountsTest, FiltersOfThePolicy) {
  const std::unique_ptr<const leveldb::FilterPolicy> policy(leveldb::NewBloomFilterPolicy(10));
  options_.filter_policy = policy.get();
  OpenWithTablesAt(1);
  ExpectFiltersCount("filter");
  db_.reset();
}

TEST_F(ReadCountsTest, Iterators) {
  Open();
  Write(0, 10);
  Write(3, 4);  // hides an older value
  ASSERT_TRUE(db_->Delete({}, KeyOf(5)).ok());
  EXPECT_EQ(Reads()["open_iterators"], 0);
  const std::vector<const char*> names = {"seeks", "steps", "entries_skipped", "returned_bytes"};
  const auto scan = [&](bool forward) {
    std::unique_ptr<leveldb::Iterator> iterator(db_->NewIterator({}));
    EXPECT_EQ(Reads()["open_iterators"], 1);
    forward ? iterator->SeekToFirst() : iterator->SeekToLast();
    while (iterator->Valid()) {
      EXPECT_EQ(iterator->value().size(), 1000u);
      forward ? iterator->Next() : iterator->Prev();
    }
  };
  const uint64_t bytes = 9 * (1000 + KeyOf(0).size());
  // The deletion. The iterator of a memtable shows no older entries.
  EXPECT_EQ(Added(names, [&] { scan(true); }), (Counts{1, 9, 1, bytes}));
  EXPECT_EQ(Added(names, [&] { scan(false); }), (Counts{1, 9, 1, bytes}));
  EXPECT_EQ(Reads()["open_iterators"], 0);
}

// ---- which tables have a key filter, and what it spares reads

/// A store with a table in L1 and one in L2. Both have "a" and "z"; L2 has "key" too.
class KeyFiltersTest : public testing::ScriptedStoreTest {
 protected:
  void OpenStore() {
    testing::StoreFiles files(&env_, name_);
    files.AddTable(1, "a@3=upper z@4=upper");
    files.AddTable(2, "a@1=lower key@2=lower z@2=lower");
    files.WriteManifest(0);
    Open();
  }
  /// Rewrites the table in L1: adds one to L0 and compacts them.
  void CompactIntoL1() {
    Put("a", "new");
    Put("z", "new");
    ASSERT_TRUE(Flush(db_.get()).ok());
    scheduling_.l0_trigger = 1;
    ASSERT_TRUE(SetOptions(db_.get(), "l0_trigger=1").ok());
    AwaitObeyed();
    ASSERT_TRUE(WaitForIdle(db_.get()).ok());
    ASSERT_EQ(TablesAt(0) + TablesAt(2), 1);
    ASSERT_EQ(TablesAt(1), 1);
  }
  uint64_t Bytes(const std::string& member) { return Stats()["memory"][member].Count(); }
  std::string Get(const std::string& key) { return testing::ReadValue(db_.get(), key); }
};

TEST_F(KeyFiltersTest, ACompactionAboveTheDeepestLevelBuildsOne) {
  OpenStore();
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
  OpenStore();
  CompactIntoL1();
  EXPECT_EQ(Bytes("key_filter_bytes"), 0u);
}

}  // namespace
}  // namespace lull
