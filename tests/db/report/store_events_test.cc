// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Events and statistics of a running store: events come only in valid orders, statistics agree with
// them, stalls are visible while they last, and LOG has lines for them. Tests wait for events.
#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "db/base/scheduling_options.h"
#include "db/store/store.h"
#include "gtest/gtest.h"
#include "leveldb/db.h"
#include "leveldb/env.h"
#include "lull/listener.h"
#include "lull/lull.h"
#include "tests/db/support/job_sequence_checker.h"
#include "tests/db/support/lines_logger.h"
#include "tests/db/support/metrics_checker.h"
#include "tests/db/support/store_properties.h"
#include "tests/support/fault_env.h"
#include "tests/support/fresh_directory.h"
#include "tests/support/gate.h"
#include "tests/support/manual_clock.h"
#include "tests/util/threads.h"
#include "util/thread.h"

namespace lull::testing {
namespace {

class StoreEventsTest : public ::testing::Test {
 protected:
  StoreEventsTest() {
    env_.set_before_operation([this](IoOp op, const std::string& path) {
      if (op == kOpenWrite && path.ends_with(".ldb")) tables_.Pass();
    });
    options_.create_if_missing = true;
    options_.write_buffer_size = 64 << 10;
    options_.env = &env_;
    options_.info_log = &log_;
    options_.compression = leveldb::kNoCompression;
  }
  ~StoreEventsTest() override { Close(); }

  void OpenWith(const std::string& scheduling) {
    OptionValues parsed;
    ASSERT_TRUE(ParseOptions("own_coordinator=true;" + scheduling, &parsed).ok());
    leveldb::DB* db = nullptr;
    ASSERT_EQ(Store::Open(options_, parsed, name_, &db, MakePolicy, pace_).ToString(), "OK");
    db_.reset(db);
    checker_ = std::make_shared<JobSequenceChecker>();
    ASSERT_TRUE(AddListener(db, checker_).ok());
  }
  void Close() {
    db_.reset();
    if (checker_ == nullptr) return;
    EXPECT_EQ(checker_->errors(), std::vector<std::string>());
    EXPECT_EQ(checker_->Open(), 0u) << "a job or stall began and did not end";
  }
  void Fill(int first, int count) {
    for (int i = first; i < first + count; ++i) {
      const std::string value(1000, static_cast<char>('a' + i % 26));
      ASSERT_EQ(db_->Put({}, "key" + std::to_string(i * 7919 % 10007), value).ToString(), "OK");
    }
  }
  std::string Property(const std::string& name) { return testing::Property(db_.get(), name); }
  Json Stats() { return JsonProperty(db_.get(), "lull.stats"); }
  double Metric(const std::string& name) { return ParseMetrics(Property("lull.metrics")).at(name); }

