// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Checkpoints: their content while clients write, and what remains after a failure.
#include <filesystem>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "leveldb/db.h"
#include "leveldb/helpers/memenv.h"
#include "lull/lull.h"
#include "tests/db/support/copy_failures.h"
#include "tests/db/support/moment_writers.h"
#include "tests/db/support/table_names.h"
#include "tests/support/fresh_directory.h"

namespace lull::testing {
namespace {

// ---- content ----

/// An open store on the real file system, and room for checkpoints next to it.
class CheckpointTest : public ::testing::Test {
 protected:
  CheckpointTest() {
    leveldb::Options options = SmallOptions(env_);
    options.write_buffer_size = 256 << 10;  // small enough for four writers to fill quickly
    EXPECT_TRUE(IsOk(OpenAt(options, directory_ + "/store", &db_)));
  }

  leveldb::Env* const env_ = leveldb::Env::Default();
  const std::string directory_ = FreshDirectory("checkpoint");
  std::unique_ptr<leveldb::DB> db_;
};

TEST_F(CheckpointTest, HoldsOneMomentWhileFourWritersWrite) {
  std::vector<std::pair<std::string, Writers::Counts>> made;
  {
    Writers writers(db_.get());
    for (int i = 0; i < 6; ++i) {
      writers.AwaitMore(50);
      made.emplace_back(directory_ + "/" + std::to_string(i), writers.Acked());
      ASSERT_TRUE(IsOk(CreateCheckpoint(db_.get(), made.back().first)));
    }
    EXPECT_EQ(Writers::Wrong(ReadStore(env_, made[0].first), made[0].second), "");
  }
  // Changes to the first store must not affect the checkpoints.
  db_->CompactRange(nullptr, nullptr);
  db_.reset();
  ASSERT_TRUE(leveldb::DestroyDB(directory_ + "/store", leveldb::Options()).ok());
  for (const auto& [name, acked] : made)
    EXPECT_EQ(Writers::Wrong(ReadStore(env_, name), acked), "") << name;
}

TEST_F(CheckpointTest, SharesTablesWhereItCan) {
  ASSERT_TRUE(db_->Put({}, "a", "1").ok());
  ASSERT_TRUE(CreateCheckpoint(db_.get(), directory_ + "/one").ok());
  ASSERT_TRUE(env_->CreateDir(directory_ + "/two").ok()) << "an empty directory will do";
  ASSERT_TRUE(CreateCheckpoint(db_.get(), directory_ + "/two/").ok());
  const std::set<std::string> tables = TableNames(env_, directory_ + "/one");
  ASSERT_EQ(tables.size(), 1u);
  EXPECT_EQ(std::filesystem::hard_link_count(directory_ + "/one/" + *tables.begin()), 3u);
  ASSERT_TRUE(db_->Put({}, "a", "2").ok());
  EXPECT_EQ(ReadStore(env_, directory_ + "/two"), (Contents{{"a", "1"}}));
}

TEST_F(CheckpointTest, RefusesDirectoriesWithSomethingInThem) {
  ASSERT_TRUE(db_->Put({}, "a", "1").ok());
  ASSERT_TRUE(env_->CreateDir(directory_ + "/full").ok());
  ASSERT_TRUE(leveldb::WriteStringToFile(env_, "mine", directory_ + "/full/notes").ok());

  leveldb::Status status = CreateCheckpoint(db_.get(), directory_ + "/full");
  EXPECT_TRUE(status.IsInvalidArgument());
  EXPECT_NE(status.ToString().find("notes"), std::string::npos) << status.ToString();
  EXPECT_EQ(FileBytes(env_, directory_ + "/full/notes"), "mine");

  EXPECT_TRUE(CreateCheckpoint(db_.get(), directory_ + "/store").IsInvalidArgument()) << "its own";
  EXPECT_TRUE(CreateCheckpoint(db_.get(), "").IsInvalidArgument());
  for (const char* name : {"/full/notes", "/full/notes/copy", "/none/copy"}) {
    status = CreateCheckpoint(db_.get(), directory_ + name);
    EXPECT_TRUE(status.IsInvalidArgument()) << status.ToString();
  }
  db_.reset();
  leveldb::DB* reader = nullptr;
  ASSERT_TRUE(OpenReadOnly(leveldb::Options(), directory_ + "/store", &reader).ok());
  EXPECT_TRUE(CreateCheckpoint(reader, directory_ + "/copy").IsInvalidArgument());
  delete reader;
}

TEST(CheckpointInMemoryTest, CopiesTablesWhereItCannot) {
  const std::unique_ptr<leveldb::Env> env(leveldb::NewMemEnv(leveldb::Env::Default()));
  std::unique_ptr<leveldb::DB> db;
  ASSERT_TRUE(OpenAt(SmallOptions(env.get()), "/store", &db).ok());
  ASSERT_TRUE(IsOk(CreateCheckpoint(db.get(), "/empty")));
  EXPECT_EQ(ReadStore(env.get(), "/empty"), Contents());
  for (int i = 0; i < 3000; ++i) {
    const std::string key = "key" + std::to_string(i * 7919 % 3000);
    ASSERT_TRUE(db->Put({}, key, std::string(100, 'v') + key).ok());
  }
  const Contents contents = ReadAll(db.get());
  ASSERT_TRUE(IsOk(CreateCheckpoint(db.get(), "/copy")));
  db.reset();
  ASSERT_TRUE(leveldb::DestroyDB("/store", SmallOptions(env.get())).ok());
  EXPECT_EQ(ReadStore(env.get(), "/copy"), contents);
}

// ---- failures ----

/// On a disk on which tables can be shared, or not.
class CheckpointFailureTest : public CopyFailureTest, public ::testing::WithParamInterface<bool> {
 protected:
  CheckpointFailureTest() {
    std::unique_ptr<leveldb::DB> db;
    EXPECT_TRUE(IsOk(OpenAt(SmallOptions(&base_), "/store", &db)));
    for (int i = 0; i < 200; ++i) {
      const std::string key = "key" + std::to_string(i * 37 % 100);
      EXPECT_TRUE(db->Put({}, key, std::string(100, 'v') + key).ok());
      if (i == 99) db->CompactRange(nullptr, nullptr);
    }
    EXPECT_TRUE(Flush(db.get()).ok());
    wanted_ = ReadAll(db.get());
    wanted_["last"] = "write";
  }

