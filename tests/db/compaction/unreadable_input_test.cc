// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Tables that cannot be read. Only work that needs such a table waits until it can be read.
// Iterators return everything else and report the error.
#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <set>
#include <string>

#include "leveldb/db.h"
#include "lull/listener.h"
#include "lull/lull.h"
#include "tests/db/support/expect_ok.h"
#include "tests/db/support/job_sequence_checker.h"
#include "tests/db/support/metrics_checker.h"
#include "tests/db/support/scripted_store.h"
#include "tests/db/support/small_store.h"
#include "tests/db/support/store_properties.h"
#include "tests/db/support/table_names.h"
#include "tests/support/crash_env.h"
#include "tests/support/fault_env.h"
#include "tests/support/manual_clock.h"

namespace lull::testing {
namespace {

class UnreadableInputTest : public ScriptedStoreTest {
 protected:
  UnreadableInputTest() {
    options_.env = &faults_;
    pace_.retry_nanos = kRetryNanos;
    pace_.clock = &clock_;
    Open();
    EXPECT_TRUE(AddListener(db_.get(), checker_).ok());
    Put("a1", "old");
    Compact("a", "b");
    const std::set<std::string> tables = TableNames(&env_, name_);
    Put("m1", "old");
    Compact("m", "n");
    EXPECT_EQ(TablesAt(1), 2);
    faults_.Arm({.kind = FaultKind::kErrorSticky,
                 .ops = kOpenRead | kRead,
                 .name_part = *tables.rbegin()});  // the inputs it was made of may still exist
    Put("a1", "new");
    Compact("a", "b");
    EXPECT_EQ(TablesAt(0), 1);
    checker_->Await(
        [](const auto& counts) { return counts.compactions_done == 2 && counts.failed == 1; });
    EndPause();
  }
  ~UnreadableInputTest() override { db_.reset(); }

  /// After a failed job no other begins for a while. No job reads the unreadable input for a longer
  /// while.
  void EndPause() { clock_.Advance(4 * kRetryNanos); }
  void EndLongPause() { clock_.Advance(100 * kRetryNanos); }

  void Compact(const std::string& begin, const std::string& end) {
    const leveldb::Slice from(begin), to(end);
    db_->CompactRange(&from, &to);
  }

  static constexpr uint64_t kRetryNanos = 10'000'000;

  FaultEnv faults_{&env_};
  ManualClock clock_;
  const std::shared_ptr<JobSequenceChecker> checker_ = std::make_shared<JobSequenceChecker>();
};

TEST_F(UnreadableInputTest, IsTriedAgainAndMetricsSaySo) {
  const auto damage_found = [&] {
    return ParseMetrics(Property("lull.metrics")).at("lull_damage_found");
  };
  EXPECT_EQ(damage_found(), 1);
  faults_.Heal();
  Compact("a", "b");
  EXPECT_EQ(TablesAt(0), 1) << "not yet";
  EndLongPause();
  Compact("a", "b");
  EXPECT_EQ(TablesAt(0), 0);
  EXPECT_EQ(damage_found(), 0);
  EXPECT_TRUE(WaitForIdle(db_.get()).ok());
}

TEST_F(UnreadableInputTest, HoldsUpNothingElse) {
  for (int round = 0; round < 5; ++round) {
    Put("m1", std::to_string(round));
    Compact("m", "n");
    EXPECT_EQ(TablesAt(0), 1) << "the table of a1";
  }
  EXPECT_EQ(TablesAt(1), 2);
  for (const char* key : {"a1", "m1"}) {
    std::string value;
    ASSERT_TRUE(db_->Get({}, key, &value).ok());
    EXPECT_EQ(value, *key == 'a' ? "new" : "4");
  }
}

TEST_F(UnreadableInputTest, HoldsUpNothingThatAJobTakesAlongWithIt) {
  Put("m1", "new");
  ASSERT_TRUE(Flush(db_.get()).ok());
  EXPECT_EQ(TablesAt(0), 2);
  EndLongPause();  // a1 may be tried again: one job takes both
  ASSERT_TRUE(SetOptions(db_.get(), "l0_trigger=2").ok());
  checker_->Await([](const auto& counts) { return counts.failed == 2; });
  EXPECT_EQ(checker_->LastEnd(JobKind::kL0Compaction).input_files, 4u);
  EXPECT_EQ(TablesAt(0), 2);
  script_.AwaitObeyed();  // the store has handled the failure
  EndPause();
  checker_->Await([](const auto& counts) { return counts.compactions_done == 3; });
  EXPECT_EQ(TablesAt(0), 1) << "the table of a1";
}

TEST_F(UnreadableInputTest, WritersAreToldWhenL0IsFullOfIt) {
  Directive stop = Everything();
  stop.l0_stop = 3;
  script_.Set(stop);
  ASSERT_TRUE(SetOptions(db_.get(), "l0_trigger=1").ok());
  script_.AwaitObeyed();
  for (int round = 0; round < 8; ++round) {
    Put("m1", std::to_string(round));
    const leveldb::Status status = Flush(db_.get());
    ASSERT_TRUE(status.ok()) << round << ": " << status.ToString();
  }
  leveldb::Status status;
  for (int round = 0; status.ok() && round < 100; ++round) {
    status = db_->Put({}, "a1", "newer");
    if (status.ok()) status = Flush(db_.get());
  }
  EXPECT_TRUE(status.IsIOError()) << status.ToString();
}

/// A store of numbered keys in which parts of tables are damaged.
class DamagedTableTest : public ::testing::Test {
 protected:
  DamagedTableTest() { read_.verify_checksums = true; }

