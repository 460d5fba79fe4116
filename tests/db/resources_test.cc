// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Descriptors, disk space or a table are missing for a while: the store works with less, and
// recovers by itself. tests/resources tests the same with real limits.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "db/disk_room.h"
#include "leveldb/db.h"
#include "lull/lull.h"
#include "tests/db/table_names.h"
#include "tests/support/crash_env.h"
#include "tests/support/event_count.h"
#include "tests/support/fault_env.h"
#include "tests/support/fresh_directory.h"
#include "tests/support/json_value.h"
#include "tests/support/open_store.h"

namespace lull {
namespace {

using testing::CrashEnv;
using testing::Fault;
using testing::FaultEnv;
using testing::FaultKind;
using testing::kStoreName;

/// Tables longer than a limit fail as on a full disk; the test sets the free space.
class ScarceEnv final : public FaultEnv {
 public:
  using FaultEnv::FaultEnv;

  std::atomic<uint64_t> table_bytes_max{UINT64_MAX};
  std::atomic<uint64_t> free_bytes{UINT64_MAX};
  std::atomic<int> tables_refused{0};

  leveldb::Status NewWritableFile(const std::string& path,
                                  leveldb::WritableFile** result) override {
    const leveldb::Status status = FaultEnv::NewWritableFile(path, result);
    if (status.ok() && path.ends_with(".ldb")) *result = new Table(this, path, *result);
    return status;
  }
  uint64_t FreeBytes(const std::string&) override { return free_bytes.load(); }

 private:
  class Table final : public leveldb::WritableFile {
   public:
    Table(ScarceEnv* env, std::string path, leveldb::WritableFile* file)
        : env_(env), path_(std::move(path)), file_(file) {}
    leveldb::Status Append(const leveldb::Slice& data) override {
      bytes_ += data.size();
      if (bytes_ <= env_->table_bytes_max.load()) return file_->Append(data);
      env_->tables_refused.fetch_add(1);
      return leveldb::Status::IOError(path_, "No space left on device");
    }
    leveldb::Status Close() override { return file_->Close(); }
    leveldb::Status Flush() override { return file_->Flush(); }
    leveldb::Status Sync() override { return file_->Sync(); }

