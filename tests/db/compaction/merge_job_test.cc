// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// A compaction that is interrupted after every one of its entries: it either continues where it
// was, or deletes all its files. Entries are so large that each ends a slice.
#include "db/compaction/merge_job.h"

#include <set>
#include <string>
#include <vector>

#include "db/base/filename.h"
#include "gtest/gtest.h"
#include "tests/db/support/store_files.h"
#include "tests/db/support/table_names.h"
#include "tests/db/support/version_text.h"
#include "tests/support/crash_env.h"
#include "util/grace.h"

namespace lull {
namespace {

using testing::CrashEnv;
using testing::StoreFiles;

class CompactionJobTest : public ::testing::Test {
 protected:
  CompactionJobTest() { layout_.l0_trigger = 1; }

  /// A compaction of `tables`.
  std::unique_ptr<CompactionJob> JobFor(const std::vector<TableMeta>& tables) {
    VersionEdit edit;
    edit.new_tables = tables;
    const VersionRef version = testing::Applied(testing::EmptyVersion(), edit);
    std::optional<CompactionPlan> plan = Pick(*version, JobClass::kL0, {}, {}, layout_);
    EXPECT_TRUE(plan && !plan->trivial_move);
    return std::make_unique<CompactionJob>(JobClass::kL0, files_.context(), &tables_,
                                           std::move(*plan), layout_, version, kMaxSequence);
  }

