// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// The property lull.space, compared with the files of the store.
#include <array>
#include <cstdint>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "db/compaction/picker.h"
#include "db/read/old_versions.h"
#include "db/read/snapshots.h"
#include "db/report/pin_watch.h"
#include "db/report/stats_report.h"
#include "gtest/gtest.h"
#include "leveldb/db.h"
#include "lull/lull.h"
#include "tests/db/support/lines_logger.h"
#include "tests/db/support/metrics_checker.h"
#include "tests/db/support/scripted_store.h"
#include "tests/db/support/version_text.h"
#include "tests/support/json_value.h"
#include "tests/support/manual_clock.h"

namespace lull {
namespace {

using testing::Json;
using testing::VersionFromText;

// ---- versions

TEST(OldVersions, ExistWhileSomethingHoldsThem) {
  OldVersions versions;
  VersionRef first = VersionFromText("L0: 1:[a..c]*2 L1: 2:[a..c]*3");
  VersionRef view = versions.ForView(first, 10);
  EXPECT_EQ(view.get(), first.get());
  EXPECT_TRUE(versions.Existing().empty()) << "it is current";
  VersionRef second = VersionFromText("L1: 3:[a..c]");
  VersionRef second_view = versions.ForView(second, 20);
  VersionRef second_again = versions.ForView(second, 30);
  ASSERT_EQ(versions.Existing().size(), 1u);
  EXPECT_EQ(versions.Existing()[0].version, first);
  EXPECT_EQ(versions.Existing()[0].replaced_nanos, 20u);
  EXPECT_TRUE(versions.Existing()[0].is_read);
  EXPECT_EQ(TablesOnlyIn(versions.Existing(), *second).count, 2u);
  view.reset();
  EXPECT_FALSE(versions.Existing()[0].is_read) << "only a compaction needs it";
  first.reset();
  EXPECT_TRUE(versions.Existing().empty());
  second_view.reset();
  const VersionRef third = VersionFromText("");
  const VersionRef third_view = versions.ForView(third, 40);
  EXPECT_TRUE(versions.Existing()[0].is_read) << "by the second view of the same Version";
  EXPECT_EQ(versions.Existing()[0].replaced_nanos, 40u);
}

TEST(OldVersions, ATableCountsOnce) {
  const VersionRef current = VersionFromText("L1: 3:[a..c]*5");
  const VersionRef old = VersionFromText("L1: 1:[a..c]*2 2:[d..e]*3");
  const FileTotals totals =
      TablesOnlyIn({{old, 1, true}, {old, 2, false}, {current, 3, true}}, *current);
  EXPECT_EQ(totals.count, 2u);
  EXPECT_EQ(totals.bytes, old->LevelBytes(1));
  EXPECT_EQ(TablesOnlyIn({}, *current), FileTotals{});
}

// ---- estimates

TEST(HiddenByLevel, EachDeletionHidesOneValueBelow) {
  std::array<TableSpace, kLevels> levels{};
  levels[0] = {.known_bytes = 1000, .unknown_bytes = 0, .values = 10, .deletions = 4};
  levels[1] = {.known_bytes = 100, .unknown_bytes = 50, .values = 0, .deletions = 30};
  levels[2] = {.known_bytes = 2000, .unknown_bytes = 0, .values = 20, .deletions = 5};
  levels[3] = {.known_bytes = 9000, .unknown_bytes = 0, .values = 90, .deletions = 0};
  const auto hidden = HiddenByLevel(levels);
  EXPECT_EQ(hidden[0], 400u);
  EXPECT_EQ(hidden[1], 0u);
  EXPECT_EQ(hidden[2], 2000u) << "20 of 30";
  EXPECT_EQ(hidden[3], 1500u) << "the other 10, and 5";
}

TEST(HiddenBytesKept, OfDeletionsThatAreNewerThanTheSnapshot) {
  const VersionRef version = VersionFromText("L0: 2:[a..c] L1: 1:[a..c] L2: 3:[a..f]*2");
  testing::SetContents(*version, 1, {100, 10, 5});
  testing::SetContents(*version, 2, {100, 30, 9});
  testing::SetContents(*version, 3, {100, 0, 0});
  const uint64_t all = SpaceOf(*version).HiddenBytes();
  EXPECT_EQ(HiddenBytesKept(*version, 9), 0u);
  EXPECT_NEAR(static_cast<double>(HiddenBytesKept(*version, 8)), static_cast<double>(all) * 3 / 4,
              2);
  EXPECT_EQ(HiddenBytesKept(*version, 4), all);
}

TEST(SnapshotList, TheOldestIsTheFirstOfEqualSequences) {
  SnapshotList snapshots;
  EXPECT_EQ(snapshots.OldestOr(99), 99u);
  const StoreSnapshot* const first = snapshots.Add(5, 100);
  const StoreSnapshot* const second = snapshots.Add(5, 200);
  const StoreSnapshot* const third = snapshots.Add(6, 300);
  EXPECT_EQ(snapshots.count(), 3u);
  EXPECT_EQ(snapshots.oldest_taken_nanos(), 100u);
  EXPECT_EQ(snapshots.Remove(first).get(), first);
  EXPECT_EQ(snapshots.oldest_taken_nanos(), 200u);
  EXPECT_EQ(snapshots.Remove(second).get(), second);
  EXPECT_EQ(snapshots.OldestOr(99), 6u);
  EXPECT_EQ(snapshots.oldest_taken_nanos(), 300u);
  EXPECT_EQ(snapshots.Remove(third).get(), third);
  EXPECT_EQ(snapshots.count(), 0u);
}

TEST(PinWatch, LogsWhatIsOldAndLargeOnceInAWhile) {
  constexpr uint64_t kMinute = 60'000'000'000;
  constexpr uint64_t kStart = 5;
  PinWatch watch(1000);
  EXPECT_EQ(watch.UntilNextLook(kStart), 0u);
  const SpaceReport::Pins old_and_large = {1, 10 * kMinute, 1000};
  EXPECT_TRUE(watch.Sample(kStart, {1, 10 * kMinute - 1, 5000}, {1, 90 * kMinute, 999}).empty());
  EXPECT_EQ(watch.UntilNextLook(kStart + 1), kMinute - 1);
  EXPECT_EQ(watch.UntilNextLook(kStart + kMinute), 0u);
  std::vector<std::string> lines = watch.Sample(kStart + kMinute, old_and_large, {});
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_EQ(lines[0],
            "Iterators or snapshots keep 0.0 MB of obsolete tables on disk, the oldest one for 10 "
            "minutes; delete or release those that are no longer needed");
  lines = watch.Sample(kStart + 2 * kMinute, old_and_large, {2, 12 * kMinute, 3 << 20});
  ASSERT_EQ(lines.size(), 1u) << "the iterator again, but too soon";
  EXPECT_EQ(lines[0],
            "Snapshots keep about 3.0 MB of deleted entries on disk, the oldest one for 12 "
            "minutes; release snapshots that are no longer needed");
  EXPECT_TRUE(watch.Sample(kStart + 10 * kMinute, old_and_large, {}).empty());
  EXPECT_EQ(watch.Sample(kStart + 11 * kMinute, old_and_large, {}).size(), 1u);
}

// ---- the texts

SpaceReport SampleSpace() {
  SpaceReport report;
  report.tables = {3, 3000};
  report.logs = {2, 200};
  report.prepared_logs = {1, 50};
  report.pinned_tables = {4, 4000};
  report.obsolete_files = {5, 5000};
  report.hidden_bytes = 700;
  report.overwritten_bytes = 300;
  report.levels[2] = {.unknown_bytes = 33, .values = 11, .deletions = 22};
  report.reclaim_compactions = 6;
  report.reclaim_freed_bytes = 60'000;
  report.readers = {7, 2'500'000'000, 7000};
  report.snapshots = {8, 500'000'000, 8000};
  report.disk_free_bytes = 90'000;
  report.awaited_bytes = 100'000;
  return report;
}

TEST(SpaceReport, BothTextsSayTheSame) {
  const Json json = Json::Parse(RenderSpaceJson(SampleSpace()));
  StoreReport report;
  report.space = SampleSpace();
  const auto metrics = testing::ParseMetrics(RenderPrometheus(report));
  EXPECT_EQ(json["live_bytes"], 2000);
  EXPECT_EQ(json["overwritten_bytes"], 300);
  EXPECT_EQ(json["hidden_bytes"], 700);
  EXPECT_EQ(metrics.at("lull_live_bytes"), 2000);
  EXPECT_EQ(metrics.at("lull_overwritten_bytes"), 300);
  EXPECT_EQ(metrics.at("lull_hidden_bytes"), 700);
  uint64_t files = 0;
  for (const char* kind : {"tables", "logs", "prepared_logs", "pinned_tables", "obsolete_files"}) {
    const std::string label = "{kind=\"" + std::string(kind) + "\"}";
    EXPECT_EQ(metrics.at("lull_files" + label), json[kind]["count"]) << kind;
    EXPECT_EQ(metrics.at("lull_file_bytes" + label), json[kind]["bytes"]) << kind;
    files += json[kind]["count"].Count();
  }
  EXPECT_EQ(files, 15u);
  EXPECT_EQ(json["pinned_tables"]["bytes"], 4000);
  EXPECT_EQ(json["levels"][2],
            Json::Parse(R"({"level":2,"values":11,"deletions":22,"unknown_bytes":33})"));
  EXPECT_EQ(metrics.at("lull_level_values{level=\"2\"}"), 11);
  EXPECT_EQ(metrics.at("lull_level_deletions{level=\"2\"}"), 22);
  EXPECT_EQ(metrics.at("lull_level_unknown_bytes{level=\"2\"}"), 33);
  EXPECT_EQ(json["reclaim"], Json::Parse(R"({"compactions":6,"freed_bytes":60000})"));
  EXPECT_EQ(metrics.at("lull_reclaim_compactions_total"), 6);
  EXPECT_EQ(metrics.at("lull_reclaim_freed_bytes_total"), 60'000);
  for (const char* by : {"readers", "snapshots"}) {
    const std::string label = "{by=\"" + std::string(by) + "\"}";
    const Json pins = json["pins"][by];
    EXPECT_EQ(metrics.at("lull_pins" + label), pins["count"]);
    EXPECT_EQ(metrics.at("lull_pin_oldest_seconds" + label), pins["oldest_seconds"]);
    EXPECT_EQ(metrics.at("lull_pinned_bytes" + label), pins["bytes"]);
  }
  EXPECT_EQ(json["pins"]["readers"],
            Json::Parse(R"({"count":7,"oldest_seconds":2.5,"bytes":7000})"));
  EXPECT_EQ(json["pins"]["snapshots"]["oldest_seconds"], 0.5);
  EXPECT_EQ(json["disk_free_bytes"], 90'000);
  EXPECT_EQ(json["awaited_bytes"], 100'000);
  EXPECT_EQ(metrics.at("lull_disk_free_bytes"), 90'000);
  EXPECT_EQ(metrics.at("lull_compaction_awaited_bytes"), 100'000);
}

// ---- a store

class SpaceTest : public testing::ScriptedStoreTest {
 protected:
  /// Files with this extension, as the file system sees them.
  FileTotals Files(const std::string& extension) const {
    const std::vector<uint64_t> sizes = FileSizes(extension);
    return {sizes.size(), std::accumulate(sizes.begin(), sizes.end(), uint64_t{0})};
  }
  static FileTotals Of(const Json& kind) { return {kind["count"].Count(), kind["bytes"].Count()}; }
  static FileTotals Sum(const FileTotals& a, const FileTotals& b) {
    return {a.count + b.count, a.bytes + b.bytes};
  }
  uint64_t SumOfLevels(const Json& space, const char* member) {
    uint64_t sum = 0;
    for (const Json& level : space["levels"].Values()) sum += level[member].Count();
    return sum;
  }
  /// Opens a store of `count` keys, in which no obsolete file is left.
  void Fill(uint64_t count) {
    Open();
    Write(0, count);
    Rest();
    AwaitClean();
  }
  /// Iterators are gone and clean-up has run.
  void AwaitClean() {
    Await("no obsolete file", [this] {
      const Json space = Space();
      // A table whose last Version is being destroyed is neither, for a moment.
      return Of(space["pinned_tables"]) == FileTotals{} &&
             Of(space["obsolete_files"]) == FileTotals{} &&
             Of(space["tables"]).count == Files(".ldb").count;
    });
  }
};

TEST_F(SpaceTest, AgreesWithTheDirectory) {
  constexpr int kKeys = 3000;
  Fill(kKeys);
  Json space;
  Await("all logs are prepared", [&] {
    space = Space();
    return Sum(Of(space["logs"]), Of(space["prepared_logs"])) == Files(".log") &&
           Of(space["prepared_logs"]).count > 0;
  });
  EXPECT_EQ(Of(space["tables"]), Files(".ldb"));
  EXPECT_GE(Of(space["logs"]).count, 1u);
  EXPECT_EQ(SumOfLevels(space, "values"), kKeys);
  EXPECT_EQ(SumOfLevels(space, "deletions"), 0u);
  EXPECT_EQ(SumOfLevels(space, "unknown_bytes"), 0u);
  EXPECT_EQ(space["live_bytes"], space["tables"]["bytes"]);
}

TEST_F(SpaceTest, DeletionsCountUntilTheyAreReclaimed) {
  constexpr int kKeys = 2000;
  Open();
  Write(0, kKeys);
  db_->CompactRange(nullptr, nullptr);
  const leveldb::Snapshot* const snapshot = db_->GetSnapshot();
  Delete(0, kKeys / 2);
  Rest();
  Json space = Space();
  EXPECT_EQ(SumOfLevels(space, "deletions"), kKeys / 2);
  EXPECT_NEAR(space["hidden_bytes"].Number(), space["tables"]["bytes"].Number() / 2,
              space["tables"]["bytes"].Number() / 20);
  EXPECT_EQ(space["reclaim"]["compactions"], 0);
  AwaitObeyed();
  EXPECT_EQ(script_.Seen().hidden_bytes, 0u) << "no work of the store frees what a snapshot keeps";
  EXPECT_GE(script_.Seen().live_bytes, space["tables"]["bytes"].Count());
  const auto before = space["tables"]["bytes"].Count();
  db_->ReleaseSnapshot(snapshot);
  Rest();
  space = Space();
  EXPECT_EQ(space["hidden_bytes"], 0);
  EXPECT_EQ(SumOfLevels(space, "values"), kKeys / 2);
  EXPECT_GE(space["reclaim"]["compactions"], 1);
  EXPECT_EQ(space["reclaim"]["freed_bytes"], before - space["tables"]["bytes"].Count());
}

TEST_F(SpaceTest, ManyDeletionsAreReclaimedWhileClientsWrite) {
  constexpr int kKeys = 900;
  Open();
  std::string large;
  while (large.size() < 100'000) large += ValueOf(large.size());
  for (int i = 0; i < kKeys; ++i) Put(KeyOf(i), large);
  db_->CompactRange(nullptr, nullptr);
  Delete(0, kKeys);
  ASSERT_TRUE(Flush(db_.get()).ok());
  const auto reclaimed = [&] { return Space()["reclaim"]["compactions"].Count() > 0; };
  for (int i = 0; i < 2000 && !reclaimed(); ++i) {
    for (int j = 0; j < 1000; ++j) Put("busy", "without a rest");
  }
  EXPECT_TRUE(reclaimed());
}

TEST_F(SpaceTest, NoPolicyCountsWhatOnlyReadersKeep) {
  scheduling_.space_percent_max = 200;
  Fill(20'000);
  const std::unique_ptr<leveldb::Iterator> iterator(db_->NewIterator({}));
  for (uint64_t i = 0; i < 20'000; i += 100) Delete(i, i + 1);
  db_->CompactRange(nullptr, nullptr);
  AwaitObeyed();
  const uint64_t pinned = Of(Space()["pinned_tables"]).bytes;
  EXPECT_GT(pinned, 10'000'000u);
  const Pressure seen = script_.Seen();
  EXPECT_GT(seen.file_bytes, seen.live_bytes);
  // A compaction of all of L0 and L1 could write as much again.
  EXPECT_LT(seen.file_bytes, pinned + seen.live_bytes + seen.l0_bytes + seen.l1_bytes);
}

// A clean-up job that has not ended counts as well, and WaitForIdle waits for it.
TEST_F(SpaceTest, ObsoleteFilesCountUntilTheyAreDeleted) {
  Fill(2000);
  const FileTotals before = Of(Space()["tables"]);
  env_.removals.Close();
  // The deletion makes the compaction write a table, wherever those of before are.
  Delete(0, 1);
  // Returns when they are deleted.
  auto compacts = testing::InThread([&] { db_->CompactRange(nullptr, nullptr); });
  Await("they are obsolete", [&] { return Of(Space()["obsolete_files"]).count >= before.count; });
  env_.removals.AwaitBlocked();
  Await("each file counts once", [&] {
    const Json space = Space();
    const FileTotals live =
        Sum(Of(space["tables"]), Sum(Of(space["logs"]), Of(space["prepared_logs"])));
    return Sum(live, Of(space["obsolete_files"])) == Sum(Files(".ldb"), Files(".log"));
  });
  EXPECT_GE(Of(Space()["obsolete_files"]).bytes, before.bytes);
  FileTotals found;
  auto waits = testing::InThread([&] {
    EXPECT_TRUE(WaitForIdle(db_.get()).ok());
    found = Files(".ldb");
  });
  env_.removals.Open();
  compacts.reset();
  waits.reset();
  EXPECT_EQ(found, Of(Space()["tables"]));
  AwaitClean();
}

class PinTest : public SpaceTest {
 protected:
  static constexpr uint64_t kMinute = 60'000'000'000;

  PinTest() {
    pace_.clock = &clock_;
    pace_.pinned_bytes_min = 100'000;
    options_.info_log = &log_;
  }
  ~PinTest() override { db_.reset(); }
  /// Makes the flush thread look. The entry is not deleted, and a flush is not a long pin.
  void LookAfter(uint64_t minutes) {
    clock_.Advance(minutes * kMinute);
    Put("look", "");
    ASSERT_TRUE(Flush(db_.get()).ok());
  }
  void AwaitLines(const std::string& begin, int count) {
    log_.lines.Await(begin, [&] { return log_.Count(begin) >= count; });
    EXPECT_EQ(log_.Count(begin), count);
  }

  testing::LinesLogger log_;
  ManualClock clock_;
};

TEST_F(PinTest, AnOldIteratorIsReported) {
  Fill(2000);
  const FileTotals pinned = Of(Space()["tables"]);
  std::unique_ptr<leveldb::Iterator> iterator(db_->NewIterator({}));
  clock_.Advance(60 * kMinute);
  db_->CompactRange(nullptr, nullptr);
  const auto readers = [&] { return Space()["pins"]["readers"]; };
  EXPECT_EQ(Of(Space()["pinned_tables"]), pinned);
  EXPECT_EQ(Sum(Of(Space()["tables"]), pinned), Files(".ldb"));
  EXPECT_EQ(readers()["bytes"], pinned.bytes);
  EXPECT_EQ(readers()["oldest_seconds"], 0) << "until now it kept nothing";
  LookAfter(9);
  EXPECT_EQ(readers()["oldest_seconds"], 9 * 60);
  EXPECT_EQ(log_.Count("Iterators or snapshots keep "), 0);
  LookAfter(2);
  AwaitLines("Iterators or snapshots keep ", 1);
  LookAfter(2);
  iterator.reset();
  AwaitClean();
  Await("no pin", [&] { return readers()["count"] == 0; });
  LookAfter(20);
  EXPECT_EQ(log_.Count("Iterators or snapshots keep "), 1);
}

TEST_F(PinTest, ASnapshotThatKeepsDeletedEntriesIsReported) {
  constexpr int kKeys = 2000;
  Open();
  Write(0, kKeys);
  db_->CompactRange(nullptr, nullptr);
  const leveldb::Snapshot* const snapshot = db_->GetSnapshot();
  LookAfter(11);
  EXPECT_EQ(Space()["pins"]["snapshots"],
            Json::Parse(R"({"count":1,"oldest_seconds":660,"bytes":0})"));
  EXPECT_EQ(log_.Count("Snapshots keep "), 0) << "it keeps nothing";
  Delete(0, kKeys);
  Rest();
  EXPECT_EQ(Space()["pins"]["snapshots"]["bytes"], Space()["hidden_bytes"]);
  LookAfter(2);
  AwaitLines("Snapshots keep ", 1);
  db_->ReleaseSnapshot(snapshot);
  EXPECT_EQ(Space()["pins"]["snapshots"]["count"], 0);
}

}  // namespace
}  // namespace lull
