// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.

#include "util/logging.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/db/support/lines_logger.h"

namespace lull {
namespace {

using leveldb::Slice;

TEST(EscapeBytes, LeavesPrintableTextAndEscapesTheRest) {
  EXPECT_EQ(EscapeBytes(""), "");
  EXPECT_EQ(EscapeBytes(" azAZ09~"), " azAZ09~");
  EXPECT_EQ(EscapeBytes(Slice("a\0b\n\x1f\x7f\xff", 7)), "a\\x00b\\x0a\\x1f\\x7f\\xff");
}

TEST(ConsumeDecimal, ReadsDigitsFromTheFront) {
  const struct {
    const char* text;
    uint64_t value;
    const char* rest;
  } cases[] = {
      {"0", 0, ""},
      {"000123abc", 123, "abc"},
      {"7-8", 7, "-8"},
      {"18446744073709551615x", UINT64_MAX, "x"},
      {"18446744073709551610", UINT64_MAX - 5, ""},
  };
  for (const auto& c : cases) {
    Slice input = c.text;
    uint64_t value = 99;
    ASSERT_TRUE(ConsumeDecimal(&input, &value)) << c.text;
    EXPECT_EQ(value, c.value);
    EXPECT_EQ(input.ToString(), c.rest);
  }
}

TEST(ConsumeDecimal, RefusesWhatIsNoNumberOrTooLarge) {
  for (const char* const text : {"", "x1", "-1", " 1", "18446744073709551616",
                                 "99999999999999999999", "100000000000000000000000"}) {
    Slice input = text;
    uint64_t value;
    EXPECT_FALSE(ConsumeDecimal(&input, &value)) << text;
  }
}

TEST(Log, FormatsIntoTheLoggerAndToleratesNone) {
  testing::LinesLogger logger;
  leveldb::Logger* const as_base = &logger;
  Log(as_base, "level %d: %s", 3, "full");
  EXPECT_EQ(logger.TakeText(), "level 3: full\n");
  leveldb::Log(as_base, "%05d", 42);
  EXPECT_EQ(logger.TakeText(), "00042\n");
  Log(static_cast<leveldb::Logger*>(nullptr), "nobody reads %d", 1);
}

}  // namespace
}  // namespace lull
