// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Tables written and read back.
#include <gtest/gtest.h>

#include <functional>

#include "leveldb/cache.h"
#include "leveldb/filter_policy.h"
#include "table/format.h"
#include "tests/support/option_sets.h"
#include "tests/table/table_test_util.h"
#include "util/thread.h"

namespace lull {
namespace {

using testing::Entries;
using testing::Found;
using testing::GetInto;
using testing::Iterator;
using testing::Slice;
using testing::Status;

struct Shape {
  leveldb::CompressionType compression;
  bool filter;
  bool cache;
  bool mapped;
  size_t block_bytes;
  int restart_interval;
};

void CheckRoundTrip(const KeyOrder& order, const Shape& shape, const Entries& entries,
                    Random* random) {
  const std::unique_ptr<const leveldb::FilterPolicy> bloom(leveldb::NewBloomFilterPolicy(10));
  const std::unique_ptr<leveldb::Cache> cache(leveldb::NewLRUCache(20000));
  TableWriteOptions write;
  write.order = order;
  write.compression = shape.compression;
  write.block_bytes = shape.block_bytes;
  write.block_restart_interval = shape.restart_interval;
  TableReadOptions read;
  read.order = order;
  read.paranoid_checks = true;
  if (shape.filter) write.filter_policy = read.filter_policy = bloom.get();
  if (shape.cache) read.block_cache = cache.get();
  testing::FileProbe probe;
  probe.mapped = shape.mapped;
  std::unique_ptr<TableReader> reader;
  const Status status = testing::OpenTableBytes(read, BuildTable(write, entries), &reader, &probe);
  ASSERT_TRUE(status.ok()) << status.ToString();

  for (const size_t readahead : {0, 1, 1000, 1 << 20}) {
    BlockReadOptions options;
    options.verify_checksums = true;
    options.readahead_bytes = readahead;
    options.fill_cache = random->OneIn(2);
    const std::unique_ptr<Iterator> iterator = reader->NewIterator(options);
    ASSERT_FALSE(iterator->Valid());
    testing::ExpectHolds(iterator.get(), entries);
    testing::WalkAtRandom(iterator.get(), entries, random, 300);
    ASSERT_TRUE(iterator->status().ok()) << iterator->status().ToString();
  }
  for (const auto& [key, value] : entries) {
    Found found;
    ASSERT_TRUE(GetInto(*reader, {}, key, &found).ok());
    ASSERT_TRUE(found.called);
    ASSERT_EQ(key, found.key);
    ASSERT_EQ(value, found.value);
  }
  for (int i = 0; i < 200; ++i) {
    const std::string target = testing::RandomKey(random, order);
    Found found;
    ASSERT_TRUE(GetInto(*reader, {}, target, &found).ok());
    const auto expected = entries.lower_bound(target);
    const bool same_user_key =
        expected != entries.end() &&
        order.CompareUser(order.UserKey(expected->first), order.UserKey(target)) == 0;
    if (found.called) {
      ASSERT_EQ(expected->first, found.key);
      ASSERT_EQ(expected->second, found.value);
    } else {
      ASSERT_FALSE(same_user_key);
    }
  }
}

TEST(TableTest, RoundTripOverOrdersShapesAndSizes) {
  constexpr uint64_t kSeed = 20260101;
  SCOPED_TRACE("seed " + std::to_string(kSeed));
  Random random(kSeed);
  const KeyOrder orders[] = {testing::UserOrder(),
                             {testing::ReverseComparator(), KeyOrder::Keys::kUser},
                             testing::InternalOrder(),
                             {testing::ReverseComparator(), KeyOrder::Keys::kInternal}};
  const leveldb::CompressionType compressions[] = {
      leveldb::kNoCompression, leveldb::kSnappyCompression, leveldb::kZstdCompression};
  for (const KeyOrder& order : orders) {
    for (const leveldb::CompressionType compression : compressions) {
      for (const size_t count : {0, 1, 3, 60, 700}) {
        const Shape shape{compression,
                          random.OneIn(2),
                          random.OneIn(2),
                          random.OneIn(2),
                          size_t{1} << random.Uniform(14),
                          1 << random.Uniform(6)};
        const Entries entries =
            testing::RandomEntries(&random, order, count, random.OneIn(4) ? 3000 : 60);
        ASSERT_NO_FATAL_FAILURE(CheckRoundTrip(order, shape, entries, &random));
      }
    }
  }
}

TEST(TableTest, HugeValues) {
  Random random(4);
  Entries entries(testing::LessByOrder{testing::UserOrder()});
  // zstd compresses it to almost nothing, snappy to a twentieth.
  entries["a"] = std::string(20 << 20, 'z');
  entries["b"] = "small";
  entries["c"] = testing::RandomValue(&random, 3 << 20);
  entries[std::string(100000, 'k')] = "after a huge key";
  for (const leveldb::CompressionType compression :
       {leveldb::kNoCompression, leveldb::kSnappyCompression, leveldb::kZstdCompression}) {
    TableWriteOptions write;
    write.compression = compression;
    std::unique_ptr<TableReader> reader;
    ASSERT_TRUE(testing::OpenTableBytes({}, BuildTable(write, entries), &reader).ok());
    for (const size_t readahead : {0, 50000}) {
      BlockReadOptions options;
      options.readahead_bytes = readahead;
      testing::ExpectHolds(reader->NewIterator(options).get(), entries);
    }
  }
}

TEST(TableTest, CompressionThatSavesLittleIsNotUsed) {
  Random random(8);
  std::string noise(4000, '\0');
  for (char& c : noise) c = static_cast<char>(random.Next());
  Entries entries(testing::LessByOrder{testing::UserOrder()});
  entries["k"] = noise;
  TableWriteOptions write;
  write.compression = leveldb::kNoCompression;
  const std::string raw = BuildTable(write, entries);
  write.compression = leveldb::kZstdCompression;
  EXPECT_EQ(raw, BuildTable(write, entries));
  if (testing::LacksALibrary()) return;
  entries["k"] = std::string(4000, 'n');
  EXPECT_LT(BuildTable(write, entries).size(), 200u);
}

TEST(TableTest, ZstdLevelIsHeeded) {
  if (testing::LacksALibrary()) GTEST_SKIP() << "a build without snappy or zstd";
  Random random(9);
  Entries entries(testing::LessByOrder{testing::UserOrder()});
  for (int i = 0; i < 5000; ++i)
    entries[std::to_string(random.Uniform(1000000))] = std::to_string(random.Uniform(5000));
  TableWriteOptions write;
  write.block_bytes = 1 << 16;
  write.compression = leveldb::kZstdCompression;
  write.zstd_level = 1;
  const size_t fast = BuildTable(write, entries).size();
  write.zstd_level = 19;
  EXPECT_LT(BuildTable(write, entries).size(), fast);
}

TEST(TableTest, ApproximateOffsets) {
  Entries entries(testing::LessByOrder{testing::UserOrder()});
  for (int i = 0; i < 100; ++i) entries["k" + std::to_string(100 + i)] = std::string(10000, 'x');
  TableWriteOptions write;
  write.compression = leveldb::kNoCompression;
  const std::string bytes = BuildTable(write, entries);
  std::unique_ptr<TableReader> reader;
  ASSERT_TRUE(testing::OpenTableBytes({}, bytes, &reader).ok());
  EXPECT_EQ(0u, reader->ApproximateOffsetOf(""));
  EXPECT_EQ(0u, reader->ApproximateOffsetOf("k100"));
  EXPECT_NEAR(500000.0, static_cast<double>(reader->ApproximateOffsetOf("k150")), 5000.0);
  const uint64_t end = reader->ApproximateOffsetOf("m");
  EXPECT_NEAR(1000000.0, static_cast<double>(end), 5000.0);
  EXPECT_LE(end, bytes.size());
}

TEST(TableTest, ManyVersionsOfOneKeySpanBlocks) {
  const KeyOrder order = testing::InternalOrder();
  Entries entries(testing::LessByOrder{order});
  for (uint64_t sequence = 1; sequence <= 500; ++sequence) {
    entries[testing::InternalKey("key", sequence)] = std::to_string(sequence);
  }
  entries[testing::InternalKey("kex", 1)] = "before";
  entries[testing::InternalKey("kez", 1)] = "after";
  const std::unique_ptr<const leveldb::FilterPolicy> bloom(leveldb::NewBloomFilterPolicy(10));
  TableWriteOptions write;
  write.order = order;
  write.filter_policy = bloom.get();
  write.block_bytes = 100;
  TableReadOptions read;
  read.order = order;
  read.filter_policy = bloom.get();
  std::unique_ptr<TableReader> reader;
  ASSERT_TRUE(testing::OpenTableBytes(read, BuildTable(write, entries), &reader).ok());
  for (uint64_t sequence = 1; sequence <= 600; ++sequence) {
    Found found;
    ASSERT_TRUE(GetInto(*reader, {}, testing::InternalKey("key", sequence), &found).ok());
    ASSERT_EQ(std::to_string(std::min<uint64_t>(sequence, 500)), found.value);
  }
}

TEST(TableTest, CachedBlocksAreNotReadAgain) {
  Random random(12);
  const Entries entries = testing::RandomEntries(&random, testing::UserOrder(), 500, 100);
  TableWriteOptions write;
  write.block_bytes = 500;
  const std::unique_ptr<leveldb::Cache> cache(leveldb::NewLRUCache(10 << 20));
  TableReadOptions read;
  read.block_cache = cache.get();
  testing::FileProbe probe;
  std::unique_ptr<TableReader> reader;
  ASSERT_TRUE(testing::OpenTableBytes(read, BuildTable(write, entries), &reader, &probe).ok());
  const auto read_all = [&](bool fill_cache, size_t readahead_bytes) {
    probe.reads.clear();
    BlockReadOptions options;
    options.fill_cache = fill_cache;
    options.readahead_bytes = readahead_bytes;
    testing::ExpectHolds(reader->NewIterator(options).get(), entries);
    Found found;
    EXPECT_TRUE(GetInto(*reader, options, entries.begin()->first, &found).ok());
    return probe.reads.size();
  };
  EXPECT_GT(read_all(false, 0), 0u);
  EXPECT_GT(read_all(false, 10000), 0u);
  EXPECT_EQ(0u, cache->TotalCharge());
  EXPECT_GT(read_all(true, 0), 0u);
  EXPECT_GT(cache->TotalCharge(), 10000u);
  EXPECT_EQ(0u, read_all(true, 0));
  EXPECT_EQ(0u, read_all(false, 0));
}

// Of a full cache that decides what it takes.
TEST(TableTest, CachesWhatTheCacheAdmits) {
  Random random(12);
  const Entries entries = testing::RandomEntries(&random, testing::UserOrder(), 500, 100);
  TableWriteOptions write;
  write.block_bytes = 500;
  const std::unique_ptr<ResizableCache> cache = NewResizableCache(64 << 10);
  for (int i = 0; i < 2000; ++i) {
    cache->Release(
        cache->Insert(std::to_string(i), nullptr, 100, [](const leveldb::Slice&, void*) {}));
  }
  TableReadOptions read;
  read.block_cache = read.admission = cache.get();
  testing::FileProbe probe;
  std::unique_ptr<TableReader> reader;
  ASSERT_TRUE(testing::OpenTableBytes(read, BuildTable(write, entries), &reader, &probe).ok());
  const auto reads_of = [&](const auto& read_once) {
    probe.reads.clear();
    read_once();
    return probe.reads.size();
  };
  const auto get_first = [&] {
    Found found;
    EXPECT_TRUE(GetInto(*reader, {}, entries.begin()->first, &found).ok());
  };
  const auto seek_last = [&] {
    const std::unique_ptr<leveldb::Iterator> iterator = reader->NewIterator({});
    iterator->SeekToLast();
    EXPECT_TRUE(iterator->Valid());
  };
  for (const std::function<void()>& read_once : {std::function<void()>(get_first), {seek_last}}) {
    EXPECT_EQ(reads_of(read_once), 1u);
    EXPECT_EQ(reads_of(read_once), 1u);
    EXPECT_EQ(reads_of(read_once), 0u);
  }
}

TEST(TableTest, FilterSparesReads) {
  Entries entries(testing::LessByOrder{testing::UserOrder()});
  for (int i = 0; i < 1000; ++i)
    entries["key" + std::to_string(10000 + 2 * i)] = std::string(50, 'v');
  const std::unique_ptr<const leveldb::FilterPolicy> bloom(leveldb::NewBloomFilterPolicy(10));
  TableWriteOptions write;
  write.filter_policy = bloom.get();
  TableReadOptions read;
  read.filter_policy = bloom.get();
  testing::FileProbe probe;
  std::unique_ptr<TableReader> reader;
  ASSERT_TRUE(testing::OpenTableBytes(read, BuildTable(write, entries), &reader, &probe).ok());
  probe.reads.clear();
  for (int i = 0; i < 1000; ++i) {
    Found found;
    ASSERT_TRUE(GetInto(*reader, {}, "key" + std::to_string(10000 + 2 * i + 1), &found).ok());
  }
  EXPECT_LT(probe.reads.size(), 50u);
}

TEST(TableTest, MetaBlocksLieBesideTheFilter) {
  const std::unique_ptr<const leveldb::FilterPolicy> bloom(leveldb::NewBloomFilterPolicy(10));
  TableWriteOptions write;
  write.filter_policy = bloom.get();
  testing::MemorySink sink;
  TableWriter writer(write, &sink);
  writer.Add("key", "value");
  const std::string binary("\0\xff\0", 3);
  const MetaBlock blocks[] = {{"lull.a", binary}, {"lull.c", ""}};
  ASSERT_TRUE(writer.Finish(blocks).ok());
  ASSERT_EQ(sink.bytes.size(), writer.FileBytes());
  TableReadOptions read;
  read.filter_policy = bloom.get();
  read.paranoid_checks = true;
  std::unique_ptr<TableReader> reader;
  ASSERT_TRUE(testing::OpenTableBytes(read, sink.bytes, &reader).ok());
  EXPECT_TRUE(reader->NewIterator({})->status().ok());
  Found found;
  ASSERT_TRUE(GetInto(*reader, {}, "key", &found).ok());
  EXPECT_EQ(found.value, "value");
  std::string contents;
  ASSERT_TRUE(reader->ReadMetaBlock("lull.a", &contents).ok());
  EXPECT_EQ(contents, binary);
  ASSERT_TRUE(reader->ReadMetaBlock("lull.c", &contents).ok());
  EXPECT_EQ(contents, "");
  EXPECT_TRUE(reader->ReadMetaBlock("lull.b", &contents).IsNotFound());
  EXPECT_TRUE(reader->ReadMetaBlock("lull.d", &contents).IsNotFound());
}

TEST(TableTest, ManyThreadsReadAtOnce) {
  Random random(13);
  const Entries entries = testing::RandomEntries(&random, testing::UserOrder(), 2000, 100);
  const std::unique_ptr<const leveldb::FilterPolicy> bloom(leveldb::NewBloomFilterPolicy(10));
  const std::unique_ptr<leveldb::Cache> cache(leveldb::NewLRUCache(20000));  // evicts blocks
  TableWriteOptions write;
  write.filter_policy = bloom.get();
  write.block_bytes = 1000;
  write.compression = leveldb::kZstdCompression;
  TableReadOptions read;
  read.filter_policy = bloom.get();
  read.block_cache = cache.get();
  std::unique_ptr<TableReader> reader;
  ASSERT_TRUE(testing::OpenTableBytes(read, BuildTable(write, entries), &reader).ok());
  std::vector<std::unique_ptr<ThreadHandle>> threads;
  for (int i = 0; i < 4; ++i) {
    threads.push_back(ThreadFactory::System()->Start("reader", CpuClass::kNormal, [&] {
      testing::ExpectHolds(reader->NewIterator({}).get(), entries);
      for (const auto& [key, value] : entries) {
        Found found;
        EXPECT_TRUE(GetInto(*reader, {}, key, &found).ok());
        EXPECT_EQ(value, found.value);
      }
    }));
  }
  threads.clear();
}

TEST(TableWriterTest, FlushBlockBeginsANewBlock) {
  testing::MemorySink sink;
  TableWriter writer({}, &sink);
  writer.FlushBlock();
  EXPECT_EQ(0u, writer.FileBytes());
  writer.Add("a", "1");
  EXPECT_EQ(0u, writer.FileBytes());
  writer.FlushBlock();
  EXPECT_GT(writer.FileBytes(), 0u);
  writer.Add("b", "2");
  ASSERT_TRUE(writer.Finish().ok());
  testing::FileProbe probe;
  std::unique_ptr<TableReader> reader;
  ASSERT_TRUE(testing::OpenTableBytes({}, sink.bytes, &reader, &probe).ok());
  EXPECT_LT(reader->ApproximateOffsetOf("a"), reader->ApproximateOffsetOf("b"));
}

TEST(TableWriterTest, ReportsTheFirstFailedAppend) {
  Random random(6);
  const Entries entries = testing::RandomEntries(&random, testing::UserOrder(), 200, 100);
  const size_t whole = BuildTable({}, entries).size();
  for (size_t room = 0; room < whole; room += 97) {
    testing::MemorySink sink;
    sink.room = room;
    TableWriter writer({}, &sink);
    for (const auto& [key, value] : entries) writer.Add(key, value);
    ASSERT_TRUE(writer.Finish().IsIOError()) << room;
    ASSERT_TRUE(writer.status().IsIOError());
    ASSERT_LE(writer.FileBytes(), room);
  }
}

TEST(TableWriterTest, RefusesEntriesBeyondTheFormat) {
  testing::MemorySink sink;
  TableWriter writer({}, &sink);
  const char byte = 'x';
  writer.Add("a", "fine");
  writer.Add("b", Slice(&byte, UINT32_MAX));  // refused before any byte of it is read
  EXPECT_TRUE(writer.status().IsInvalidArgument());
  EXPECT_TRUE(writer.Finish().IsInvalidArgument());
}

TEST(TableWriterTest, ChangesBetweenBlocks) {
  testing::MemorySink sink;
  TableWriteOptions options;
  options.compression = leveldb::kNoCompression;
  TableWriter writer(options, &sink);
  writer.Add("a", std::string(4000, 'a'));
  writer.FlushBlock();
  const uint64_t first = writer.FileBytes();
  options.compression = leveldb::kSnappyCompression;
  ASSERT_TRUE(writer.ChangeOptions(options));
  writer.Add("b", std::string(4000, 'b'));
  writer.FlushBlock();
  if (!testing::LacksALibrary()) {
    EXPECT_LT(writer.FileBytes() - first, first / 4);
  }
  TableWriteOptions other = options;
  other.order = {testing::ReverseComparator(), KeyOrder::Keys::kUser};
  EXPECT_FALSE(writer.ChangeOptions(other));
  other.order = testing::InternalOrder();
  EXPECT_FALSE(writer.ChangeOptions(other));
  ASSERT_TRUE(writer.Finish().ok());
  std::unique_ptr<TableReader> reader;
  ASSERT_TRUE(testing::OpenTableBytes({}, sink.bytes, &reader).ok());
  Entries entries(testing::LessByOrder{testing::UserOrder()});
  entries["a"] = std::string(4000, 'a');
  entries["b"] = std::string(4000, 'b');
  testing::ExpectHolds(reader->NewIterator({}).get(), entries);
}

}  // namespace
}  // namespace lull
