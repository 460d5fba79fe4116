// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Tables that LevelDB 1.23 wrote from the same entries. Ours must be identical, byte for byte, and
// read the same.
#include <gtest/gtest.h>
#include <snappy.h>

#include "leveldb/filter_policy.h"
#include "tests/table/table_test_util.h"
#include "util/crc32c.h"

namespace lull::testing {
namespace {

std::string SampleKey(uint64_t i) {
  std::string digits = std::to_string(i * 7);
  return "key" + std::string(6 - digits.size(), '0') + digits;
}

std::string SampleValue(uint64_t i) {
  uint64_t x = i * 0x9e3779b97f4a7c15u + 1;
  std::string value((x >> 40) % 60, 'x');
  for (char& c : value) {
    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
    if (i % 3 == 0) c = static_cast<char>('a' + x % 26);
  }
  return value;
}

/// Other versions of snappy compress to other bytes; these come from 1.1.9.
bool SnappyIsTheSame() {
  std::string text;
  for (uint64_t i = 0; i < 3000; ++i) text += SampleKey(i) + SampleValue(i);
  std::string compressed;
  snappy::Compress(text.data(), text.size(), &compressed);
  return crc32c::Value(compressed.data(), compressed.size()) == 0x6ef522b2u;
}

/// Size and CRC-32C of a table of LevelDB 1.23.
struct StockPrint {
  uint64_t samples;
  int compression;
  bool filter;
  int block_bytes;
  int restart_interval;
  size_t file_bytes;
  uint32_t crc;
};

constexpr StockPrint kStockPrints[] = {
    {0, 0, true, 256, 4, 123, 0xb63d9d4au},
    {24, 0, true, 256, 4, 1134, 0x93575bfau},
    {40, 1, true, 256, 4, 1031, 0x3e42c7d3u},
    {3000, 0, false, 1, 1, 223147, 0x11db1bf7u},
    {3000, 0, false, 1000, 1, 140454, 0xd58cdb65u},
    {3000, 0, false, 1000, 16, 108225, 0x148b14f1u},
    {3000, 0, false, 4096, 1, 137466, 0x9880e1c7u},
    {3000, 0, false, 4096, 16, 105861, 0xb2c7d174u},
    {3000, 0, false, 65536, 1, 136541, 0xa88e26d8u},
    {3000, 0, false, 65536, 16, 104933, 0xdb93052eu},
    {3000, 0, true, 1, 1, 227387, 0x3e804256u},
    {3000, 0, true, 1000, 1, 144620, 0xb39c65f6u},
    {3000, 0, true, 1000, 16, 112307, 0x993cf063u},
    {3000, 0, true, 4096, 1, 141581, 0xf8ac5e72u},
    {3000, 0, true, 4096, 16, 109901, 0x5facb5eeu},
    {3000, 0, true, 65536, 1, 140612, 0x9f9e3275u},
    {3000, 0, true, 65536, 16, 108941, 0xda77be74u},
    {3000, 1, false, 1, 1, 154266, 0xfc93ebdfu},
    {3000, 1, false, 1000, 1, 78878, 0x4a9950d4u},
    {3000, 1, false, 1000, 16, 58433, 0x97aa50b4u},
    {3000, 1, false, 4096, 1, 73326, 0x5891fdafu},
    {3000, 1, false, 4096, 16, 55044, 0xe337bff6u},
    {3000, 1, false, 65536, 1, 68787, 0x693c76abu},
    {3000, 1, false, 65536, 16, 50567, 0x70b98e9au},
    {3000, 1, true, 1, 1, 158382, 0x5c76f5d0u},
    {3000, 1, true, 1000, 1, 82885, 0x420f3422u},
    {3000, 1, true, 1000, 16, 62381, 0xe855ba73u},
    {3000, 1, true, 4096, 1, 77315, 0xb2178720u},
    {3000, 1, true, 4096, 16, 58985, 0x14aea882u},
    {3000, 1, true, 65536, 1, 72726, 0x550e41b8u},
    {3000, 1, true, 65536, 16, 54467, 0x1875dfc2u},
};

TEST(StockTableTest, OursAreTheSame) {
  const std::unique_ptr<const leveldb::FilterPolicy> bloom(leveldb::NewBloomFilterPolicy(10));
  const bool same_snappy = SnappyIsTheSame();
  TableReadOptions read;
  read.filter_policy = bloom.get();
  read.paranoid_checks = true;
  const BlockReadOptions options{.verify_checksums = true};
  for (const StockPrint& stock : kStockPrints) {
    SCOPED_TRACE(::testing::Message()
                 << stock.samples << " " << stock.compression << " " << stock.filter << " "
                 << stock.block_bytes << " " << stock.restart_interval);
    Entries entries;
    for (uint64_t i = 0; i < stock.samples; ++i) entries[SampleKey(i)] = SampleValue(i);
    const auto compression = static_cast<Codec>(stock.compression);
    const std::string bytes = BuildTable({.filter_policy = stock.filter ? bloom.get() : nullptr,
                                          .block_bytes = static_cast<size_t>(stock.block_bytes),
                                          .block_restart_interval = stock.restart_interval,
                                          .compression = compression},
                                         entries);
    const auto reader = OpenedTable(read, bytes);
    ExpectHolds(reader->NewIterator(options).get(), entries);
    for (const auto& [key, value] : entries) ASSERT_EQ(value, GetFrom(*reader, key, options).value);
    if (compression == Codec::kSnappy && !same_snappy) continue;
    EXPECT_EQ(stock.file_bytes, bytes.size());
    EXPECT_EQ(stock.crc, crc32c::Value(bytes.data(), bytes.size()));
  }
}

}  // namespace
}  // namespace lull::testing
