// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// A store that divides its L0 compactions into parts: they run at once, pause, resume and fail, and
// the store closes meanwhile.
#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "db/store.h"
#include "gtest/gtest.h"
#include "lull/listener.h"
#include "lull/lull.h"
#include "tests/db/job_sequence_checker.h"
#include "tests/db/scripted_store.h"
#include "tests/db/table_names.h"
#include "tests/support/crash_env.h"
#include "tests/support/fault_env.h"

namespace lull {
namespace {

using testing::kKiB;
using testing::kMiB;
using Counts = testing::JobSequenceChecker::Counts;

/// Sums over the successful jobs of each kind.
class PartCounter final : public EventListener {
 public:
  struct Sums {
    uint64_t jobs = 0, input_bytes = 0, output_bytes = 0, output_files = 0;
  };

  void OnJobEnd(const JobInfo& job) override {
    if (job.outcome != JobOutcome::kDone || job.trivial_move) return;
    MutexLock lock(mutex_);
    Sums& sums = sums_[job.kind];
    ++sums.jobs;
    sums.input_bytes += job.input_bytes;
    sums.output_bytes += job.output_bytes;
    sums.output_files += job.output_files;
  }
  Sums of(JobKind kind) {
    MutexLock lock(mutex_);
    return sums_[kind];
  }

 private:
  Mutex mutex_;
  std::map<JobKind, Sums> sums_ LULL_GUARDED_BY(mutex_);
};

class PartsStoreTest : public testing::ScriptedStoreTest {
 protected:
  static constexpr uint64_t kEntries = 4000;
  static constexpr int kWorkers = 2;
  static constexpr int kTablesMin = 3;

  PartsStoreTest() {
    pace_.part_bytes_min = 64 * kKiB;
    scheduling_.compaction_threads = kWorkers;
    scheduling_.l0_trigger = kTablesMin;
    script_.Set(testing::Script::Nothing());
  }
  ~PartsStoreTest() override { env_.tables.Open(); }

  /// Fills L0 with tables that each span all keys, and leaves nothing to flush.
  void FillL0() {
    Open();
    ASSERT_TRUE(AddListener(db_.get(), checker_).ok());
    ASSERT_TRUE(AddListener(db_.get(), counter_).ok());
    for (uint64_t table = 0; table < 4; ++table) {
      for (uint64_t i = table; i < kEntries; i += 4)
        ASSERT_TRUE(db_->Put(leveldb::WriteOptions(), KeyOf(i), ValueOf(i)).ok());
    }
    AwaitObeyed();  // it can have measured before the last writes
    Await("all sealed memtables are flushed",
          [&] { return script_.Seen().immutables == 0 && script_.Seen().l0_tables >= kTablesMin; });
  }
  void GrantL0(int jobs) {
    Directive wanted = testing::Script::Nothing();
    wanted.l0 = {jobs, CpuPriority::kNormal};
    wanted.compactions_max = jobs;
    script_.Set(wanted);
  }
  void BeginTwoParts() {
    env_.tables.Close();
    GrantL0(4);
    env_.tables.AwaitBlocked(kWorkers);
  }
  void PauseThem() {
    script_.Set(testing::Script::Nothing());
    AwaitObeyed();
    env_.tables.Open();
    checker_->Await([](const Counts& counts) { return counts.pauses >= kWorkers; });
  }
  int L0Tables() {
    std::string text;
    EXPECT_TRUE(db_->GetProperty("leveldb.num-files-at-level0", &text));
    return std::stoi(text);
  }
  /// Call when the store is closed.
  void ExpectOnlyListedTables() {
    EXPECT_EQ(checker_->errors(), std::vector<std::string>());
    EXPECT_EQ(checker_->Open(), 0u);
    script_.Set(testing::Script::Nothing());
    Open();
    std::string text;
    ASSERT_TRUE(db_->GetProperty("leveldb.sstables", &text));
    const auto listed = static_cast<size_t>(std::count(text.begin(), text.end(), '['));
    EXPECT_EQ(TableSizes().size(), listed) << text;
    ExpectAll(db_.get(), kEntries);
  }
  LayoutFigures Figures() {
    Store* store = nullptr;
    EXPECT_TRUE(Store::Of(db_.get(), "test", &store).ok());
    return store->GetLayoutFigures();
  }

