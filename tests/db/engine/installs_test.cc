// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Installs: finished compactions that wait for theirs, and MANIFESTs that are replaced.
#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "db/base/filename.h"
#include "gtest/gtest.h"
#include "leveldb/db.h"
#include "lull/lull.h"
#include "tests/db/support/expect_ok.h"
#include "tests/db/support/job_sequence_checker.h"
#include "tests/db/support/scripted_store.h"
#include "tests/db/support/small_store.h"
#include "tests/db/support/store_files.h"
#include "tests/db/support/table_names.h"
#include "tests/support/crash_env.h"
#include "tests/support/fault_env.h"
#include "tests/support/open_store.h"

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
    scheduling_.growth_factor = 2;  // a small L1
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

// The failed sync leaves unknown what the MANIFEST contains.
TEST_F(HeldInstallsTest, OneThatFailsIsTheLast) {
  HoldTheFirstOfMany();
  env_.TakeTrace();
  env_.FailNextSync();
  env_.syncs.Open();
  Await("none waits",
        [&] { return Property("lull.stats").find("\"installs\":0") != std::string::npos; });
  EXPECT_FALSE(WaitForIdle(db_.get()).ok());
  EXPECT_EQ(env_.TakeTrace(), "M");
}

TEST_F(HeldInstallsTest, AFlushGoesOnBetweenTwoOfThem) {
  HoldTheFirstOfMany();
  const std::string eighth(kMiB / 8, 'v');
  for (uint64_t i = 25 * 8; i < 38 * 8; ++i) Put(KeyOf(i), eighth);
  Await("they are sealed", [&] { return script_.Seen().immutables >= 12; });
  env_.TakeTrace();
  env_.syncs.Open();
  Await("the flush", [&] { return script_.Seen().immutables == 0; });
  std::string trace = env_.TakeTrace();
  ASSERT_NE(trace.find('T'), std::string::npos) << trace;
  trace.erase(trace.rfind('T'));
  EXPECT_EQ(trace.find("MM"), std::string::npos) << "two installs without any flush: " << trace;
  // A slice is at most 4 MiB.
  EXPECT_GE(std::count(trace.begin(), trace.end(), 'M'), 3) << trace;
}

// A MANIFEST that has grown long is replaced while the store is open. (The scenario ManifestsRoll
// of the sweeps tests crashes and faults at every step of it.)
class ManifestRollTest : public ::testing::Test {
 protected:
  ManifestRollTest() { Open(); }

  void Open(const std::string& name = "/store", const std::string& more = ";manifest_bytes_min=1") {
    leveldb::DB* raw = nullptr;
    ASSERT_TRUE(testing::IsOk(testing::OpenStore(
        testing::SmallOptions(&env_), "own_coordinator=true;l0_trigger=100" + more, name, &raw)));
    db_.reset(raw);
  }
  /// Installs a table with one entry.
  leveldb::Status Install() {
    ++installs_;
    const leveldb::Status status = db_->Put({}, "k" + std::to_string(installs_), "v");
    return status.ok() ? Flush(db_.get()) : status;
  }
  void InstallTimes(int times) {
    for (int i = 0; i < times; ++i) ASSERT_TRUE(testing::IsOk(Install()));
  }
  void ExpectAll() {
    for (int i = 1; i <= installs_; ++i)
      EXPECT_EQ(testing::ReadValue(db_.get(), "k" + std::to_string(i)), "v") << i;
  }
  std::vector<std::string> Manifests() {
    std::vector<std::string> names;
    EXPECT_TRUE(env_.GetChildren("/store", &names).ok());
    std::erase_if(names, [](const std::string& name) { return !name.starts_with("MANIFEST"); });
    return names;
  }
  std::string Current(const std::string& name = "/store") {
    return testing::FileBytes(&disk_, CurrentFileName(name));
  }

  testing::CrashEnv disk_;
  testing::FaultEnv env_{&disk_};
  std::unique_ptr<leveldb::DB> db_;
  int installs_ = 0;
};

TEST_F(ManifestRollTest, ANewOneTakesOverAndTheOldOneGoes) {
  std::vector<std::string> seen = {Current()};
  for (int i = 0; i < 60; ++i) {
    InstallTimes(1);
    if (Current() != seen.back()) seen.push_back(Current());
  }
  // Each grows to four times its first length: a few dozen bytes at first, then more each time.
  EXPECT_GE(seen.size(), 3u);
  EXPECT_LE(seen.size(), 20u);
  ExpectAll();
  db_.reset();  // removes the remaining obsolete files
  EXPECT_EQ(Manifests().size(), 1u);
  EXPECT_EQ(Manifests()[0] + "\n", Current());
  Open();
  ExpectAll();
}

TEST_F(ManifestRollTest, AShortOneStays) {
  Open("/other", "");
  const std::string before = Current("/other");
  InstallTimes(40);
  EXPECT_EQ(Current("/other"), before);
}

TEST_F(ManifestRollTest, TheOldOneGoesOnWhenNoneCanBeBegun) {
  for (const auto& [ops, name_part] :
       {std::pair<uint32_t, const char*>{testing::kOpenWrite, "MANIFEST"},
        {testing::kOpenWrite, "dbtmp"},
        {testing::kAppend, "dbtmp"},
        {testing::kRename, "dbtmp"}}) {
    const std::string before = Current();
    const uint64_t hits = env_.hits();
    env_.Arm({.ops = ops, .name_part = name_part});
    while (env_.hits() == hits) InstallTimes(1);
    InstallTimes(1);
    while (Current() == before) InstallTimes(1);
    ExpectAll();
  }
  db_.reset();
  Open();
  ExpectAll();
}

TEST_F(ManifestRollTest, WritesAreRefusedWhenNobodyKnowsWhichIsInForce) {
  const std::string before = Current();
  env_.set_before_operation([this](testing::IoOp op, const std::string&) {
    if (op == testing::kRename) env_.Arm({.ops = testing::kSyncDir});
  });
  while (Install().ok()) ASSERT_LT(installs_, 100);
  EXPECT_NE(Current(), before);
  EXPECT_FALSE(db_->Put({}, "a", "b").ok());
  db_.reset();
  env_.set_before_operation({});
  env_.Heal();
  EXPECT_GE(Manifests().size(), 2u) << "neither may be deleted";
  --installs_;
  Open();
  ExpectAll();
}

}  // namespace
}  // namespace lull
