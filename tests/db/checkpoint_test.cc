// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Checkpoints: their content while clients write, and what remains after a failure.
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "leveldb/db.h"
#include "leveldb/helpers/memenv.h"
#include "lull/lull.h"
#include "tests/db/moment_writers.h"
#include "tests/db/small_store.h"
#include "tests/support/crash_env.h"
#include "tests/support/fault_env.h"
#include "tests/support/fresh_directory.h"

namespace lull {
namespace {

using testing::Contents;
using testing::OpenAt;
using testing::ReadAll;
using testing::ReadStore;
using testing::SmallOptions;
using testing::Writers;

// ---- content ----

/// An open store on the real file system, and room for checkpoints next to it.
class CheckpointTest : public ::testing::Test {
 protected:
  CheckpointTest() {
    leveldb::Options options = SmallOptions(env_);
    options.write_buffer_size = 256 << 10;  // small enough for four writers to fill quickly
    const leveldb::Status status = OpenAt(options, folder_ + "/store", &db_);
    EXPECT_TRUE(status.ok()) << status.ToString();
  }

  leveldb::Env* const env_ = leveldb::Env::Default();
  const std::string folder_ = testing::FreshDirectory("checkpoint");
  std::unique_ptr<leveldb::DB> db_;
};

TEST_F(CheckpointTest, HoldsOneMomentWhileFourWritersWrite) {
  std::vector<std::pair<std::string, Writers::Counts>> made;
  {
    Writers writers(db_.get());
    for (int i = 0; i < 6; ++i) {
      writers.AwaitMore(50);
      made.emplace_back(folder_ + "/" + std::to_string(i), writers.Acked());
      const leveldb::Status status = CreateCheckpoint(db_.get(), made.back().first);
      ASSERT_TRUE(status.ok()) << status.ToString();
    }
    EXPECT_EQ(Writers::Wrong(ReadStore(env_, made[0].first), made[0].second), "");
  }
  // Changes to the first store must not affect the checkpoints.
  db_->CompactRange(nullptr, nullptr);
  db_.reset();
  ASSERT_TRUE(leveldb::DestroyDB(folder_ + "/store", leveldb::Options()).ok());
  for (const auto& [name, acked] : made)
    EXPECT_EQ(Writers::Wrong(ReadStore(env_, name), acked), "") << name;
}

TEST_F(CheckpointTest, SharesTablesWhereItCan) {
  ASSERT_TRUE(db_->Put(leveldb::WriteOptions(), "a", "1").ok());
  ASSERT_TRUE(CreateCheckpoint(db_.get(), folder_ + "/one").ok());
  ASSERT_TRUE(env_->CreateDir(folder_ + "/two").ok()) << "an empty folder will do";
  ASSERT_TRUE(CreateCheckpoint(db_.get(), folder_ + "/two/").ok());
  int tables = 0;
  for (const auto& file : std::filesystem::directory_iterator(folder_ + "/one")) {
    if (file.path().extension() != ".ldb") continue;
    ++tables;
    EXPECT_EQ(std::filesystem::hard_link_count(file), 3u);
  }
  EXPECT_EQ(tables, 1);
  ASSERT_TRUE(db_->Put(leveldb::WriteOptions(), "a", "2").ok());
  EXPECT_EQ(ReadStore(env_, folder_ + "/two"), (Contents{{"a", "1"}}));
}

TEST_F(CheckpointTest, RefusesFoldersWithSomethingInThem) {
  ASSERT_TRUE(db_->Put(leveldb::WriteOptions(), "a", "1").ok());
  ASSERT_TRUE(env_->CreateDir(folder_ + "/full").ok());
  ASSERT_TRUE(leveldb::WriteStringToFile(env_, "mine", folder_ + "/full/notes").ok());

  leveldb::Status status = CreateCheckpoint(db_.get(), folder_ + "/full");
  EXPECT_TRUE(status.IsInvalidArgument());
  EXPECT_NE(status.ToString().find("notes"), std::string::npos) << status.ToString();
  std::string notes;
  EXPECT_TRUE(leveldb::ReadFileToString(env_, folder_ + "/full/notes", &notes).ok());
  EXPECT_EQ(notes, "mine");

  EXPECT_TRUE(CreateCheckpoint(db_.get(), folder_ + "/store").IsInvalidArgument()) << "its own";
  EXPECT_TRUE(CreateCheckpoint(db_.get(), "").IsInvalidArgument());
  EXPECT_FALSE(CreateCheckpoint(db_.get(), folder_ + "/full/notes").ok()) << "a file";
  EXPECT_FALSE(CreateCheckpoint(db_.get(), folder_ + "/none/checkpoint").ok());
  db_.reset();
  leveldb::DB* reader = nullptr;
  ASSERT_TRUE(OpenReadOnly(leveldb::Options(), folder_ + "/store", &reader).ok());
  EXPECT_TRUE(CreateCheckpoint(reader, folder_ + "/copy").IsInvalidArgument());
  delete reader;
}

TEST(CheckpointInMemoryTest, CopiesTablesWhereItCannot) {
  const std::unique_ptr<leveldb::Env> env(leveldb::NewMemEnv(leveldb::Env::Default()));
  std::unique_ptr<leveldb::DB> db;
  ASSERT_TRUE(OpenAt(SmallOptions(env.get()), "/store", &db).ok());
  for (int i = 0; i < 3000; ++i) {
    const std::string key = "key" + std::to_string(i * 7919 % 3000);
    ASSERT_TRUE(db->Put(leveldb::WriteOptions(), key, std::string(100, 'v') + key).ok());
  }
  const Contents contents = ReadAll(db.get());
  const leveldb::Status status = CreateCheckpoint(db.get(), "/copy");
  ASSERT_TRUE(status.ok()) << status.ToString();
  db.reset();
  ASSERT_TRUE(leveldb::DestroyDB("/store", SmallOptions(env.get())).ok());
  EXPECT_EQ(ReadStore(env.get(), "/copy"), contents);
}

TEST(CheckpointInMemoryTest, OfAnEmptyStore) {
  testing::CrashEnv env;
  std::unique_ptr<leveldb::DB> db;
  ASSERT_TRUE(OpenAt(SmallOptions(&env), "/store", &db).ok());
  ASSERT_TRUE(CreateCheckpoint(db.get(), "/copy").ok());
  EXPECT_EQ(ReadStore(&env, "/copy"), Contents());
}

// ---- failures ----

/// A disk on which tables can be shared, or not.
class CheckpointDisk : public testing::FaultEnv {
 public:
  CheckpointDisk(leveldb::Env* target, bool links) : FaultEnv(target), links_(links) {}
  leveldb::Status LinkFile(const std::string& from, const std::string& to) override {
    return links_ ? FaultEnv::LinkFile(from, to) : leveldb::Status::NotSupported(from);
  }