  const std::shared_ptr<testing::JobSequenceChecker> checker_ =
      std::make_shared<testing::JobSequenceChecker>();
  const std::shared_ptr<PartCounter> counter_ = std::make_shared<PartCounter>();
};

TEST_F(PartsStoreTest, AllWorkersMergeOneCompactionWithOneInstall) {
  FillL0();
  BeginTwoParts();
  EXPECT_GE(L0Tables(), kTablesMin);
  env_.tables.Open();
  checker_->Await([](const Counts& counts) { return counts.compactions_done >= kWorkers; });
  EXPECT_LE(L0Tables(), 1) << "the parts end with the install";
  ASSERT_TRUE(WaitForIdle(db_.get()).ok());
  ExpectAll(db_.get(), kEntries);
  const LayoutFigures::Level figures = Figures().levels[0];
  EXPECT_EQ(figures.merges, 1u);
  db_.reset();  // delivers all events
  const PartCounter::Sums sums = counter_->of(JobKind::kL0Compaction);
  EXPECT_EQ(sums.jobs, 2u * kWorkers) << "3 MiB allow more";
  EXPECT_EQ(sums.input_bytes, figures.upper_bytes + figures.lower_bytes);
  EXPECT_EQ(sums.output_bytes, figures.written_bytes);
  EXPECT_GE(sums.output_files, sums.jobs);
  EXPECT_EQ(checker_->errors(), std::vector<std::string>());
}

TEST_F(PartsStoreTest, PausedPartsContinue) {
  FillL0();
  BeginTwoParts();
  PauseThem();
  EXPECT_GE(L0Tables(), kTablesMin);
  EXPECT_EQ(checker_->counts().compactions_done, 0u);
  GrantL0(1);
  checker_->Await([](const Counts& counts) { return counts.compactions_done >= 2 * kWorkers; });
  ExpectAll(db_.get(), kEntries);
  EXPECT_EQ(Figures().levels[0].merges, 1u);
  db_.reset();
  EXPECT_EQ(checker_->counts().pauses, checker_->counts().resumes);
  EXPECT_EQ(checker_->counts().abandoned, 0u);
  EXPECT_EQ(checker_->errors(), std::vector<std::string>());
}

// With a trigger above the number of tables, L0 itself is not due, and a policy would grant
// nothing.
TEST_F(PartsStoreTest, PartsAreDueUntilAllHaveBegun) {
  FillL0();
  BeginTwoParts();
  ASSERT_TRUE(SetOptions(db_.get(), "l0_trigger=9").ok());
  AwaitObeyed();
  EXPECT_TRUE(script_.Seen().l0_due);
  env_.tables.Open();
  Await("the install", [&] { return script_.Seen().l0_tables <= 1; });
  AwaitObeyed();
  EXPECT_FALSE(script_.Seen().l0_due);
}

TEST_F(PartsStoreTest, ClosingWithPausedPartsLeavesNoFileOfThem) {
  FillL0();
  BeginTwoParts();
  PauseThem();
  db_.reset();
  ExpectOnlyListedTables();
}

TEST_F(PartsStoreTest, ClosingWithRunningPartsLeavesNoFileOfThem) {
  FillL0();
  BeginTwoParts();
  // The close waits for their slices, which end no earlier than the gate opens.
  const auto opener =
      ThreadFactory::System()->Start("opener", CpuClass::kNormal, [this] { env_.tables.Open(); });
  db_.reset();
  ExpectOnlyListedTables();
}

TEST_F(PartsStoreTest, ACompactRangeOfL0RunsInParts) {
  scheduling_.l0_trigger = 9;  // otherwise an L0 compaction can come before it
  FillL0();
  db_->CompactRange(nullptr, nullptr);
  EXPECT_EQ(L0Tables(), 0);
  ExpectAll(db_.get(), kEntries);
  const uint64_t merges = Figures().levels[0].merges;
  EXPECT_EQ(merges, 1u);
  db_.reset();
  EXPECT_GE(counter_->of(JobKind::kManualCompaction).jobs, 2u * kWorkers);
  EXPECT_EQ(checker_->errors(), std::vector<std::string>());
}

/// One of the inputs cannot be read.
class FailingPartTest : public ::testing::Test {
 protected:
  static constexpr uint64_t kRetryNanos = 10'000'000;
  static constexpr uint64_t kEntries = 2000;

  FailingPartTest() {
    leveldb::Options options;
    options.env = &env_;
    options.create_if_missing = true;
    options.write_buffer_size = kMiB;
    options.compression = leveldb::kNoCompression;
    OptionValues scheduling;
    scheduling.own_coordinator = true;
    scheduling.compaction_threads = 2;
    scheduling.memory_budget_bytes = 4 * kMiB;
    StorePace pace;
    pace.retry_nanos = kRetryNanos;
    pace.clock = &clock_;
    pace.part_bytes_min = 64 * kKiB;
    script_.Set(WithSmallTables(testing::Script::Everything()));
    leveldb::DB* raw = nullptr;
    const auto make = [this](const std::string& policy, const PolicyOptions& policy_options) {
      return script_.Make(policy, policy_options);
    };
    EXPECT_TRUE(Store::Open(options, scheduling, "/store", &raw, make, pace).ok());
    db_.reset(raw);
    EXPECT_TRUE(AddListener(raw, checker_).ok());
  }

