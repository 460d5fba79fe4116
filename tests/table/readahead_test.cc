// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "table/readahead.h"

#include <gtest/gtest.h>

#include "leveldb/cache.h"
#include "tests/table/table_test_util.h"
#include "util/os.h"

namespace lull::testing {
namespace {

constexpr size_t kBlocks = 3000;

class ReadaheadTest : public ::testing::Test {
 protected:
  /// A table of 1000-byte blocks with one entry each.
  ReadaheadTest() {
    for (size_t i = 0; i < kBlocks; ++i)
      entries_["k" + std::to_string(10000 + i)] = std::string(980, 'v');
    bytes_ = BuildTable({.block_bytes = 1, .compression = Codec::kNone}, entries_);
    reader_ = OpenedTable({}, bytes_, &probe_);
    probe_.reads.clear();
  }

  std::unique_ptr<Iterator> NewIterator(size_t readahead_bytes) {
    return reader_->NewIterator({.readahead_bytes = readahead_bytes});
  }

  Entries entries_;
  std::string bytes_;
  FileProbe probe_;
  std::unique_ptr<TableReader> reader_;
};

TEST_F(ReadaheadTest, ScansReadInGrowingStepsUntilTheEndOfTheData) {
  const uint64_t data_end = reader_->ApproximateOffsetOf("z");
  for (const bool forward : {true, false}) {
    for (const size_t asked : {0, 1 << 20}) {
      probe_.reads.clear();
      const std::unique_ptr<Iterator> iterator = NewIterator(asked);
      size_t seen = 0;
      if (forward) {
        for (iterator->SeekToFirst(); iterator->Valid(); iterator->Next()) ++seen;
      } else {
        for (iterator->SeekToLast(); iterator->Valid(); iterator->Prev()) ++seen;
      }
      ASSERT_EQ(kBlocks, seen);
      ASSERT_LT(probe_.reads.size(), 30u);
      // Blocks read singly: until the scan is recognized, or the block at the end of the data,
      // which is read before the direction is known.
      const size_t alone = asked == 0 ? 2 : (forward ? 0 : 1);
      const size_t first_step = size_t{asked != 0 && !forward ? 32u : 16u} << 10;
      size_t step_max = 0;
      for (size_t i = 0; i < probe_.reads.size(); ++i) {
        const auto [offset, bytes] = probe_.reads[i];
        EXPECT_LE(offset + bytes, data_end);
        if (i < alone) {
          EXPECT_LT(bytes, 1100u);
        }
        step_max = std::max(step_max, bytes);
      }
      EXPECT_EQ(first_step, probe_.reads[alone].second);
      EXPECT_EQ(2 * first_step, probe_.reads[alone + 1].second);
      EXPECT_EQ(asked == 0 ? size_t{256} << 10 : size_t{1} << 20, step_max);
    }
  }
}

// Mapping and unmapping a window for each scan of a client would interrupt the other threads.
TEST_F(ReadaheadTest, OnlyBackgroundWorkReadsIntoPagesOfItsOwn) {
  for (const size_t asked : {0, 1 << 20}) {
    probe_.reads.clear();
    probe_.buffers.clear();
    ExpectHolds(NewIterator(asked).get(), entries_);
    int large = 0;
    int in_pages = 0;
    for (size_t i = 0; i < probe_.reads.size(); ++i) {
      if (probe_.reads[i].second < 64 << 10) continue;
      ++large;
      in_pages += reinterpret_cast<uintptr_t>(probe_.buffers[i]) % os::PageBytes() == 0;
    }
    ASSERT_GT(large, 3);
    if (asked == 0) {
      EXPECT_LT(in_pages, large);  // malloc can return the start of a page, but hardly each time
    } else {
      EXPECT_EQ(in_pages, large);
    }
  }
}

TEST_F(ReadaheadTest, NothingIsReadAheadWhileJumping) {
  Random random(1);
  const std::unique_ptr<Iterator> iterator = NewIterator(0);
  for (int i = 0; i < 300; ++i)
    iterator->Seek("k" + std::to_string(10000 + 7 * random.Uniform(kBlocks / 7)));
  for (const auto& [offset, bytes] : probe_.reads) EXPECT_LT(bytes, 1100u);
}

TEST_F(ReadaheadTest, SameDataWhateverTheStepsAndTurns) {
  Random random(2);
  for (const bool mapped : {false, true}) {
    probe_.mapped = mapped;
    for (const size_t readahead : {0, 1, 999, 5000, 100000, 1 << 22}) {
      const std::unique_ptr<Iterator> iterator = NewIterator(readahead);
      ASSERT_NO_FATAL_FAILURE(ExpectHolds(iterator.get(), entries_));
      auto at = entries_.begin();
      std::advance(at, kBlocks / 2);
      iterator->Seek(at->first);
      for (int run = 0; run < 300; ++run) {
        const bool forward = random.OneIn(2);
        for (uint64_t steps = random.Uniform(20); steps > 0 && at != entries_.begin(); --steps) {
          if (forward && std::next(at) == entries_.end()) break;
          forward ? iterator->Next() : iterator->Prev();
          forward ? ++at : --at;
          ASSERT_TRUE(iterator->Valid());
          ASSERT_EQ(at->first, iterator->key().ToString());
          ASSERT_EQ(at->second, iterator->value().ToString());
        }
      }
    }
  }
}

TEST_F(ReadaheadTest, BlocksReadAheadGoIntoTheCache) {
  const std::unique_ptr<leveldb::Cache> cache(leveldb::NewLRUCache(100 << 20));
  TableReadOptions read;
  read.block_cache = cache.get();
  reader_ = OpenedTable(read, bytes_, &probe_);
  ExpectHolds(NewIterator(0).get(), entries_);
  EXPECT_GT(cache->TotalCharge(), kBlocks * 900);
  probe_.reads.clear();
  ExpectHolds(NewIterator(0).get(), entries_);
  EXPECT_EQ(0u, probe_.reads.size());
  ExpectHolds(NewIterator(1 << 20).get(), entries_);  // does not touch the cache
  EXPECT_GT(probe_.reads.size(), 0u);
}

}  // namespace
}  // namespace lull::testing
