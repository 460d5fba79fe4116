// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Tables written and read back.
#include "leveldb/table.h"

#include <gtest/gtest.h>

#include <functional>

#include "leveldb/cache.h"
#include "leveldb/filter_policy.h"
#include "leveldb/options.h"
#include "leveldb/table_builder.h"
#include "tests/support/option_sets.h"
#include "tests/table/table_test_util.h"
#include "tests/util/threads.h"

namespace lull::testing {
namespace {

struct Shape {
  Codec compression;
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
  TableWriteOptions write{.order = order,
                          .block_bytes = shape.block_bytes,
                          .block_restart_interval = shape.restart_interval,
                          .compression = shape.compression};
  TableReadOptions read;
  read.order = order;
  read.paranoid_checks = true;
  if (shape.filter) write.filter_policy = read.filter_policy = bloom.get();
  if (shape.cache) read.block_cache = cache.get();
  FileProbe probe;
  probe.mapped = shape.mapped;
  const auto reader = OpenedTable(read, BuildTable(write, entries), &probe);
  ASSERT_NE(reader, nullptr);
  for (const size_t readahead : {0, 1, 1000, 1 << 20}) {
    const std::unique_ptr<Iterator> iterator = reader->NewIterator(
        {.verify_checksums = true, .fill_cache = random->OneIn(2), .readahead_bytes = readahead});
    ASSERT_FALSE(iterator->Valid());
    ExpectHolds(iterator.get(), entries);
    WalkAtRandom(iterator.get(), entries, random, 300);
    ASSERT_TRUE(iterator->status().ok()) << iterator->status().ToString();
  }
  for (const auto& [key, value] : entries) {
    ASSERT_EQ(GetFrom(*reader, key), (Found{true, key, value}));
  }
  for (int i = 0; i < 200; ++i) {
    const std::string target = RandomKey(random, order);
    const Found found = GetFrom(*reader, target);
    const auto expected = entries.lower_bound(target);
    const bool same_user_key =
        expected != entries.end() &&
        order.CompareUser(order.UserKey(expected->first), order.UserKey(target)) == 0;
    if (found.called) {
      ASSERT_EQ(found, (Found{true, expected->first, expected->second}));
    } else {
      ASSERT_FALSE(same_user_key);
    }
  }
}

TEST(TableRoundTripTest, OverOrdersShapesAndSizes) {
  constexpr uint64_t kSeed = 20260101;
  SCOPED_TRACE("seed " + std::to_string(kSeed));
  Random random(kSeed);
  size_t tables = 0;
  for (const KeyOrder& order :
       {UserOrder(), KeyOrder(ReverseComparator(), KeyOrder::Keys::kUser), InternalOrder(),
        KeyOrder(ReverseComparator(), KeyOrder::Keys::kInternal)}) {
    for (const int restart_interval : {-1, 1, 2, 3, 16, 1000}) {
      for (const size_t count : {0, 1, 2, 60, 700}) {
        const Shape shape{
            kCodecs[tables++ % 5],           random.OneIn(2), random.OneIn(2), random.OneIn(2),
            size_t{1} << random.Uniform(14), restart_interval};
        const Entries entries = RandomEntries(&random, order, count, random.OneIn(4) ? 3000 : 60);
        ASSERT_NO_FATAL_FAILURE(CheckRoundTrip(order, shape, entries, &random));
      }
    }
  }
}

/// Tables of user keys.
class TableTest : public ::testing::Test {
 protected:
  void UseFilter() { write_.filter_policy = read_.filter_policy = bloom_.get(); }
  std::unique_ptr<TableReader> Open(const std::string& bytes) {
    auto reader = OpenedTable(read_, bytes, &probe_);
    probe_.reads.clear();
    return reader;
  }
  std::unique_ptr<TableReader> Make(const Entries& entries) {
    return Open(BuildTable(write_, entries));
  }

