// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "db/base/scheduling_options.h"

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "db/base/option_table.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace lull {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

/// Every option at an allowed value that is not its default.
OptionValues Unusual() {
  OptionValues values;
  for (const OptionRow& row : OptionTable()) {
    std::string text;
    switch (row.unit) {
      case OptionUnit::kName:
        text = row.name == "layout" ? "vsst" : "leveldb";
        break;
      case OptionUnit::kPath:
        text = "lull.prom";
        break;
      case OptionUnit::kFlag:
        text = OptionText(row, values) == "true" ? "false" : "true";
        break;
      default:
        text = OptionNumberText(row, row.min + 3);
        if (text == OptionText(row, values)) text = OptionNumberText(row, row.min + 4);
    }
    EXPECT_EQ(SetOption(row, text, &values), "") << row.name;
  }
  values.silk.bandwidth_bytes_per_sec = (300 << 20) + 1;
  values.l0_trigger = 5;
  values.l0_slowdown = 6;
  values.l0_stop = 7;
  return values;
}

// Expects that `text` is refused for a reason that holds every one of `parts`, with nothing
// changed.
void ExpectRefused(const std::string& text, const std::vector<std::string>& parts) {
  SCOPED_TRACE(text);
  OptionValues options = Unusual();
  const leveldb::Status status = ParseOptions(text, &options);
  EXPECT_TRUE(status.IsInvalidArgument()) << status.ToString();
  for (const std::string& part : parts) EXPECT_THAT(status.ToString(), HasSubstr(part));
  EXPECT_EQ(options, Unusual());
}

OptionValues Parsed(const std::string& text) {
  OptionValues options;
  EXPECT_EQ(ParseOptions(text, &options).ToString(), "OK");
  return options;
}

TEST(SchedulingOptionsTest, DefaultsAreValidAndSayThemselves) {
  const OptionValues defaults;
  EXPECT_TRUE(ValidateOptions(defaults).ok());
  EXPECT_EQ(Parsed(""), defaults);
  EXPECT_EQ(Parsed(ToOptionString(defaults)), defaults);
}

TEST(SchedulingOptionsTest, EveryOptionSurvivesARoundTrip) {
  EXPECT_EQ(Parsed(ToOptionString(Unusual())), Unusual());
  const OptionValues defaults;
  for (const OptionRow& row : OptionTable()) {
    EXPECT_NE(OptionText(row, Unusual()), OptionText(row, defaults)) << row.name;
  }
}

TEST(SchedulingOptionsTest, RowsAreDistinctAndSaid) {
  std::set<std::string_view> names;
  std::set<const void*> places;
  OptionValues values;
  for (const OptionRow& row : OptionTable()) {
    EXPECT_TRUE(names.insert(row.name).second) << row.name;
    EXPECT_TRUE(
        places
            .insert(std::visit([](auto* place) -> const void* { return place; }, row.field(values)))
            .second)
        << row.name;
    EXPECT_FALSE(row.meaning.empty()) << row.name;
    EXPECT_EQ(row.name.ends_with("_us") || row.name.ends_with("_us_max"),
              row.unit == OptionUnit::kMicros)
        << row.name;
    EXPECT_EQ(row.name.find("_bytes") != row.name.npos, row.is_size()) << row.name;
  }
}

TEST(SchedulingOptionsTest, LayoutsAreNamedAndBounded) {
  EXPECT_EQ(Parsed("layout=vsst;table_bytes_max=4K").table_bytes_max, 4096u);
  EXPECT_EQ(Parsed("table_bytes_max=0").table_bytes_max, 0u);
  ExpectRefused("layout=tiered", {"\"layout=tiered\"", "no such layout", "leveled, vsst"});
  ExpectRefused("layout=lull", {"no such layout"});
  ExpectRefused("policy=vsst", {"no such policy"});
  ExpectRefused("table_bytes_max=4095", {"\"table_bytes_max=4095\"", "at least 4K, or 0"});
}

