// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "util/json_tree.h"

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>

#include "gtest/gtest.h"
#include "tests/support/json_value.h"
#include "util/random.h"

namespace lull {
namespace {

TEST(JsonTree, NestsAndSeparates) {
  JsonTree json;
  EXPECT_EQ(json.Text(), "{}");
  json.Set("a", 1);
  json.Set("b.0", "x");
  json.SetObject("b.1");
  json.SetArray("b.2");
  json.Set("c.d.0.e", false);
  json.Set("b.3", true);
  json.Set("c.d.1.e", 2);
  json.Set("c.d.0.f", 3);
  EXPECT_EQ(json.Text(), R"({"a":1,"b":["x",{},[],true],"c":{"d":[{"e":false,"f":3},{"e":2}]}})");
}

TEST(JsonTree, TheLastValueOfAPathStays) {
  JsonTree json;
  json.SetArray("a");
  json.Set("b", 1);
  json.Set("a.0", 2);
  json.Set("b", 3);
  EXPECT_EQ(json.Text(), R"({"a":[2],"b":3})");
}

TEST(JsonTree, Numbers) {
  JsonTree json;
  json.Set("n.0", std::numeric_limits<uint64_t>::max());
  json.Set("n.1", std::numeric_limits<int64_t>::min());
  json.Set("n.2", 0.5);
  json.Set("n.3", 1e300);
  json.Set("n.4", -2.0);
  json.Set("n.5", std::nan(""));
  json.Set("n.6", std::numeric_limits<double>::infinity());
  EXPECT_EQ(json.Text(),
            R"({"n":[18446744073709551615,-9223372036854775808,0.5,1e+300,-2,null,null]})");
}

TEST(JsonTree, EscapesWhatJsonDoesNotAllow) {
  JsonTree json;
  json.Set("\"", std::string("a\"b\\c\n\0\x1f\x7f/", 10));
  EXPECT_EQ(json.Text(), "{\"\\\"\":\"a\\\"b\\\\c\\u000a\\u0000\\u001f\x7f/\"}");
}

TEST(JsonTree, KeepsUtf8AndReplacesWhatIsNone) {
  const std::string good = "\xc3\xa4 \xe2\x82\xac \xf0\x9f\x8c\x8d";
  JsonTree json;
  json.Set("t.0", good);
  json.Set("t.1", "\xc3");              // cut off
  json.Set("t.2", "\xc0\xaf");          // overlong
  json.Set("t.3", "\xed\xa0\x80");      // a surrogate
  json.Set("t.4", "\xf4\x90\x80\x80");  // beyond the last code point
  json.Set("t.5", "x\xffy");
  const auto parsed = testing::Json::Parse(json.Text())["t"];
  EXPECT_EQ(parsed[0], good);
  EXPECT_EQ(parsed[1], "\xef\xbf\xbd");
  for (size_t i = 2; i < 5; ++i) {
    EXPECT_EQ(parsed[i].Text().find_first_not_of("\xef\xbf\xbd"), std::string::npos);
  }
  EXPECT_EQ(parsed[5], "x\xef\xbf\xbdy");
}

TEST(JsonTree, AnyBytesParse) {
  Random random(7);
  for (int round = 0; round < 2000; ++round) {
    std::string text;
    for (uint64_t left = random.Uniform(12); left > 0; --left) {
      text.push_back(static_cast<char>(random.Uniform(256)));
    }
    JsonTree json;
    json.Set("a" + text.substr(0, text.find('.')), text);
    EXPECT_TRUE(testing::Json::Accepts(json.Text())) << "round " << round;
  }
}

}  // namespace
}  // namespace lull
