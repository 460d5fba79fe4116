// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Finished compactions that wait for their install.
#include <algorithm>
#include <memory>
#include <string>

#include "tests/db/support/job_sequence_checker.h"
#include "tests/db/support/scripted_store.h"
#include "tests/db/support/store_files.h"

namespace lull {
namespace {

using testing::kMiB;

/// A store whose flush thread blocks in the install of a deep job, while other jobs finish.
class HeldInstallsTest : public testing::ScriptedStoreTest {
 protected:
  static constexpr uint64_t kToInstallMax = 8;

  ~HeldInstallsTest() override { env_.syncs.Open(); }

  /// Begins to move tables out of a level that holds more than twice its target. A table of the
  /// next level lies between each two, so each move is a job.
  void HoldTheFirstOfMany() {
    testing::StoreFiles files(&env_, name_);
    for (uint64_t i = 0; i < 25; ++i) {
      files.AddTable(1, KeyOf(i) + "@1=" + std::string(kMiB, 'v'));
      files.AddTable(2, KeyOf(i) + "+@1=v");
    }
    files.WriteManifest(0);
    scheduling_.memory_budget_bytes = 64 * kMiB;
    scheduling_.compaction_threads = 1;
    scheduling_.l0_trigger = 1;
    Directive wanted = Everything();
    wanted.l0.jobs_max = wanted.deep.jobs_max = 0;
    script_.Set(wanted);
    Open();
    ASSERT_TRUE(AddListener(db_.get(), jobs_).ok());
    script_.AwaitDecisions(1);
    ASSERT_EQ(jobs_->counts().begins, 0u);
    env_.syncs.Close();
    wanted.deep.jobs_max = 1;
    script_.Set(wanted);
    jobs_->Await([](const auto& counts) { return counts.begins > kToInstallMax; });
  }
  void WriteMiB(int from, int until) {
    constexpr int kEntriesInMiB = 8;
    for (int i = from * kEntriesInMiB; i < until * kEntriesInMiB; ++i) {
      const std::string value(kMiB / kEntriesInMiB, 'v');
      ASSERT_TRUE(db_->Put(leveldb::WriteOptions(), KeyOf(static_cast<uint64_t>(i)), value).ok());
    }
  }

  const std::shared_ptr<testing::JobSequenceChecker> jobs_ =
      std::make_shared<testing::JobSequenceChecker>();  // of deep jobs, until a flush begins
};

TEST_F(HeldInstallsTest, FewFinishedJobsWait) {
  HoldTheFirstOfMany();
  script_.AwaitDecisions(20);
  // Listeners receive this after all jobs that began earlier.
  ASSERT_TRUE(SetOptions(db_.get(), "l0_slowdown=50;l0_stop=60").ok());
  jobs_->Await([](const auto& counts) { return counts.option_changes == 1; });
  EXPECT_EQ(jobs_->counts().begins, 1 + kToInstallMax) << "one is being installed";
  env_.syncs.Open();
  ASSERT_TRUE(WaitForIdle(db_.get()).ok()) << "no job took another's inputs";
  jobs_->Await([](const auto& counts) { return counts.begins > 1 + kToInstallMax; });
}

// The failed sync may concern the names of all finished jobs' files.
TEST_F(HeldInstallsTest, OneThatFailsIsTheLast) {
  HoldTheFirstOfMany();
  env_.TakeTrace();
  env_.FailNextSync();
  env_.syncs.Open();
  Await("none waits", [&] {
    std::string stats;
    EXPECT_TRUE(db_->GetProperty("lull.stats", &stats));
    return stats.find("\"installs\":0") != std::string::npos;
  });
  EXPECT_FALSE(WaitForIdle(db_.get()).ok());
  EXPECT_EQ(env_.TakeTrace(), "d");
}

TEST_F(HeldInstallsTest, AFlushGoesOnBetweenTwoOfThem) {
  HoldTheFirstOfMany();
  WriteMiB(25, 38);
  Await("they are sealed", [&] { return script_.Seen().immutables >= 12; });
  env_.TakeTrace();
  env_.syncs.Open();
  Await("the flush", [&] { return script_.Seen().immutables == 0; });
  std::string trace = env_.TakeTrace();
  ASSERT_NE(trace.find('T'), std::string::npos) << trace;
  trace.erase(trace.rfind('T'));
  EXPECT_EQ(trace.find("dd"), std::string::npos) << "two installs without any flush: " << trace;
  // A slice is at most 4 MiB.
  EXPECT_GE(std::count(trace.begin(), trace.end(), 'd'), 3) << trace;
}

}  // namespace
}  // namespace lull
