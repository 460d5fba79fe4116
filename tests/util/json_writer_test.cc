// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "util/json_writer.h"

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>

#include "gtest/gtest.h"
#include "tests/support/json_value.h"
#include "util/random.h"

namespace lull {
namespace {

TEST(JsonWriter, NestsAndSeparates) {
  JsonWriter json;
  json.BeginObject();
  json.Field("a", 1);
  json.Member("b").BeginArray();
  json.Value("x");
  json.BeginObject();
  json.EndObject();
  json.BeginArray();
  json.EndArray();
  json.Value(true);
  json.EndArray();
  json.Field("c", false);
  json.EndObject();
  EXPECT_EQ(json.Take(), R"({"a":1,"b":["x",{},[],true],"c":false})");
}

TEST(JsonWriter, Numbers) {
  JsonWriter json;
  json.BeginArray();
  json.Value(std::numeric_limits<uint64_t>::max());
  json.Value(std::numeric_limits<int64_t>::min());
  json.Value(0.5);
  json.Value(1e300);
  json.Value(-2.0);
  json.Value(std::nan(""));
  json.Value(std::numeric_limits<double>::infinity());
  json.EndArray();
  EXPECT_EQ(json.Take(), "[18446744073709551615,-9223372036854775808,0.5,1e+300,-2,null,null]");
}

TEST(JsonWriter, EscapesWhatJsonDoesNotAllow) {
  JsonWriter json;
  json.Value(std::string("a\"b\\c\n\0\x1f\x7f/", 10));
  EXPECT_EQ(json.Take(), "\"a\\\"b\\\\c\\u000a\\u0000\\u001f\x7f/\"");
}

TEST(JsonWriter, KeepsUtf8AndReplacesWhatIsNone) {
  const std::string good = "\xc3\xa4 \xe2\x82\xac \xf0\x9f\x8c\x8d";
  JsonWriter json;
  json.BeginArray();
  json.Value(good);
  json.Value("\xc3");              // cut off
  json.Value("\xc0\xaf");          // overlong
  json.Value("\xed\xa0\x80");      // a surrogate
  json.Value("\xf4\x90\x80\x80");  // beyond the last code point
  json.Value("x\xffy");
  json.EndArray();
  const auto parsed = testing::Json::Parse(json.Take());
  EXPECT_EQ(parsed[0], good);
  EXPECT_EQ(parsed[1], "\xef\xbf\xbd");
  for (size_t i = 2; i < 5; ++i) {
    EXPECT_EQ(parsed[i].Text().find_first_not_of("\xef\xbf\xbd"), std::string::npos);
  }
  EXPECT_EQ(parsed[5], "x\xef\xbf\xbdy");
}

TEST(JsonWriter, AnyBytesParse) {
  Random random(7);
  for (int round = 0; round < 2000; ++round) {
    std::string text;
    for (uint64_t left = random.Uniform(12); left > 0; --left) {
      text.push_back(static_cast<char>(random.Uniform(256)));
    }
    JsonWriter json;
    json.BeginObject();
    json.Field(text, text);
    json.EndObject();
    EXPECT_TRUE(testing::Json::Accepts(json.Take())) << "round " << round;
  }
}

}  // namespace
}  // namespace lull
