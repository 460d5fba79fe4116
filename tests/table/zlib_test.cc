// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Blocks of zlib: those that the library itself makes, and what it makes of ours.
#include <gmock/gmock.h>
#include <zlib.h>

#include <string>
#include <vector>

#include "table/block.h"
#include "tests/table/table_test_util.h"

namespace lull::testing {
namespace {

struct Settings {
  int window_bits;  // negative: without a header
  int level = Z_DEFAULT_COMPRESSION;
  int strategy = Z_DEFAULT_STRATEGY;
  std::string dictionary = {};
};

std::string Pack(const std::string& raw, const Settings& settings) {
  z_stream stream{};
  EXPECT_EQ(
      deflateInit2(&stream, settings.level, Z_DEFLATED, settings.window_bits, 8, settings.strategy),
      Z_OK);
  const auto bytes = [](const std::string& text) {
    return reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  };
  if (!settings.dictionary.empty()) {
    deflateSetDictionary(&stream, bytes(settings.dictionary),
                         static_cast<uInt>(settings.dictionary.size()));
  }
  std::string packed(2 * raw.size() + 1000, '\0');
  stream.next_in = bytes(raw);
  stream.avail_in = static_cast<uInt>(raw.size());
  stream.next_out = bytes(packed);
  stream.avail_out = static_cast<uInt>(packed.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

std::string Unpack(const std::string& packed, int window_bits, size_t bytes) {
  z_stream stream{};
  EXPECT_EQ(inflateInit2(&stream, window_bits), Z_OK);
  std::string raw(bytes, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
  stream.avail_in = static_cast<uInt>(packed.size());
  stream.next_out = reinterpret_cast<Bytef*>(raw.data());
  stream.avail_out = static_cast<uInt>(bytes);
  EXPECT_EQ(inflate(&stream, Z_FINISH), Z_STREAM_END);
  EXPECT_EQ(stream.avail_in + stream.avail_out, 0u);
  inflateEnd(&stream);
  return raw;
}

int TypeOf(int window_bits) { return window_bits < 0 ? 4 : 2; }

std::vector<std::string> Samples() {
  Random random(20);
  std::vector<std::string> samples = {"x", std::string(100'000, 'z')};
  for (const size_t bytes : {100, 4000, 300'000}) {
    std::string text;
    while (text.size() < bytes) text += "entry " + std::to_string(random.Uniform(300)) + "; ";
    samples.push_back(text);
  }
  for (char& c : samples.emplace_back(5000, '\0')) c = static_cast<char>(random.Next());
  return samples;
}

TEST(ZlibTest, EverySettingOfAWriterCanBeRead) {
  for (const std::string& raw : Samples()) {
    for (const int bits : {9, 12, 15, -9, -12, -15}) {
      for (const int level : {0, 1, 6, 9}) {
        for (const int strategy : {Z_DEFAULT_STRATEGY, Z_HUFFMAN_ONLY, Z_RLE, Z_FIXED}) {
          std::string result;
          const Status status =
              DecodeBlock(Pack(raw, {bits, level, strategy}), TypeOf(bits), &result);
          ASSERT_TRUE(status.ok()) << status.ToString();
          ASSERT_EQ(result, raw) << bits << " " << level << " " << strategy;
        }
      }
    }
  }
}

TEST(ZlibTest, TheLibraryReadsWhatIsWritten) {
  Compressor compressor;
  for (const std::string& raw : Samples()) {
    for (const Codec codec : {Codec::kZlib, Codec::kZlibRaw}) {
      Codec used;
      const std::string stored = compressor.Run(codec, 1, raw, &used).ToString();
      const bool shrinks = raw.size() > 1 && raw.size() != 5000;
      ASSERT_EQ(used, shrinks ? codec : Codec::kNone);
      if (!shrinks) continue;
      EXPECT_EQ(Unpack(stored, codec == Codec::kZlib ? 15 : -15, raw.size()), raw);
    }
  }
}

TEST(ZlibTest, DamageIsCorruption) {
  const std::string raw = Samples()[3];
  for (const int bits : {15, -15}) {
    const std::string good = Pack(raw, {bits});
    const auto refused = [&](const std::string& stored, const char* cause) {
      const Status status = DecodeBlock(stored, TypeOf(bits));
      EXPECT_TRUE(status.IsCorruption()) << status.ToString();
      EXPECT_THAT(status.ToString(), ::testing::HasSubstr(cause));
    };
    for (size_t size = 2; size < good.size(); ++size) {
      refused(good.substr(0, size), "file: at offset 0: malformed zlib data");
    }
    refused(good + '\0', "bytes follow the zlib data");
    refused(good + good, "bytes follow the zlib data");
    refused(std::string(100, '\xff'), bits > 0 ? "neither" : "malformed");
    refused("", bits > 0 ? "neither" : "malformed");
    for (size_t i = 0; i < good.size(); ++i) {
      std::string bad = good;
      bad[i] = static_cast<char>(bad[i] ^ 4);
      const bool noticed = DecodeBlock(bad, TypeOf(bits)).IsCorruption();
      EXPECT_TRUE(noticed || bits < 0) << i;  // zlib's own checksum finds everything
    }
  }
}

TEST(ZlibTest, ALongResultOfFewBytesIsNoBlock) {
  std::string contents;
  ASSERT_TRUE(DecodeBlock(Pack(std::string(50 << 20, '\0'), {-15}), 4, &contents).ok());
  Block block;
  EXPECT_NE(block.Parse(contents), nullptr);
}

TEST(ZlibTest, APresetDictionaryIsNotSupported) {
  const std::string stored = Pack(Samples()[2], {.window_bits = 15, .dictionary = "entry 12; "});
  EXPECT_EQ(DecodeBlock(stored, 2).ToString(),
            "Not implemented: file: at offset 0: zlib with a preset dictionary is not supported");
}

}  // namespace
}  // namespace lull::testing
