// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// A device that cannot read one table: what needs it waits until it can, and nothing else does.
#include <gtest/gtest.h>

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "db/filename.h"
#include "leveldb/db.h"
#include "lull/lull.h"
#include "tests/support/crash_env.h"
#include "tests/support/fault_env.h"
#include "tests/support/open_store.h"
#include "util/clock.h"

namespace lull {
namespace {

constexpr char kName[] = "/store";

class UnreadableInputTest : public ::testing::Test {
 protected:
  UnreadableInputTest() {
    leveldb::Options options;
    options.env = &env_;
    options.create_if_missing = true;
    leveldb::DB* raw = nullptr;
    const leveldb::Status status =
        testing::OpenStore(options, "own_coordinator=true;retry_ms=10", kName, &raw);
    EXPECT_TRUE(status.ok()) << status.ToString();
    db_.reset(raw);
    Put("a1", "old");
    Compact("a", "b");
    const std::set<std::string> tables = Tables();
    Put("m1", "old");
    Compact("m", "n");
    EXPECT_EQ(FilesAtLevel(1), "2");
    testing::Fault fault;
    fault.kind = testing::FaultKind::kErrorSticky;
    fault.ops = testing::kOpenRead | testing::kRead;
    fault.name_part = *tables.rbegin();  // what it was made of may still be there
    env_.Arm(fault);
    Put("a1", "new");
    Compact("a", "b");
    EXPECT_EQ(FilesAtLevel(0), "1");
  }

  std::set<std::string> Tables() {
    std::vector<std::string> names;
    EXPECT_TRUE(disk_.GetChildren(kName, &names).ok());
    std::erase_if(names, [](const std::string& name) { return !name.ends_with(".ldb"); });
    return {names.begin(), names.end()};
  }
  void Put(const std::string& key, const std::string& value) {
    ASSERT_TRUE(db_->Put(leveldb::WriteOptions(), key, value).ok());
  }
  void Compact(const std::string& begin, const std::string& end) {
    const leveldb::Slice from(begin), to(end);
    db_->CompactRange(&from, &to);
  }
  std::string FilesAtLevel(int level) {
    std::string text;
    EXPECT_TRUE(db_->GetProperty("leveldb.num-files-at-level" + std::to_string(level), &text));
    return text;
  }

  testing::CrashEnv disk_;
  testing::FaultEnv env_{&disk_};
  std::unique_ptr<leveldb::DB> db_;
};

TEST_F(UnreadableInputTest, IsTriedAgain) {
  env_.Heal();
  for (int i = 0; FilesAtLevel(0) != "0" && i < 10'000; ++i) {
    Compact("a", "b");
    Clock::System()->SleepForNanos(1'000'000);
  }
  EXPECT_EQ(FilesAtLevel(0), "0");
  EXPECT_TRUE(WaitForIdle(db_.get()).ok());
}

TEST_F(UnreadableInputTest, HoldsUpNothingElse) {
  for (int round = 0; round < 5; ++round) {
    Put("m1", std::to_string(round));
    Compact("m", "n");
    EXPECT_EQ(FilesAtLevel(0), "1") << "that of a1";
  }
  EXPECT_EQ(FilesAtLevel(1), "2");
}

TEST_F(UnreadableInputTest, HoldsUpNothingThatAJobTakesAlongWithIt) {
  Put("m1", "new");
  ASSERT_TRUE(Flush(db_.get()).ok());
  EXPECT_EQ(FilesAtLevel(0), "2");
  Clock::System()->SleepForNanos(100'000'000);  // a1's turn has come again: one job takes both
  ASSERT_TRUE(SetOptions(db_.get(), "l0_trigger=2").ok());
  for (int i = 0; FilesAtLevel(0) != "1" && i < 10'000; ++i) {
    Clock::System()->SleepForNanos(1'000'000);
  }
  EXPECT_EQ(FilesAtLevel(0), "1") << "that of a1";
}

TEST_F(UnreadableInputTest, WritersAreToldWhenL0IsFullOfIt) {
  ASSERT_TRUE(SetOptions(db_.get(), "l0_trigger=1;l0_slowdown=2;l0_stop=3").ok());
  for (int round = 0; round < 8; ++round) {
    Put("m1", std::to_string(round));
    const leveldb::Status status = Flush(db_.get());
    ASSERT_TRUE(status.ok()) << round << ": " << status.ToString();
  }
  leveldb::Status status;
  for (int round = 0; status.ok() && round < 100; ++round) {
    status = db_->Put(leveldb::WriteOptions(), "a1", "newer");
    if (status.ok()) status = Flush(db_.get());
  }
  EXPECT_TRUE(status.IsIOError()) << status.ToString();
}

}  // namespace
}  // namespace lull
