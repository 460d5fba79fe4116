// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "tests/db/support/metrics_checker.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <regex>
#include <sstream>

namespace lull::testing {

std::map<std::string, double> ParseMetrics(const std::string& text) {
  static const std::regex help("# HELP (lull_[a-z0-9_]+) ([^\\n]+)");
  static const std::regex type("# TYPE (lull_[a-z0-9_]+) (gauge|counter|histogram)");
  static const std::string value = "(?:[^\"\\\\]|\\\\[\\\\\"n])*";
  static const std::regex sample("(lull_[a-z0-9_]+)\\{store=\"" + value + "\"((?:,[a-z]+=\"" +
                                 value + "\")*)\\} (-?[0-9.]+(?:e[-+][0-9]+)?)");
  std::map<std::string, double> values;
  std::map<std::string, std::string> types;
  std::string family;
  std::istringstream lines(text);
  std::smatch match;
  EXPECT_TRUE(text.empty() || text.back() == '\n');
  for (std::string line; std::getline(lines, line);) {
    if (std::regex_match(line, match, help)) {
      family = match[1];
      EXPECT_FALSE(types.contains(family)) << "duplicate family " << family;
      types[family] = "";
    } else if (std::regex_match(line, match, type)) {
      EXPECT_EQ(match[1], family) << "TYPE does not follow its HELP";
      types[family] = match[2];
      // A naming rule of Prometheus.
      const bool is_total = family.ends_with("_total");
      EXPECT_EQ(is_total, match[2] == "counter") << family;
    } else if (std::regex_match(line, match, sample)) {
      const std::string name = match[1];
      const bool belongs =
          name == family ||
          (types[family] == "histogram" &&
           (name == family + "_bucket" || name == family + "_sum" || name == family + "_count"));
      EXPECT_TRUE(belongs) << line << " is in family " << family;
      std::string labels = match[2];
      if (!labels.empty()) labels.erase(0, 1);
      const std::string key = labels.empty() ? name : name + "{" + labels + "}";
      EXPECT_TRUE(values.emplace(key, std::strtod(match[3].str().c_str(), nullptr)).second)
          << "twice: " << key;
    } else {
      ADD_FAILURE() << "not a valid line: " << line;
    }
  }
  return values;
}

}  // namespace lull::testing
