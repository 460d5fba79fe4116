// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "table/index_block.h"

#include <gtest/gtest.h>

#include "table/block_builder.h"
#include "tests/support/option_sets.h"
#include "tests/table/table_test_util.h"

namespace lull::testing {
namespace {

/// Opens an index over `entries`, written with this restart interval.
const char* OpenIndex(const Entries& entries, int restart_interval, IndexBlock* index,
                      const TablePart* part = nullptr) {
  BlockBuilder builder(restart_interval);
  for (const auto& [key, value] : entries) builder.Add(key, value);
  return index->Open(entries.key_comp().order, builder.Finish(), part);
}

/// The encoded handle of data block `i`.
std::string HandleOf(size_t i) {
  std::string encoded;
  BlockHandle{1000 * i, i + 1}.EncodeTo(&encoded);
  return encoded;
}

void ExpectFinds(const IndexBlock& index, const Entries& entries, const std::string& target) {
  const size_t found = index.Find(entries.key_comp().order, target);
  const auto expected = entries.lower_bound(target);
  ASSERT_EQ(static_cast<size_t>(std::distance(entries.begin(), expected)), found);
  if (found == index.size()) return;
  std::string handle;
  index.handle(found).EncodeTo(&handle);
  ASSERT_EQ(expected->second, handle);
}

TEST(IndexBlockTest, FindsWhatAPlainSearchFinds) {
  Random random(501);
  // Common prefixes of the keys: empty, shorter or longer than the leading bytes, zeros.
  const std::string beginnings[] = {"", "common", "0000000000", std::string(3, '\0'),
                                    std::string(12, '\xff')};
  for (const KeyOrder& order :
       {UserOrder(), KeyOrder(ReverseComparator(), KeyOrder::Keys::kUser), InternalOrder()}) {
    for (const std::string& beginning : beginnings) {
      for (const int interval : {1, 2, 16}) {
        for (const size_t count : {0, 1, 2, 7, 300}) {
          const auto make_key = [&] {
            std::string key = random.OneIn(20) ? "" : beginning;
            for (uint64_t n = random.Uniform(14); n > 0; --n) key += "\0a\xff"[random.Uniform(3)];
            return order.internal() ? InternalKey(key, random.Uniform(4)) : key;
          };
          Entries entries(LessByOrder{order});
          for (size_t i = 0; i < count; ++i) entries[make_key()] = HandleOf(i);
          // As writers shorten the last key.
          if (count > 2 && random.OneIn(2)) {
            std::string last = entries.rbegin()->first;
            order.ShortenSuccessor(&last);
            entries[last] = HandleOf(count);
          }
          IndexBlock index;
          ASSERT_EQ(nullptr, OpenIndex(entries, interval, &index));
          ASSERT_EQ(entries.size(), index.size());
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

TEST(IndexBlockTest, KeepsTheBlocksOfAPart) {
  Random random(502);
  const KeyOrder order = InternalOrder();
  const auto key = [&](uint64_t number) {
    return InternalKey("key" + std::to_string(1000 + number), 7);
  };
  for (int round = 0; round < 300; ++round) {
    Entries entries(LessByOrder{order});
    for (uint64_t n = random.Uniform(40) + 1; n > 0; --n)
      entries[key(random.Uniform(100))] = HandleOf(entries.size());
    IndexBlock all;
    ASSERT_EQ(nullptr, OpenIndex(entries, 1, &all));
    TablePart part;
    const uint64_t begin = random.Uniform(100), end = begin + 1 + random.Uniform(50);
    if (!random.OneIn(4)) part.begin = key(begin);
    if (!random.OneIn(4)) part.end = key(end);
    IndexBlock kept;
    ASSERT_EQ(nullptr, OpenIndex(entries, 1, &kept, &part));
    const size_t from = part.begin ? all.Find(order, *part.begin) : 0;
    if (from == all.size()) continue;  // no block has such keys: what is kept does not matter
    const size_t last =
        part.end ? std::min(all.Find(order, *part.end), all.size() - 1) : all.size() - 1;
    ASSERT_EQ(kept.size(), last - from + 1);
    for (size_t i = from; i <= last; ++i)
      ASSERT_EQ(kept.handle(i - from).offset, all.handle(i).offset);
    for (uint64_t n = part.begin ? begin : 0; n < (part.end ? end : 150); ++n) {
      const size_t found = kept.Find(order, key(n)), expected = all.Find(order, key(n));
      ASSERT_EQ(found + from, expected) << n;
    }
  }
}

TEST(IndexBlockTest, AHandleThatIsTruncatedOrOfATooLargeBlockIsRefused) {
  std::string too_large;
  BlockHandle{0, kBlockBytesMax + 1}.EncodeTo(&too_large);
  for (const std::string& handle : {HandleOf(1).substr(0, 2), too_large}) {
    Entries entries;
    entries["a"] = HandleOf(0);
    entries["b"] = handle;
    IndexBlock index;
    EXPECT_STREQ("malformed handle in the index", OpenIndex(entries, 1, &index));
  }
}

TEST(IndexBlockTest, AnEntryThatReachesBeyondTheBlockIsRefused) {
  BlockBuilder builder(1);
  builder.Add("a", HandleOf(0));
  builder.Add("b", HandleOf(1));
  std::string contents = builder.Finish().ToString();
  contents[2] = 100;  // the length of the first value
  IndexBlock index;
  EXPECT_NE(nullptr, index.Open(UserOrder(), contents));
}

TEST(IndexBlockTest, KeysThatRepeatALongPrefixWithoutEndAreRefused) {
  BlockBuilder builder(1 << 30);
  const std::string prefix(10'000, 'p');
  for (int i = 0; i < 2000; ++i) {
    std::string key = prefix;
    PutFixed32(&key, __builtin_bswap32(static_cast<uint32_t>(i)));
    builder.Add(key, HandleOf(0));
  }
  IndexBlock index;
  EXPECT_STREQ("keys of the index are too long", index.Open(UserOrder(), builder.Finish()));
}

// Searches would compare whole keys otherwise.
TEST(IndexBlockTest, AShortenedLastKeyDoesNotHideThePrefixOfTheOthers) {
  const auto bytes_with_last = [](const std::string& last) {
    Entries entries;
    for (size_t i = 100; i < 400; ++i) entries["0000000000000" + std::to_string(i)] = HandleOf(i);
    entries[last] = HandleOf(400);
    IndexBlock index;
    EXPECT_EQ(nullptr, OpenIndex(entries, 1, &index));
    return index.MemoryBytes();
  };
  EXPECT_LE(bytes_with_last("1"), bytes_with_last("0000000000000999"));
}

TEST(IndexBlockTest, CountsItsMemory) {
  Entries entries;
  for (size_t i = 0; i < 100; ++i) entries["key" + std::to_string(1000 + i)] = HandleOf(i);
  IndexBlock index;
  ASSERT_EQ(nullptr, OpenIndex(entries, 1, &index));
  constexpr size_t kPerBlock = 16 + 8;  // handle and leading bytes; they have the whole key
  EXPECT_GE(index.MemoryBytes(), 100 * kPerBlock);
  EXPECT_LE(index.MemoryBytes(), 110 * kPerBlock);
}

}  // namespace
}  // namespace lull::testing
