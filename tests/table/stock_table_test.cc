// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Tables that LevelDB 1.23 itself wrote, from the entries that Sample() returns. Ours must be
// identical, byte for byte, and must read the same.
#include <gtest/gtest.h>
#include <snappy.h>

#include "leveldb/filter_policy.h"
#include "tests/table/table_test_util.h"
#include "util/crc32c.h"

namespace lull {
namespace {

using testing::Entries;

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

Entries Sample(uint64_t count) {
  Entries entries(testing::LessByOrder{testing::UserOrder()});
  for (uint64_t i = 0; i < count; ++i) entries[SampleKey(i)] = SampleValue(i);
  return entries;
}

std::string FromHex(const std::string& hex) {
  std::string bytes;
  for (size_t i = 0; i < hex.size(); i += 2) {
    bytes.push_back(static_cast<char>(std::stoi(hex.substr(i, 2), nullptr, 16)));
  }
  return bytes;
}

/// Other versions of snappy compress to other bytes; these come from 1.1.9.
bool SnappyIsTheSame() {
  std::string text;
  for (uint64_t i = 0; i < 3000; ++i) text += SampleKey(i) + SampleValue(i);
  std::string compressed;
  snappy::Compress(text.data(), text.size(), &compressed);
  return crc32c::Value(compressed.data(), compressed.size()) == 0x6ef522b2u;
}

class StockTableTest : public ::testing::Test {
 protected:
  TableWriteOptions WriteOptions(leveldb::CompressionType compression, bool filter, int block_bytes,
                                 int interval) const {
    TableWriteOptions write;
    write.compression = compression;
    write.filter_policy = filter ? bloom_.get() : nullptr;
    write.block_bytes = static_cast<size_t>(block_bytes);
    write.block_restart_interval = interval;
    return write;
  }

  void ExpectReads(const std::string& bytes, const Entries& entries) const {
    TableReadOptions read;
    read.filter_policy = bloom_.get();
    read.paranoid_checks = true;
    std::unique_ptr<TableReader> reader;
    const leveldb::Status status = testing::OpenTableBytes(read, bytes, &reader);
    ASSERT_TRUE(status.ok()) << status.ToString();
    BlockReadOptions options;
    options.verify_checksums = true;
    testing::ExpectHolds(reader->NewIterator(options).get(), entries);
    for (const auto& [key, value] : entries) {
      testing::Found found;
      ASSERT_TRUE(GetInto(*reader, options, key, &found).ok());
      ASSERT_EQ(value, found.value);
    }
  }