TEST(SchedulingOptionsTest, AStatsFileIsAnyPathButThatOfAStoresFile) {
  EXPECT_EQ(Parsed("stats_file=").stats_file, "");
  EXPECT_EQ(Parsed("stats_file = /run/my store/a=b.prom ").stats_file, "/run/my store/a=b.prom");
  for (const char* name :
       {"CURRENT", "LOCK", "LOG", "000012.log", "dir/000012.ldb", "MANIFEST-000001"})
    ExpectRefused(std::string("stats_file=") + name, {name, "the name of a store's own file"});
  EXPECT_EQ(Parsed("stats_file=/run/app/").stats_file, "/run/app/");
}

TEST(SchedulingOptionsTest, InVsstOneL0TableIsDue) {
  EXPECT_EQ(ResolvePolicyOptions(Parsed("layout=vsst"), 1 << 20, 1 << 20, 1).l0_trigger, 1);
  EXPECT_EQ(
      ResolvePolicyOptions(Parsed("layout=vsst;l0_trigger=3"), 1 << 20, 1 << 20, 1).l0_trigger, 3);
  EXPECT_EQ(ResolvePolicyOptions(Parsed(""), 1 << 20, 1 << 20, 1).l0_trigger, 4);
}

TEST(SchedulingOptionsTest, BlanksAndEmptyPairsAreAllowedAndTheLastPairWins) {
  EXPECT_EQ(Parsed(" ;; l0_stop = 999 ; ;l0_stop=1000;").l0_stop, 1000);
  EXPECT_EQ(Parsed("own_coordinator=1").own_coordinator, true);
  EXPECT_EQ(Parsed("own_coordinator=true;own_coordinator=0").own_coordinator, false);
}

TEST(SchedulingOptionsTest, SizesTakeBinarySuffixes) {
  EXPECT_EQ(Parsed("memory_budget_bytes=1").memory_budget_bytes, 1u);
  EXPECT_EQ(Parsed("memory_budget_bytes=5K").memory_budget_bytes, 5u << 10);
  EXPECT_EQ(Parsed("memory_budget_bytes=7m").memory_budget_bytes, 7u << 20);
  EXPECT_EQ(Parsed("debt_bytes_max=3G").debt_bytes_max, uint64_t{3} << 30);
  EXPECT_EQ(Parsed("debt_bytes_max=1048576G").debt_bytes_max, uint64_t{1} << 50);
}

TEST(SchedulingOptionsTest, RefusesNamesItDoesNotKnow) {
  ExpectRefused("polcy=lull", {"\"polcy=lull\"", "no such name", "\"policy\""});
  ExpectRefused("L0_STOP=4", {"no such name"});
  ExpectRefused("compaction_thread=4", {"\"compaction_threads\""});
  ExpectRefused("memory_budget=4M", {"\"memory_budget_bytes\""});
  ExpectRefused("lull_after=1", {"\"lull_after_us\""});
  ExpectRefused("l0_stopp", {"\"l0_stop\""});
  ExpectRefused("=4", {"no such name"});
  ExpectRefused("lull_after_us=5;;x\x01=2", {"\"x\\x01=2\""});
}

TEST(SchedulingOptionsTest, RefusesValuesItCannotRead) {
  ExpectRefused("policy", {"\"policy\"", "no value"});
  ExpectRefused("policy=slik", {"\"policy=slik\"", "lull", "leveldb"});
  ExpectRefused("policy=", {"no such policy"});
  ExpectRefused("policy=LULL", {"no such policy"});
  for (const char* value : {"", "-1", "+1", "1.5", "four", "0x10", "4M", "1 2", "=4", "４"}) {
    ExpectRefused(std::string("compaction_threads=") + value, {"not a whole number"});
  }
  for (const char* value : {"", "M", "-1M", "1.5G", "4MB", "4KiB", "4T", "K4", "4 M"}) {
    ExpectRefused(std::string("memory_budget_bytes=") + value, {"not a size", "K, M or G"});
  }
  for (const char* value : {"", "yes", "True", "2"}) {
    ExpectRefused(std::string("own_coordinator=") + value, {"neither true nor false"});
  }
}

