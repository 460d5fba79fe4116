// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// With more tables than descriptors, indexes and filters stay in memory, and reads open files
// again.
#include "db/read/table_cache.h"

#include <algorithm>
#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "lull/call_profile.h"
#include "tests/db/support/many_tables.h"
#include "tests/support/rng.h"
#include "tests/util/threads.h"

namespace lull {
namespace {

class TableCacheTest : public testing::ManyTablesTest {
 protected:
  void ReadAll() {
    for (TableFile* table : all_) {
      ASSERT_TRUE(Read(table).ok());
      CloseDetached();
    }
  }
  void CloseDetached() {
    while (grace_.Collect() > 0) {
    }
  }
  std::unique_ptr<leveldb::Iterator> Iterate(TableFile* table) {
    return tables_->NewIterator(table, {});
  }
};

TEST_F(TableCacheTest, TablesWithoutADescriptorKeepTheirIndex) {
  Build(0, 60);
  ReadAll();
  EXPECT_EQ(env_.reads(), 2 * 60) << "index and block";
  const int opens = env_.opens();
  ReadAll();
  EXPECT_EQ(env_.reads(), 3 * 60) << "no index again: there is no block cache";
  EXPECT_EQ(env_.opens(), opens + 40) << "a descriptor stays for 20";
  const TableCache::Usage usage = tables_->GetUsage();
  EXPECT_EQ(usage.tables, 60u);
  EXPECT_EQ(usage.descriptors, 20u);
  EXPECT_EQ(env_.open_now(), 20);
  EXPECT_LE(env_.open_max(), 21) << "one more during an open";
  for (int round = 0; round < 20; ++round) ReadAll();
  EXPECT_EQ(env_.open_now(), 20);
}

TEST_F(TableCacheTest, AProfileTellsWhichReadsOpenTables) {
  Build(0, 3);
  CallProfile profile;
  ReadAll();
  EXPECT_EQ(profile.Count(CallPart::kTableOpen), 3u);
  EXPECT_GT(profile.Nanos(CallPart::kTableOpen), 0u);
  EXPECT_EQ(profile.Count(CallPart::kBlockRead), 3u);
  ReadAll();
  EXPECT_EQ(profile.Count(CallPart::kTableOpen), 3u);
  EXPECT_EQ(profile.Count(CallPart::kBlockRead), 6u);
}

TEST_F(TableCacheTest, ATableThatIsReadOftenGetsADescriptor) {
  Build(0, 60);
  ReadAll();
  ASSERT_EQ(OpenTables(), std::string(60, 'o'));
  for (int i = 0; i < 20; ++i) ASSERT_TRUE(Read(all_[0]).ok());
  CloseDetached();
  const int opens = env_.opens();
  for (int i = 0; i < 20; ++i) ASSERT_TRUE(Read(all_[0]).ok());
  EXPECT_EQ(env_.opens(), opens);
  EXPECT_EQ(tables_->GetUsage().descriptors, 20u);
  EXPECT_EQ(env_.open_now(), 20);
}

TEST_F(TableCacheTest, TablesPastBothLimitsAreEvicted) {
  Build(0, 60);
  ASSERT_TRUE(Read(all_[0]).ok());
  const uint64_t one = tables_->GetUsage().memory_bytes;
  EXPECT_GT(one, 100u);
  files_.context()->pace.reader_bytes_max = 40 * one;
  ReadAll();
  TableCache::Usage usage = tables_->GetUsage();
  EXPECT_EQ(usage.tables, 40u);
  EXPECT_EQ(usage.opened, 60u);
  EXPECT_EQ(usage.evicted, 20u);
  EXPECT_EQ(usage.memory_bytes, 40 * one);
  EXPECT_EQ(usage.descriptors, 20u);
  files_.context()->pace.reader_bytes_max = 1;
  ReadAll();
  usage = tables_->GetUsage();
  EXPECT_EQ(usage.tables, 20u) << "as many as there are descriptors stay";
  EXPECT_EQ(usage.memory_bytes, 20 * one);
  EXPECT_EQ(env_.open_now(), static_cast<int>(usage.descriptors));
  all_.clear();
  version_.reset();
  usage = tables_->GetUsage();
  EXPECT_EQ(usage.tables + usage.descriptors + usage.memory_bytes, 0u);
  EXPECT_EQ(env_.open_now(), 0);
}

TEST_F(TableCacheTest, OpeningAheadTakesNoDescriptorFromAnother) {
  Build(0, 30);
  for (TableFile* table : all_) tables_->OpenAhead(table);
  EXPECT_EQ(OpenTables(), std::string(30, 'o'));
  EXPECT_EQ(env_.open_now(), 20);
  const int opens = env_.opens();
  for (int i = 0; i < 20; ++i) ASSERT_TRUE(Read(all_[static_cast<size_t>(i)]).ok());
  EXPECT_EQ(env_.opens(), opens);
}

TEST_F(TableCacheTest, AnIteratorUsesATableThatWasEvicted) {
  Build(0, 100);
  std::unique_ptr<leveldb::Iterator> iterator = Iterate(all_[0]);
  for (size_t i = 1; i < all_.size(); ++i) {
    if (i == 60) files_.context()->pace.reader_bytes_max = 1;
    ASSERT_TRUE(Read(all_[i]).ok());
    CloseDetached();
  }
  ASSERT_EQ(OpenTables()[0], '.') << "first its file was closed, then it was evicted";
  for (int i = 0; i < 40; ++i) {
    iterator->Seek(MakeInternalKey("z", 1, ValueKind::kValue));  // releases the block
    iterator->SeekToFirst();
    ASSERT_TRUE(iterator->Valid()) << iterator->status().ToString();
    EXPECT_EQ(UserKeyOf(iterator->key()), all_[0]->smallest_user());
  }
  CloseDetached();
  iterator.reset();
  EXPECT_EQ(tables_->GetUsage().descriptors, 20u);
  EXPECT_EQ(env_.open_now(), 20) << "it took no descriptor";
}

TEST_F(TableCacheTest, ACompactionUsesTheIndexOfAnOpenTable) {
  Build(0, 2);
  ASSERT_TRUE(Read(all_[0]).ok());
  const auto keys_through = [&](const TableReader& reader) {
    BlockReadOptions options;
    options.readahead_bytes = 1 << 20;
    const auto iterator = reader.NewIterator(options);
    std::string keys;
    for (iterator->SeekToFirst(); iterator->Valid(); iterator->Next())
      keys += UserKeyOf(iterator->key()).ToString();
    EXPECT_TRUE(iterator->status().ok());
    return keys;
  };
  std::unique_ptr<TableReader> reader;
  const int reads = env_.reads();
  ASSERT_TRUE(tables_->OpenPrivately(*all_[0], &reader).ok());
  EXPECT_EQ(env_.reads(), reads) << "index and footer again";
  version_.reset();  // destroys the open table; the index stays
  CloseDetached();
  EXPECT_EQ(keys_through(*reader), KeyOf(0));
  EXPECT_EQ(env_.reads(), reads + 1);
}

TEST_F(TableCacheTest, ABlockInTheMemoryOfAFileOutlivesTheFile) {
  env_.lends = true;
  Build(0, 60);
  const std::unique_ptr<leveldb::Iterator> iterator = Iterate(all_[0]);
  iterator->SeekToFirst();
  ReadAll();
  ASSERT_FALSE(all_[0]->opened.load()->file()->IsOpen());
  ASSERT_TRUE(iterator->Valid());
  EXPECT_EQ(UserKeyOf(iterator->key()), all_[0]->smallest_user());
  EXPECT_EQ(iterator->value(), leveldb::Slice("value"));
}

TEST_F(TableCacheTest, AFileThatCannotBeOpenedAgainFailsOnlyItsReads) {
  Build(0, 60);
  ReadAll();
  const auto closed = std::find_if(all_.begin(), all_.end(), [](const TableFile* table) {
    return !table->opened.load()->file()->IsOpen();
  });
  ASSERT_NE(closed, all_.end());
  const std::string path = TableFileName("/store", (*closed)->number());
  ASSERT_TRUE(env_.RenameFile(path, "/store/away").ok());
  EXPECT_TRUE(Read(*closed).IsNotFound()) << "as the Env says";
  ASSERT_TRUE(env_.RenameFile("/store/away", path).ok());
  EXPECT_TRUE(Read(*closed).ok());
}

TEST_F(TableCacheTest, ThreadsReadWhileFilesCloseAndTablesAreEvicted) {
  Build(0, 60);
  ASSERT_TRUE(Read(all_[0]).ok());
  files_.context()->pace.reader_bytes_max = 50 * tables_->GetUsage().memory_bytes;
  std::atomic<int> failed{0};
  RunThreads(4, [&](int thread) {
    testing::Rng random(static_cast<uint64_t>(thread));
    for (int i = 0; i < 3000; ++i) {
      TableFile* const table = all_[random.Below(random.OneIn(2) ? 60 : 5)];
      if (random.OneIn(8)) {
        const std::unique_ptr<leveldb::Iterator> iterator = Iterate(table);
        iterator->SeekToFirst();
        if (!iterator->Valid()) failed.fetch_add(1);
      } else if (!Read(table).ok()) {
        failed.fetch_add(1);
      }
      if (random.OneIn(4)) grace_.Collect();
    }
  });
  CloseDetached();
  EXPECT_EQ(failed.load(), 0);
  const TableCache::Usage usage = tables_->GetUsage();
  EXPECT_EQ(usage.descriptors, 20u);
  EXPECT_EQ(env_.open_now(), 20);
  EXPECT_GE(usage.tables, 20u);
  EXPECT_LE(usage.tables, 52u);
}

}  // namespace
}  // namespace lull
