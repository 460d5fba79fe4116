// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "table/index_block.h"

#include <gtest/gtest.h>

#include "table/block_builder.h"
#include "tests/table/table_test_util.h"

namespace lull {
namespace {

using testing::Entries;
using testing::Slice;

/// Opens an index over `entries`, written with this restart interval.
const char* OpenIndex(const Entries& entries, int restart_interval, IndexBlock* index) {
  BlockBuilder builder(restart_interval);
  for (const auto& [key, value] : entries) builder.Add(key, value);
  const Slice contents = builder.Finish();
  auto memory = std::make_unique<char[]>(contents.size());
  std::memcpy(memory.get(), contents.data(), contents.size());
  const Slice copy(memory.get(), contents.size());
  return index->Open(entries.key_comp().order, std::move(memory), copy);
}

void ExpectFinds(const IndexBlock& index, const Entries& entries, const std::string& target) {
  const KeyOrder& order = entries.key_comp().order;
  BlockCursor cursor;
  cursor.Reset(index.block(), order);
  index.Seek(order, target, &cursor);
  const auto expected = entries.lower_bound(target);
  ASSERT_EQ(nullptr, cursor.damage());
  ASSERT_EQ(expected != entries.end(), cursor.Valid());
  if (!cursor.Valid()) return;
  ASSERT_EQ(expected->first, cursor.key().ToString());
  ASSERT_EQ(expected->second, cursor.value().ToString());
}

TEST(IndexBlockTest, FindsWhatAPlainSearchFinds) {
  Random random(501);
  // Common prefixes of the keys: empty, shorter or longer than the leading bytes, zeros.
  const std::string beginnings[] = {"", "common", "0000000000", std::string(3, '\0'),
                                    std::string(12, '\xff')};
  const KeyOrder orders[] = {
      testing::UserOrder(), {testing::Reverse(), KeyOrder::Keys::kUser}, testing::InternalOrder()};
  for (const KeyOrder& order : orders) {
    for (const std::string& beginning : beginnings) {
      for (const int interval : {1, 2, 16}) {
        for (const size_t count : {0, 1, 2, 7, 300}) {
          const auto make_key = [&] {
            std::string key = random.OneIn(20) ? "" : beginning;
            for (uint64_t n = random.Uniform(14); n > 0; --n) key += "\0a\xff"[random.Uniform(3)];
            return order.internal() ? testing::InternalKey(key, random.Uniform(4)) : key;
          };
          Entries entries(testing::LessByOrder{order});
          for (size_t i = 0; i < count; ++i) entries[make_key()] = std::to_string(i);
          IndexBlock index;
          ASSERT_EQ(nullptr, OpenIndex(entries, interval, &index));
          for (const auto& [key, value] : entries) {
            ASSERT_NO_FATAL_FAILURE(ExpectFinds(index, entries, key));
          }
          for (int i = 0; i < 200; ++i) {
            ASSERT_NO_FATAL_FAILURE(ExpectFinds(index, entries, make_key()));
          }
        }
      }
    }
  }
}

TEST(IndexBlockTest, TargetsAroundTheCommonBeginning) {
  Entries entries(testing::LessByOrder{testing::UserOrder()});
  for (int i = 0; i < 10; ++i) entries["prefix/" + std::to_string(i)] = std::to_string(i);
  IndexBlock index;
  ASSERT_EQ(nullptr, OpenIndex(entries, 1, &index));
  for (const char* target : {"", "a", "p", "prefix", "prefix/", "prefix/5", "prefix/55", "prefix/9",
                             "prefix/9a", "prefix0", "q"}) {
    ASSERT_NO_FATAL_FAILURE(ExpectFinds(index, entries, target));
  }
}

TEST(IndexBlockTest, ARestartPointOutOfRangeIsRefused) {
  Entries entries(testing::LessByOrder{testing::UserOrder()});
  entries["a"] = "1";
  entries["b"] = "2";
  BlockBuilder builder(1);
  for (const auto& [key, value] : entries) builder.Add(key, value);
  std::string contents = builder.Finish().ToString();
  EncodeFixed32(contents.data() + contents.size() - 8, 1000);
  auto memory = std::make_unique<char[]>(contents.size());
  std::memcpy(memory.get(), contents.data(), contents.size());
  const Slice copy(memory.get(), contents.size());
  IndexBlock index;
  EXPECT_NE(nullptr, index.Open(testing::UserOrder(), std::move(memory), copy));
}

}  // namespace
}  // namespace lull
