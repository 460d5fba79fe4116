// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "db/filename.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/util/test_dir.h"
#include "util/env_extension.h"

namespace lull {
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
  EXPECT_EQ(LostFolderName("s"), "s/lost");
}

TEST(FileNameTest, ParseIsTheInverse) {
  for (const uint64_t number : {uint64_t{0}, uint64_t{5}, uint64_t{1'000'000}, kFileNumberMax}) {
    EXPECT_EQ(ParseFileName(LogFileName("", number).substr(1)),
              (ParsedFileName{FileKind::kLog, number}));
    EXPECT_EQ(ParseFileName(TableFileName("", number).substr(1)),
              (ParsedFileName{FileKind::kTable, number}));
    EXPECT_EQ(ParseFileName(LegacyTableFileName("", number).substr(1)),
              (ParsedFileName{FileKind::kTable, number}));
    EXPECT_EQ(ParseFileName(DescriptorFileName("", number).substr(1)),
              (ParsedFileName{FileKind::kDescriptor, number}));
    EXPECT_EQ(ParseFileName(TempFileName("", number).substr(1)),
              (ParsedFileName{FileKind::kTemp, number}));
  }
  EXPECT_EQ(ParseFileName("CURRENT"), (ParsedFileName{FileKind::kCurrent, 0}));
  EXPECT_EQ(ParseFileName("LOCK"), (ParsedFileName{FileKind::kLock, 0}));
  EXPECT_EQ(ParseFileName("LOG"), (ParsedFileName{FileKind::kInfoLog, 0}));
  EXPECT_EQ(ParseFileName("LOG.old"), (ParsedFileName{FileKind::kInfoLog, 0}));
}

TEST(FileNameTest, OtherNamesAreNobodys) {
  for (const char* name : {"",
                           "foo",
                           "foo-dx-100.log",
                           "4611686018427387905.log",  // no free number after it
                           "18446744073709551615.log",
                           ".log",
                           "manifest-3",
                           "MANIFEST",
                           "MANIFEST-",
                           "MANIFEST-3x",
                           "CURRENT ",
                           "CURREN",
                           "LOCKx",
                           "LOGger",
                           "LOG.old2",
                           "100",
                           "100.",
                           "100.lo",
                           "100.logs",
                           "18446744073709551616.log",
                           "184467440737095516150.log",
                           "MANIFEST-18446744073709551616",
                           "-1.log",
                           " 1.log",
                           "+1.log",
                           "lost",
                           "1.ldb/",
                           "0x10.ldb",
                           "7.log",  // a store would look for 000007.log
                           "0000007.log",
                           "12345.sst",
                           "MANIFEST-7",
                           "01234567.ldb"}) {
    EXPECT_EQ(ParseFileName(name), std::nullopt) << name;
  }
  EXPECT_EQ(ParseFileName(std::string("000001.log\0", 11)), std::nullopt);
}

/// Records operations on names, in order, and fails one of the steps.
class RecordingEnv final : public leveldb::EnvWrapper, public EnvExtension {
 public:
  explicit RecordingEnv(leveldb::Env* base) : leveldb::EnvWrapper(base), EnvExtension(this) {}

  leveldb::Status NewWritableFile(const std::string& name, leveldb::WritableFile** file) override {
    return Step("create " + name, [&] { return target()->NewWritableFile(name, file); });
  }
  leveldb::Status RenameFile(const std::string& from, const std::string& to) override {
    return Step("rename " + from + " " + to, [&] { return target()->RenameFile(from, to); });
  }
  leveldb::Status SyncDirectory(const std::string& folder) override {
    return Step("sync " + folder, [] { return leveldb::Status::OK(); });
  }

  std::vector<std::string> steps;
  size_t failing_step = SIZE_MAX;

 private:
  template <typename Do>
  leveldb::Status Step(const std::string& what, Do&& action) {
    steps.push_back(what);
    return steps.size() - 1 == failing_step ? leveldb::Status::IOError(what) : action();
  }
};

class SetCurrentTest : public ::testing::Test {
 protected:
  std::string Current() { return TestDir::Contents(dir_.File("CURRENT")); }
  const TestDir dir_;
  RecordingEnv env_{leveldb::Env::Default()};
};

TEST_F(SetCurrentTest, ReplacesCurrentInDurableSteps) {
  ASSERT_TRUE(SetCurrentFile(&env_, dir_.path(), 5).ok());
  EXPECT_EQ(Current(), "MANIFEST-000005\n");
  const std::string temp = dir_.File("000005.dbtmp");
  EXPECT_EQ(env_.steps, (std::vector<std::string>{"create " + temp,
                                                  "rename " + temp + " " + dir_.File("CURRENT"),
                                                  "sync " + dir_.path()}));
  ASSERT_TRUE(SetCurrentFile(&env_, dir_.path(), 1'234'567).ok());
  EXPECT_EQ(Current(), "MANIFEST-1234567\n");
}

TEST_F(SetCurrentTest, WorksWithoutTheExtension) {
  leveldb::EnvWrapper plain(leveldb::Env::Default());
  ASSERT_TRUE(SetCurrentFile(&plain, dir_.path(), 5).ok());
  EXPECT_EQ(Current(), "MANIFEST-000005\n");
}

TEST_F(SetCurrentTest, EveryStepMayFail) {
  for (const size_t failing : {0, 1, 2}) {
    ASSERT_TRUE(SetCurrentFile(leveldb::Env::Default(), dir_.path(), 5).ok());
    env_.steps.clear();
    env_.failing_step = failing;
    EXPECT_TRUE(SetCurrentFile(&env_, dir_.path(), 6).IsIOError()) << failing;
    EXPECT_EQ(Current(), failing < 2 ? "MANIFEST-000005\n" : "MANIFEST-000006\n");
    EXPECT_FALSE(env_.FileExists(dir_.File("000006.dbtmp")));
  }
}

}  // namespace
}  // namespace lull