  const Operation checkpoint_ = [links = GetParam()](CopyDisk* disk, const auto& begin) {
    disk->links = links;
    std::unique_ptr<leveldb::DB> db;
    EXPECT_TRUE(IsOk(OpenAt(SmallOptions(disk), "/store", &db)));
    leveldb::WriteOptions synced;
    synced.sync = true;
    EXPECT_TRUE(db->Put(synced, "last", "write").ok());
    begin();
    return CreateCheckpoint(db.get(), "/copy");
  };
  /// The directory /copy must hold all of the checkpoint, or no store if the call failed.
  const Check all_or_nothing_ = [this](const CopyRun& run, CrashEnv* left) {
    leveldb::Options options = SmallOptions(left);
    options.create_if_missing = false;
    std::unique_ptr<leveldb::DB> db;
    const leveldb::Status status = OpenAt(options, "/copy", &db);
    EXPECT_TRUE(status.ok() || !run.status.ok()) << status.ToString();
    if (status.ok()) {
      EXPECT_EQ(ReadAll(db.get()), wanted_);
    }
    db.reset();
    EXPECT_EQ(ReadStore(left, "/store"), wanted_);
    if (status.ok()) return;
    options.create_if_missing = true;
    ASSERT_TRUE(IsOk(OpenAt(options, "/store", &db)));
    EXPECT_TRUE(IsOk(CreateCheckpoint(db.get(), "/copy"))) << "a second attempt";
    db.reset();
    EXPECT_EQ(ReadStore(left, "/copy"), wanted_);
  };
  Contents wanted_;
};

TEST_P(CheckpointFailureTest, EveryOperation) {
  FaultEach(kCopyFaults, checkpoint_, all_or_nothing_);
}

TEST_P(CheckpointFailureTest, ACrashAtEveryStep) {
  EXPECT_GE(CrashEach(checkpoint_, all_or_nothing_), 5u);
}

INSTANTIATE_TEST_SUITE_P(Tables, CheckpointFailureTest, ::testing::Bool(),
                         [](const auto& param) { return param.param ? "Linked" : "Copied"; });

}  // namespace
}  // namespace lull::testing
