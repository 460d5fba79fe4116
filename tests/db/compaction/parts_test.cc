// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "db/compaction/parts.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <string>
#include <vector>

#include "db/compaction/key_sample.h"
#include "tests/db/support/version_text.h"
#include "tests/support/units.h"

namespace lull {
namespace {

using testing::InternalOrder;
using testing::kMiB;
using testing::Numbers;
using testing::VersionFromText;

/// "..c 30% c..m 50% m.. 20%"
std::string Show(const std::vector<PartRange>& parts) {
  std::string text;
  for (const PartRange& part : parts) {
    text += (text.empty() ? "" : " ") + part.begin.value_or("") + ".." + part.end.value_or("") +
            " " + std::to_string(std::lround(100 * (part.to - part.from))) + "%";
  }
  return text;
}

std::string Divide(const std::vector<WeightedKey>& keys, size_t parts_max) {
  return Show(DivideKeys(InternalOrder(), keys, parts_max));
}

TEST(DivideKeysTest, MakesPartsOfEqualWeight) {
  EXPECT_EQ(Divide({{"a", 1}, {"b", 1}, {"c", 1}, {"d", 1}}, 2), "..c 50% c.. 50%");
  EXPECT_EQ(Divide({{"d", 1}, {"b", 1}, {"a", 1}, {"c", 1}}, 2), "..c 50% c.. 50%") << "unsorted";
  EXPECT_EQ(Divide({{"a", 1}, {"b", 1}, {"c", 2}}, 2), "..c 50% c.. 50%");
  EXPECT_EQ(Divide({{"a", 1}, {"b", 1}, {"c", 1}, {"d", 1}}, 4),
            "..b 25% b..c 25% c..d 25% d.. 25%");
  // At the key closest to a third.
  EXPECT_EQ(Divide({{"a", 4}, {"b", 5}, {"c", 3}, {"d", 2}, {"e", 1}}, 3),
            "..b 27% b..c 33% c.. 40%");
}

TEST(DivideKeysTest, MakesFewerPartsIfTheKeysAllowNoMore) {
  EXPECT_EQ(Divide({}, 4), ".. 100%");
  EXPECT_EQ(Divide({{"a", 5}}, 4), ".. 100%");
  EXPECT_EQ(Divide({{"a", 0}, {"b", 0}}, 4), ".. 100%");
  EXPECT_EQ(Divide({{"a", 1}, {"b", 1}}, 1), ".. 100%");
  EXPECT_EQ(Divide({{"a", 1}, {"a", 1}, {"b", 1}, {"b", 1}}, 4), "..b 50% b.. 50%");
  EXPECT_EQ(Divide({{"a", 97}, {"b", 1}, {"c", 1}, {"d", 1}}, 4), ".. 100%") << "no part of 3%";
}

class PartsTest : public ::testing::Test {
 protected:
  static CompactionPlan PlanFor(const std::string& text) {
    LayoutOptions layout;
    layout.l0_trigger = 1;
    layout.l1_bytes_target = 1 << 30;
    return *Pick(*VersionFromText(text), JobClass::kL0, {}, {}, layout);
  }
  static std::string Parts(const CompactionPlan& plan, int workers) {
    return Show(PartsOf(plan, InternalOrder(), workers, 8 * kMiB));
  }
};

constexpr char kBurst[] =
    "L0: 9:[a..z]*20 8:[b..y]*20 L1: 1:[a..f]*10 2:[g..l]*10 3:[m..r]*10 4:[s..z]*10";

TEST_F(PartsTest, AMultipleOfTheWorkersEachWithEnoughToDo) {
  const CompactionPlan plan = PlanFor(kBurst);
  EXPECT_EQ(Parts(plan, 1), ".. 100%");
  EXPECT_EQ(Parts(plan, 2), "..g 25% g..m 25% m..s 25% s.. 25%") << "80 MiB allow 10";
  EXPECT_EQ(Parts(plan, 3), Parts(plan, 2)) << "there are only 4 tables in L1";
  EXPECT_EQ(Parts(plan, 16), Parts(plan, 2));
  EXPECT_EQ(Parts(PlanFor("L0: 9:[a..z]*10 L1: 1:[a..k]*2 2:[l..z]*2"), 2), ".. 100%") << "14 MiB";
  EXPECT_EQ(Parts(PlanFor("L0: 9:[a..z]*12 L1: 1:[a..k]*2 2:[l..z]*2"), 2), "..l 50% l.. 50%");
  EXPECT_EQ(Parts(PlanFor("L0: 9:[a..z]*26 L1: 1:[a..g]*2 2:[l..r]*2 3:[s..z]*2"), 3),
            "..l 33% l..s 33% s.. 33%");
}

TEST_F(PartsTest, OnlyL0IsDivided) {
  CompactionPlan plan = PlanFor(kBurst);
  plan.level = 1;
  EXPECT_EQ(Parts(plan, 2), ".. 100%");
  EXPECT_EQ(Parts(PlanFor("L0: 9:[a..z]*100"), 2), ".. 100%") << "a trivial move";
}

TEST_F(PartsTest, SamplesShowTheDistribution) {
  CompactionPlan plan = PlanFor("L0: 9:[a..z]*40 8:[a..z]*40");
  EXPECT_EQ(Parts(plan, 2), ".. 100%") << "nothing is known";
  plan.upper[0]->sample_keys = {"a", "t", "u", "v"};
  EXPECT_EQ(Parts(plan, 2), "..t 25% t..u 25% u..v 25% v.. 25%") << "both have as many below t";
  plan.upper[1]->sample_keys = {"a", "b"};
  EXPECT_EQ(Parts(plan, 2), "..b 38% b..t 25% t..u 13% u.. 25%");
}

TEST_F(PartsTest, WithoutSamplesTheNextLevelShowsTheDistribution) {
  EXPECT_EQ(Parts(PlanFor("L0: 9:[a..z]*40 8:[a..z]*40 L2: 1:[a..k] 2:[l..z]"), 2),
            "..l 50% l.. 50%");
}

TEST_F(PartsTest, APartHasOnlyTheTablesInItsRange) {
  const CompactionPlan whole = PlanFor(
      "L0: 9:[a..z]*20 8:[a..c]*20 L1: 1:[a..f]*10 2:[g..l]*10 L2: 5:[a..b] 6:[c..h] 7:[i..z]");
  PartRange low;
  low.end = "g";
  low.to = 1 / 3.0;
  PartRange high;
  high.begin = "g";
  high.from = low.to;
  const CompactionPlan first = PlanOfPart(whole, low, InternalOrder());
  EXPECT_EQ(Numbers(first.upper) + " + " + Numbers(first.lower), "9 8 + 1");
  EXPECT_EQ(Numbers(first.grandparents), "5 6");
  EXPECT_EQ(first.range.smallest_user + ".." + first.range.largest_user, "a..g");
  const CompactionPlan second = PlanOfPart(whole, high, InternalOrder());
  EXPECT_EQ(Numbers(second.upper) + " + " + Numbers(second.lower), "9 + 2");
  EXPECT_EQ(Numbers(second.grandparents), "6 7");
  EXPECT_EQ(second.range.smallest_user + ".." + second.range.largest_user, "g..z");
  EXPECT_EQ(first.input_bytes + second.input_bytes, whole.input_bytes);
  EXPECT_EQ(first.input_bytes, whole.input_bytes / 3);
}

// LevelDB can end a table between two versions of a key.
TEST_F(PartsTest, TablesThatShareTheFirstKeyOfAPartBelongToIt) {
  const CompactionPlan whole = PlanFor("L0: 9:[a..z]*20 L1: 1:[a..m@5] 2:[m@3..z]");
  PartRange high;
  high.begin = "m";
  EXPECT_EQ(Numbers(PlanOfPart(whole, high, InternalOrder()).lower), "1 2");
  PartRange low;
  low.end = "m";
  EXPECT_EQ(Numbers(PlanOfPart(whole, low, InternalOrder()).lower), "1");
}

TEST(KeySampleTest, IsEvenlySpacedWhateverTheSizeOfTheTable) {
  for (const uint64_t table_bytes : {100ull, 10'000ull, 1'000'000ull, 300'000'000ull}) {
    KeySample sample;
    const uint64_t step = std::max<uint64_t>(table_bytes / 100'000, 100);
    for (uint64_t at = 0; at < table_bytes; at += step) sample.Add(std::to_string(at), at);
    std::vector<std::string> keys = sample.Take();
    ASSERT_FALSE(keys.empty());
    EXPECT_EQ(keys.front(), "0");
    EXPECT_LE(keys.size(), KeySample::kKeysMax);
    if (table_bytes >= 1'000'000) {
      EXPECT_GE(keys.size(), KeySample::kKeysMax / 2);
    }
    keys.push_back(std::to_string(table_bytes));
    std::set<uint64_t> gaps;
    for (size_t i = 1; i < keys.size(); ++i)
      gaps.insert(std::stoull(keys[i]) - std::stoull(keys[i - 1]));
    gaps.erase(std::stoull(keys.back()) - std::stoull(keys[keys.size() - 2]));  // the rest
    if (!gaps.empty()) {
      EXPECT_LE(*gaps.rbegin(), 2 * *gaps.begin()) << table_bytes;
    }
  }
}

}  // namespace
}  // namespace lull