  static Directive WithSmallTables(Directive wanted) {
    wanted.table_bytes = 256 * kKiB;
    return wanted;
  }
  void Write(uint64_t step, const std::string& value) {
    for (uint64_t i = 0; i < kEntries; i += step) {
      const std::string key = "key" + std::to_string(100'000 + i);
      ASSERT_TRUE(db_->Put(leveldb::WriteOptions(), key, value).ok());
      model_[key] = value;
    }
  }
  void ExpectModel() {
    std::unique_ptr<leveldb::Iterator> iterator(db_->NewIterator(leveldb::ReadOptions()));
    iterator->SeekToFirst();
    for (const auto& [key, value] : model_) {
      ASSERT_TRUE(iterator->Valid()) << iterator->status().ToString();
      ASSERT_EQ(iterator->key().ToString(), key);
      ASSERT_TRUE(iterator->value() == value);
      iterator->Next();
    }
    EXPECT_FALSE(iterator->Valid());
  }
  std::set<std::string> Tables() { return testing::TableNames(&disk_, "/store"); }
  /// The numbers of the tables of L1, in order of keys.
  std::vector<uint64_t> L1() {
    std::string text;
    EXPECT_TRUE(db_->GetProperty("leveldb.sstables", &text));
    std::vector<uint64_t> numbers;
    size_t at = text.find("level 1");
    while ((at = text.find("\n ", at)) != std::string::npos && text[at + 2] != '-') {
      numbers.push_back(std::stoull(text.substr(at + 2)));
      ++at;
    }
    return numbers;
  }

  testing::CrashEnv disk_;
  testing::FaultEnv env_{&disk_};
  ManualClock clock_;
  testing::Script script_;
  const std::shared_ptr<testing::JobSequenceChecker> checker_ =
      std::make_shared<testing::JobSequenceChecker>();
  std::map<std::string, std::string> model_;
  std::unique_ptr<leveldb::DB> db_;
};

TEST_F(FailingPartTest, InstallsNothingAndIsRepeated) {
  Write(1, std::string(1000, 'a'));
  ASSERT_TRUE(Flush(db_.get()).ok());
  db_->CompactRange(nullptr, nullptr);
  script_.Set(WithSmallTables(testing::Script::Nothing()));
  for (int i = 0; i < 4; ++i) {
    Write(2, std::string(500, static_cast<char>('b' + i)));
    ASSERT_TRUE(Flush(db_.get()).ok());
  }
  script_.AwaitObeyed();
  std::string sstables;
  ASSERT_TRUE(db_->GetProperty("leveldb.sstables", &sstables));
  const std::vector<uint64_t> l1 = L1();
  ASSERT_GE(l1.size(), 4u);
  const std::set<std::string> inputs = Tables();
  const uint64_t done = checker_->counts().compactions_done;

  testing::Fault fault;
  fault.kind = testing::FaultKind::kErrorSticky;
  fault.ops = testing::kOpenRead | testing::kRead;
  fault.name_part = std::to_string(l1[l1.size() / 2]) + ".ldb";
  env_.Arm(fault);
  script_.Set(WithSmallTables(testing::Script::Everything()));
  checker_->Await([](const Counts& counts) { return counts.failed >= 1; });
  script_.Await("all parts have ended", [&] { return checker_->Open() == 0; });
  script_.Await("the clean-up", [&] { return Tables() == inputs; });
  std::string after;
  ASSERT_TRUE(db_->GetProperty("leveldb.sstables", &after));
  EXPECT_EQ(after, sstables);
  EXPECT_EQ(checker_->counts().compactions_done, done);

  env_.Heal();
  clock_.Advance(100 * kRetryNanos);
  checker_->Await([&](const Counts& counts) { return counts.compactions_done > done; });
  const leveldb::Status status = WaitForIdle(db_.get());
  ASSERT_TRUE(status.ok()) << status.ToString();
  ExpectModel();
  EXPECT_NE(Tables(), inputs);
  db_.reset();
  EXPECT_EQ(checker_->errors(), std::vector<std::string>());
}

}  // namespace
}  // namespace lull