  const std::string name_ = FreshDirectory("store_events");
  Gate tables_;  // each creation of a table passes here
  FaultEnv env_{leveldb::Env::Default()};
  LinesLogger log_;
  leveldb::Options options_;
  StorePace pace_;
  std::unique_ptr<leveldb::DB> db_;
  std::shared_ptr<JobSequenceChecker> checker_;
};

TEST_F(StoreEventsTest, AFlushAndACompactionFromBeginToEnd) {
  OpenWith("policy=lull");
  Fill(0, 300);
  ASSERT_TRUE(Flush(db_.get()).ok());
  checker_->Await([](const auto& counts) { return counts.flushes_done > 0; });
  const JobInfo flush = checker_->LastEnd(JobKind::kFlush);
  EXPECT_EQ(flush.input_level, -1);
  EXPECT_EQ(flush.output_level, 0);
  EXPECT_EQ(flush.output_files, 1u);
  EXPECT_GT(flush.output_bytes, 0u);
  Fill(300, 300);
  db_->CompactRange(nullptr, nullptr);
  checker_->Await([](const auto& counts) { return counts.compactions_done > 0; });
  const Json stats = Stats();
  EXPECT_EQ(stats["job_totals"]["flush"]["done"], checker_->counts().flushes_done);
  EXPECT_GE(stats["bytes"]["user"], 600 * 1000);
  EXPECT_GT(stats["bytes"]["wal"], stats["bytes"]["user"].Number());
  EXPECT_EQ(stats["user_entries"], 600);
  EXPECT_GT(stats["write_amplification"], 2.0);
  EXPECT_EQ(stats["policy"]["name"], "lull");
  EXPECT_FALSE(stats.contains("latency"));
  ParseMetrics(Property("lull.metrics"));
  EXPECT_TRUE(CheckOptions(Property("lull.options")).ok());
  EXPECT_EQ(log_.Count("Opened "), 1);
  EXPECT_EQ(log_.Count("Lull " LULL_VERSION_STRING ", commit "), 1);
  Close();
  EXPECT_EQ(log_.Count("Flush #1: "), 1);
  EXPECT_EQ(log_.Count("Manual compaction #") + log_.Count("Compaction #"),
            static_cast<int>(checker_->counts().begins) -
                static_cast<int>(checker_->counts().flushes_done));
  EXPECT_EQ(log_.Count("Closed after "), 1);
}

TEST_F(StoreEventsTest, AStopIsSeenWhileItLasts) {
  ManualClock clock;
  pace_.clock = &clock;
  OpenWith("policy=leveldb");
  tables_.Close();
  std::atomic<bool> enough{false};
  auto writer = ThreadFactory::System()->Start("writer", CpuClass::kNormal, [&] {
    for (int first = 0; !enough.load(); first += 10) Fill(first, 10);
  });
  checker_->Await(
      [](const auto& counts) { return counts.stall_begins == 1 && counts.begins == 1; });
  const Json first = Stats();
  ASSERT_EQ(first["stalls"]["now"].size(), 1u);
  EXPECT_EQ(first["stalls"]["now"][0]["kind"], "stop");
  EXPECT_EQ(first["stalls"]["now"][0]["cause"], "memory");
  EXPECT_EQ(first["stalls"]["stop"]["memory"]["count"], 1);
  EXPECT_GE(first["queue"]["writers"], 1);
  EXPECT_EQ(first["jobs"][0]["class"], "flush");
  // The stall counts up to now.
  for (double seconds = 1; seconds < 4; ++seconds) {
    clock.Advance(1'000'000'000);
    EXPECT_EQ(Stats()["stalls"]["stop"]["memory"]["held_seconds"], seconds);
  }
  EXPECT_EQ(Metric("lull_stall_active{kind=\"stop\"}"), 1);
  enough.store(true);
  tables_.Open();
  checker_->Await([](const auto& counts) { return counts.stall_ends >= 1; });
  EXPECT_EQ(checker_->LastStall().cause, WriteStallCause::kMemory);
  writer.reset();
  Close();
  EXPECT_GE(log_.Count("Writes are stopped: memtables wait for their flush"), 1);
  EXPECT_GE(log_.Count("Writes are no longer stopped by memory: "), 1);
}

TEST_F(StoreEventsTest, WritesAreRefusedWhileNoLogCanBeWritten) {
  OpenWith("policy=lull");
  env_.Arm({.kind = FaultKind::kErrorSticky, .ops = kAppend, .name_part = ".log"});
  EXPECT_FALSE(db_->Put({}, "a", "1").ok());
  EXPECT_FALSE(db_->Put({}, "a", "1").ok());
  checker_->Await([](const auto& counts) { return counts.refusals > 0; });
  EXPECT_NE(Stats()["write_error"].Text().find("injected"), std::string::npos);
  EXPECT_EQ(Metric("lull_writes_refused"), 1);
  env_.Heal();
  EXPECT_TRUE(db_->Put({}, "a", "1").ok());
  EXPECT_EQ(Stats()["write_error"], "");
  EXPECT_EQ(Metric("lull_writes_refused"), 0);
  Close();
  EXPECT_EQ(checker_->counts().refusals, 1u);
}

TEST_F(StoreEventsTest, LatenciesAreRecordedWhenTheyAreWanted) {
  OpenWith("latency_histograms=true");
  Fill(0, 50);
  leveldb::WriteOptions sync;
  sync.sync = true;
  ASSERT_TRUE(db_->Put(sync, "a", "1").ok());
  std::string value;
  for (int i = 0; i < 30; ++i) ASSERT_TRUE(db_->Get({}, "a", &value).ok());
  const Json latency = Stats()["latency"];
  EXPECT_EQ(latency["write"]["count"], 50);
  EXPECT_EQ(latency["sync_write"]["count"], 1);
  EXPECT_EQ(latency["get"]["count"], 30);
  EXPECT_GT(latency["get"]["p50_us"], 0);
}

TEST_F(StoreEventsTest, ChangedOptionsAreAnEvent) {
  OpenWith("policy=lull");
  ASSERT_TRUE(SetOptions(db_.get(), "policy=silk").ok());
  checker_->Await([](const auto& counts) { return counts.option_changes == 1; });
  EXPECT_EQ(Stats()["policy"]["name"], "silk");
  EXPECT_EQ(Stats()["policy"]["options"], Property("lull.options"));
  EXPECT_TRUE(SetOptions(db_.get(), "policy=lul").IsInvalidArgument());
  Close();
  EXPECT_EQ(checker_->counts().option_changes, 1u);
  EXPECT_EQ(log_.Count("Options are now: policy=silk"), 1);
}

TEST_F(StoreEventsTest, ListenersComeAndGo) {
  OpenWith("policy=lull");
  EXPECT_TRUE(AddListener(db_.get(), checker_).IsInvalidArgument());
  EXPECT_TRUE(AddListener(db_.get(), nullptr).IsInvalidArgument());
  const auto other = std::make_shared<JobSequenceChecker>();
  EXPECT_TRUE(RemoveListener(db_.get(), other).IsNotFound());
  ASSERT_TRUE(AddListener(db_.get(), other).ok());
  ASSERT_TRUE(RemoveListener(db_.get(), other).ok());
  EXPECT_EQ(other.use_count(), 1);
  Fill(0, 100);
  ASSERT_TRUE(Flush(db_.get()).ok());
  checker_->Await([](const auto& counts) { return counts.flushes_done > 0; });
  EXPECT_EQ(other->counts().begins, 0u);
}

/// Reads the store from inside a callback, which a listener may do.
class ReadingListener final : public EventListener {
 public:
  explicit ReadingListener(leveldb::DB* db) : db_(db) {}
  void OnJobEnd(const JobInfo&) override {
    std::string text;
    EXPECT_TRUE(db_->GetProperty("lull.stats", &text));
    EXPECT_TRUE(Json::Accepts(text));
    const leveldb::Status status = db_->Get({}, "key0", &text);
    EXPECT_TRUE(status.ok() || status.IsNotFound());
  }

 private:
  leveldb::DB* const db_;
};

class StoreEventsUnderLoadTest : public StoreEventsTest,
                                 public ::testing::WithParamInterface<const char*> {};

TEST_P(StoreEventsUnderLoadTest, EveryJobGoesItsWay) {
  constexpr int kWriters = 3;
  constexpr int kEntries = 1200;
  options_.max_file_size = 1 << 20;
  OpenWith(GetParam());
  ASSERT_TRUE(AddListener(db_.get(), std::make_shared<ReadingListener>(db_.get())).ok());
  std::atomic<bool> done{false};
  std::vector<std::unique_ptr<ThreadHandle>> watchers;
  for (int i = 0; i < 2; ++i) {
    watchers.push_back(ThreadFactory::System()->Start("watcher", CpuClass::kNormal, [&, i] {
      // Each listener is added and removed in the middle of some jobs.
      while (!done.load()) {
        const auto guest = std::make_shared<JobSequenceChecker>();
        ASSERT_TRUE(AddListener(db_.get(), guest).ok());
        for (int reads = 0; reads < 20 + 10 * i; ++reads)
          ASSERT_TRUE(Json::Accepts(Property("lull.stats")));
        ParseMetrics(Property("lull.metrics"));
        ASSERT_TRUE(RemoveListener(db_.get(), guest).ok());
        ASSERT_EQ(guest->errors(), std::vector<std::string>());
      }
    }));
  }
  RunThreads(kWriters, [this](int i) { Fill(i * kEntries, kEntries); });
  ASSERT_TRUE(Flush(db_.get()).ok());
  ASSERT_TRUE(WaitForIdle(db_.get()).ok());
  Fill(0, 300);
  done.store(true);
  watchers.clear();
  const Json stats = Stats();
  Close();  // while jobs may run

  const auto counts = checker_->counts();
  EXPECT_EQ(counts.begins, counts.done + counts.failed + counts.abandoned);
  EXPECT_EQ(counts.failed, 0u);
  EXPECT_GE(counts.pauses, counts.resumes);
  EXPECT_EQ(counts.stall_begins, counts.stall_ends);
  EXPECT_GT(counts.flushes_done, 0u);
  EXPECT_GT(counts.compactions_done, 0u);
  EXPECT_GE(counts.flushes_done, stats["job_totals"]["flush"]["done"].Count());
  EXPECT_EQ(stats["user_entries"], kWriters * kEntries + 300);
}

INSTANTIATE_TEST_SUITE_P(Policies, StoreEventsUnderLoadTest,
                         ::testing::Values("policy=lull;l0_trigger=2;lull_flush_bytes_min=64K",
                                           "policy=leveldb;l0_slowdown=6;l0_stop=8"),
                         [](const auto& test) { return test.index == 0 ? "lull" : "leveldb"; });

}  // namespace
}  // namespace lull::testing
