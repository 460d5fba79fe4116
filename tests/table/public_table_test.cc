// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// The public interfaces: leveldb::Table and leveldb::TableBuilder.
#include <gtest/gtest.h>

#include "leveldb/cache.h"
#include "leveldb/filter_policy.h"
#include "leveldb/options.h"
#include "leveldb/table.h"
#include "leveldb/table_builder.h"
#include "tests/support/option_sets.h"
#include "tests/table/table_test_util.h"

namespace lull {
namespace {

using testing::Entries;
using testing::Status;

TEST(PublicTableTest, BuildsAndReads) {
  Random random(41);
  const std::unique_ptr<const leveldb::FilterPolicy> bloom(leveldb::NewBloomFilterPolicy(10));
  const std::unique_ptr<leveldb::Cache> cache(leveldb::NewLRUCache(1 << 20));
  for (const leveldb::Comparator* comparator :
       {leveldb::BytewiseComparator(), testing::ReverseComparator()}) {
    const Entries entries =
        testing::RandomEntries(&random, {comparator, KeyOrder::Keys::kUser}, 500, 50);
    leveldb::Options options;
    options.comparator = comparator;
    options.filter_policy = bloom.get();
    options.block_cache = cache.get();
    options.block_size = 512;
    testing::MemorySink sink;
    leveldb::TableBuilder builder(options, &sink);
    for (const auto& [key, value] : entries) builder.Add(key, value);
    ASSERT_TRUE(builder.status().ok());
    ASSERT_TRUE(builder.Finish().ok());
    EXPECT_EQ(entries.size(), builder.NumEntries());
    EXPECT_EQ(sink.bytes.size(), builder.FileSize());

    testing::MemoryFile file(sink.bytes);
    leveldb::Table* opened = nullptr;
    ASSERT_TRUE(leveldb::Table::Open(options, &file, sink.bytes.size(), &opened).ok());
    const std::unique_ptr<leveldb::Table> table(opened);
    leveldb::ReadOptions read;
    read.verify_checksums = true;
    const std::unique_ptr<leveldb::Iterator> iterator(table->NewIterator(read));
    testing::ExpectHolds(iterator.get(), entries);
    EXPECT_EQ(0u, table->ApproximateOffsetOf(entries.begin()->first));
  }
}

TEST(PublicTableTest, FailedOpenGivesNoTable) {
  testing::MemoryFile file("no table at all, and far from it; but long enough for a footer");
  leveldb::Table* table = reinterpret_cast<leveldb::Table*>(1);
  const Status status = leveldb::Table::Open(leveldb::Options(), &file, 60, &table);
  EXPECT_TRUE(status.IsCorruption()) << status.ToString();
  EXPECT_EQ(nullptr, table);
}

TEST(PublicTableTest, ChangeOptionsKeepsTheComparator) {
  testing::MemorySink sink;
  leveldb::Options options;
  leveldb::TableBuilder builder(options, &sink);
  options.block_size = 100;
  EXPECT_TRUE(builder.ChangeOptions(options).ok());
  options.comparator = testing::ReverseComparator();
  EXPECT_TRUE(builder.ChangeOptions(options).IsInvalidArgument());
  builder.Add("a", std::string(200, 'x'));
  EXPECT_GT(builder.FileSize(), 0u);
  builder.Abandon();
}

/// leveldbutil dumps a store's tables with the byte-wise comparator, so internal keys seem out of
/// order.
TEST(PublicTableTest, ReadsInternalKeysAsBytes) {
  const KeyOrder order = testing::InternalOrder();
  Entries entries(testing::LessByOrder{order});
  for (uint64_t i = 0; i < 500; ++i)
    entries[testing::InternalKey("k" + std::to_string(i / 10), i)] = std::to_string(i);
  TableWriteOptions write;
  write.order = order;
  write.block_bytes = 64;
  const std::string bytes = BuildTable(write, entries);
  testing::MemoryFile file(bytes);
  leveldb::Table* opened = nullptr;
  ASSERT_TRUE(leveldb::Table::Open(leveldb::Options(), &file, bytes.size(), &opened).ok());
  const std::unique_ptr<leveldb::Table> table(opened);
  const std::unique_ptr<leveldb::Iterator> iterator(table->NewIterator(leveldb::ReadOptions()));
  testing::ExpectHolds(iterator.get(), entries);
}

}  // namespace
}  // namespace lull
