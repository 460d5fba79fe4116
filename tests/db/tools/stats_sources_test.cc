// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Which files top and export find.
#include "db/tools/stats_sources.h"

#include <string>
#include <vector>

#include "db/report/stats_file.h"
#include "db/report/stats_report.h"
#include "db/tools/top_stores.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/fresh_directory.h"
#include "tests/support/manual_clock.h"

namespace lull::tools {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class StatsSourcesTest : public ::testing::Test {
 protected:
  StatsSourcesTest() : root_(lull::testing::FreshDirectory("sources")) {}

  void Write(const std::string& path, const std::string& text) {
    for (size_t slash = path.find('/'); slash != path.npos; slash = path.find('/', slash + 1))
      env_->CreateDir(root_ + "/" + path.substr(0, slash));
    ASSERT_TRUE(leveldb::WriteStringToFile(env_, text, root_ + "/" + path).ok());
  }
  void WriteStats(const std::string& path, uint64_t uptime_seconds = 1) {
    StoreReport report;
    report.name = path;
    report.activity.uptime_nanos = uptime_seconds * 1'000'000'000;
    Write(path, RenderPrometheus(report));
  }
  /// Paths below the root, with "!" where there is no file.
  std::vector<std::string> Find(const std::vector<std::string>& paths) {
    std::vector<std::string> full, found;
    for (const std::string& path : paths) full.push_back(root_ + "/" + path);
    for (const auto& [path, status] : FindSources(env_, full).stats)
      found.push_back((status.ok() ? "" : "!") + path.substr(root_.size() + 1));
    return found;
  }

  leveldb::Env* const env_ = leveldb::Env::Default();
  const std::string root_;
};

TEST_F(StatsSourcesTest, FindsStatsFilesThreeDirectoriesDeep) {
  WriteStats("a/lull.prom");
  WriteStats("b/c/d/deep.prom");
  WriteStats("b/c/d/e/too_deep.prom");
  Write("b/node.prom", "# HELP node_load1 Load.\n");
  Write("b/empty.prom", "");
  WriteStats("b/lull.txt");
  EXPECT_THAT(Find({""}), ElementsAre("a/lull.prom", "b/c/d/deep.prom"));
  EXPECT_THAT(Find({"a", "a/lull.prom", "b/c"}),
              ElementsAre("a/lull.prom", "b/c/d/deep.prom", "b/c/d/e/too_deep.prom"))
      << "each once, by the depth below its path";
  EXPECT_THAT(Find({"b/lull.txt"}), ElementsAre("b/lull.txt")) << "named explicitly";
}

// An application can have folders with such names too.
TEST_F(StatsSourcesTest, FindsDirectoriesOfBackups) {
  Write("all/a/backups/000001", "");
  Write("all/a/data/x.prom", "");
  Write("all/empty/backups/new.tmp", "");
  WriteStats("all/app/backups/lull.prom");
  const Sources found = FindSources(env_, {root_ + "/all", root_ + "/all/a"});
  EXPECT_THAT(found.backups, ElementsAre(root_ + "/all/a"));
  EXPECT_THAT(Find({"all", "all/a"}), ElementsAre("all/app/backups/lull.prom"));
}

TEST_F(StatsSourcesTest, FindsTheFileInMemoryOfAStore) {
  Write("store/CURRENT", "MANIFEST-000001\n");
  const std::string path = StatsFile::PathFor(root_ + "/store", "auto");
  ASSERT_TRUE(leveldb::WriteStringToFile(env_, kStatsFileBegin, path).ok());
  EXPECT_TRUE(FindSources(env_, {root_ + "/store"}).stats.contains(path));
  ASSERT_TRUE(env_->RemoveFile(path).ok());
}

TEST_F(StatsSourcesTest, SaysWhatIsMissing) {
  Write("store/CURRENT", "MANIFEST-000001\n");
  Write("folder/x", "");
  EXPECT_THAT(Find({"store", "folder", "none"}), ElementsAre("!folder", "!none", "!store"));
  const auto problem = [&](const std::string& name) {
    return FindSources(env_, {root_ + "/" + name}).stats.begin()->second.ToString();
  };
  EXPECT_THAT(problem("store"), HasSubstr("no stats file in this store"));
  EXPECT_THAT(problem("folder"), HasSubstr("no stats files"));
  EXPECT_THAT(problem("none"), HasSubstr("no such file or directory"));
  EXPECT_TRUE(CheckPaths(env_, {root_, root_ + "/folder/x"}).ok());
  EXPECT_THAT(CheckPaths(env_, {root_, root_ + "/none"}).ToString(),
              HasSubstr("/none: no such file"));
}

TEST_F(StatsSourcesTest, ReadsOnlyStatsFiles) {
  MetricsText text;
  Write("other.prom", "# HELP node_load1 Load.\n");
  EXPECT_THAT(ReadStatsFile(env_, root_ + "/other.prom", &text).ToString(),
              HasSubstr("is not a stats file"));
  Write("large.prom", "# HELP lull_" + std::string(5 << 20, 'x'));
  EXPECT_THAT(ReadStatsFile(env_, root_ + "/large.prom", &text).ToString(),
              HasSubstr("more than 4 MiB"));
  EXPECT_TRUE(ReadStatsFile(env_, root_ + "/none.prom", &text).IsNotFound());
  WriteStats("s.prom");
  EXPECT_TRUE(ReadStatsFile(env_, root_ + "/s.prom", &text).ok());
  EXPECT_EQ(text.Store(), "s.prom");
}

// ---- what top makes of them

TEST_F(StatsSourcesTest, AStoreOfTopOpensCrashesAndCloses) {
  ManualClock clock;
  TopStores stores(env_, &clock, {root_});
  const auto states_after = [&](uint64_t seconds) {
    clock.Advance(seconds * 1'000'000'000);
    stores.Refresh();
    std::vector<std::string> states;
    for (const StoreFigures& row : stores.Rows()) states.push_back(row.State());
    return states;
  };
  EXPECT_THAT(states_after(0), ElementsAre(HasSubstr("no stats files")));
  Write("other.prom", "# HELP node_load1 Load.\n");
  WriteStats("s.prom", 1);
  states_after(5);
  EXPECT_TRUE(stores.AwaitsUpdate());
  WriteStats("s.prom", 2);
  EXPECT_THAT(states_after(1), ElementsAre("ok"));
  EXPECT_FALSE(stores.AwaitsUpdate());
  EXPECT_THAT(states_after(1), ElementsAre("ok"));
  EXPECT_THAT(states_after(9), ElementsAre(HasSubstr("not updated for 1")));
  ASSERT_TRUE(env_->RemoveFile(root_ + "/s.prom").ok());
  EXPECT_THAT(states_after(1), ElementsAre(HasSubstr("closed")));
  WriteStats("s.prom", 1);
  EXPECT_THAT(states_after(1), ElementsAre("ok"));
  Write("s.prom", "# HELP lull_x cut");
  EXPECT_THAT(states_after(0), ElementsAre(HasSubstr("cut short")));
}

}  // namespace
}  // namespace lull::tools