   private:
    ScarceEnv* const env_;
    const std::string path_;
    const std::unique_ptr<leveldb::WritableFile> file_;
    uint64_t bytes_ = 0;
  };
};

class ResourcesTest : public ::testing::Test {
 protected:
  void Open(const std::string& scheduling = "", bool paranoid = false) {
    db_.reset();
    leveldb::Options options;
    options.env = &env_;
    options.create_if_missing = true;
    options.write_buffer_size = 64 << 10;
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
  std::string Level(int level) {
    std::string text;
    EXPECT_TRUE(db_->GetProperty("leveldb.num-files-at-level" + std::to_string(level), &text));
    return text;
  }
  static size_t Logs(CrashEnv* disk) {
    std::vector<std::string> names;
    EXPECT_TRUE(disk->GetChildren(kStoreName, &names).ok());
    return static_cast<size_t>(
        std::count_if(names.begin(), names.end(),
                      [](const std::string& name) { return name.ends_with(".log"); }));
  }
  void FailTables(FaultKind kind) {
    Fault fault;
    fault.kind = kind;
    fault.ops = testing::kOpenWrite;
    fault.name_part = ".ldb";
    env_.Arm(fault);
  }

  CrashEnv disk_;
  ScarceEnv env_{&disk_};
  std::unique_ptr<leveldb::DB> db_;
};

// While no table can be made, memtables accumulate. Then there is space for one of them at a time.
TEST_F(ResourcesTest, AFlushThatLacksSpaceIsTriedWithFewerMemtables) {
  Open("retry_ms=10");
  env_.table_bytes_max = 0;
  for (int i = 0; i < 600; ++i) ASSERT_TRUE(Put(i).ok());
  EXPECT_FALSE(Flush(db_.get()).ok());
  env_.table_bytes_max = 100 << 10;
  EXPECT_TRUE(Flush(db_.get()).ok());
  EXPECT_GT(env_.tables_refused.load(), 0);
  std::string value;
  for (int i = 0; i < 600; ++i)
    EXPECT_TRUE(db_->Get(leveldb::ReadOptions(), Key(i), &value).ok()) << i;
}

// No new log can be made. A power loss could lose part of one memtable's records, so none of them
// may be flushed to a table while the log that holds the others is in use.
TEST_F(ResourcesTest, WithoutAnotherLogTheMemtableGrows) {
  Open("memory_budget_bytes=1M");
  ASSERT_TRUE(Put(0).ok());
  Fault fault;
  fault.kind = FaultKind::kErrorSticky;
  fault.ops = testing::kOpenWrite;
  fault.name_part = ".log";
  env_.Arm(fault);
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
  std::string value;
  for (int i = 0; i < written - 1; ++i)
    EXPECT_TRUE(db_->Get(leveldb::ReadOptions(), Key(i), &value).ok()) << i;
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
  FailTables(FaultKind::kErrorSticky);
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
        "own_coordinator=true;l0_trigger=1000;l0_slowdown=1000;l0_stop=1000";
    const leveldb::Status status = testing::OpenStore(options, no_compactions, kStoreName, &raw);
    const std::unique_ptr<leveldb::DB> db(raw);
    std::string value;
    for (int i = 0; db != nullptr && i <= kEntries; ++i)
      EXPECT_TRUE(db->Get(leveldb::ReadOptions(), Key(i), &value).ok()) << i;
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

TEST(DiskRoomTest, IsLowWhenLogsAndTablesMayNotFit) {
  CrashEnv disk;
  ScarceEnv env(&disk);
  leveldb::Options options;
  options.env = &env;
  StoreContext context(options);
  context.extension = &env;
  DiskRoom room(&context);
  uint64_t now = 1'000'000'000;
  const auto is_low = [&](uint64_t free, uint64_t unflushed) {
    env.free_bytes = free;
    room.Look(now += 10'000'000, unflushed, 1000);
    return room.is_low();
  };
  EXPECT_FALSE(is_low(UINT64_MAX, 1 << 20));
  EXPECT_FALSE(is_low(4000, 0));
  EXPECT_TRUE(is_low(3999, 0));
  EXPECT_TRUE(is_low(4000, 1));
  env.free_bytes = 1 << 20;
  room.Look(now + 1, 0, 1000);
  EXPECT_TRUE(room.is_low()) << "too soon to ask again";
}

/// Notes when an obsolete log was truncated to its length, or removed.
class TidiedLogsEnv final : public FaultEnv {
 public:
  using FaultEnv::FaultEnv;

  testing::EventCount tidied;

  leveldb::Status RemoveFile(const std::string& path) override {
    const leveldb::Status status = FaultEnv::RemoveFile(path);
    tidied.Note();
    return status;
  }
  leveldb::Status NewLogFile(const std::string& path, uint64_t capacity_bytes, LogFileMode mode,
                             LogFile** result) override {
    const leveldb::Status status = FaultEnv::NewLogFile(path, capacity_bytes, mode, result);
    if (status.ok()) *result = new Log(&tidied, *result);
    return status;
  }

 private:
  class Log final : public LogFile {
   public:
    Log(testing::EventCount* tidied, LogFile* file) : tidied_(tidied), file_(file) {}
    ~Log() override {
      file_.reset();
      tidied_->Note();
    }
    leveldb::Status Append(const leveldb::Slice& data) override { return file_->Append(data); }
    leveldb::Status Close() override { return file_->Close(); }
    leveldb::Status Flush() override { return file_->Flush(); }
    leveldb::Status Sync() override { return file_->Sync(); }
    leveldb::Status Seal() override {
      const leveldb::Status status = file_->Seal();
      tidied_->Note();
      return status;
    }
    bool HoldsDescriptor() const override { return file_->HoldsDescriptor(); }

   private:
    testing::EventCount* const tidied_;
    std::unique_ptr<LogFile> file_;
  };
};

// The bound in docs/operations.md. Released logs are removed a moment later, so each check waits
// for that.
TEST(DiskBoundTest, LogsTakeTheMemoryBudgetAndSevenLogsMore) {
  constexpr uint64_t kBudgetBytes = 4 << 20, kMemTableBytes = 64 << 10;
  TidiedLogsEnv env(leveldb::Env::Default());
  leveldb::Options options;
  options.env = &env;
  options.create_if_missing = true;
  options.write_buffer_size = kMemTableBytes;
  const std::string name = testing::FreshDirectory("bound") + "/store";
  leveldb::DB* raw = nullptr;
  ASSERT_TRUE(
      testing::OpenStore(options, "own_coordinator=true;memory_budget_bytes=4M", name, &raw).ok());
  const std::unique_ptr<leveldb::DB> db(raw);
  const auto log_bytes = [&] {
    uint64_t total = 0;
    std::vector<std::string> names;
    EXPECT_TRUE(leveldb::Env::Default()->GetChildren(name, &names).ok());
    for (const std::string& file : names) {
      uint64_t bytes = 0;
      if (!file.ends_with(".log")) continue;
      if (leveldb::Env::Default()->GetFileSize(name + "/" + file, &bytes).ok()) total += bytes;
    }
    return total;
  };
  for (int i = 0; i < 20'000; ++i) {
    ASSERT_TRUE(db->Put(leveldb::WriteOptions(), std::to_string(i), std::string(1000, 'v')).ok());
    if (i % 1000 != 0) continue;
    ASSERT_TRUE(env.tidied.Await("logs within the bound, after " + std::to_string(i), [&] {
      return log_bytes() <= kBudgetBytes + 7 * (kMemTableBytes + (256 << 10));
    }));
  }
}

TEST_F(ResourcesTest, AManualCompactionThatFailedDoesNotStopTheNext) {
  Open("retry_ms=100000");
  ASSERT_TRUE(Put(1).ok());
  ASSERT_TRUE(Flush(db_.get()).ok());
  ASSERT_TRUE(Put(1).ok());
  ASSERT_TRUE(Flush(db_.get()).ok());
  FailTables(FaultKind::kErrorSticky);
  db_->CompactRange(nullptr, nullptr);
  EXPECT_EQ(Level(0), "2");
  env_.Heal();
  EXPECT_TRUE(WaitForIdle(db_.get()).ok()) << "nothing has failed since the call";
  db_->CompactRange(nullptr, nullptr);
  EXPECT_EQ(Level(0), "0");
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
