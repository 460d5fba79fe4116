// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Clean-up jobs on a file system in memory, without threads.
#include "db/engine/obsolete_files.h"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "tests/db/support/store_files.h"
#include "tests/db/support/table_names.h"
#include "tests/support/crash_env.h"

namespace lull {
namespace {

/// Counts the jobs that exist.
class CountedJob final : public Job {
 public:
  explicit CountedJob(int* count) : count_(count) { ++*count_; }
  ~CountedJob() override { --*count_; }
  leveldb::Status RunSlice(const SliceBudget&, Progress*) override {
    return leveldb::Status::NotSupported("not run");
  }

 private:
  int* const count_;
};

class ObsoleteFilesTest : public ::testing::Test {
 protected:
  ObsoleteFilesTest() {
    flags_.is_open.store(true);
    for (const char* text : {"a@1=x", "b@2=y"}) {
      const TableMeta table = files_.AddUnlisted(text, 0);
      obsolete_.Add({TableFileName("/store", table.number)});
    }
    std::vector<std::unique_ptr<Job>> jobs;
    for (int i = 0; i < 2; ++i) jobs.push_back(std::make_unique<CountedJob>(&jobs_));
    obsolete_.Add(std::move(jobs));
  }

  size_t FileCount() { return testing::TableNames(&env_, "/store").size(); }

  testing::CrashEnv env_;
  testing::StoreFiles files_{&env_, "/store"};
  PublishedFlags flags_;
  int added_ = 0;
  int jobs_ = 0;
  ObsoleteFiles obsolete_{files_.context(), &flags_, [this] { ++added_; }};
};

TEST_F(ObsoleteFilesTest, AJobDeletesOneThingInEachSlice) {
  EXPECT_EQ(added_, 3);
  const std::unique_ptr<Job> job = obsolete_.TakeJob();
  ASSERT_NE(job, nullptr);
  EXPECT_EQ(obsolete_.TakeJob(), nullptr) << "it has everything";
  EXPECT_EQ(obsolete_.Totals().count, 2u);
  Job::Progress progress = Job::Progress::kMore;
  for (int slice = 0; slice < 4; ++slice) {
    EXPECT_EQ(progress, Job::Progress::kMore);
    ASSERT_TRUE(job->RunSlice(SliceBudget(), &progress).ok());
  }
  EXPECT_EQ(progress, Job::Progress::kDone);
  EXPECT_EQ(jobs_, 0);
  EXPECT_EQ(FileCount(), 0u);
  EXPECT_EQ(obsolete_.Totals().count, 0u);
  EXPECT_FALSE(obsolete_.HasSomeOf(2));
}

TEST_F(ObsoleteFilesTest, WhatADestroyedJobLeavesIsDeletedLater) {
  for (int slices = 0; slices < 4; ++slices) {
    const std::unique_ptr<Job> job = obsolete_.TakeJob();
    ASSERT_NE(job, nullptr);
    Job::Progress progress = Job::Progress::kMore;
    ASSERT_TRUE(job->RunSlice(SliceBudget(), &progress).ok());
  }
  EXPECT_EQ(obsolete_.TakeJob(), nullptr);
  EXPECT_EQ(jobs_, 0);
  EXPECT_EQ(FileCount(), 0u);
}

TEST_F(ObsoleteFilesTest, NothingIsDeletedWhileTheManifestCanNeedIt) {
  flags_.may_install.store(false);
  EXPECT_EQ(obsolete_.TakeJob(), nullptr);
  obsolete_.DeleteAll();
  EXPECT_EQ(FileCount(), 2u);
  flags_.may_install.store(true);
  obsolete_.DestroyJobs();
  obsolete_.DeleteAll();
  EXPECT_EQ(jobs_, 0);
  EXPECT_EQ(FileCount(), 0u);
}

}  // namespace
}  // namespace lull
