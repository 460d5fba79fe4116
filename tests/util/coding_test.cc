// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.

#include "util/coding.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

#include "util/random.h"

namespace lull {
namespace {

using leveldb::Slice;

std::vector<uint64_t> InterestingNumbers() {
  std::vector<uint64_t> numbers = {0, std::numeric_limits<uint64_t>::max()};
  for (int bit = 0; bit < 64; bit++) {
    const uint64_t power = uint64_t{1} << bit;
    numbers.insert(numbers.end(), {power - 1, power, power + 1});
  }
  Random random(1);
  for (int i = 0; i < 200; i++) numbers.push_back(random.Next() >> random.Uniform(64));
  return numbers;
}

TEST(Coding, KnownBytes) {
  std::string out;
  PutFixed32(&out, 0x04030201u);
  PutFixed64(&out, 0x0807060504030201u);
  EXPECT_EQ(out, std::string("\x01\x02\x03\x04\x01\x02\x03\x04\x05\x06\x07\x08"));
  out.clear();
  PutVarint32(&out, 300);
  PutVarint64(&out, 127);
  PutVarint64(&out, 128);
  PutLengthPrefixed(&out, "ab");
  EXPECT_EQ(out, std::string("\xac\x02\x7f\x80\x01\x02"
                             "ab"));
}

TEST(Coding, EverythingReadsBack) {
  std::string out;
  const std::vector<uint64_t> numbers = InterestingNumbers();
  for (const uint64_t number : numbers) {
    const auto narrow = static_cast<uint32_t>(number);
    PutFixed32(&out, narrow);
    PutFixed64(&out, number);
    PutVarint64(&out, number);
    PutVarint32(&out, narrow);
    PutLengthPrefixed(&out, std::to_string(number));
  }
  Slice input = out;
  for (const uint64_t number : numbers) {
    const auto narrow = static_cast<uint32_t>(number);
    uint32_t varint32;
    uint64_t fixed64, varint64;
    Slice text;
    ASSERT_GE(input.size(), sizeof(narrow));
    EXPECT_EQ(DecodeFixed32(input.data()), narrow);
    input.remove_prefix(sizeof(narrow));
    ASSERT_TRUE(GetFixed64(&input, &fixed64));
    ASSERT_TRUE(GetVarint64(&input, &varint64) && GetVarint32(&input, &varint32));
    ASSERT_TRUE(GetLengthPrefixed(&input, &text));
    EXPECT_EQ(varint32, narrow);
    EXPECT_EQ(fixed64, number);
    EXPECT_EQ(varint64, number);
    EXPECT_EQ(text.ToString(), std::to_string(number));
  }
  EXPECT_TRUE(input.empty());
}

/// Expects that `get` reads no value from a part of `bytes`.
template <class Value, class Get>
void ExpectNeedsAll(const std::string& bytes, const Get& get) {
  for (size_t size = 0; size < bytes.size(); size++) {
    // An exact heap copy, so that the address sanitizer detects reads past the end.
    const std::vector<char> cut(bytes.begin(), bytes.begin() + static_cast<long>(size));
    Slice input(cut.data(), cut.size());
    Value value;
    EXPECT_FALSE(get(&input, &value)) << size;
  }
}

TEST(Coding, EveryTruncationIsNoticed) {
  for (const uint64_t number : InterestingNumbers()) {
    std::string wide, narrow, prefixed;
    PutVarint64(&wide, number);
    PutVarint32(&narrow, static_cast<uint32_t>(number));
    PutLengthPrefixed(&prefixed, std::string(number % 300, 'x'));
    ExpectNeedsAll<uint64_t>(wide, GetVarint64);
    ExpectNeedsAll<uint32_t>(narrow, GetVarint32);
    ExpectNeedsAll<Slice>(prefixed, GetLengthPrefixed);
  }
  ExpectNeedsAll<uint64_t>("abcdefgh", GetFixed64);
}

TEST(Coding, OverlongVarintsAreMalformed) {
  uint32_t value32;
  uint64_t value64;
  Slice six("\x81\x81\x81\x81\x81\x01");
  EXPECT_FALSE(GetVarint32(&six, &value32));
  Slice eleven("\x81\x81\x81\x81\x81\x81\x81\x81\x81\x81\x01");
  EXPECT_FALSE(GetVarint64(&eleven, &value64));
}

TEST(Coding, LengthLargerThanTheRestIsMalformed) {
  std::string bytes;
  PutVarint32(&bytes, 0xffffffffu);
  bytes += "tail";
  Slice input = bytes, text;
  EXPECT_FALSE(GetLengthPrefixed(&input, &text));
}

}  // namespace
}  // namespace lull
