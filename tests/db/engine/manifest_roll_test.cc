// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// A MANIFEST that has grown long is replaced while the store is open. (The scenario ManifestsRoll
// of the sweeps tests crashes and faults at every step of it.)
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "db/base/filename.h"
#include "gtest/gtest.h"
#include "leveldb/db.h"
#include "lull/lull.h"
#include "tests/db/support/small_store.h"
#include "tests/support/crash_env.h"
#include "tests/support/fault_env.h"
#include "tests/support/open_store.h"

namespace lull {
namespace {

class ManifestRollTest : public ::testing::Test {
 protected:
  ManifestRollTest() { Open(); }

  void Open(const std::string& name = "/store", const std::string& more = ";manifest_bytes_min=1") {
    leveldb::DB* raw = nullptr;
    const leveldb::Status status = testing::OpenStore(
        testing::SmallOptions(&env_), "own_coordinator=true;l0_trigger=100" + more, name, &raw);
    ASSERT_TRUE(status.ok()) << status.ToString();
    db_.reset(raw);
  }
  /// Installs a table with one entry.
  leveldb::Status Install() {
    ++installs_;
    leveldb::Status status =
        db_->Put(leveldb::WriteOptions(), "k" + std::to_string(installs_), "v");
    if (status.ok()) status = Flush(db_.get());
    return status;
  }
  void InstallTimes(int times) {
    for (int i = 0; i < times; ++i) {
      const leveldb::Status status = Install();
      ASSERT_TRUE(status.ok()) << status.ToString();
    }
  }
  void ExpectAll() {
    std::string value;
    for (int i = 1; i <= installs_; ++i) {
      EXPECT_TRUE(db_->Get(leveldb::ReadOptions(), "k" + std::to_string(i), &value).ok()) << i;
    }
  }
  std::vector<std::string> Manifests() {
    std::vector<std::string> names;
    EXPECT_TRUE(env_.GetChildren("/store", &names).ok());
    std::erase_if(names, [](const std::string& name) { return !name.starts_with("MANIFEST"); });
    return names;
  }
  std::string Current(const std::string& name = "/store") {
    std::string text;
    EXPECT_TRUE(leveldb::ReadFileToString(&disk_, CurrentFileName(name), &text).ok());
    return text;
  }
  void Arm(uint32_t ops, const std::string& name_part) {
    testing::Fault fault;
    fault.kind = testing::FaultKind::kErrorOnce;
    fault.ops = ops;
    fault.name_part = name_part;
    env_.Arm(fault);
  }

  testing::CrashEnv disk_;
  testing::FaultEnv env_{&disk_};
  std::unique_ptr<leveldb::DB> db_;
  int installs_ = 0;
};

TEST_F(ManifestRollTest, ANewOneTakesOverAndTheOldOneGoes) {
  std::vector<std::string> seen = {Current()};
  for (int i = 0; i < 60; ++i) {
    InstallTimes(1);
    if (Current() != seen.back()) seen.push_back(Current());
  }
  // Each grows to four times its first length: a few dozen bytes at first, then more each time.
  EXPECT_GE(seen.size(), 3u);
  EXPECT_LE(seen.size(), 20u);
  ExpectAll();
  db_.reset();  // removes the remaining obsolete files
  EXPECT_EQ(Manifests().size(), 1u);
  EXPECT_EQ(Manifests()[0] + "\n", Current());
  Open();
  ExpectAll();
}

TEST_F(ManifestRollTest, AShortOneStays) {
  Open("/other", "");
  const std::string before = Current("/other");
  InstallTimes(40);
  EXPECT_EQ(Current("/other"), before);
}

TEST_F(ManifestRollTest, TheOldOneGoesOnWhenNoneCanBeBegun) {
  for (const auto& [ops, name_part] :
       {std::pair<uint32_t, const char*>{testing::kOpenWrite, "MANIFEST"},
        {testing::kOpenWrite, "dbtmp"},
        {testing::kAppend, "dbtmp"},
        {testing::kRename, "dbtmp"}}) {
    const std::string before = Current();
    const uint64_t hits = env_.hits();
    Arm(ops, name_part);
    while (env_.hits() == hits) InstallTimes(1);
    InstallTimes(1);
    while (Current() == before) InstallTimes(1);
    ExpectAll();
  }
  db_.reset();
  Open();
  ExpectAll();
}

TEST_F(ManifestRollTest, WritesAreRefusedWhenNobodyKnowsWhichIsInForce) {
  const std::string before = Current();
  env_.set_before_operation([this](testing::IoOp op, const std::string&) {
    if (op == testing::kRename) Arm(testing::kSyncDir, "");
  });
  while (Install().ok()) ASSERT_LT(installs_, 100);
  EXPECT_NE(Current(), before);
  const leveldb::Status status = db_->Put(leveldb::WriteOptions(), "a", "b");
  EXPECT_FALSE(status.ok());
  db_.reset();
  env_.set_before_operation({});
  env_.Heal();
  EXPECT_GE(Manifests().size(), 2u) << "neither may be deleted";
  --installs_;
  Open();
  ExpectAll();
}

}  // namespace
}  // namespace lull