TEST(SchedulingOptionsTest, RefusesNumbersOutOfBounds) {
  ExpectRefused("compaction_threads=257", {"\"compaction_threads=257\"", "at most 256"});
  ExpectRefused("compaction_threads=4294967296", {"at most 256"});
  ExpectRefused("memory_budget_bytes=0", {"at least 1"});
  ExpectRefused("memtable_bytes=65535", {"\"memtable_bytes=65535\"", "at least 64K, or 0"});
  ExpectRefused("memtable_bytes=1025M", {"at most 1G"});
  ExpectRefused("l0_stop=1048577", {"at most 1048576"});
  ExpectRefused("lull_after_us=3600000001", {"at most 3600000000"});
  ExpectRefused("debt_bytes_max=1048577G", {"at most 1048576G"});
  // Wraps around in 64 bits: by its digits, by its suffix, by both.
  ExpectRefused("debt_bytes_max=18446744073709551616", {"too large"});
  ExpectRefused("debt_bytes_max=17179869184G", {"too large"});
  ExpectRefused("debt_bytes_max=99999999999999999999999999K", {"too large"});
}

TEST(SchedulingOptionsTest, RefusesL0LimitsOutOfOrder) {
  OptionValues options;
  const auto refusal = [&](const std::string& text) {
    options = OptionValues();
    return ParseOptions(text, &options).ToString();
  };
  EXPECT_THAT(refusal("l0_trigger=9;l0_slowdown=8;l0_stop=12"),
              AllOf(HasSubstr("\"l0_trigger=9\""), HasSubstr("more than l0_slowdown, which is 8")));
  EXPECT_THAT(refusal("l0_slowdown=13;l0_stop=12"), HasSubstr("more than l0_stop, which is 12"));
  // A zero stands for the policy's own limit.
  EXPECT_THAT(refusal("policy=leveldb;l0_trigger=9"),
              HasSubstr("more than l0_slowdown, which is 8 by the policy's own choice"));
  EXPECT_THAT(refusal("l0_slowdown=3"),
              AllOf(HasSubstr("\"l0_slowdown=3\""), HasSubstr("less than l0_trigger, which is 4")));
  EXPECT_THAT(refusal("policy=leveldb;l0_stop=7"), HasSubstr("\"l0_stop=7\""));
  EXPECT_EQ(refusal("l0_trigger=8;l0_slowdown=8;l0_stop=8"), "OK");
  // Only the whole is judged, so the order of pairs does not matter.
  EXPECT_EQ(refusal("l0_trigger=1000;l0_slowdown=2000;l0_stop=3000"), "OK");
}

TEST(SchedulingOptionsTest, ValidateSeesWhatWasSetByHand) {
  OptionValues options;
  options.l0_stop = -1;
  EXPECT_THAT(ValidateOptions(options).ToString(),
              AllOf(HasSubstr("\"l0_stop=-1\""), HasSubstr("less than 0")));
  options = OptionValues();
  options.policy = "a;b";
  EXPECT_THAT(ValidateOptions(options).ToString(), HasSubstr("\"policy=a;b\""));
  options = OptionValues();
  options.memory_budget_bytes = UINT64_MAX;
  EXPECT_TRUE(ValidateOptions(options).IsInvalidArgument());
  // Parse judges the whole, so it cannot make good of bad by changing something else.
  EXPECT_TRUE(ParseOptions("lull_after_us=1", &options).IsInvalidArgument());
  EXPECT_EQ(options.lull.after_us, 20000u);
}