  const std::unique_ptr<const leveldb::FilterPolicy> bloom_{leveldb::NewBloomFilterPolicy(10)};
  TableWriteOptions write_;
  TableReadOptions read_;
  FileProbe probe_;
  WrittenFile written_;
  MemoryWritable file_{&written_};
  Entries entries_;
};

TEST_F(TableTest, HugeValues) {
  Random random(4);
  // zstd compresses it to almost nothing, snappy to a twentieth.
  entries_["a"] = std::string(20 << 20, 'z');
  entries_["b"] = "small";
  entries_["c"] = RandomValue(&random, 3 << 20);
  entries_[std::string(100000, 'k')] = "after a huge key";
  for (const Codec codec : kCodecs) {
    write_.compression = codec;
    const auto reader = Make(entries_);
    for (const size_t readahead : {0, 50000})
      ExpectHolds(reader->NewIterator({.readahead_bytes = readahead}).get(), entries_);
  }
}

TEST_F(TableTest, CompressionThatSavesLittleIsNotUsed) {
  Random random(8);
  std::string& noise = entries_["k"] = std::string(4000, '\0');
  for (char& c : noise) c = static_cast<char>(random.Next());
  write_.compression = Codec::kNone;
  const std::string raw = BuildTable(write_, entries_);
  write_.compression = Codec::kZstd;
  EXPECT_EQ(raw, BuildTable(write_, entries_));
  if (LacksALibrary()) return;
  entries_["k"] = std::string(4000, 'n');
  EXPECT_LT(BuildTable(write_, entries_).size(), 200u);
}

TEST_F(TableTest, ZstdLevelIsHeeded) {
  if (LacksALibrary()) GTEST_SKIP() << "a build without snappy or zstd";
  Random random(9);
  for (int i = 0; i < 5000; ++i)
    entries_[std::to_string(random.Uniform(1000000))] = std::to_string(random.Uniform(5000));
  write_.block_bytes = 1 << 16;
  write_.compression = Codec::kZstd;
  write_.zstd_level = 1;
  const size_t fast = BuildTable(write_, entries_).size();
  write_.zstd_level = 19;
  EXPECT_LT(BuildTable(write_, entries_).size(), fast);
}

TEST_F(TableTest, ApproximateOffsets) {
  for (int i = 0; i < 100; ++i) entries_["k" + std::to_string(100 + i)] = std::string(10000, 'x');
  write_.compression = Codec::kNone;
  const std::string bytes = BuildTable(write_, entries_);
  const auto reader = Open(bytes);
  EXPECT_EQ(0u, reader->ApproximateOffsetOf(""));
  EXPECT_EQ(0u, reader->ApproximateOffsetOf("k100"));
  EXPECT_NEAR(500000.0, static_cast<double>(reader->ApproximateOffsetOf("k150")), 5000.0);
  const uint64_t end = reader->ApproximateOffsetOf("m");
  EXPECT_NEAR(1000000.0, static_cast<double>(end), 5000.0);
  EXPECT_LE(end, bytes.size());
}

TEST_F(TableTest, CachedBlocksAreNotReadAgain) {
  Random random(12);
  const Entries entries = RandomEntries(&random, UserOrder(), 500, 100);
  write_.block_bytes = 500;
  const std::unique_ptr<leveldb::Cache> cache(leveldb::NewLRUCache(10 << 20));
  read_.block_cache = cache.get();
  const auto reader = Make(entries);
  const auto read_all = [&](bool fill_cache, size_t readahead_bytes) {
    probe_.reads.clear();
    const BlockReadOptions options{.fill_cache = fill_cache, .readahead_bytes = readahead_bytes};
    ExpectHolds(reader->NewIterator(options).get(), entries);
    GetFrom(*reader, entries.begin()->first, options);
    return probe_.reads.size();
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
TEST_F(TableTest, CachesWhatTheCacheAdmits) {
  Random random(12);
  const Entries entries = RandomEntries(&random, UserOrder(), 500, 100);
  write_.block_bytes = 500;
  const std::unique_ptr<ResizableCache> cache = NewResizableCache(64 << 10);
  for (int i = 0; i < 2000; ++i) {
    cache->Release(
        cache->Insert(std::to_string(i), nullptr, 100, [](const leveldb::Slice&, void*) {}));
  }
  read_.block_cache = read_.admission = cache.get();
  const auto reader = Make(entries);
  const std::function<void()> get_first = [&] { GetFrom(*reader, entries.begin()->first); };
  const std::function<void()> seek_last = [&] {
    const std::unique_ptr<leveldb::Iterator> iterator = reader->NewIterator({});
    iterator->SeekToLast();
    EXPECT_TRUE(iterator->Valid());
  };
  for (const auto& read_once : {get_first, seek_last}) {
    for (const size_t reads : {1, 1, 0}) {
      probe_.reads.clear();
      read_once();
      EXPECT_EQ(probe_.reads.size(), reads);
    }
  }
}

TEST_F(TableTest, FilterSparesReads) {
  const auto key = [](int i) { return "key" + std::to_string(10000 + i); };
  for (int i = 0; i < 1000; ++i) entries_[key(2 * i)] = std::string(50, 'v');
  UseFilter();
  const auto reader = Make(entries_);
  for (int i = 0; i < 1000; ++i) GetFrom(*reader, key(2 * i + 1));
  EXPECT_LT(probe_.reads.size(), 50u);
}

TEST_F(TableTest, MetaBlocksLieBesideTheFilter) {
  UseFilter();
  TableWriter writer(write_, &file_);
  writer.Add("key", "value");
  const std::string binary("\0\xff\0", 3);
  const MetaBlock blocks[] = {{"lull.a", binary}, {"lull.c", ""}};
  ASSERT_TRUE(writer.Finish(blocks).ok());
  ASSERT_EQ(written_.bytes.size(), writer.FileBytes());
  read_.paranoid_checks = true;
  const auto reader = Open(written_.bytes);
  EXPECT_TRUE(reader->NewIterator({})->status().ok());
  EXPECT_EQ(GetFrom(*reader, "key").value, "value");
  const auto through = reader->Through(std::make_unique<MemoryFile>(written_.bytes));
  for (const TableReader* each : {reader.get(), through.get()}) {
    std::string contents;
    ASSERT_TRUE(each->ReadMetaBlock("lull.a", &contents).ok());
    EXPECT_EQ(contents, binary);
    ASSERT_TRUE(each->ReadMetaBlock("lull.c", &contents).ok());
    EXPECT_EQ(contents, "");
    EXPECT_TRUE(each->ReadMetaBlock("lull.b", &contents).IsNotFound());
    EXPECT_TRUE(each->ReadMetaBlock("lull.d", &contents).IsNotFound());
    EXPECT_TRUE(each->CheckMetaBlocks().ok());
  }
}

TEST_F(TableTest, AReaderOfAPartHasOnlyItsIndex) {
  Entries entries(LessByOrder{write_.order});
  for (uint64_t i = 1000; i < 9000; ++i) entries[std::to_string(i)] = std::string(100, 'v');
  const std::string bytes = BuildTable(write_, entries);
  const TablePart part = {"3000", "4000"};
  read_.part = &part;
  const auto reader = OpenedTable(read_, bytes);
  read_.part = nullptr;
  EXPECT_LT(reader->MemoryBytes(), OpenedTable(read_, bytes)->MemoryBytes() / 4);
  const auto entry = reader->NewIterator({});
  uint64_t expected = 3000;
  for (entry->Seek("3000"); entry->Valid() && entry->key().ToString() < "4000"; entry->Next())
    ASSERT_EQ(entry->key().ToString(), std::to_string(expected++));
  EXPECT_EQ(expected, 4000u);
  EXPECT_TRUE(entry->status().ok());
}

TEST_F(TableTest, ManyThreadsReadAtOnce) {
  Random random(13);
  const Entries entries = RandomEntries(&random, UserOrder(), 2000, 100);
  const std::unique_ptr<leveldb::Cache> cache(leveldb::NewLRUCache(20000));  // evicts blocks
  UseFilter();
  write_.block_bytes = 1000;
  write_.compression = Codec::kZstd;
  read_.block_cache = cache.get();
  const auto reader = OpenedTable(read_, BuildTable(write_, entries));
  RunThreads(4, [&](int) {
    ExpectHolds(reader->NewIterator({}).get(), entries);
    for (const auto& [key, value] : entries) EXPECT_EQ(value, GetFrom(*reader, key).value);
  });
}

TEST_F(TableTest, ReportsTheFirstFailedAppend) {
  Random random(6);
  const Entries entries = RandomEntries(&random, UserOrder(), 200, 100);
  for (int appends = 0;; ++appends) {
    WrittenFile written;
    MemoryWritable file(&written);
    written.appends_until_failure = appends;
    TableWriter writer({}, &file);
    for (const auto& [key, value] : entries) writer.Add(key, value);
    const leveldb::Status finished = writer.Finish();
    ASSERT_LE(writer.FileBytes(), written.bytes.size());
    ASSERT_EQ(writer.status().ToString(), finished.ToString());
    if (written.appends <= appends) break;
    ASSERT_TRUE(finished.IsIOError()) << appends;
    ASSERT_EQ(written.appends, appends + 1) << "nothing follows what failed";
  }
}

TEST_F(TableTest, RefusesEntriesBeyondTheFormat) {
  TableWriter writer({}, &file_);
  const char byte = 'x';
  writer.Add("a", "fine");
  writer.Add("b", leveldb::Slice(&byte, UINT32_MAX));  // refused before any byte of it is read
  EXPECT_TRUE(writer.status().IsInvalidArgument());
  EXPECT_TRUE(writer.Finish().IsInvalidArgument());
}

TEST_F(TableTest, FlushBlockBeginsANewBlockWithOtherOptions) {
  entries_["a"] = std::string(4000, 'a');
  entries_["b"] = std::string(4000, 'b');
  write_.compression = Codec::kNone;
  TableWriter writer(write_, &file_);
  writer.FlushBlock();
  EXPECT_EQ(0u, writer.FileBytes());
  writer.Add("a", entries_["a"]);
  EXPECT_EQ(0u, writer.FileBytes());
  writer.FlushBlock();
  const uint64_t first = writer.FileBytes();
  EXPECT_GT(first, 0u);
  write_.compression = Codec::kSnappy;
  ASSERT_TRUE(writer.ChangeOptions(write_));
  writer.Add("b", entries_["b"]);
  writer.FlushBlock();
  if (!LacksALibrary()) {
    EXPECT_LT(writer.FileBytes() - first, first / 4);
  }
  TableWriteOptions other = write_;
  other.order = {ReverseComparator(), KeyOrder::Keys::kUser};
  EXPECT_FALSE(writer.ChangeOptions(other));
  other.order = InternalOrder();
  EXPECT_FALSE(writer.ChangeOptions(other));
  ASSERT_TRUE(writer.Finish().ok());
  const auto reader = Open(written_.bytes);
  ExpectHolds(reader->NewIterator({}).get(), entries_);
  EXPECT_LT(reader->ApproximateOffsetOf("a"), reader->ApproximateOffsetOf("b"));
}

// ---- leveldb::Table and leveldb::TableBuilder ----

void ExpectTableReads(const leveldb::Options& options, const std::string& bytes,
                      const Entries& entries) {
  MemoryFile file(bytes);
  leveldb::Table* opened = nullptr;
  ASSERT_TRUE(leveldb::Table::Open(options, &file, bytes.size(), &opened).ok());
  const std::unique_ptr<leveldb::Table> table(opened);
  leveldb::ReadOptions read;
  read.verify_checksums = true;
  const std::unique_ptr<leveldb::Iterator> iterator(table->NewIterator(read));
  ExpectHolds(iterator.get(), entries);
  if (entries.key_comp().order.internal()) return;  // these are not in the comparator's order
  EXPECT_EQ(0u, table->ApproximateOffsetOf(entries.begin()->first));
}

TEST(PublicTableTest, BuildsAndReads) {
  Random random(41);
  const std::unique_ptr<const leveldb::FilterPolicy> bloom(leveldb::NewBloomFilterPolicy(10));
  const std::unique_ptr<leveldb::Cache> cache(leveldb::NewLRUCache(1 << 20));
  for (const leveldb::Comparator* comparator :
       {leveldb::BytewiseComparator(), ReverseComparator()}) {
    const Entries entries = RandomEntries(&random, {comparator, KeyOrder::Keys::kUser}, 500, 50);
    leveldb::Options options;
    options.comparator = comparator;
    options.filter_policy = bloom.get();
    options.block_cache = cache.get();
    options.block_size = 512;
    WrittenFile written;
    MemoryWritable file(&written);
    leveldb::TableBuilder builder(options, &file);
    for (const auto& [key, value] : entries) builder.Add(key, value);
    ASSERT_TRUE(builder.status().ok());
    ASSERT_TRUE(builder.Finish().ok());
    EXPECT_EQ(entries.size(), builder.NumEntries());
    EXPECT_EQ(written.bytes.size(), builder.FileSize());

    ExpectTableReads(options, written.bytes, entries);
  }
}

TEST(PublicTableTest, FailedOpenGivesNoTable) {
  MemoryFile file("no table at all, and far from it; but long enough for a footer");
  leveldb::Table* table = reinterpret_cast<leveldb::Table*>(1);
  const leveldb::Status status = leveldb::Table::Open(leveldb::Options(), &file, 60, &table);
  EXPECT_TRUE(status.IsCorruption()) << status.ToString();
  EXPECT_EQ(nullptr, table);
}

TEST(PublicTableTest, ChangeOptionsKeepsTheComparator) {
  WrittenFile written;
  MemoryWritable file(&written);
  leveldb::Options options;
  leveldb::TableBuilder builder(options, &file);
  options.block_size = 100;
  EXPECT_TRUE(builder.ChangeOptions(options).ok());
  options.comparator = ReverseComparator();
  EXPECT_TRUE(builder.ChangeOptions(options).IsInvalidArgument());
  builder.Add("a", std::string(200, 'x'));
  EXPECT_GT(builder.FileSize(), 0u);
  builder.Abandon();
}

/// leveldbutil dumps a store's tables with the byte-wise comparator, so internal keys seem out of
/// order.
TEST(PublicTableTest, ReadsInternalKeysAsBytes) {
  const KeyOrder order = InternalOrder();
  Entries entries(LessByOrder{order});
  for (uint64_t i = 0; i < 500; ++i)
    entries[InternalKey("k" + std::to_string(i / 10), i)] = std::to_string(i);
  ExpectTableReads(leveldb::Options(), BuildTable({.order = order, .block_bytes = 64}, entries),
                   entries);
}

}  // namespace
}  // namespace lull::testing
