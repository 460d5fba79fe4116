// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "tests/support/crash_env.h"

#include <gtest/gtest.h>

#include <memory>
#include <set>
#include <string>

#include "tests/util/test_dir.h"

namespace lull::testing {
namespace {

class CrashEnvTest : public ::testing::Test {
 protected:
  CrashEnvTest() { env_.CreateDir("/d"); }

  std::unique_ptr<leveldb::WritableFile> Create(const std::string& path) {
    return Opened(&env_, &CrashEnv::NewWritableFile, path);
  }

  void WriteSynced(const std::string& path, const std::string& bytes) {
    auto file = Create(path);
    EXPECT_TRUE(file->Append(bytes).ok());
    EXPECT_TRUE(file->Sync().ok());
  }

  // The file's bytes, or "(none)".
  static std::string Contents(leveldb::Env* env, const std::string& path) {
    std::string bytes;
    return ReadFileToString(env, path, &bytes).ok() ? bytes : "(none)";
  }

  CrashEnv env_;
};

TEST_F(CrashEnvTest, SyncedFileIsLostWithItsUnsyncedName) {
  WriteSynced("/d/f", "hello");
  EXPECT_EQ(Contents(env_.Crash(1, CrashOptions::LoseAllUnsynced()).get(), "/d/f"), "(none)");
  EXPECT_TRUE(env_.SyncDirectory("/d").ok());
  EXPECT_EQ(Contents(env_.Crash(1, CrashOptions::LoseAllUnsynced()).get(), "/d/f"), "hello");
}

TEST_F(CrashEnvTest, SyncOfManifestSyncsTheDirectoryFirst) {
  auto other = Create("/d/f");
  auto manifest = Create("/d/MANIFEST-000001");
  EXPECT_TRUE(manifest->Sync().ok());
  EXPECT_TRUE(env_.Crash(1, CrashOptions::LoseAllUnsynced())->FileExists("/d/f"));

  auto later = Create("/d/g");
  env_.set_manifest_sync_covers_directory(false);
  EXPECT_TRUE(manifest->Sync().ok());
  EXPECT_FALSE(env_.Crash(1, CrashOptions::LoseAllUnsynced())->FileExists("/d/g"));
}

TEST_F(CrashEnvTest, UnsyncedTailIsLostOrKeptAsAsked) {
  auto file = Create("/d/f");
  env_.SyncDirectory("/d");
  file->Append("sure");
  file->Sync();
  file->Append(" doubtful");
  EXPECT_EQ(Contents(env_.Crash(1, CrashOptions::LoseAllUnsynced()).get(), "/d/f"), "sure");
  EXPECT_EQ(Contents(env_.Crash(1, CrashOptions::KeepAll()).get(), "/d/f"), "sure doubtful");
}

TEST_F(CrashEnvTest, RandomCrashesKeepSureBytesAndVaryInBlocks) {
  auto file = Create("/d/f");
  env_.SyncDirectory("/d");
  const std::string sure(5000, 's');
  const std::string doubtful(5 * 4096, 'd');
  file->Append(sure);
  file->Sync();
  file->Append(doubtful);
  std::set<std::string> states;
  bool hole = false, shorter = false;
  for (uint64_t seed = 0; seed < 300; ++seed) {
    const std::string left = Contents(env_.Crash(seed).get(), "/d/f");
    ASSERT_GE(left.size(), sure.size());
    ASSERT_EQ(left.substr(0, sure.size()), sure);
    states.insert(left);
    shorter = shorter || left.size() < sure.size() + doubtful.size();
    // A full block survived before the last one; the one before it did not.
    hole = hole || (left.size() > 20000 && left[8200] != 'd' && left[12300] == 'd');
    EXPECT_EQ(left, Contents(env_.Crash(seed).get(), "/d/f")) << "same seed, same state";
  }
  EXPECT_GT(states.size(), 50u);
  EXPECT_TRUE(hole);
  EXPECT_TRUE(shorter);
}

TEST_F(CrashEnvTest, FailedSyncLeavesPagesThatNoLaterSyncWrites) {
  auto file = Create("/d/f");
  env_.SyncDirectory("/d");
  file->Append(std::string(4096, 'a'));
  env_.DropDirtyPages("/d/f");
  file->Append(std::string(4096, 'b'));
  EXPECT_TRUE(file->Sync().ok());
  const CrashOptions lose{.data_survival = 0, .entry_survival = 0, .garbage = 0};
  EXPECT_EQ(Contents(env_.Crash(1, lose).get(), "/d/f"),
            std::string(4096, '\0') + std::string(4096, 'b'));
}

TEST_F(CrashEnvTest, PendingNamesSurviveIndependently) {
  WriteSynced("/d/old", "old");
  WriteSynced("/d/tmp", "new");
  env_.SyncDirectory("/d");
  env_.RenameFile("/d/tmp", "/d/current");
  env_.RemoveFile("/d/old");
  std::set<std::string> seen;
  for (uint64_t seed = 0; seed < 200; ++seed) {
    auto after = env_.Crash(seed);
    seen.insert(Contents(after.get(), "/d/current") + Contents(after.get(), "/d/old") +
                Contents(after.get(), "/d/tmp"));
  }
  EXPECT_EQ(seen, (std::set<std::string>{"new(none)(none)", "newold(none)", "(none)oldnew",
                                         "(none)(none)new"}));
  const CrashOptions only_removes{
      .decide_entry = [](const PendingEntry& e) { return e.op == DiskOp::kRemove; }};
  auto after = env_.Crash(1, only_removes);
  EXPECT_FALSE(after->FileExists("/d/old"));
  EXPECT_FALSE(after->FileExists("/d/current"));
}

TEST_F(CrashEnvTest, TruncationIsInDoubtUntilSynced) {
  WriteSynced("/d/f", "old");
  env_.SyncDirectory("/d");
  auto file = Create("/d/f");
  file->Append("new");
  EXPECT_EQ(Contents(env_.Crash(1, CrashOptions::LoseAllUnsynced()).get(), "/d/f"), "old");
  file->Sync();
  EXPECT_EQ(Contents(env_.Crash(1, CrashOptions::LoseAllUnsynced()).get(), "/d/f"), "new");
}

TEST_F(CrashEnvTest, NothingChangesFromTheCrashPointOn) {
  auto file = Create("/d/f");  // step 0
  file->Append("kept");        // step 1
  env_.SetCrashPoint(3);
  EXPECT_TRUE(file->Sync().ok());  // step 2
  EXPECT_FALSE(env_.crashed());
  EXPECT_TRUE(file->Append("lost").IsIOError());
  EXPECT_TRUE(env_.crashed());
  EXPECT_TRUE(file->Sync().IsIOError());
  EXPECT_TRUE(env_.RenameFile("/d/f", "/d/g").IsIOError());
  EXPECT_TRUE(env_.RemoveFile("/d/f").IsIOError());
  EXPECT_TRUE(env_.SyncDirectory("/d").IsIOError());
  leveldb::WritableFile* raw = nullptr;
  EXPECT_TRUE(env_.NewWritableFile("/d/h", &raw).IsIOError());
  EXPECT_EQ(env_.steps(), 3u);
  EXPECT_EQ(Contents(env_.Crash(1, CrashOptions::KeepAll()).get(), "/d/f"), "kept");
}

TEST_F(CrashEnvTest, AfterACrashTheDiskWorksAndMayCrashAgain) {
  auto file = Create("/d/f");
  env_.SyncDirectory("/d");
  file->Append("first");
  auto after = env_.Crash(1, CrashOptions::KeepAll());
  EXPECT_EQ(after->steps(), 0u);
  const auto second = Opened(after.get(), &CrashEnv::NewAppendableFile, "/d/f");
  second->Append(" second");
  // What survived the first crash is durable; what was written after it is not.
  EXPECT_EQ(Contents(after->Crash(1, CrashOptions::LoseAllUnsynced()).get(), "/d/f"), "first");
}

}  // namespace
}  // namespace lull::testing
