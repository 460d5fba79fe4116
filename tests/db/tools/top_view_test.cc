// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// What `lull top` draws: it fits the screen whatever the figures are.
#include "db/tools/top_view.h"

#include <algorithm>
#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace lull::tools {
namespace {

constexpr double kHuge = 123'456'789'012'345;

/// A store with the longest figures everywhere.
StoreFigures Longest() {
  StoreFigures store;
  store.file = "/srv/" + std::string(200, 'x') + "/\xc3\xa4\n";
  store.worst = "WRITES FAIL";
  store.json = {{"store", store.file},      {"policy", "idle-threshold"}, {"uptime_seconds", 0},
                {"age_seconds", 0},         {"has_rates", true},          {"cache_hit_share", 1},
                {"write_amplification", 99}};
  for (const char* name :
       {"writes_per_sec", "written_bytes_per_sec", "gets_per_sec", "iterator_steps_per_sec",
        "returned_bytes_per_sec", "debt_bytes", "debt_bytes_max", "memory_used_bytes",
        "memory_budget_bytes", "disk_free_bytes", "table_bytes"})
    store.json[name] = kHuge;
  for (int level = 0; level < 7; ++level) {
    store.json["levels"].push_back({{"tables", 12345},
                                    {"bytes", kHuge},
                                    {"target_bytes", kHuge},
                                    {"score", 999.99},
                                    {"read_bytes_per_sec", kHuge},
                                    {"written_bytes_per_sec", kHuge}});
  }
  for (const char* job : {"flush", "l0", "deep", "manual"}) {
    store.json["jobs"][job] = {{"running", 64},
                               {"paused", 64},
                               {"failed", kHuge},
                               {"read_bytes_per_sec", kHuge},
                               {"written_bytes_per_sec", kHuge}};
  }
  for (const char* kind : {"slowdown", "stop"}) {
    for (const char* cause : {"memory", "l0", "debt", "other"})
      store.json["stalls"][kind][cause] = {{"held_share", 1}, {"count", 99'999}};
  }
  for (const char* operation : {"write", "sync_write", "get"}) {
    store.json["latency"][operation] = {
        {"per_sec", kHuge}, {"p50_us", 17e6}, {"p99_us", 17e6}, {"p999_us", 17e6}};
  }
  return store;
}

void ExpectFits(const std::vector<ViewLine>& lines, const ViewSize& size) {
  EXPECT_LE(lines.size(), size.height);
  for (const ViewLine& line : lines) {
    EXPECT_LE(line.text.size(), size.width) << line.text;
    EXPECT_TRUE(std::ranges::all_of(line.text, [](char c) { return c >= ' ' && c <= '~'; }))
        << line.text;
  }
}

TEST(TopViewTest, NumbersAreShort) {
  EXPECT_EQ(ShortNumber(0), "0");
  EXPECT_EQ(ShortNumber(7), "7");
  EXPECT_EQ(ShortNumber(1.25), "1.2");
  EXPECT_EQ(ShortNumber(999.4), "999");
  EXPECT_EQ(ShortNumber(999.6), "1.0k");
  EXPECT_EQ(ShortNumber(12'345), "12k");
  EXPECT_EQ(ShortNumber(1e6), "1M");
  EXPECT_EQ(ShortBytes(1024), "1k");
  EXPECT_EQ(ShortBytes(1000), "1.0k");
  EXPECT_EQ(ShortBytes(64 << 20), "64M");
  EXPECT_EQ(ShortBytes(1536.0 * (1 << 20)), "1.5G");
  EXPECT_EQ(ShortTime(5e-6), "5 us");
  EXPECT_EQ(ShortTime(0.0123), "12.3 ms");
  EXPECT_EQ(ShortTime(2.5), "2.5 s");
}

TEST(TopViewTest, FitsAnyScreen) {
  const std::vector<StoreFigures> stores(30, Longest());
  for (const ViewSize& size :
       {ViewSize{80, 23}, ViewSize{20, 5}, ViewSize{1, 1}, ViewSize{200, 60}}) {
    ExpectFits(StoreList(stores, 29, size), size);
    std::vector<ViewLine> detail = StoreDetail(stores[0], size);
    detail.resize(std::min(detail.size(), size.height));
    ExpectFits(detail, size);
  }
  const ViewSize uncut = {.width = 80, .height = 23, .cuts_lines = false};
  for (const ViewLine& line : StoreList(stores, 29, uncut)) EXPECT_LE(line.text.size(), 80u);
  ExpectFits(StoreDetail(stores[0], uncut), uncut);
}

TEST(TopViewTest, ShowsTheSelectedRow) {
  std::vector<StoreFigures> stores(30, Longest());
  for (int i = 0; i < 30; ++i) stores[i].json["store"] = "store" + std::to_string(i);
  for (const size_t selected : {size_t{0}, size_t{15}, size_t{29}}) {
    const auto lines = StoreList(stores, selected, {80, 10});
    EXPECT_EQ(lines.size(), 10u);
    const auto found = std::ranges::find(lines, LineStyle::kSelected, &ViewLine::style);
    ASSERT_NE(found, lines.end());
    EXPECT_TRUE(found->text.starts_with("store" + std::to_string(selected) + " "));
  }
}

TEST(TopViewTest, ARowWithAProblemSaysIt) {
  StoreFigures stale = Longest(), unread, fresh = Longest();
  stale.json["store"] = "s";
  stale.json["age_seconds"] = 12;
  unread.file = "/u.prom";
  unread.problem = "IO error: no permission";
  fresh.json["has_rates"] = false;
  const auto lines = StoreList({stale, unread, fresh}, 3, {80, 24});
  EXPECT_TRUE(lines[1].text.ends_with(" not updated for 12 s")) << lines[1].text;
  EXPECT_EQ(lines[1].style, LineStyle::kWarning);
  EXPECT_TRUE(lines[2].text.starts_with("/u.prom ")) << lines[2].text;
  EXPECT_TRUE(lines[2].text.ends_with(" IO error: no permission")) << lines[2].text;
  EXPECT_TRUE(lines[3].text.ends_with("   -  WRITES FAIL")) << lines[3].text;
  EXPECT_EQ(StoreDetail(unread, {80, 24})[1].text, "IO error: no permission");
}

}  // namespace
}  // namespace lull::tools
