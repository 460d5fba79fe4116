// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// The rules of flushes that need no store. full_disk_test.cc tests flushes on full disks.
#include "db/engine/flusher.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace lull {
namespace {

TEST(FlushBatch, IsSmallerAfterAFlushThatLackedResources) {
  struct Row {
    const char* event;
    size_t memtables;  // of the flush that ended
    size_t max_is;
    bool lacks_is;
  };
  constexpr size_t kAll = 1 << 20;
  // In order.
  const std::vector<Row> rows = {
      {"fails otherwise", 8, kAll, false},
      {"lacks", 8, 4, true},
      {"lacks", 4, 2, true},
      {"lacks", 2, 1, true},
      {"lacks", 1, 1, true},
      {"fails otherwise", 1, 1, false},
      {"succeeds", 1, 2, false},
      {"succeeds", 2, 4, false},
  };
  FlushBatch batch;
  for (const Row& row : rows) {
    if (row.event == std::string("succeeds")) {
      batch.Succeeded();
    } else {
      batch.Failed(row.memtables, row.event == std::string("lacks"));
    }
    EXPECT_EQ(batch.memtables_max(), row.max_is) << row.event << " of " << row.memtables;
    EXPECT_EQ(batch.lacks_resources(), row.lacks_is) << row.event << " of " << row.memtables;
  }
  for (int i = 0; i < 100; ++i) batch.Succeeded();
  EXPECT_EQ(batch.memtables_max(), kAll);
}

TEST(LullWatch, SeesASecondInWhichLittleWasWritten) {
  struct Row {
    uint64_t now_ms;
    uint64_t client_bytes;
    bool is_lull;
  };
  // In order; 100 bytes do not make a burst.
  const std::vector<Row> rows = {
      {1000, 50, true},   {1500, 50, false} /* too soon */,
      {2000, 149, true},  {3000, 249, false},
      {3900, 249, true},  {4000, 999, false},
      {9000, 999, false}, {9900, 999, true},
  };
  LullWatch watch;
  for (const Row& row : rows) {
    EXPECT_EQ(watch.IsLull(row.now_ms * 1'000'000, row.client_bytes, 100), row.is_lull)
        << row.now_ms << " ms";
  }
}

TEST(LullWatch, SeesSecondsWithoutAnyWrite) {
  LullWatch watch;
  uint64_t now = 0;
  const auto look = [&](uint64_t client_bytes) {
    watch.IsLull(now += 1'000'000'000, client_bytes, 100);
    return watch.IsRest();
  };
  EXPECT_FALSE(look(50));
  for (int i = 0; i < 3; ++i) EXPECT_FALSE(look(50));
  EXPECT_TRUE(look(50));
  EXPECT_TRUE(look(50));
  EXPECT_FALSE(look(51)) << "a small write ends the rest, though not the lull";
  for (int i = 0; i < 3; ++i) EXPECT_FALSE(look(51));
  EXPECT_TRUE(look(51));
}

TEST(LullWatch, LooksOnceMoreAfterEachWriteUntilClientsRest) {
  LullWatch watch;
  uint64_t now = 0;
  uint64_t client_bytes = 0;
  for (int burst = 0; burst < 3; ++burst) {
    client_bytes += 50;
    int looks = 0;
    std::optional<uint64_t> wait = 1;
    while (wait && looks < 100) {
      now += *wait;
      watch.IsLull(now, client_bytes, 100);
      wait = watch.UntilNextLook(now);
      ++looks;
    }
    EXPECT_GE(looks, 4);
    EXPECT_LE(looks, 6);
    EXPECT_TRUE(watch.IsRest());
    now += 100'000'000;
  }
}

}  // namespace
}  // namespace lull