  static std::string Key(int i) { return "key" + std::to_string(100'000 + i); }

  void Open() {
    leveldb::Options options;
    options.env = &disk_;
    options.create_if_missing = true;
    options.compression = leveldb::kNoCompression;
    ASSERT_TRUE(IsOk(OpenAt(options, kStoreName, &db_,
                            "own_coordinator=true;l0_trigger=40;l0_slowdown=50;l0_stop=60")));
  }
  void Fill(int begin, int end, const std::string& value) {
    for (int i = begin; i < end; ++i) ASSERT_TRUE(db_->Put({}, Key(i), value).ok());
    ASSERT_TRUE(Flush(db_.get()).ok());
  }
  /// Closes the store and damages its newest table at `offset`, or if negative, counted from its
  /// end.
  void DamageNewestTable(int64_t offset) {
    db_.reset();
    const std::string path = kStoreName + ("/" + *TableNames(&disk_, kStoreName).rbegin());
    uint64_t bytes = 0;
    ASSERT_TRUE(disk_.GetFileSize(path, &bytes).ok());
    const uint64_t place = static_cast<uint64_t>(offset) + (offset < 0 ? bytes : 0);
    ASSERT_TRUE(disk_.Corrupt(path, place, "####"));
    Open();
  }
  /// The number of keys that a walk returns, each once and in order; it must end with a Corruption.
  static int Walk(leveldb::Iterator* it, bool forward) {
    int seen = 0;
    std::string last;
    forward ? it->SeekToFirst() : it->SeekToLast();
    for (; it->Valid(); forward ? it->Next() : it->Prev(), ++seen) {
      const std::string key = it->key().ToString();
      EXPECT_TRUE(seen == 0 || (forward ? last < key : key < last)) << last << ", " << key;
      last = key;
    }
    EXPECT_TRUE(it->status().IsCorruption()) << it->status().ToString();
    return seen;
  }
  int CountReadableByGet(int keys) {
    int readable = 0;
    std::string value;
    for (int i = 0; i < keys; ++i) readable += db_->Get(read_, Key(i), &value).ok() ? 1 : 0;
    return readable;
  }

  CrashEnv disk_;
  leveldb::ReadOptions read_;
  std::unique_ptr<leveldb::DB> db_;
};

struct DamagedPart {
  const char* name;
  int level;
  int64_t offset;  // as for DamageNewestTable
  int readable_min;
  int readable_max;
};

class DamagedPartTest : public DamagedTableTest,
                        public ::testing::WithParamInterface<DamagedPart> {};

TEST_P(DamagedPartTest, HidesNothingElse) {
  const DamagedPart& part = GetParam();
  ASSERT_NO_FATAL_FAILURE(Open());
  for (const int first : {0, 1000, 2000})
    ASSERT_NO_FATAL_FAILURE(Fill(first, first + 1000, std::string(100, 'v')));
  if (part.level > 0) db_->CompactRange(nullptr, nullptr);
  ASSERT_EQ(TablesAt(db_.get(), part.level), part.level > 0 ? 1 : 3);
  ASSERT_NO_FATAL_FAILURE(DamageNewestTable(part.offset));
  const int readable = CountReadableByGet(3000);
  EXPECT_GE(readable, part.readable_min);
  EXPECT_LE(readable, part.readable_max);
  const std::unique_ptr<leveldb::Iterator> it(db_->NewIterator(read_));
  it->Seek(Key(2900));
  if (part.offset > 0) {
    EXPECT_TRUE(it->Valid() && it->key() == Key(2900));
    EXPECT_TRUE(it->status().ok()) << "it has not reached the block";
  }
  EXPECT_EQ(Walk(it.get(), true), readable);
  EXPECT_EQ(Walk(it.get(), false), readable);
  int landed = 0;
  for (int i = 0; i < 3000; ++i) {
    it->Seek(Key(i));
    landed += it->Valid() && it->key() == Key(i) ? 1 : 0;
  }
  EXPECT_EQ(landed, readable);
  EXPECT_TRUE(it->status().IsCorruption()) << "as on LevelDB, a Seek does not clear it";
}

INSTANTIATE_TEST_SUITE_P(Parts, DamagedPartTest,
                         ::testing::Values(DamagedPart{"BlockInL0", 0, 40'000, 2900, 2999},
                                           DamagedPart{"BlockInL1", 1, 40'000, 2900, 2999},
                                           // The footer is 48 bytes, the trailer before it 5.
                                           DamagedPart{"IndexInL0", 0, -60, 2000, 2000}),
                         [](const auto& part) { return part.param.name; });

TEST_F(DamagedTableTest, ACompactionStopsAtADamagedBlock) {
  ASSERT_NO_FATAL_FAILURE(Open());
  ASSERT_NO_FATAL_FAILURE(Fill(0, 3000, std::string(100, 'o')));
  ASSERT_NO_FATAL_FAILURE(Fill(0, 3000, std::string(100, 'n')));
  ASSERT_NO_FATAL_FAILURE(DamageNewestTable(40'000));
  const auto checker = std::make_shared<JobSequenceChecker>();
  ASSERT_TRUE(AddListener(db_.get(), checker).ok());
  const int readable = CountReadableByGet(3000);
  for (int round = 0; round < 2; ++round) db_->CompactRange(nullptr, nullptr);
  EXPECT_TRUE(WaitForIdle(db_.get()).IsCorruption());
  EXPECT_EQ(TablesAt(db_.get(), 0), 2) << "nothing was merged without the block";
  EXPECT_EQ(CountReadableByGet(3000), readable);
  db_.reset();
  EXPECT_EQ(checker->counts().failed, 1u) << "what is damaged is not read again";
}

}  // namespace
}  // namespace lull::testing