  const std::unique_ptr<const leveldb::FilterPolicy> bloom_{leveldb::NewBloomFilterPolicy(10)};
};

// 24 samples, no compression, Bloom filter of 10 bits, blocks of 256 bytes, restart interval 4.
constexpr char kPlainTable[] =
    "0009006b6579303030303030080131377878787878787878787878787878787878787878787878787878787878"
    "787878787878787878787878787878787878787807021731347878787878787878787878787878787878787878"
    "78787807020d323173787074696a73796b7572647700092e6b6579303030303238787878787878787878787878"
    "787878787878787878787878787878787878787878787878787878787878787878780702143335787878787878"
    "787878787878787878787878787807020a3432787a646e676a617a737708012c39787878787878787878787878"
    "7878787878787878787878787878787878787878787878787878787878787878000000006f0000000200000000"
    "8d9e409e0009216b65793030303035367878787878787878787878787878787878787878787878787878787878"
    "787878780702073633786b6f687671750702293730787878787878787878787878787878787878787878787878"
    "787878787878787878787878787878787808011e37787878787878787878787878787878787878787878787878"
    "7878787878780009046b6579303030303834796961750702263931787878787878787878787878787878787878"
    "787878787878787878787878787878787878787808011c38787878787878787878787878787878787878787878"
    "78787878787878060301313035670009336b657930303031313278787878787878787878787878787878787878"
    "78787878787878787878787878787878787878787878787878787878787878780000000089000000eb00000003"
    "000000005315765e0009196b657930303031313978787878787878787878787878787878787878787878787878"
    "07023b3236646d61706e6a656c6c6f6d62616673627976776673616766776a74637a7a74666e787a6375756a61"
    "756d676264616b6c7070656664656b637875620702303333787878787878787878787878787878787878787878"
    "787878787878787878787878787878787878787878787878787878070216343078787878787878787878787878"
    "78787878787878787800090c6b657930303031343762626876777a6a61687a797607022d353478787878787878"
    "787878787878787878787878787878787878787878787878787878787878787878787878787800000000b50000"
    "000200000000ac5066760009136b65793030303136317878787878787878787878787878787878787800000000"
    "0100000000a6fe754888650851ce4c6d8d385d891c428322f816d407324215e5d58852e91318a406000000001f"
    "0000000b002a8be2fb00220366696c7465722e6c6576656c64622e4275696c74696e426c6f6f6d46696c746572"
    "328d0728000000000100000000cc983f350009036b6579303030303439008d020009046b657930303031313392"
    "02ba020009046b6579303030313534d1048b020001036ce10627000000000f0000001f0000002f000000040000"
    "0000d7b56d4eba0730ef074a000000000000000000000000000000000000000000000000000000000000000000"
    "0057fb808b247547db";

// 40 samples, otherwise the same, snappy.
constexpr char kSnappyTable[] =
    "8d02180009006b6579300501100801313778be01001007021731345a35005007020d323173787074696a73796b"
    "7572647700092e0d6f0432385a35005a01001007021433354e1c004807020a3432787a646e676a617a73770801"
    "2c394e27005e01002c000000006f0000000200000001b51d334aba02300009216b6579303030303536787e0100"
    "400702073633786b6f6876717507022937307e310015010c08011e37150d520100080009040d89283834796961"
    "750702263931522a004201000c08011c384215001d0124060301313035670009330962083131321d1e9e01003c"
    "0000000089000000eb0000000300000001d16d4b558b02300009196b6579303030313139785e0100f04607023b"
    "3236646d61706e6a656c6c6f6d62616673627976776673616766776a74637a7a74666e787a6375756a61756d67"
    "6264616b6c7070656664656b63787562070230333378785e5f00560100100702163430561b000800090c0db548"
    "343762626876777a6a61687a797607022d35345633005a01002c00000000b500000002000000010e2cd5039d02"
    "300009136b657930303031363178460100440801093871766a667067766b7707022b3735462400620100100702"
    "1038323e1e00080009060d713038397977776a716607022839363e27005e01001806031e323033787201002c07"
    "020331306a61750009256b05dc0832313772310011013c0000000071000000dc00000003000000010f450a7f8e"
    "023000091b6b657930303032323478660100200702003331080122386623001101100702183435110d3e010008"
    "00093a0d6ff0403532796d6373706f736d72636a6b656b7969626964667a7871726d71726365646771786c6d6a"
    "6f68636e6b73777679686a61676d6b666b6e6b776e7408012f39783e5b007601001007021536365223002c0000"
    "00006f0000000200000001bfff038e0009376b65793030303237336f6e66697267626f646274797977627a7578"
    "68706775766263677572796c6d7077796671717166696b797261667670617a646764636d6c0000000001000000"
    "0013898eb3cb5d43d5447129042e3d49d5445f63d8136f1ce806052b01b869e352568049159256ba8047111a4c"
    "21f50040fa4f1cdc35b60600000000330000000b0018b1b19100220366696c7465722e6c6576656c64622e4275"
    "696c74696e426c6f6f6d46696c7465723282063c000000000100000000a1d94d706f340009026b657930303030"
    "3439006f150e1c313133747d000904091c18313534f60198011510143231379303831d10a036369b0492010001"
    "036cb2054b000000000e0000001c0000002c0000003c0000004c00000006000000019abf922ec30630f8065a00"
    "00000000000000000000000000000000000000000000000000000000000000000057fb808b247547db";

// No entry, otherwise the same.
constexpr char kEmptyTable[] =
    "000000000b008ae8dad100220266696c7465722e6c6576656c64622e4275696c74696e426c6f6f6d46696c7465"
    "7232000500000000010000000065e85da8000000000100000000c0f2a1b00a2f3e080000000000000000000000"
    "0000000000000000000000000000000000000000000000000057fb808b247547db";

TEST_F(StockTableTest, Plain) {
  const std::string stock = FromHex(kPlainTable);
  EXPECT_EQ(stock, BuildTable(WriteOptions(leveldb::kNoCompression, true, 256, 4), Sample(24)));
  ExpectReads(stock, Sample(24));
}

TEST_F(StockTableTest, Snappy) {
  const std::string stock = FromHex(kSnappyTable);
  ExpectReads(stock, Sample(40));
  if (!SnappyIsTheSame()) GTEST_SKIP() << "another version of snappy";
  EXPECT_EQ(stock, BuildTable(WriteOptions(leveldb::kSnappyCompression, true, 256, 4), Sample(40)));
}

TEST_F(StockTableTest, Empty) {
  const std::string stock = FromHex(kEmptyTable);
  EXPECT_EQ(stock, BuildTable(WriteOptions(leveldb::kNoCompression, true, 256, 4), Sample(0)));
  ExpectReads(stock, Sample(0));
}

/// Size and CRC-32C of the table that LevelDB 1.23 made of 3000 samples.
struct StockPrint {
  int compression;
  bool filter;
  int block_bytes;
  int restart_interval;
  size_t file_bytes;
  uint32_t crc;
};

constexpr StockPrint kStockPrints[] = {
    {0, false, 1, 1, 223147, 0x11db1bf7u},     {0, false, 1, 16, 223147, 0x11db1bf7u},
    {0, false, 1000, 1, 140454, 0xd58cdb65u},  {0, false, 1000, 16, 108225, 0x148b14f1u},
    {0, false, 4096, 1, 137466, 0x9880e1c7u},  {0, false, 4096, 16, 105861, 0xb2c7d174u},
    {0, false, 65536, 1, 136541, 0xa88e26d8u}, {0, false, 65536, 16, 104933, 0xdb93052eu},
    {0, true, 1, 1, 227387, 0x3e804256u},      {0, true, 1, 16, 227387, 0x3e804256u},
    {0, true, 1000, 1, 144620, 0xb39c65f6u},   {0, true, 1000, 16, 112307, 0x993cf063u},
    {0, true, 4096, 1, 141581, 0xf8ac5e72u},   {0, true, 4096, 16, 109901, 0x5facb5eeu},
    {0, true, 65536, 1, 140612, 0x9f9e3275u},  {0, true, 65536, 16, 108941, 0xda77be74u},
    {1, false, 1, 1, 154266, 0xfc93ebdfu},     {1, false, 1, 16, 154266, 0xfc93ebdfu},
    {1, false, 1000, 1, 78878, 0x4a9950d4u},   {1, false, 1000, 16, 58433, 0x97aa50b4u},
    {1, false, 4096, 1, 73326, 0x5891fdafu},   {1, false, 4096, 16, 55044, 0xe337bff6u},
    {1, false, 65536, 1, 68787, 0x693c76abu},  {1, false, 65536, 16, 50567, 0x70b98e9au},
    {1, true, 1, 1, 158382, 0x5c76f5d0u},      {1, true, 1, 16, 158382, 0x5c76f5d0u},
    {1, true, 1000, 1, 82885, 0x420f3422u},    {1, true, 1000, 16, 62381, 0xe855ba73u},
    {1, true, 4096, 1, 77315, 0xb2178720u},    {1, true, 4096, 16, 58985, 0x14aea882u},
    {1, true, 65536, 1, 72726, 0x550e41b8u},   {1, true, 65536, 16, 54467, 0x1875dfc2u},
};

TEST_F(StockTableTest, LargerTables) {
  const Entries entries = Sample(3000);
  const bool same_snappy = SnappyIsTheSame();
  for (const StockPrint& stock : kStockPrints) {
    const auto compression = static_cast<leveldb::CompressionType>(stock.compression);
    const std::string bytes = BuildTable(
        WriteOptions(compression, stock.filter, stock.block_bytes, stock.restart_interval),
        entries);
    ExpectReads(bytes, entries);
    if (compression == leveldb::kSnappyCompression && !same_snappy) continue;
    EXPECT_EQ(stock.file_bytes, bytes.size());
    EXPECT_EQ(stock.crc, crc32c::Value(bytes.data(), bytes.size()))
        << stock.compression << " " << stock.filter << " " << stock.block_bytes << " "
        << stock.restart_interval;
  }
}

}  // namespace
}  // namespace lull
