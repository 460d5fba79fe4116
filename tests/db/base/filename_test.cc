// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "db/base/filename.h"

#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "leveldb/env.h"
#include "tests/support/fault_env.h"
#include "tests/util/test_dir.h"

namespace lull::testing {
namespace {

TEST(FileNameTest, Names) {
  EXPECT_EQ(LogFileName("s", 7), "s/000007.log");
  EXPECT_EQ(TableFileName("a/b", 123'456), "a/b/123456.ldb");
  EXPECT_EQ(TableFileName("s", 1'234'567), "s/1234567.ldb");
  EXPECT_EQ(LegacyTableFileName("s", 12), "s/000012.sst");
  EXPECT_EQ(DescriptorFileName("s", 100), "s/MANIFEST-000100");
  EXPECT_EQ(TempFileName("s", 999), "s/000999.dbtmp");
  EXPECT_EQ(CurrentFileName("s"), "s/CURRENT");
  EXPECT_EQ(LockFileName("s"), "s/LOCK");
  EXPECT_EQ(InfoLogFileName("s"), "s/LOG");
  EXPECT_EQ(OldInfoLogFileName("s"), "s/LOG.old");
  EXPECT_EQ(LostDirectoryName("s"), "s/lost");
}

TEST(FileNameTest, ParseIsTheInverse) {
  for (const uint64_t number : {uint64_t{0}, uint64_t{5}, uint64_t{1'000'000}, kFileNumberMax}) {
    const std::pair<std::string, FileKind> names[] = {
        {LogFileName("", number), FileKind::kLog},
        {TableFileName("", number), FileKind::kTable},
        {LegacyTableFileName("", number), FileKind::kTable},
        {DescriptorFileName("", number), FileKind::kDescriptor},
        {TempFileName("", number), FileKind::kTemp}};
    for (const auto& [name, kind] : names)
      EXPECT_EQ(ParseFileName(name.substr(1)), (ParsedFileName{kind, number})) << name;
  }
  EXPECT_EQ(ParseFileName("CURRENT"), (ParsedFileName{FileKind::kCurrent, 0}));
  EXPECT_EQ(ParseFileName("LOCK"), (ParsedFileName{FileKind::kLock, 0}));
  EXPECT_EQ(ParseFileName("LOG"), (ParsedFileName{FileKind::kInfoLog, 0}));
  EXPECT_EQ(ParseFileName("LOG.old"), (ParsedFileName{FileKind::kInfoLog, 0}));
}

// After number 4611686018427387905 none is free. For number 7, a store would look for 000007.log.
TEST(FileNameTest, OtherNamesAreNobodys) {
  std::istringstream words(
      "foo foo-dx-100.log 4611686018427387905.log 18446744073709551615.log .log manifest-3 "
      "MANIFEST "
      "MANIFEST- MANIFEST-3x CURREN LOCKx LOGger LOG.old2 100 100. 100.lo 100.logs "
      "18446744073709551616.log 184467440737095516150.log MANIFEST-18446744073709551616 -1.log "
      "+1.log lost 1.ldb/ 0x10.ldb 7.log 0000007.log 12345.sst MANIFEST-7 01234567.ldb");
  for (std::string name; words >> name;) EXPECT_EQ(ParseFileName(name), std::nullopt) << name;
  for (const std::string& name : {std::string(), std::string("CURRENT "), std::string(" 1.log"),
                                  std::string("000001.log\0", 11)}) {
    EXPECT_EQ(ParseFileName(name), std::nullopt) << name;
  }
}

class SetCurrentTest : public ::testing::Test {
 protected:
  std::string Current() { return TestDir::Contents(dir_.File("CURRENT")); }

  const TestDir dir_;
  FaultEnv env_{leveldb::Env::Default()};
};

TEST_F(SetCurrentTest, ReplacesCurrentInDurableSteps) {
  std::vector<std::string> steps;
  env_.set_before_operation([&](IoOp op, const std::string& path) {
    steps.push_back(std::string(IoOpName(op)) + " " + path);
  });
  ASSERT_TRUE(SetCurrentFile(&env_, dir_.path(), 5).ok());
  EXPECT_EQ(Current(), "MANIFEST-000005\n");
  const std::string temp = " " + dir_.File("000005.dbtmp");
  EXPECT_EQ(steps,
            (std::vector<std::string>{"open-write" + temp, "append" + temp, "sync" + temp,
                                      "close" + temp, "rename" + temp, "sync-dir " + dir_.path()}));
  ASSERT_TRUE(SetCurrentFile(&env_, dir_.path(), 1'234'567).ok());
  EXPECT_EQ(Current(), "MANIFEST-1234567\n");
}

TEST_F(SetCurrentTest, WorksWithoutTheExtension) {
  leveldb::EnvWrapper plain(leveldb::Env::Default());
  ASSERT_TRUE(SetCurrentFile(&plain, dir_.path(), 5).ok());
  EXPECT_EQ(Current(), "MANIFEST-000005\n");
}

TEST_F(SetCurrentTest, EveryStepMayFail) {
  for (const IoOp step : {kOpenWrite, kAppend, kSync, kClose, kRename, kSyncDir}) {
    ASSERT_TRUE(SetCurrentFile(leveldb::Env::Default(), dir_.path(), 5).ok());
    env_.Arm({.ops = step, .name_part = ""});
    EXPECT_TRUE(SetCurrentFile(&env_, dir_.path(), 6).IsIOError()) << IoOpName(step);
    env_.Heal();
    EXPECT_EQ(Current(), step == kSyncDir ? "MANIFEST-000006\n" : "MANIFEST-000005\n");
    EXPECT_FALSE(env_.FileExists(dir_.File("000006.dbtmp")));
  }
}

}  // namespace
}  // namespace lull::testing
