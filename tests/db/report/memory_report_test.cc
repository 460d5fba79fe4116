// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Compares the memory that a store reports with the memory of the process.
#include <malloc.h>

#include <cstdint>
#include <fstream>
#include <string>

#include "gtest/gtest.h"
#include "leveldb/db.h"
#include "lull/lull.h"
#include "tests/db/support/scripted_store.h"

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define LULL_OWN_HEAP 1  // the sanitizer's, which mallinfo2 does not measure
#endif
#endif

namespace lull::testing {
namespace {

class MemoryReportTest : public ScriptedStoreTest {
 protected:
  MemoryReportTest() { scheduling_.memory_budget_bytes = 64 * kMiB; }

  /// Opens a store that does nothing before a flush is asked for.
  void OpenHeld() {
    Open();
    Directive held = script_.Nothing();
    held.flush_bytes_min = 64 * kMiB;
    script_.Set(held);
    AwaitObeyed();
  }
  uint64_t Bytes(const std::string& member) { return Stats()["memory"][member].Count(); }
  /// Memory of the store's mapped WALs, as the system counts it.
  uint64_t MappedBytes() const {
    std::ifstream maps("/proc/self/smaps");
    uint64_t bytes = 0;
    bool is_wal = false;
    for (std::string line; std::getline(maps, line);) {
      if (line.find('-') < line.find(' '))  // the first line of a mapping
        is_wal = line.ends_with(".log") && line.find(name_) != std::string::npos;
      if (is_wal && line.starts_with("Rss:")) bytes += std::stoull(line.substr(4)) << 10;
    }
    return bytes;
  }
};

TEST_F(MemoryReportTest, EachPurposeCountsItsMemoryWhileItExists) {
  OpenHeld();
  Write(0, 2500);
  const uint64_t memtables = Bytes("active_bytes") + Bytes("immutable_bytes");
  EXPECT_GT(memtables, 2'500'000u);
  EXPECT_NEAR(static_cast<double>(Bytes("memtable_bytes")), static_cast<double>(memtables),
              0.01 * static_cast<double>(memtables));
  EXPECT_LT(Bytes("pooled_block_bytes"), kMiB / 4);
  EXPECT_EQ(Bytes("key_filter_bytes"), 0u);
  EXPECT_EQ(Bytes("job_buffer_bytes"), 0u);
  Await("the pages of sealed WALs are dropped", [&] {
    return Bytes("mapped_wal_bytes") == MappedBytes() && MappedBytes() < 3 * 3 * kMiB / 2;
  });

  const std::unique_ptr<leveldb::Iterator> reader(db_->NewIterator({}));
  ASSERT_TRUE(Flush(db_.get()).ok());
  Await("the reader alone has the memtables", [&] {
    return Bytes("active_bytes") + Bytes("immutable_bytes") < kMiB / 8 &&
           Bytes("memtable_bytes") >= memtables;
  });
  EXPECT_GT(Bytes("key_filter_bytes"), 2500u);
  EXPECT_EQ(Bytes("block_cache_bytes"), 0u);
  std::string value;
  ASSERT_TRUE(db_->Get({}, KeyOf(7), &value).ok());
  EXPECT_GT(Bytes("block_cache_bytes"), 1000u);
}

TEST_F(MemoryReportTest, GetsGiveSealedMemtablesFilters) {
  OpenHeld();
  Write(0, 4500);  // four memtables
  Delete(0, 50);   // in the fifth
  Write(4500, 5500);
  ASSERT_GT(Bytes("immutable_bytes"), 4 * kMiB);
  EXPECT_EQ(Bytes("key_filter_bytes"), 0u);
  // 10 bits a key. No get, no filter: so they ask while they wait.
  Await("each has a filter", [&] {
    EXPECT_EQ(ReadValue(db_.get(), "absent"), "-");
    return Bytes("key_filter_bytes") >= 4500 * 10 / 8;
  });
  const auto expect_all = [&] {
    for (uint64_t i = 0; i < 50; ++i) ASSERT_EQ(ReadValue(db_.get(), KeyOf(i)), "-");
    for (uint64_t i = 50; i < 5500; ++i) ASSERT_EQ(ReadValue(db_.get(), KeyOf(i)), ValueOf(i));
  };
  expect_all();
  ASSERT_TRUE(Flush(db_.get()).ok());
  expect_all();
}

TEST_F(MemoryReportTest, ALullLeavesPooledBlocksForOneMemtable) {
  Open();
  Write(0, 5000);
  ASSERT_TRUE(Flush(db_.get()).ok());
  Await("a lull", [&] {
    return Bytes("memtable_bytes") < kMiB / 8 && Bytes("pooled_block_bytes") <= kMiB &&
           Bytes("mapped_wal_bytes") < 3 * kMiB;
  });
  EXPECT_EQ(Bytes("pooled_block_bytes"), kMiB);
}

TEST_F(MemoryReportTest, TheTotalEqualsTheMemoryOfTheProcess) {
#ifdef LULL_OWN_HEAP
  GTEST_SKIP() << "the heap cannot be measured";
#endif
  const auto heap = [] {
    const struct mallinfo2 info = mallinfo2();
    return static_cast<double>(info.uordblks + info.hblkhd);
  };
  const double heap_before = heap();
  OpenHeld();
  const auto expect_equal = [&](const std::string& when) {
    const double blocks =
        static_cast<double>(Bytes("memtable_bytes") + Bytes("pooled_block_bytes"));
    const double actual = heap() - heap_before + blocks + static_cast<double>(MappedBytes());
    EXPECT_NEAR(static_cast<double>(Bytes("total_bytes")), actual, 0.05 * actual) << when;
  };
  Write(0, 30'000);
  expect_equal("memtables");
  ASSERT_TRUE(Flush(db_.get()).ok());
  ExpectAll(db_.get(), 30'000);
  Write(30'000, 40'000);
  expect_equal("memtables, filters and a full cache");
}

}  // namespace
}  // namespace lull::testing