 private:
  const bool links_;
};

class CheckpointFailureTest : public ::testing::TestWithParam<bool> {
 protected:
  CheckpointFailureTest() {
    EXPECT_TRUE(OpenAt(SmallOptions(&elsewhere_), "/other", &other_).ok());
    std::unique_ptr<leveldb::DB> db;
    EXPECT_TRUE(OpenAt(SmallOptions(&base_), "/store", &db).ok());
    for (int i = 0; i < 200; ++i) {
      const std::string key = "key" + std::to_string(i * 37 % 100);
      EXPECT_TRUE(db->Put(leveldb::WriteOptions(), key, std::string(100, 'v') + key).ok());
      if (i == 99) db->CompactRange(nullptr, nullptr);
    }
    EXPECT_TRUE(Flush(db.get()).ok());
    wanted_ = ReadAll(db.get());
    wanted_["last"] = "write";
  }

  /// Makes a checkpoint, after `prepare`, on a copy of the disk, and returns the resulting disk.
  std::unique_ptr<testing::CrashEnv> Run(
      const std::function<void(testing::CrashEnv*, CheckpointDisk*)>& prepare,
      const std::function<void(const testing::CrashEnv&, const CheckpointDisk&)>& finish) {
    auto disk = base_.Crash(0, testing::CrashOptions::KeepAll());
    CheckpointDisk faulty(disk.get(), GetParam());
    faulty.set_on_failed_sync([&disk](const std::string& path) { disk->DropDirtyPages(path); });
    std::unique_ptr<leveldb::DB> db;
    EXPECT_TRUE(OpenAt(SmallOptions(&faulty), "/store", &db).ok());
    leveldb::WriteOptions synced;
    synced.sync = true;
    EXPECT_TRUE(db->Put(synced, "last", "write").ok());
    faulty.ResetCount();
    prepare(disk.get(), &faulty);
    status_ = CreateCheckpoint(db.get(), "/copy");
    finish(*disk, faulty);
    faulty.Heal();
    return disk;
  }

