// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// A store whose directives a test chooses: sizes that change while it is open, a memtable that
// absorbs writes, the reported pressure, and options that change.
#include <algorithm>
#include <atomic>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "db/base/option_table.h"
#include "db/base/scheduling_options.h"
#include "db/store/store.h"
#include "gtest/gtest.h"
#include "leveldb/db.h"
#include "lull/lull.h"
#include "tests/db/support/job_sequence_checker.h"
#include "tests/db/support/scripted_store.h"
#include "tests/db/support/small_store.h"
#include "tests/support/event_count.h"
#include "tests/support/fresh_directory.h"
#include "tests/support/option_sets.h"
#include "util/clock.h"

namespace lull {
namespace {

using testing::kKiB;
using testing::kMiB;
using testing::ReadValue;

class StoreMechanismTest : public testing::ScriptedStoreTest {
 protected:
  /// Overwrites the first `keys` keys in each of `count` flushes.
  void WriteTables(int count, uint64_t keys) {
    for (int table = 0; table < count; ++table) {
      Write(0, keys);
      ASSERT_TRUE(Flush(db_.get()).ok());
    }
  }
};

TEST_F(StoreMechanismTest, MemtablesAreAsLargeAsThePolicyWants) {
  Directive small = Everything();
  small.memtable_bytes = 64 * kKiB;
  small.flush_bytes_min = 3 * kMiB;
  OpenWith(small);
  Write(0, 900);
  Await("more than one", [&] { return script_.Seen().immutables >= 8; });
  EXPECT_LE(script_.Seen().immutables, 900 * 1000 / 50'000) << "a few entries do not fill one";
  EXPECT_EQ(script_.Seen().memtable_bytes, kMiB) << "as the store was opened";
  EXPECT_LT(script_.Seen().active_bytes, 2 * 64 * kKiB);
  script_.Set(Everything());
  AwaitObeyed();
  ASSERT_TRUE(Flush(db_.get()).ok());
  Write(900, 1700);
  Await("the last write is seen", [&] { return script_.Seen().active_bytes > 700 * kKiB; });
  ExpectAll(db_.get(), 1700);
}

TEST_F(StoreMechanismTest, TheOptionStringGoesBeforeTheSizeOfMemtablesInOptions) {
  scheduling_.memtable_bytes = 256 * kKiB;
  Open();
  AwaitObeyed();
  EXPECT_EQ(script_.Seen().memtable_bytes, 256 * kKiB);
  Write(0, 400);
  AwaitObeyed();
  EXPECT_LT(script_.Seen().active_bytes, 2 * 256 * kKiB);
  ExpectAll(db_.get(), 400);
}

TEST_F(StoreMechanismTest, ALaterStoreUsesTheThreadsThatTheFirstOneSet) {
  scheduling_.own_coordinator = false;
  scheduling_.compaction_threads = 3;
  Open();
  const std::unique_ptr<leveldb::DB> first = std::move(db_);
  const int threads = script_.options().compaction_threads;
  EXPECT_EQ(threads, 3);
  name_ += "-later";
  scheduling_.compaction_threads = 1;
  Open();
  EXPECT_EQ(script_.options().compaction_threads, threads);
  db_.reset();
}

TEST_F(StoreMechanismTest, NoMemtableIsTooLargeForTheBudget) {
  Directive vast = Everything();
  vast.memtable_bytes = uint64_t{1} << 50;
  OpenWith(vast);
  Write(0, 1600);
  Await("the memtable exceeds its initial size",
        [&] { return script_.Seen().active_bytes >= 1600 * kKiB * 9 / 10; });
  EXPECT_GE(script_.Seen().memory_used_bytes, 400 * kKiB) << "what it grew by counts";
  EXPECT_EQ(script_.Seen().immutables, 0);
  Write(1600, 6000);
  AwaitObeyed();
  EXPECT_LE(script_.Seen().active_bytes, 2 * kMiB + 256 * kKiB) << "half the budget";
  ASSERT_TRUE(Flush(db_.get()).ok());
  Await("all is released", [&] { return script_.Seen().memory_used_bytes == 0; });
  ExpectAll(db_.get(), 6000);
}

TEST_F(StoreMechanismTest, AFlushPausesForItsLimitUntilSomeoneWaits) {
  scheduling_.memory_budget_bytes = 64 * kMiB;
  Directive slow = Everything();
  slow.flush_bytes_per_sec_max = 1;
  OpenWith(slow);
  // The first slice of a flush can write a whole table. Then the next flush must pause.
  for (const uint64_t end : {5500, 11'000}) {
    Write(end - 5500, end);
    Await("the last write is seen", [&] { return script_.Seen().active_bytes > 0; });
    EXPECT_GE(script_.Seen().immutables, 2);
    ASSERT_TRUE(Flush(db_.get()).ok()) << "a client waits, so there is no limit";
  }
  Write(11'000, 15'000);
  script_.Set(Everything());
  Await("all are flushed", [&] { return script_.Seen().immutables == 0; });
  ExpectAll(db_.get(), 15'000);
}

TEST_F(StoreMechanismTest, TablesAreAsLargeAsThePolicyWants) {
  Directive small = Everything();
  small.table_bytes = 64 * kKiB;
  OpenWith(small);
  WriteTables(4, 500);
  db_->CompactRange(nullptr, nullptr);
  ASSERT_TRUE(WaitForIdle(db_.get()).ok());
  EXPECT_EQ(TablesAt(0), 0);
  db_.reset();  // removes obsolete files
  const std::vector<uint64_t> sizes = TableSizes();
  EXPECT_GE(sizes.size(), 7u);
  EXPECT_LE(*std::max_element(sizes.begin(), sizes.end()), 80 * kKiB);
}

TEST_F(StoreMechanismTest, AFullMemtableAbsorbsWhileAnotherWaitsAndNeverBeyondTheBudget) {
  Directive absorb = Everything();
  absorb.memtable_bytes = 64 * kKiB;
  absorb.immutables_max = 1;
  absorb.absorb = true;
  OpenWith(absorb);
  const auto checker = std::make_shared<testing::JobSequenceChecker>();
  ASSERT_TRUE(AddListener(db_.get(), checker).ok());
  env_.tables.Close();
  constexpr uint64_t kWrites = 8000;
  auto writer = testing::InThread([&] { Write(0, kWrites); });
  env_.tables.AwaitBlocked();
  // The writer continues until the budget is used up, far beyond one memtable.
  Await("it absorbs", [&] { return script_.Seen().active_bytes > 3 * kMiB; });
  checker->Await([](const auto& counts) { return counts.stall_begins > 0; });
  AwaitObeyed();
  const Pressure full = script_.Seen();
  EXPECT_EQ(full.immutables, 1);
  // The initial memtable size is not counted before the memtable is sealed.
  EXPECT_LE(full.immutable_bytes + full.active_bytes,
            scheduling_.memory_budget_bytes + options_.write_buffer_size);
  EXPECT_LE(full.memory_used_bytes, scheduling_.memory_budget_bytes);
  EXPECT_LT(acked_.load(), kWrites);
  env_.tables.Open();
  writer.reset();
  ExpectAll(db_.get(), kWrites);
  Await("it seals again as soon as it can", [&] { return script_.Seen().immutables == 0; });
  ASSERT_TRUE(Flush(db_.get()).ok());
  Await("memory beyond its size is released",
        [&] { return script_.Seen().memory_used_bytes == 0; });
  db_.reset();
  Open();
  ExpectAll(db_.get(), kWrites);
}

TEST_F(StoreMechanismTest, ThePressureTellsReadsAndBackgroundBytes) {
  Open();
  Write(0, 2000);
  ASSERT_TRUE(Flush(db_.get()).ok());
  AwaitObeyed();
  const Pressure written = script_.Seen();
  EXPECT_GE(written.background_bytes_total, 2'000'000u) << "flushes";
  EXPECT_EQ(written.client_read_bytes_total, 0u);
  ExpectAll(db_.get(), 100);
  AwaitObeyed();
  EXPECT_EQ(script_.Seen().client_read_bytes_total, 100u * 1000);
  {
    std::unique_ptr<leveldb::Iterator> iterator(db_->NewIterator({}));
    for (iterator->SeekToFirst(); iterator->Valid(); iterator->Next())
      ASSERT_EQ(iterator->value().size(), 1000u);
    for (iterator->SeekToLast(); iterator->Valid(); iterator->Prev()) {
    }
  }
  AwaitObeyed();
  const uint64_t key_bytes = KeyOf(0).size();
  EXPECT_EQ(script_.Seen().client_read_bytes_total,
            100 * 1000 + 2000 * (1000 + key_bytes) + 2000 * key_bytes);
  db_->CompactRange(nullptr, nullptr);
  AwaitObeyed();
  EXPECT_GE(script_.Seen().background_bytes_total, written.background_bytes_total + 2'000'000u);
}

class PressureOfReadsTest : public StoreMechanismTest {
 protected:
  void OpenWithThreeTables() {
    script_.Set(testing::Script::Nothing());
    Open();
    for (const int first : {0, 100, 200}) {  // each table spans all keys, but has a third of them
      Write(first, first + 100);
      Put("a", "");
      Put("z", "");
      ASSERT_TRUE(Flush(db_.get()).ok());
    }
    ExpectMisses(0);
    ASSERT_EQ(script_.Seen().l0_tables, 3);
  }
  void ExpectMisses(uint64_t count) {
    AwaitObeyed();
    EXPECT_EQ(script_.Seen().l0_misses_total, count);
  }
};

TEST_F(PressureOfReadsTest, KeyFiltersSpareSearches) {
  OpenWithThreeTables();
  EXPECT_GT(script_.Seen().l0_bytes, 300'000u);
  EXPECT_EQ(ReadValue(db_.get(), KeyOf(50)), ValueOf(50));
  EXPECT_EQ(ReadValue(db_.get(), KeyOf(50) + "x"), "-");
  ExpectMisses(0);
}

TEST_F(PressureOfReadsTest, TellsWhatReadsSearchedInVain) {
  options_.comparator = testing::ReverseComparator();  // tables have no key filters
  OpenWithThreeTables();
  EXPECT_EQ(ReadValue(db_.get(), KeyOf(250)), ValueOf(250));
  ExpectMisses(0);  // it is in the newest
  EXPECT_EQ(ReadValue(db_.get(), KeyOf(50)), ValueOf(50));
  ExpectMisses(2);  // in the oldest
  EXPECT_EQ(ReadValue(db_.get(), KeyOf(50) + "x"), "-");
  ExpectMisses(5);
  std::unique_ptr<leveldb::Iterator>(db_->NewIterator({}))->SeekToFirst();
  ExpectMisses(5 + 2 * kMissesOfASeek);  // three tables where one would do
}

TEST_F(StoreMechanismTest, OptionsChangeWhileTheStoreIsOpen) {
  Open();
  EXPECT_EQ(testing::Property(db_.get(), "lull.options"), ToOptionString(scheduling_));
  ASSERT_TRUE(SetOptions(db_.get(), "policy=leveldb; l0_trigger=7").ok());
  OptionValues changed = scheduling_;
  changed.policy = "leveldb";
  changed.l0_trigger = 7;
  EXPECT_EQ(testing::Property(db_.get(), "lull.options"), ToOptionString(changed));
  AwaitObeyed();
  EXPECT_EQ(script_.policy(), "leveldb");
  EXPECT_EQ(script_.options().l0_trigger, 7);
  // The picker uses the new value too.
  WriteTables(6, 10);
  AwaitObeyed();
  EXPECT_FALSE(script_.Seen().l0_due);
  EXPECT_EQ(script_.Seen().l0_tables, 6);
}

// A policy keeps what it has learned (the rhythm of its clients, the speed of its device) when a
// change of options does not concern it.
TEST_F(StoreMechanismTest, APolicyForWhichNothingChangesStays) {
  Open();
  EXPECT_EQ(script_.made(), 1);
  ASSERT_TRUE(SetOptions(db_.get(), "").ok());
  ASSERT_TRUE(SetOptions(db_.get(), "policy=lull").ok());
  const int trigger = DefaultL0Limits("lull").trigger;
  const std::string same = "l0_trigger=" + std::to_string(trigger);
  ASSERT_TRUE(SetOptions(db_.get(), same).ok());
  EXPECT_EQ(script_.made(), 1);
  EXPECT_NE(testing::Property(db_.get(), "lull.options").find(same), std::string::npos);
  ASSERT_TRUE(SetOptions(db_.get(), "l0_trigger=" + std::to_string(trigger + 1)).ok());
  EXPECT_EQ(script_.made(), 2);
  ASSERT_TRUE(SetOptions(db_.get(), "policy=silk").ok());
  EXPECT_EQ(script_.made(), 3);
}

TEST_F(StoreMechanismTest, ConstantsOfOtherPoliciesWaitForThesePolicies) {
  Open();
  for (const std::string& policy : PolicyNames()) {
    for (const OptionRow& row : OptionTable()) {
      if (row.group != OptionGroup::kPolicy) continue;
      const std::string name(row.name);
      const std::string pair = name + "=" + OptionNumberText(row, row.max);
      SCOPED_TRACE(policy + ", " + pair);
      const std::string owner = name.substr(0, name.find('_'));
      OptionValues expected;
      ASSERT_TRUE(testing::IsOk(ParseOptions(pair, &expected)));
      ASSERT_TRUE(testing::IsOk(SetOptions(db_.get(), "policy=" + policy)));
      const int made = script_.made();
      ASSERT_TRUE(testing::IsOk(SetOptions(db_.get(), pair)));
      EXPECT_EQ(script_.made(), policy.starts_with(owner) ? made + 1 : made);
      const std::string other = owner == "idle" ? "idle-quiet" : owner;
      ASSERT_TRUE(testing::IsOk(SetOptions(db_.get(), "policy=" + other)));
      const PolicyOptions used = script_.options();
      EXPECT_TRUE(used.lull == expected.lull && used.idle == expected.idle &&
                  used.silk == expected.silk && used.adoc == expected.adoc);
      const std::string usual = name + "=" + OptionText(row, OptionValues());
      ASSERT_TRUE(testing::IsOk(SetOptions(db_.get(), usual)));
    }
  }
}

TEST_F(StoreMechanismTest, AWriterDoesNotWaitForACompactionThatIsNotDue) {
  Directive tight = Everything();
  tight.l0_stop = 1;
  tight.memtable_bytes = 64 * kKiB;
  scheduling_.l0_trigger = 100;
  scheduling_.l0_slowdown = 200;
  scheduling_.l0_stop = 300;
  OpenWith(tight);
  Write(0, 500);  // seals several memtables; nothing would compact the tables in L0
  ExpectAll(db_.get(), 500);
}

TEST_F(StoreMechanismTest, CompactRangeEndsThoughEverythingIsPaused) {
  Open();
  Write(0, 3000);
  ASSERT_TRUE(Flush(db_.get()).ok());
  Directive nothing;
  nothing.rate = {1, 0};
  script_.Set(nothing);
  AwaitObeyed();
  Write(0, 3000);
  db_->CompactRange(nullptr, nullptr);
  ASSERT_TRUE(WaitForIdle(db_.get()).ok());
  ExpectAll(db_.get(), 3000);
}

/// Notes compactions that wrote tables on threads of idle priority.
class IdleMerges final : public EventListener {
 public:
  void OnJobEnd(const JobInfo& job) override {
    if (job.idle_priority && job.output_files > 0 && !job.trivial_move) ended.Note();
  }
  testing::EventCount ended;
};

TEST_F(StoreMechanismTest, NoThreadOfIdlePriorityCreatesATable) {
  Directive idle = Everything();
  idle.l0.cpu = idle.deep.cpu = CpuPriority::kIdle;
  script_.Set(idle);
  scheduling_.l0_trigger = 2;
  const auto merges = std::make_shared<IdleMerges>();
  Open();
  ASSERT_TRUE(AddListener(db_.get(), merges).ok());
  WriteTables(4, 1000);
  merges->ended.Await("a compaction at idle priority", [&] { return merges->ended.count() > 0; });
  EXPECT_EQ(env_.created_at_idle(), 0);
  ExpectAll(db_.get(), 1000);
}

// A long write, here because of a sync, is not silence. A policy that took it for a lull would
// compact and make the write even longer.
TEST_F(StoreMechanismTest, AWriteUnderWayIsSeen) {
  Open();
  Await("silence", [&] { return !script_.Seen().write_under_way; });
  env_.syncs.Close();
  const auto writer = testing::InThread([&] {
    EXPECT_TRUE(db_->Put(testing::Synced(), "key", "value").ok());  // makes the WAL's name durable
  });
  Await("the write", [&] { return script_.Seen().write_under_way; });
  env_.syncs.Open();
  Await("silence again", [&] { return !script_.Seen().write_under_way; });
}

// ---- a store in which nothing happens

/// Ten seconds pass with each look at it. So nobody waits for a time that is nearer than that.
class LeapingClock final : public Clock {
 public:
  uint64_t NowNanos() const override {
    return now_nanos_.fetch_add(kLeapNanos, std::memory_order_relaxed);
  }
  void SleepForNanos(uint64_t) override {}

 private:
  static constexpr uint64_t kLeapNanos = 10'000'000'000;
  mutable std::atomic<uint64_t> now_nanos_{kLeapNanos};
};

class DeletionTest : public testing::ScriptedStoreTest {
 protected:
  size_t ListedTables() { return testing::ListedTables(db_.get()); }
};

TEST_F(DeletionTest, CompactRangeReturnsWithoutObsoleteFiles) {
  Open();
  for (int round = 0; round < 20; ++round) {
    Write(0, 300);
    db_->CompactRange(nullptr, nullptr);
    EXPECT_EQ(TableSizes().size(), ListedTables()) << round;
  }
}

TEST_F(DeletionTest, CompactRangeDoesNotWaitForWhatAnIteratorNeeds) {
  Open();
  Write(0, 300);
  ASSERT_TRUE(Flush(db_.get()).ok());
  {
    const std::unique_ptr<leveldb::Iterator> iterator(db_->NewIterator({}));
    Write(0, 300);
    db_->CompactRange(nullptr, nullptr);
    EXPECT_GT(TableSizes().size(), ListedTables());
  }
  db_->CompactRange(nullptr, nullptr);
  EXPECT_EQ(TableSizes().size(), ListedTables());
}

class RestTest : public testing::ScriptedStoreTest {
 protected:
  RestTest() { pace_.clock = &clock_; }
  ~RestTest() override { db_.reset(); }

  /// After the write, the monitor has to measure the store.
  void WriteAndAwaitARound() {
    const uint64_t asked = script_.asked();
    Write(written_, written_ + 1);
    ++written_;
    Await("a round after a write", [&] { return script_.asked() > asked; });
  }

  /// Whether the rounds end, as seen by a client that reads. While they go on, nothing delays them.
  bool RoundsEnd() {
    constexpr uint64_t kManyRounds = 200'000;
    const uint64_t begin = script_.asked();
    for (uint64_t still = 0, last = begin; still < 50'000; ++still) {
      ReadValue(db_.get(), KeyOf(0));
      const uint64_t asked = script_.asked();
      if (asked != std::exchange(last, asked)) still = 0;
      if (asked > begin + kManyRounds) return false;
    }
    return true;
  }

  LeapingClock clock_;
  uint64_t written_ = 0;
};

TEST_F(RestTest, AWriteBeginsTheRoundsOfAStoreThatRests) {
  script_.Set({}, /*tick=*/false);
  Open();
  for (int i = 0; i < 5; ++i) {
    ASSERT_TRUE(RoundsEnd()) << i;
    WriteAndAwaitARound();
  }
}

TEST_F(RestTest, AStoreWithASnapshotIsWatched) {
  script_.Set({}, /*tick=*/false);
  Open();
  const leveldb::Snapshot* const snapshot = db_->GetSnapshot();
  WriteAndAwaitARound();
  script_.AwaitDecisions(100);
  db_->ReleaseSnapshot(snapshot);
  EXPECT_TRUE(RoundsEnd());
}

// ---- deletions

/// Each look at its clock is an hour after the last one.
class HurriedEnv final : public leveldb::EnvWrapper {
 public:
  HurriedEnv() : EnvWrapper(leveldb::Env::Default()) {}
  uint64_t NowMicros() override { return hours_.fetch_add(1) * 3'600'000'000; }

 private:
  std::atomic<uint64_t> hours_{1};
};

// The memtable always has deletions that are due in tables, and often there is no room for it.
TEST(StoreWithOldDeletions, StoppedWritersGetTheOnlyWorker) {
  HurriedEnv env;
  std::unique_ptr<leveldb::DB> db;
  ASSERT_TRUE(testing::OpenAt(testing::SmallOptions(&env), testing::FreshDirectory("old-deletions"),
                              &db,
                              "own_coordinator=true;compaction_threads=1;policy=leveldb;"
                              "l0_trigger=2;l0_slowdown=2;l0_stop=3;delete_persist_seconds=1")
                  .ok());
  for (int i = 0; i < 4000; ++i) {
    const std::string key = "key" + std::to_string(i * 7919 % 1000);
    ASSERT_TRUE(i % 5 == 0 ? db->Delete({}, key).ok()
                           : db->Put({}, key, std::string(400, 'v')).ok());
  }
  ASSERT_TRUE(WaitForIdle(db.get()).ok());
}

}  // namespace
}  // namespace lull
