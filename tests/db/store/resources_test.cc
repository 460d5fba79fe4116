// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Disk space or a file is missing for a while: the store works with less, and recovers by itself.
// tests/resources tests the same with real limits.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "db/base/disk_space.h"
#include "leveldb/db.h"
#include "lull/lull.h"
#include "tests/db/support/small_store.h"
#include "tests/db/support/table_names.h"
#include "tests/support/crash_env.h"
#include "tests/support/fault_env.h"
#include "tests/support/json_value.h"
#include "tests/support/open_store.h"

namespace lull {
namespace {

using testing::CrashEnv;
using testing::FaultEnv;
using testing::kStoreName;

/// The test sets the free space.
class ScarceEnv final : public FaultEnv {
 public:
  using FaultEnv::FaultEnv;

  std::atomic<uint64_t> free_bytes{UINT64_MAX};
  bool tells = true;
  std::optional<uint64_t> FreeBytes(const std::string&) override {
    return tells ? std::optional<uint64_t>(free_bytes) : std::nullopt;
  }
};

class ResourcesTest : public ::testing::Test {
 protected:
  void Open(const std::string& scheduling = "", bool paranoid = false) {
    db_.reset();
    leveldb::Options options = testing::SmallOptions(&env_);
    options.compression = leveldb::kNoCompression;
    options.paranoid_checks = paranoid;
    leveldb::DB* raw = nullptr;
    const leveldb::Status status =
        testing::OpenStore(options, "own_coordinator=true;" + scheduling, kStoreName, &raw);
    ASSERT_TRUE(status.ok()) << status.ToString();
    db_.reset(raw);
  }
  leveldb::Status Put(int key, size_t bytes = 1000) {
    return db_->Put(leveldb::WriteOptions(), Key(key), std::string(bytes, 'v'));
  }
  static std::string Key(int key) { return "k" + std::to_string(10'000 + key); }
  static void ExpectFirst(leveldb::DB* db, int count) {
    std::string value;
    for (int i = 0; i < count; ++i)
      EXPECT_TRUE(db->Get(leveldb::ReadOptions(), Key(i), &value).ok()) << i;
  }
  static size_t Logs(CrashEnv* disk) {
    std::vector<std::string> names;
    EXPECT_TRUE(disk->GetChildren(kStoreName, &names).ok());
    return static_cast<size_t>(
        std::count_if(names.begin(), names.end(),
                      [](const std::string& name) { return name.ends_with(".log"); }));
  }
  void FailNew(const std::string& name_part) {
    env_.Arm({.kind = testing::FaultKind::kErrorSticky,
              .ops = testing::kOpenWrite,
              .name_part = name_part});
  }

  CrashEnv disk_;
  ScarceEnv env_{&disk_};
  std::unique_ptr<leveldb::DB> db_;
};

// No new log can be made. A power loss could lose part of one memtable's records, so none of them
// may be flushed to a table while the log that holds the others is in use.
TEST_F(ResourcesTest, WithoutAnotherLogTheMemtableGrows) {
  Open("memory_budget_bytes=1M");
  ASSERT_TRUE(Put(0).ok());
  FailNew(".log");
  int written = 1;
  leveldb::Status status;
  for (; written < 5000 && status.ok(); ++written) status = Put(written);
  EXPECT_GT(written, 400) << "several memtables of 64 KiB, or the prepared logs";
  EXPECT_LT(written, 2000) << "the memory budget";
  EXPECT_NE(status.ToString().find(".log"), std::string::npos) << status.ToString();
  EXPECT_FALSE(Flush(db_.get()).ok());
  env_.Heal();
  ASSERT_TRUE(Put(5000).ok());
  ASSERT_TRUE(Flush(db_.get()).ok());
  ExpectFirst(db_.get(), written - 1);
}

// The policy would let 16 MiB of memtables accumulate.
TEST_F(ResourcesTest, OnADiskThatIsNearlyFullNoMemtableWaitsForAnother) {
  env_.free_bytes = 200 << 10;
  Open();
  uint64_t most = 0;
  for (int i = 0; i < 1000; ++i) {
    ASSERT_TRUE(Put(i).ok());
    std::string stats;
    if (i % 10 != 0) continue;
    ASSERT_TRUE(db_->GetProperty("lull.stats", &stats));
    most = std::max(most, testing::Json::Parse(stats)["queue"]["memtables"].Count());
  }
  EXPECT_LE(most, 1u);
}

// Five logs, and no space for all their tables: each log is removed before the next is read. A
// power loss at any step loses nothing.
TEST_F(ResourcesTest, AStoreThatFilledItsDiskOpensLogByLog) {
  Open();
  FailNew(".ldb");
  constexpr int kEntries = 300;
  for (int i = 0; i < kEntries; ++i) ASSERT_TRUE(Put(i).ok());
  leveldb::WriteOptions synced;
  synced.sync = true;
  ASSERT_TRUE(db_->Put(synced, Key(kEntries), "last").ok());
  const auto full = disk_.Crash(1, testing::CrashOptions::KeepAll());

  const auto open_on = [&](CrashEnv* disk, uint64_t free_bytes, size_t* logs_at_last_table) {
    ScarceEnv env(disk);
    env.free_bytes = free_bytes;
    env.set_before_operation([&](testing::IoOp op, const std::string& path) {
      if (op == testing::kOpenWrite && path.ends_with(".ldb")) *logs_at_last_table = Logs(disk);
    });
    leveldb::Options options;
    options.env = &env;
    options.write_buffer_size = 64 << 10;
    leveldb::DB* raw = nullptr;
    // Compactions make tables too.
    const std::string no_compactions =
        "own_coordinator=true;memory_budget_bytes=1;l0_trigger=1000;l0_slowdown=1000;l0_stop=1000";
    const leveldb::Status status = testing::OpenStore(options, no_compactions, kStoreName, &raw);
    const std::unique_ptr<leveldb::DB> db(raw);
    if (status.ok()) ExpectFirst(db.get(), kEntries + 1);
    return status.ok();
  };
  size_t logs = 0;
  const size_t before = Logs(full.get());
  ASSERT_GE(before, 5u);
  bool done = false;
  for (uint64_t step = 1; !done; ++step) {
    const auto disk = full->Crash(1, testing::CrashOptions::KeepAll());
    disk->SetCrashPoint(disk->steps() + step);
    done = open_on(disk.get(), 0, &logs);
    const auto after = disk->Crash(step);
    ASSERT_TRUE(open_on(after.get(), step % 2 == 0 ? 0 : UINT64_MAX, &logs)) << "step " << step;
  }
  const auto disk = full->Crash(1, testing::CrashOptions::KeepAll());
  ASSERT_TRUE(open_on(disk.get(), 0, &logs));
  EXPECT_LE(logs, 2u) << "the last, and perhaps one without a record";
  ASSERT_TRUE(open_on(full.get(), UINT64_MAX, &logs));
  EXPECT_EQ(logs, before) << "with enough space no log is removed before all are flushed";
}

// The next open needs some space, for a MANIFEST and a log. Tables can wait in memory.
TEST_F(ResourcesTest, AStoreLeavesSpaceForItsNextOpen) {
  env_.free_bytes = 200 << 10;
  Open();
  FailNew(".ldb");
  int written = 0;
  leveldb::Status status;
  for (; written < 20; ++written) ASSERT_TRUE(Put(written).ok());
  env_.free_bytes = 60 << 10;
  for (; written < 500 && status.ok(); ++written) status = Put(written);
  EXPECT_NE(status.ToString().find("the next open needs it"), std::string::npos)
      << status.ToString();
  EXPECT_LT(written, 20 + 66) << "a log looks each 64 KiB";

  const auto full = disk_.Crash(1, testing::CrashOptions::KeepAll());
  const std::string leftover = std::string(kStoreName) + "/999999.ldb";
  ASSERT_TRUE(leveldb::WriteStringToFile(full.get(), "of a killed flush", leftover).ok());
  ScarceEnv env(full.get());
  env.free_bytes = 60 << 10;
  env.Arm({.kind = testing::FaultKind::kNoSpace, .name_part = ".ldb"});
  leveldb::Options options;
  options.env = &env;
  options.write_buffer_size = 64 << 10;
  leveldb::DB* raw = nullptr;
  status = testing::OpenStore(options, "own_coordinator=true", kStoreName, &raw);
  ASSERT_TRUE(status.ok()) << status.ToString();
  std::unique_ptr<leveldb::DB> db(raw);
  ExpectFirst(db.get(), written - 1);
  EXPECT_FALSE(full->FileExists(leftover));
  EXPECT_FALSE(Flush(db.get()).ok());
  env.free_bytes = UINT64_MAX;
  env.Heal();
  EXPECT_TRUE(Flush(db.get()).ok());
  ExpectFirst(db.get(), written - 1);
}

TEST(DiskSpaceTest, IsLowWhenLogsAndTablesMayNotFit) {
  CrashEnv disk;
  ScarceEnv env(&disk);
  leveldb::Options options;
  options.env = &env;
  StoreContext context(options);
  context.extension = &env;
  DiskSpace room(&context);
  uint64_t now = 1'000'000'000;
  const auto is_low = [&](uint64_t free, uint64_t unflushed) {
    env.free_bytes = free;
    room.Sample(now += 10'000'000, unflushed, 1000);
    return room.is_low();
  };
  EXPECT_FALSE(is_low(UINT64_MAX, 1 << 20));
  EXPECT_FALSE(is_low(4000, 0));
  EXPECT_TRUE(is_low(3999, 0));
  EXPECT_TRUE(is_low(4000, 1));
  env.tells = false;
  EXPECT_FALSE(is_low(0, 1)) << "unknown";
  env.tells = true;
  EXPECT_TRUE(is_low(0, 1));
  env.free_bytes = 1 << 20;
  room.Sample(now + 1, 0, 1000);
  EXPECT_TRUE(room.is_low()) << "too soon to ask again";
}

TEST_F(ResourcesTest, AfterACompactionMetDamageAParanoidStoreRefusesWrites) {
  for (const bool paranoid : {false, true}) {
    Open("retry_ms=10", paranoid);
    for (int table = 0; table < 2; ++table) {
      for (int i = 0; i < 50; ++i) ASSERT_TRUE(Put(i).ok());
      ASSERT_TRUE(Flush(db_.get()).ok());
    }
    const std::string newest =
        kStoreName + ("/" + *testing::TableNames(&disk_, kStoreName).rbegin());
    std::string bytes;
    ASSERT_TRUE(leveldb::ReadFileToString(&disk_, newest, &bytes).ok());
    bytes[100] = static_cast<char>(bytes[100] + 1);
    ASSERT_TRUE(leveldb::WriteStringToFile(&disk_, bytes, newest).ok());
    db_->CompactRange(nullptr, nullptr);
    EXPECT_EQ(Put(1).IsCorruption(), paranoid) << "as LevelDB does";
    db_.reset();
    ASSERT_TRUE(leveldb::WriteStringToFile(&disk_, "", newest).ok());
    leveldb::Options options;
    options.env = &env_;
    ASSERT_TRUE(leveldb::DestroyDB(kStoreName, options).ok());
  }
}

}  // namespace
}  // namespace lull
