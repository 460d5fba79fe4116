// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Compactions as jobs and in parts, on a file system in memory, without threads.
#include "db/compaction/compaction.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "db/base/filename.h"
#include "db/compaction/job_table.h"
#include "db/compaction/merge_job.h"
#include "tests/db/support/store_files.h"
#include "tests/db/support/table_names.h"
#include "tests/db/support/version_text.h"
#include "tests/support/crash_env.h"
#include "tests/support/rng.h"
#include "util/grace.h"

namespace lull::testing {
namespace {

constexpr SliceBudget kOneEntry{1, 1'000'000'000};
constexpr SliceBudget kEverything{UINT64_MAX, UINT32_MAX};

class CompactionJobTest : public ::testing::Test {
 protected:
  CompactionJobTest() { layout_.l0_trigger = 1; }

  static VersionRef VersionOf(const std::vector<TableMeta>& tables) {
    VersionEdit edit;
    edit.new_tables = tables;
    return Applied(EmptyVersion(), edit);
  }
  /// Runs one slice of at most `budget`.
  static leveldb::Status RunSlice(CompactionJob* job, bool* done, SliceBudget budget = kOneEntry) {
    Job::Progress progress = Job::Progress::kMore;
    const leveldb::Status status = job->RunSlice(budget, &progress);
    *done = progress == Job::Progress::kDone;
    return status;
  }
  /// Runs the job to its end, or to its failure.
  static leveldb::Status RunToEnd(CompactionJob* job, SliceBudget budget = kOneEntry) {
    leveldb::Status status;
    for (bool done = false; status.ok() && !done;) status = RunSlice(job, &done, budget);
    return status;
  }
  size_t TableCount() { return FilesNow().size(); }
  std::set<std::string> FilesNow() { return TableNames(&env_, "/store"); }
  /// A compaction of `tables`.
  std::unique_ptr<CompactionJob> JobFor(const std::vector<TableMeta>& tables) {
    const VersionRef version = VersionOf(tables);
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

// ---- a job: it is interrupted after each entry, and continues or deletes all its files

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
    uint64_t written = job->written_bytes();
    for (int i = 0; i < slices; ++i) {
      bool done = false;
      EXPECT_EQ(RunSlice(job, &done).ToString(), "OK");
      EXPECT_GE(job->written_bytes(), written) << "written_bytes never decreases";
      written = job->written_bytes();
      if (done) return true;
      ++slices_run_;
    }
    return false;
  }

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
  bool done = false;
  ASSERT_TRUE(RunSlice(at_once.get(), &done, kEverything).ok());
  EXPECT_TRUE(done);
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
    const leveldb::Status status = RunToEnd(job.get(), kEverything);
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

// ---- parts

class PartedCompactionTest : public CompactionJobTest {
 protected:
  void Use(const std::vector<TableMeta>& tables) {
    version_ = VersionOf(tables);
    ASSERT_NE(version_, nullptr);
  }

  /// The compaction of all of L0, divided at `begins`.
  std::unique_ptr<Compaction> Divided(const std::vector<std::string>& begins,
                                      SequenceNumber oldest_snapshot = kMaxSequence) {
    auto compaction = std::make_unique<Compaction>(JobClass::kL0, *Plan());
    AddParts(compaction.get(), begins, oldest_snapshot);
    return compaction;
  }

  std::optional<CompactionPlan> Plan() { return Pick(*version_, JobClass::kL0, {}, {}, layout_); }

  void AddParts(Compaction* compaction, const std::vector<std::string>& begins,
                SequenceNumber oldest_snapshot = kMaxSequence) {
    std::vector<PartRange> ranges(1);
    for (const std::string& begin : begins) {
      ranges.back().end = begin;
      ranges.emplace_back().begin = begin;
    }
    for (size_t i = 0; i < ranges.size(); ++i) {
      compaction->AddPart(std::make_unique<CompactionJob>(
          JobClass::kL0, files_.context(), &tables_,
          PlanOfPart(compaction->plan(), ranges[i], InternalOrder()), layout_, version_,
          oldest_snapshot, PartPlace{compaction, i, ranges[i]}));
    }
  }

  static void EndMerged(const CompactionJob* part) {
    part->place().whole->EndPart(true, leveldb::Status::OK());
  }

  /// Runs the parts, which take turns, and returns the outputs.
  std::vector<TableMeta> Merge(Compaction* compaction) {
    std::vector<CompactionJob*> parts;
    while (compaction->HasPartToBegin()) parts.push_back(compaction->BeginPart());
    while (!parts.empty()) {
      for (CompactionJob*& part : parts) {
        bool done = false;
        EXPECT_TRUE(RunSlice(part, &done).ok());
        EXPECT_FALSE(compaction->IsMerged());
        if (done) EndMerged(std::exchange(part, nullptr));
      }
      std::erase(parts, nullptr);
    }
    EXPECT_TRUE(compaction->IsMerged());
    std::vector<TableMeta> tables;
    for (const TableOutputs* outputs : compaction->Outputs())
      tables.insert(tables.end(), outputs->finished().begin(), outputs->finished().end());
    return tables;
  }

  std::vector<std::pair<std::string, std::string>> EntriesOf(const std::vector<TableMeta>& tables) {
    std::vector<std::pair<std::string, std::string>> entries;
    for (const TableMeta& table : tables) {
      std::unique_ptr<TableReader> reader;
      EXPECT_TRUE(tables_.OpenPrivately(TableFile(table, nullptr), &reader).ok());
      const auto iterator = reader->NewIterator(BlockReadOptions());
      for (iterator->SeekToFirst(); iterator->Valid(); iterator->Next())
        entries.emplace_back(iterator->key().ToString(), iterator->value().ToString());
    }
    return entries;
  }

  VersionRef version_;
};

std::string ShortKey(uint64_t i) { return "k" + std::to_string(10 + i); }

/// Sixty entries of 5000 bytes.
std::string LargeEntries() {
  std::string text;
  for (uint64_t i = 0; i < 60; ++i)
    text += ShortKey(i) + "@" + std::to_string(i + 1) + "=" + std::string(5000, 'v') + " ";
  return text;
}

/// Three tables of L0 and some of L1, with several versions and deletions of few keys.
std::vector<TableMeta> RandomTables(Rng* rng, StoreFiles* files, size_t keys) {
  std::vector<TableMeta> tables;
  uint64_t sequence = 1;
  const auto text_of = [&](uint64_t from, uint64_t to, uint64_t versions_max) {
    std::string text;
    for (uint64_t i = from; i < to; ++i) {
      const uint64_t versions = rng->Below(versions_max + 1);
      for (uint64_t v = versions; v > 0; --v) {
        const std::string at = ShortKey(i) + "@" + std::to_string(sequence + v);
        text += rng->OneIn(3) ? at + "- " : at + "=" + std::to_string(sequence + v) + " ";
      }
      sequence += versions;
    }
    return text;
  };
  for (uint64_t from = 0; from < keys;) {
    const uint64_t to = std::min<uint64_t>(keys, from + 1 + rng->Below(6));
    const std::string text = text_of(from, to, 1);
    if (!text.empty()) tables.push_back(files->AddUnlisted(text, 1));
    from = to;
  }
  for (int i = 0; i < 3; ++i) {
    const uint64_t from = rng->Below(keys / 2);
    const std::string text = text_of(from, from + keys / 2, 4);
    if (!text.empty()) tables.push_back(files->AddUnlisted(text, 0));
  }
  return tables;
}

TEST_F(PartedCompactionTest, ThePartsTogetherEqualTheUndividedCompaction) {
  constexpr uint64_t kKeys = 30;
  layout_.table_bytes_max = 300;  // so small that a table could end between versions of a key
  for (uint64_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE(seed);
    Rng rng(seed);
    Use(RandomTables(&rng, &files_, kKeys));
    if (version_->TableCount(0) < 2) continue;  // otherwise it can be a trivial move
    const SequenceNumber snapshot = rng.OneIn(2) ? kMaxSequence : rng.Below(100);
    std::vector<std::string> begins;
    for (uint64_t i = 1; i < kKeys; ++i) {
      if (rng.OneIn(6)) begins.push_back(ShortKey(i));
    }
    const auto undivided = Divided({}, snapshot);
    const auto divided = Divided(begins, snapshot);
    const auto expected = EntriesOf(Merge(undivided.get()));
    const std::vector<TableMeta> outputs = Merge(divided.get());
    ASSERT_EQ(EntriesOf(outputs), expected);
    EXPECT_EQ(divided->OutputBytes() > 0, !expected.empty());
    // One edit installs them, in order of keys.
    VersionEdit edit = EditWithoutInputs(divided->plan());
    edit.new_tables = outputs;
    ASSERT_NE(Applied(version_, edit), nullptr);
    for (size_t i = 1; i < outputs.size(); ++i)
      ASSERT_LT(UserKeyOf(outputs[i - 1].largest).ToString(),
                UserKeyOf(outputs[i].smallest).ToString());
  }
}

TEST_F(PartedCompactionTest, ReadsEachBlockAboutOnce) {
  Use({files_.AddUnlisted(LargeEntries(), 0), files_.AddUnlisted("k10@99=x k99@99=x", 0)});
  const auto undivided = Divided({});
  Merge(undivided.get());
  const auto divided = Divided({ShortKey(20), ShortKey(40)});
  Merge(divided.get());
  uint64_t bytes = 0;
  for (const auto& part : divided->parts()) bytes += part->input_bytes_read();
  const uint64_t once = undivided->parts()[0]->input_bytes_read();
  EXPECT_GE(bytes, once);
  EXPECT_LE(bytes, once + 4 * 6000) << "a block of each table at each boundary";
}

TEST_F(PartedCompactionTest, TheTableBeginsEachPartOnceAndCountsWhatTheyHaveMoved) {
  constexpr JobId kLow{7};
  constexpr JobId kHigh{9};
  Use({files_.AddUnlisted(LargeEntries(), 0), files_.AddUnlisted(LargeEntries(), 1)});
  const uint64_t upper_bytes = version_->LevelBytes(0);
  JobTable table;
  EXPECT_FALSE(table.HasPart(JobClass::kL0));
  Compaction* const whole = table.Begin(JobClass::kL0, *Plan());
  EXPECT_TRUE(table.has_compactions());
  EXPECT_EQ(table.Ranges(), std::vector<RunningRange>{whole->plan().range});
  EXPECT_TRUE(table.TakesFromL0());
  EXPECT_FALSE(table.HasPart(JobClass::kL0)) << "it has none yet";
  AddParts(whole, {ShortKey(20)});
  EXPECT_FALSE(table.HasPart(JobClass::kManual));
  EXPECT_FALSE(table.BeginPart(JobClass::kManual, kLow));
  ASSERT_TRUE(table.BeginPart(JobClass::kL0, kLow));
  EXPECT_TRUE(table.HasPart(JobClass::kL0));
  ASSERT_TRUE(table.BeginPart(JobClass::kL0, kHigh));
  EXPECT_FALSE(table.BeginPart(JobClass::kL0, JobId{10}));
  EXPECT_EQ(table.at(kLow).part->place().index, 0u);
  EXPECT_EQ(table.at(kHigh).part->place().index, 1u);
  EXPECT_EQ(table.MovedBytes(), 0u);
  ASSERT_TRUE(RunToEnd(table.at(kLow).part).ok());
  EXPECT_GT(table.MovedBytes(), upper_bytes / 4);
  EXPECT_LT(table.MovedBytes(), upper_bytes / 2);
  EndMerged(table.End(kLow).part);
  ASSERT_TRUE(RunToEnd(table.at(kHigh).part).ok());
  EXPECT_EQ(table.BeginInstall(), nullptr);
  EndMerged(table.End(kHigh).part);
  table.AwaitInstall(whole);
  EXPECT_EQ(table.waiting_count(), 1u);
  EXPECT_GT(table.MovedBytes(), upper_bytes * 9 / 10) << "until its install";
  EXPECT_LE(table.MovedBytes(), upper_bytes);
  EXPECT_EQ(table.BeginInstall(), whole);
  EXPECT_GT(table.MovedBytes(), upper_bytes * 9 / 10) << "while it is installed";
  EXPECT_TRUE(table.TakesFromL0());
  EXPECT_EQ(table.Ranges().size(), 1u) << "its range is still reserved";
  EXPECT_EQ(table.EndInstall().get(), whole);
  EXPECT_EQ(table.waiting_count(), 0u);
  EXPECT_EQ(table.MovedBytes(), 0u);
  EXPECT_FALSE(table.has_compactions());
}

// Otherwise no part would merge such a key, and it would be lost.
TEST_F(PartedCompactionTest, AKeyOutsideTheListedRangeAndThePartIsDamage) {
  TableMeta longer = files_.AddUnlisted("a@5=x c@6=y x@7=z", 0);
  longer.largest = MakeInternalKey("c", 6, ValueKind::kValue);
  TableMeta earlier = files_.AddUnlisted("d@15=x n@16=y p@17=z", 0);
  earlier.smallest = MakeInternalKey("n", 16, ValueKind::kValue);
  const TableMeta all = files_.AddUnlisted("a@25=x z@26=x", 0);
  for (const TableMeta& damaged : {longer, earlier}) {
    Use({damaged, all});
    const auto compaction = Divided({"m"});
    EXPECT_EQ(RunToEnd(compaction->BeginPart()).IsCorruption(), damaged.number == longer.number);
    EXPECT_EQ(RunToEnd(compaction->BeginPart()).IsCorruption(), damaged.number == earlier.number);
    const auto undivided = Divided({});
    EXPECT_TRUE(RunToEnd(undivided->BeginPart()).ok()) << "an undivided compaction loses nothing";
  }
}

class CancelledCompactionTest : public PartedCompactionTest {
 protected:
  CancelledCompactionTest() {
    Use({files_.AddUnlisted("a@5=x d@6=y g@6=y k@7=z", 0),
         files_.AddUnlisted("a@15=x d@16=y g@16=y k@17=z", 0)});
    inputs_ = TableCount();
    compaction_ = Divided({"d", "g", "k"});
  }

  size_t inputs_ = 0;
  std::unique_ptr<Compaction> compaction_;
};

TEST_F(CancelledCompactionTest, IsOverWhenItsLastPartHasReturned) {
  CompactionJob* const merged = compaction_->BeginPart();
  CompactionJob* const fails = compaction_->BeginPart();
  CompactionJob* const runs = compaction_->BeginPart();
  ASSERT_TRUE(RunToEnd(merged).ok());
  EndMerged(merged);
  bool done = false;
  ASSERT_TRUE(RunSlice(fails, &done).ok());
  ASSERT_TRUE(RunSlice(runs, &done).ok());
  EXPECT_FALSE(compaction_->is_cancelled());
  compaction_->EndPart(false, leveldb::Status::IOError("no space"));
  EXPECT_FALSE(compaction_->HasPartToBegin()) << "the fourth";
  EXPECT_FALSE(compaction_->IsOver()) << "a worker can have the third";
  ASSERT_TRUE(RunSlice(runs, &done).ok());
  EXPECT_TRUE(done) << "it ends at its next slice";
  EndMerged(runs);
  EXPECT_TRUE(compaction_->IsOver());
  EXPECT_FALSE(compaction_->IsMerged());
  EXPECT_TRUE(compaction_->status().IsIOError());
  EXPECT_GT(TableCount(), inputs_);
  compaction_->TakeParts().clear();
  EXPECT_EQ(TableCount(), inputs_);
}

TEST_F(CancelledCompactionTest, IsNotMergedEvenIfAllOtherPartsAre) {
  size_t parts = 0;
  for (; compaction_->HasPartToBegin(); ++parts) compaction_->BeginPart();
  compaction_->EndPart(false, leveldb::Status::OK());
  for (size_t i = 1; i < parts; ++i) {
    EXPECT_FALSE(compaction_->IsOver());
    compaction_->EndPart(true, leveldb::Status::OK());
  }
  EXPECT_TRUE(compaction_->IsOver());
  EXPECT_FALSE(compaction_->IsMerged());
  EXPECT_TRUE(compaction_->status().ok()) << "abandoned";
}

}  // namespace
}  // namespace lull::testing
