// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "db/compaction/output_cutter.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "tests/db/support/version_text.h"

namespace lull {
namespace {

TableRef Below(const std::string& smallest, const std::string& largest, uint64_t bytes) {
  static uint64_t number = 0;
  return DescribedTable({2, ++number, bytes, MakeInternalKey(smallest, 5, ValueKind::kValue),
                         MakeInternalKey(largest, 5, ValueKind::kValue)});
}

// Cuts as a job does: the versions of a user key stay together. One entry of one byte for each
// letter; the tables as words: "abc de f".
std::string CutText(const std::string& letters, const CutRule& rule,
                    std::vector<TableRef> below = {}, std::vector<std::string> fences = {}) {
  OutputCutter cutter(testing::InternalOrder(), rule, std::move(below), std::move(fences));
  std::string text;
  uint64_t sequence = 100, bytes = 0;
  for (const char letter : letters) {
    const std::string key = MakeInternalKey(std::string(1, letter), sequence--, ValueKind::kValue);
    if (cutter.CutBefore(key, bytes, !text.empty() && text.back() != letter)) {
      text += ' ';
      bytes = 0;
    }
    text += letter;
    ++bytes;
  }
  return text;
}

CutRule BySize(uint64_t bytes_max) {
  return {.table_bytes_max = bytes_max, .overlap_bytes_max = 1000};
}

CutRule ByRatio(uint64_t bytes_min, uint64_t bytes_max, double ratio) {
  CutRule rule = BySize(bytes_max);
  rule.table_bytes_min = bytes_min;
  rule.overlap_ratio_max = ratio;
  return rule;
}

TEST(OutputCutter, BySizeAlone) {
  EXPECT_EQ(CutText("abcdefgh", BySize(3)), "abc def gh");
  EXPECT_EQ(CutText("", BySize(3)), "");
  EXPECT_EQ(CutText("a", BySize(1)), "a");
  EXPECT_EQ(CutText("abc", BySize(1)), "a b c");
}

TEST(OutputCutter, VersionsOfOneKeyStayTogether) {
  EXPECT_EQ(CutText("abbbbbc", BySize(2)), "abbbbb c");
  EXPECT_EQ(CutText("aaaaab", BySize(2)), "aaaaa b");
  // A cut that becomes due inside a key is made right after it.
  EXPECT_EQ(CutText("abbbbcd", ByRatio(2, 9, 1), {Below("a", "d", 99)}), "abbbb cd");
}

TEST(OutputCutter, AFenceIsNeverCrossed) {
  EXPECT_EQ(CutText("abcxyz", BySize(9), {}, {"c"}), "abc xyz");
  EXPECT_EQ(CutText("abcxyz", BySize(9), {}, {"b1", "w"}), "ab c xyz");
  EXPECT_EQ(CutText("abxyz", BySize(9), {}, {"c", "d", "w"}), "ab xyz") << "nothing lies between";
  EXPECT_EQ(CutText("xyz", BySize(9), {}, {"c"}), "xyz") << "nothing comes before the fence";
  EXPECT_EQ(CutText("abcc", BySize(9), {}, {"c"}), "abcc");
}

TEST(OutputCutter, ATableEntersNoFurtherOverlapBeyondTheLimit) {
  CutRule rule = BySize(9);
  rule.overlap_bytes_max = 10;
  EXPECT_EQ(CutText("abcdef", rule, {Below("a", "b", 6), Below("c", "d", 4), Below("e", "f", 1)}),
            "abcd ef");
  EXPECT_EQ(CutText("abcdef", rule, {Below("a", "c", 99), Below("d", "f", 99)}), "abc def")
      << "no cut within a table that exceeds the limit alone";
  EXPECT_EQ(CutText("af", rule, {Below("b", "c", 6), Below("d", "e", 6)}), "a f")
      << "tables between two entries count as overlapped too";
}

TEST(OutputCutter, AlignsWithTheEndsBelow) {
  CutRule rule = BySize(6);
  rule.align = true;
  const std::vector<TableRef> pairs = {Below("a", "b", 1), Below("c", "d", 1), Below("e", "f", 1),
                                       Below("g", "h", 1)};
  EXPECT_EQ(CutText("abcdefgh", rule, pairs), "abcdef gh");
  rule.table_bytes_max = 5;
  EXPECT_EQ(CutText("abcdefgh", rule, pairs), "abcd efgh") << "the end after d comes too late";
  rule.align = false;
  EXPECT_EQ(CutText("abcdefgh", rule, pairs), "abcde fgh");
  rule.align = true;
  EXPECT_EQ(CutText("abcdefgh", rule, {Below("a", "b", 1), Below("c", "z", 1)}), "abcde fgh")
      << "not where less than half would be left in a table";
  EXPECT_EQ(CutText("abcdefgh", rule), "abcde fgh");
}

TEST(OutputCutter, GoodTablesGrowUntilTheirOverlapWouldBeTooMuch) {
  const CutRule rule = ByRatio(2, 6, 4);
  EXPECT_EQ(CutText("abcdefgh", rule), "abcdef gh") << "nothing below: full size";
  // For 2 bytes, an overlap of 8 is just good. With e it is 16 for 4, still good; with f, 24 for 5
  // is not.
  EXPECT_EQ(CutText("abcdefgh", rule, {Below("a", "d", 8), Below("e", "e", 8), Below("f", "h", 8)}),
            "abcde fgh");
}

TEST(OutputCutter, PoorTablesAreCutAtTheMinimum) {
  const CutRule rule = ByRatio(2, 6, 4);
  EXPECT_EQ(CutText("abcdefgh", rule, {Below("a", "z", 1000)}), "ab cd ef gh");
  // Poor up to b, with 16 bytes overlapped for 2. From c on only one table of 8 is overlapped.
  EXPECT_EQ(CutText("abcdefgh", rule, {Below("a", "a", 8), Below("b", "b", 8), Below("c", "h", 8)}),
            "ab cdefgh");
}

TEST(OutputCutter, KeysAtTheBoundariesOfTables) {
  const CutRule rule = ByRatio(1, 9, 8);
  // Every entry has one byte, so an overlap of 8 bytes for each is good.
  EXPECT_EQ(CutText("ab", rule, {Below("a", "a", 8), Below("b", "b", 9)}), "a b");
  EXPECT_EQ(CutText("ab", rule, {Below("a", "a", 8), Below("b", "b", 0)}), "ab");
  EXPECT_EQ(CutText("ac", rule, {Below("a", "a", 8), Below("b", "b", 8)}), "a c")
      << "b lies between";
  EXPECT_EQ(CutText("ab", rule, {Below("a", "b", 8), Below("b1", "c", 8)}), "ab");
}

TEST(OutputCutter, RulesFollowFromLayoutAndLevel) {
  LayoutOptions layout{.kind = LayoutKind::kVsst, .growth_factor = 8, .table_bytes_max = 8 << 20};
  EXPECT_EQ(CutRuleFor(layout, 1).overlap_ratio_max, 8);
  EXPECT_EQ(CutRuleFor(layout, 1).table_bytes_min, 1u << 20);
  EXPECT_EQ(CutRuleFor(layout, 2).overlap_ratio_max, 0);
  EXPECT_TRUE(CutRuleFor(layout, 2).align);
  EXPECT_FALSE(CutRuleFor(layout, 6).align) << "nothing lies below";
  EXPECT_FALSE(CutRuleFor(layout, 7 - 1).overlap_bytes_max < (uint64_t{1} << 60));
  layout.kind = LayoutKind::kLeveled;
  EXPECT_EQ(CutRuleFor(layout, 1).overlap_ratio_max, 0);
  layout.align_outputs = false;
  EXPECT_FALSE(CutRuleFor(layout, 1).align);
}

}  // namespace
}  // namespace lull