TEST(SchedulingOptionsTest, ResolvesZerosByPolicyAndMachine) {
  OptionValues options;
  PolicyOptions resolved = ResolvePolicyOptions(options, 1 << 20, 3 << 20, 2);
  EXPECT_EQ(resolved.compaction_threads, 3);
  EXPECT_EQ(resolved.l0_trigger, DefaultL0Limits("lull").trigger);
  EXPECT_EQ(resolved.l0_slowdown, DefaultL0Limits("lull").slowdown);
  EXPECT_EQ(resolved.l0_stop, DefaultL0Limits("lull").stop);
  EXPECT_EQ(resolved.debt_bytes_max, uint64_t{4} << 30);
  EXPECT_EQ(resolved.memtable_bytes, uint64_t{1} << 20);
  EXPECT_EQ(resolved.table_bytes, uint64_t{3} << 20);
  EXPECT_EQ(ResolvePolicyOptions(options, 1, 1, 64).compaction_threads, 4);
  EXPECT_EQ(ResolvePolicyOptions(options, 1, 1, 0).compaction_threads, 2);

  options.policy = "leveldb";
  EXPECT_EQ(ResolvePolicyOptions(options, 1, 1, 1).l0_stop, 12);

  const OptionValues values = Unusual();
  resolved = ResolvePolicyOptions(values, 1, 1, 64);
  EXPECT_EQ(resolved.compaction_threads, values.compaction_threads);
  EXPECT_EQ(resolved.l0_trigger, 5);
  EXPECT_EQ(resolved.l0_slowdown, 6);
  EXPECT_EQ(resolved.l0_stop, 7);
  EXPECT_EQ(resolved.debt_bytes_max, values.debt_bytes_max);
  EXPECT_EQ(resolved.pause_us_max, values.pause_us_max);
  EXPECT_EQ(resolved.lull, values.lull);
  EXPECT_EQ(resolved.idle, values.idle);
  EXPECT_EQ(resolved.silk, values.silk);
  EXPECT_EQ(resolved.adoc, values.adoc);
  EXPECT_EQ(resolved.background_bytes_per_sec, values.background_bytes_per_sec);
}

TEST(SchedulingOptionsTest, RefusesABandwidthOfWhichNothingIsLeft) {
  ExpectRefused(
      "silk_reserve_bytes_per_sec=23M;silk_urgent_bytes_per_sec_min=24M;"
      "silk_bandwidth_bytes_per_sec=47M",
      {"\"silk_bandwidth_bytes_per_sec=47M\"", "which are 47M", "deep compactions"});
  EXPECT_EQ(Parsed("silk_bandwidth_bytes_per_sec=61M").silk.bandwidth_bytes_per_sec, 61u << 20);
  EXPECT_EQ(Parsed("silk_bandwidth_bytes_per_sec=200M").silk.bandwidth_bytes_per_sec, 200u << 20);
}

TEST(SchedulingOptionsTest, ParseLiveTakesWhatCanChange) {
  OptionValues options = Unusual();
  EXPECT_TRUE(ParseLive("policy=lull; silk_tick_us=5000;l0_stop=99", &options).ok());
  OptionValues expected = Unusual();
  expected.policy = "lull";
  expected.silk.tick_us = 5000;
  expected.l0_stop = 99;
  EXPECT_EQ(options, expected);
  // A store accepts the string that it reports.
  EXPECT_TRUE(ParseLive(ToOptionString(options), &options).ok());
  EXPECT_EQ(options, expected);
}

TEST(SchedulingOptionsTest, ParseLiveRefusesTheRestByName) {
  constexpr const char* kRows[][2] = {
      {"compaction_threads=2",
       "\"compaction_threads=2\": cannot change while a store is open: the threads"},
      {"memory_budget_bytes=64M", "share the budget"},
      {"memtable_bytes=0", "memtables and logs"},
      {"own_coordinator=false", "while a store is open"},
      {"layout=leveled", "layout=leveled"},
      {"stats_file=a.prom", "stats_file=a.prom"},
      // Nothing of a text is taken that holds one such pair, nor of one that Parse refuses.
      {"lull_after_us=1;compaction_threads=2", "compaction_threads"},
      {"lull_after_us=1;l0_trigger=8", "l0_trigger=8"},
      {"lull_after=1", "no such name"},
  };
  for (const auto& [text, cause] : kRows) {
    OptionValues options = Unusual();
    const leveldb::Status status = ParseLive(text, &options);
    EXPECT_TRUE(status.IsInvalidArgument()) << text;
    EXPECT_THAT(status.ToString(), HasSubstr(cause));
    EXPECT_EQ(options, Unusual());
  }
}

}  // namespace
}  // namespace lull