  /// The directory /copy must hold all of the checkpoint, or (unless `required`) no store.
  std::string Wrong(leveldb::Env* env, bool required) const {
    leveldb::Options options = SmallOptions(env);
    options.create_if_missing = false;
    std::unique_ptr<leveldb::DB> db;
    const leveldb::Status status = OpenAt(options, "/copy", &db);
    if (!status.ok()) return required ? "does not open: " + status.ToString() : "";
    return ReadAll(db.get()) == wanted_ ? "" : "opens, and holds something else";
  }

  void ExpectAllOrNothing(const testing::CrashEnv& disk, uint64_t seed, const std::string& where) {
    using testing::CrashOptions;
    const std::string told = where + ", " + status_.ToString();
    EXPECT_EQ(Wrong(disk.Crash(0, CrashOptions::KeepAll()).get(), status_.ok()), "") << told;
    EXPECT_EQ(Wrong(disk.Crash(0, CrashOptions::LoseAllUnsynced()).get(), status_.ok()), "")
        << told << ", after a power loss";
    EXPECT_EQ(Wrong(disk.Crash(seed).get(), status_.ok()), "") << told << ", crash seed " << seed;
    EXPECT_EQ(ReadStore(disk.Crash(seed).get(), "/store"), wanted_) << told;
  }

  // While this store is open, opening others starts no threads.
  testing::CrashEnv elsewhere_;
  std::unique_ptr<leveldb::DB> other_;
  testing::CrashEnv base_;
  Contents wanted_;
  leveldb::Status status_;
};

TEST_P(CheckpointFailureTest, EveryOperation) {
  using testing::FaultKind;
  for (const FaultKind kind :
       {FaultKind::kErrorOnce, FaultKind::kErrorSticky, FaultKind::kNoSpace, FaultKind::kShortRead,
        FaultKind::kShortWrite, FaultKind::kFailedSync}) {
    uint64_t operations = 0;
    uint64_t failed = 0;
    Run([](testing::CrashEnv*, CheckpointDisk*) {},
        [&](const testing::CrashEnv&, const CheckpointDisk& faulty) {
          operations = faulty.Count(testing::OpsOf(kind));
        });
    ASSERT_TRUE(status_.ok()) << status_.ToString();
    for (uint64_t index = 0; index < operations; ++index) {
      const auto arm = [&](testing::CrashEnv*, CheckpointDisk* faulty) {
        testing::Fault fault;
        fault.kind = kind;
        fault.index = index;
        fault.bytes = index * 7 % 50;
        faulty->Arm(fault);
      };
      const auto disk = Run(arm, [](const testing::CrashEnv&, const CheckpointDisk&) {});
      if (!status_.ok()) ++failed;
      ExpectAllOrNothing(*disk, index + 1,
                         std::string(testing::FaultKindName(kind)) + " " + std::to_string(index));
    }
    const uint64_t must_fail = kind == FaultKind::kShortRead ? 0 : 3;  // a short read is retried
    EXPECT_GE(failed, must_fail) << testing::FaultKindName(kind);
  }
}

TEST_P(CheckpointFailureTest, ACrashAtEveryStep) {
  const uint64_t never = testing::CrashEnv::kNoCrashPoint;
  uint64_t steps = 0;
  const auto count = [&](testing::CrashEnv* disk, CheckpointDisk*) { steps = disk->steps(); };
  Run(count,
      [&](const testing::CrashEnv& disk, const CheckpointDisk&) { steps = disk.steps() - steps; });
  ASSERT_TRUE(status_.ok()) << status_.ToString();
  ASSERT_GT(steps, 10u);
  for (uint64_t step = 0; step <= steps; ++step) {
    const auto arm = [&](testing::CrashEnv* disk, CheckpointDisk*) {
      disk->SetCrashPoint(step == steps ? never : disk->steps() + step);
    };
    const auto disk = Run(arm, [](const testing::CrashEnv&, const CheckpointDisk&) {});
    ExpectAllOrNothing(*disk, step + 1, "crash at step " + std::to_string(step));
  }
}

INSTANTIATE_TEST_SUITE_P(Tables, CheckpointFailureTest, ::testing::Bool(),
                         [](const auto& param) { return param.param ? "Linked" : "Copied"; });

}  // namespace
}  // namespace lull