  CrashEnv env_;
  StoreFiles files_{&env_, "/store"};
  GraceDomain grace_;
  TableCache tables_{files_.context(), &grace_, [] {}};
  LayoutOptions layout_;
};

class MergeJobTest : public CompactionJobTest {
 protected:
  MergeJobTest() { layout_.table_bytes_max = 60'000; }  // a few outputs

  static std::string Entries(const std::string& keys, uint64_t first_sequence) {
    std::string text;
    for (char key : keys) {
      text += std::string(1, key) + "@" + std::to_string(first_sequence++) + "=" +
              std::string(20'000, key) + " ";
    }
    return text;
  }

  std::unique_ptr<CompactionJob> NewJob() { return JobFor(tables_in_); }

  /// Runs `slices` slices, or fewer if the job is done; returns whether it is done.
  bool Run(CompactionJob* job, int slices) {
    SliceBudget one_entry;
    one_entry.bytes = 1;
    uint64_t written = job->written_bytes();
    for (int i = 0; i < slices; ++i) {
      Job::Progress progress = Job::Progress::kMore;
      const leveldb::Status status = job->RunSlice(one_entry, &progress);
      EXPECT_TRUE(status.ok()) << status.ToString();
      EXPECT_GE(job->written_bytes(), written) << "written_bytes never decreases";
      written = job->written_bytes();
      if (progress == Job::Progress::kDone) return true;
      ++slices_run_;
    }
    return false;
  }

  std::set<std::string> FilesNow() { return testing::TableNames(&env_, "/store"); }

  /// The key ranges and sizes of a finished job's outputs.
  static std::string Shape(CompactionJob* job) {
    std::string text;
    for (const TableMeta& table : job->outputs().finished()) {
      text += UserKeyOf(table.smallest).ToString() + ".." + UserKeyOf(table.largest).ToString() +
              ":" + std::to_string(table.file_bytes) + " ";
    }
    return text;
  }

  const std::vector<TableMeta> tables_in_ = {files_.AddUnlisted(Entries("abcdefgh", 1), 1),
                                             files_.AddUnlisted(Entries("bdfhjl", 20), 0)};
  const std::set<std::string> inputs_ = FilesNow();
  int slices_run_ = 0;
};

constexpr int kToItsEnd = 1000;

TEST_F(MergeJobTest, BuffersAreCountedWhileTheJobHasThem) {
  const MemoryCounter& counted = files_.context()->job_bytes;
  constexpr uint64_t kWindows = 2 * (256 << 10);  // of a table of L0, and of L1
  std::unique_ptr<CompactionJob> job = NewJob();
  EXPECT_EQ(counted, 0u);
  ASSERT_FALSE(Run(job.get(), 1));
  EXPECT_GT(counted, kWindows + kTableFileBufferBytes);
  EXPECT_LT(counted, kWindows + kTableFileBufferBytes + 1000);
  ASSERT_FALSE(Run(job.get(), 2));
  job.reset();
  EXPECT_EQ(counted, 0u);

  job = NewJob();
  ASSERT_TRUE(Run(job.get(), kToItsEnd));
  EXPECT_EQ(counted, 0u) << "it waits for its install without them";
}

TEST_F(MergeJobTest, GoesOnWhereItWasInterrupted) {
  const auto job = NewJob();
  EXPECT_EQ(job->share_done(), 0);
  double share = 0;
  while (!Run(job.get(), 1)) {
    EXPECT_GE(job->share_done(), share);
    share = job->share_done();
  }
  EXPECT_GE(slices_run_, 10) << "each entry must end a slice";
  EXPECT_GT(share, 0.8);
  EXPECT_LE(job->share_done(), 1);
  const std::string expected = Shape(job.get());
  EXPECT_EQ(job->written_bytes(), job->outputs().FinishedBytes());

  const auto at_once = NewJob();
  Job::Progress progress = Job::Progress::kMore;
  ASSERT_TRUE(at_once->RunSlice({1 << 30, 1'000'000'000'000}, &progress).ok());
  EXPECT_EQ(progress, Job::Progress::kDone);
  EXPECT_EQ(Shape(at_once.get()), expected);
}

TEST_F(MergeJobTest, DestroyedBehindAnyEntryItLeavesNothing) {
  int entries = 0;
  for (bool done = false; !done; ++entries) {
    auto job = NewJob();
    done = Run(job.get(), entries);
    job.reset();
    EXPECT_EQ(FilesNow(), inputs_) << "interrupted after " << entries << " entries";
  }
  EXPECT_GE(entries, 10);
}

// Tables with valid checksums but contents that no store writes.
class DamagedMergeTest : public CompactionJobTest {
 protected:
  leveldb::Status Compact(const std::vector<TableMeta>& tables) {
    const auto job = JobFor(tables);
    Job::Progress progress = Job::Progress::kMore;
    const leveldb::Status status = job->RunSlice(SliceBudget{UINT64_MAX, UINT32_MAX}, &progress);
    const RunningRange avoided = job->RangeToAvoid();
    EXPECT_EQ(avoided.input_level, 0);
    EXPECT_EQ(avoided.output_level, 1);
    avoided_ = avoided.smallest_user + ".." + avoided.largest_user;
    return status;
  }

  std::string avoided_;  // after a failure
};

TEST_F(DamagedMergeTest, KeysOutOfOrderAreNotWrittenAgain) {
  EXPECT_TRUE(Compact({files_.AddUnlisted("a@5=x c@6=y", 0), files_.AddUnlisted("b@1=z", 1)}).ok());
  const leveldb::Status status =
      Compact({files_.AddUnlisted("a@5=x d@6=y b@7=z e@8=w", 0), files_.AddUnlisted("b@1=z", 1)});
  EXPECT_TRUE(status.IsCorruption()) << status.ToString();
  EXPECT_EQ(avoided_, "a..e") << "it is unknown which one it was";
}

TEST_F(DamagedMergeTest, OnlyTheTableThatCannotBeReadIsAvoided) {
  const std::vector<TableMeta> tables = {
      files_.AddUnlisted("a@5=x l@6=y", 0), files_.AddUnlisted("b@1=z c@2=z", 1),
      files_.AddUnlisted("f@1=z g@2=z", 1), files_.AddUnlisted("l@1=z m@2=z", 1)};
  const auto path = [&](size_t i) { return TableFileName(files_.name(), tables[i].number); };
  ASSERT_TRUE(env_.RenameFile(path(2), "/store/elsewhere").ok());
  EXPECT_FALSE(Compact(tables).ok());
  EXPECT_EQ(avoided_, "f..g");

  ASSERT_TRUE(env_.RenameFile("/store/elsewhere", path(2)).ok());
  ASSERT_TRUE(env_.RemoveFile(path(0)).ok());
  EXPECT_FALSE(Compact(tables).ok());
  EXPECT_EQ(avoided_, "a..l") << "the job takes a..m";
}

TEST_F(DamagedMergeTest, KeysBeyondTheListedRangeMakeNoEdit) {
  TableMeta more = files_.AddUnlisted("a@5=x c@6=y x@7=z", 0);
  more.largest = MakeInternalKey("c", 6, ValueKind::kValue);
  const leveldb::Status status =
      Compact({more, files_.AddUnlisted("b@1=z", 1), files_.AddUnlisted("p@1=z z@2=z", 1)});
  EXPECT_TRUE(status.IsCorruption()) << status.ToString();
}

}  // namespace
}  // namespace lull
