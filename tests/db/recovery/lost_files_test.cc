// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// What an open puts into lost/, and directories and the like with the names of files, on a real
// file system.
#include "db/recovery/lost_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#ifndef _WIN32
#include <sys/stat.h>
#include <unistd.h>
#endif

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "db/base/filename.h"
#include "leveldb/db.h"
#include "leveldb/env.h"
#include "leveldb/iterator.h"
#include "tests/db/support/small_store.h"
#include "tests/db/support/store_files.h"
#include "tests/db/support/table_names.h"
#include "tests/support/fresh_directory.h"
#include "tests/support/open_store.h"

namespace lull::testing {
namespace {

using ::testing::HasSubstr;

// Logs are preallocated, and prepared ones hold nothing.
TEST(LostFilesTest, OnlyLogsWithEntriesAreKeptAndOnlyTheirUsedPart) {
  leveldb::Env* const env = leveldb::Env::Default();
  const std::string store = FreshDirectory("lost_logs") + "/store";
  StoreFiles files(env, store);
  const std::string value(100'000, 'v');
  const uint64_t damaged = files.AddWal({"a@1=" + value, "b@2=" + value, "c@3=c3"}, 1);
  const uint64_t later = files.AddWal({"d@4=d4"}, 4);
  const uint64_t unused = files.AddWal({}, 5);
  const uint64_t prepared = files.AddWal({});
  files.WriteManifest(damaged);
  const uint64_t used_bytes = FileBytes(env, LogFileName(store, damaged)).size();
  const std::string whole = FileBytes(env, LogFileName(store, later));
  for (const uint64_t log : {damaged, later, unused, prepared}) {
    std::string bytes = FileBytes(env, LogFileName(store, log)) + std::string(4 << 20, '\0');
    if (log == damaged) bytes[150'000] ^= 1;
    ASSERT_TRUE(leveldb::WriteStringToFile(env, bytes, LogFileName(store, log)).ok());
  }
  std::unique_ptr<leveldb::DB> db;
  leveldb::Options options;
  ASSERT_EQ(OpenAt(options, store, &db).ToString(), "OK");
  const std::string lost = LostDirectoryName(store);
  uint64_t kept_bytes = 0;
  ASSERT_TRUE(env->GetFileSize(lost + LogFileName("", damaged), &kept_bytes).ok());
  EXPECT_GE(kept_bytes, used_bytes);
  EXPECT_LE(kept_bytes, used_bytes + (32 << 10));
  EXPECT_EQ(FileBytes(env, lost + LogFileName("", later)), whole);
  EXPECT_FALSE(env->FileExists(lost + LogFileName("", unused)));
  EXPECT_FALSE(env->FileExists(lost + LogFileName("", prepared)));
  EXPECT_EQ(LostTotals(env, store), (FileTotals{2, kept_bytes + whole.size()}));
}

TEST(LostFilesTest, AFileNamedLostIsNamed) {
  leveldb::Env* const env = leveldb::Env::Default();
  const std::string store = FreshDirectory("file_lost") + "/store";
  StoreFiles files(env, store);
  const uint64_t log = files.AddWal({"a@1=a1", "b@2=b2"}, 1);
  files.WriteManifest(log);
  std::string bytes = FileBytes(env, LogFileName(store, log));
  bytes.back() ^= 1;
  ASSERT_TRUE(leveldb::WriteStringToFile(env, bytes, LogFileName(store, log)).ok());
  ASSERT_TRUE(leveldb::WriteStringToFile(env, "mine", LostDirectoryName(store)).ok());
  std::unique_ptr<leveldb::DB> db;
  for (const leveldb::Status& status :
       {OpenAt(leveldb::Options(), store, &db), leveldb::RepairDB(store, leveldb::Options())}) {
    EXPECT_THAT(status.ToString(), HasSubstr("store/lost: the store needs a directory"));
  }
  EXPECT_EQ(FileBytes(env, LostDirectoryName(store)), "mine");
}

// A removal of a range leaves no deletions, so only the notes can show it later.
TEST(LostFilesTest, NotesTellThatARangeWasRemoved) {
  leveldb::Env* const env = leveldb::Env::Default();
  for (const bool files_only : {false, true}) {
    const std::string store = FreshDirectory("range_removed") + "/store";
    StoreFiles files(env, store);
    files.AddTable(1, "a@1=a1");
    files.WriteManifest(files.AddWal({"b@2=b2"}, 2));
    ASSERT_TRUE(env->CreateDir(LostDirectoryName(store)).ok());
    const std::string first = LostDirectoryName(store) + "/000090.log";
    const std::string second = LostDirectoryName(store) + "/000091.ldb";
    for (const std::string& path : {first, second}) {
      ASSERT_TRUE(leveldb::WriteStringToFile(env, "lost", path).ok());
      ASSERT_TRUE(leveldb::WriteStringToFile(env, "1\n", path + kReplayedToSuffix).ok());
    }
    for (int session = 0; session < 2; ++session) {
      std::unique_ptr<leveldb::DB> db;
      ASSERT_TRUE(IsOk(OpenAt(leveldb::Options(), store, &db)));
      const leveldb::Slice begin("x"), end("y");  // the store has no such keys, but lost/ can
      for (int call = 0; call < 2; ++call) {
        ASSERT_TRUE(IsOk(RemoveRange(db.get(), &begin, &end, files_only)));
        for (const std::string& path : {first, second}) {
          EXPECT_EQ(FileBytes(env, path + kReplayedToSuffix), "1\nremoved\n");
          EXPECT_EQ(FileBytes(env, path), "lost");
        }
      }
      EXPECT_EQ(NamesEndingIn(env, LostDirectoryName(store), ".dbtmp").size(), 0u);
    }
  }
}

TEST(DirectoryNameTest, ADirectoryNamedLikeAFileIsIgnored) {
  leveldb::Env* const env = leveldb::Env::Default();
  for (const bool repairs : {false, true}) {
    const std::string store = FreshDirectory("directories") + "/store";
    StoreFiles files(env, store);
    files.AddTable(0, "a@1=a1");
    files.WriteManifest(files.AddWal({"b@2=b2"}, 2));
    const std::vector<std::string> directories = {
        LogFileName(store, 900), TableFileName(store, 901), DescriptorFileName(store, 902),
        TempFileName(store, 903)};
    for (const std::string& directory : directories) ASSERT_TRUE(env->CreateDir(directory).ok());
    leveldb::Options options;
    if (repairs) {
      ASSERT_TRUE(env->RemoveFile(CurrentFileName(store)).ok());
      ASSERT_EQ(leveldb::RepairDB(store, options).ToString(), "OK");
    }
    std::unique_ptr<leveldb::DB> db;
    ASSERT_EQ(OpenAt(options, store, &db).ToString(), "OK");
    EXPECT_EQ(ReadAll(db.get()).size(), 2u);
    db.reset();
    for (const std::string& directory : directories) EXPECT_TRUE(env->FileExists(directory));
    ASSERT_EQ(leveldb::DestroyDB(store, options).ToString(), "OK");
    for (const std::string& directory : directories) EXPECT_TRUE(env->RemoveDir(directory).ok());
    if (!repairs) {
      EXPECT_TRUE(env->RemoveDir(store).ok()) << "nothing else is left";
    }
  }
}

// What can have the name of a file: what it is, and how to create it. Returns false on failure.
using NoFile = std::pair<const char*, bool (*)(const std::string& path)>;

const NoFile kNoFiles[] = {
    {"Directory",
     [](const std::string& path) { return leveldb::Env::Default()->CreateDir(path).ok(); }},
    {"FullDirectory",
     [](const std::string& path) {
       leveldb::Env* const env = leveldb::Env::Default();
       return env->CreateDir(path).ok() && leveldb::WriteStringToFile(env, "x", path + "/x").ok();
     }},
#ifndef _WIN32
    {"Fifo", [](const std::string& path) { return mkfifo(path.c_str(), 0600) == 0; }},
    {"Device", [](const std::string& path) { return symlink("/dev/zero", path.c_str()) == 0; }},
    {"LinkToNothing",
     [](const std::string& path) { return symlink("nothing", path.c_str()) == 0; }},
#endif
};

class NoFileTest : public ::testing::TestWithParam<NoFile> {};

// "a=a1 b=b2 "
leveldb::Status ReadEntries(const std::string& store, std::string* text) {
  std::unique_ptr<leveldb::DB> db;
  const leveldb::Status status = OpenAt(leveldb::Options(), store, &db);
  if (!status.ok()) return status;
  const std::unique_ptr<leveldb::Iterator> it(db->NewIterator(leveldb::ReadOptions()));
  text->clear();
  for (it->SeekToFirst(); it->Valid(); it->Next())
    *text += it->key().ToString() + "=" + it->value().ToString() + " ";
  return it->status();
}

// A repair costs what the file held, and nothing else.
TEST_P(NoFileTest, InThePlaceOfAFile) {
  leveldb::Env* const env = leveldb::Env::Default();
  for (size_t place = 0; place < 4; ++place) {
    const std::string store = FreshDirectory("no_file") + "/store";
    StoreFiles files(env, store);
    const uint64_t table = files.AddTable(1, "a@1=a1");
    const uint64_t log = files.AddWal({"b@2=b2"}, 2);
    const uint64_t manifest = files.WriteManifest(log);
    const std::pair<std::string, const char*> places[] = {
        {CurrentFileName(store), "a=a1 b=b2 "},
        {DescriptorFileName(store, manifest), "a=a1 b=b2 "},
        {LogFileName(store, log), "a=a1 "},
        {TableFileName(store, table), "b=b2 "}};
    const auto& [path, left] = places[place];
    SCOPED_TRACE(path);
    ASSERT_TRUE(env->RemoveFile(path).ok());
    ASSERT_TRUE(GetParam().second(path));
    std::string text;
    const leveldb::Status before = ReadEntries(store, &text);
    EXPECT_FALSE(before.ok());
    EXPECT_THAT(before.ToString(), HasSubstr(path.substr(path.rfind('/'))));
    for (int i = 0; i < 2; ++i) {
      EXPECT_EQ(leveldb::RepairDB(store, leveldb::Options()).ToString(), "OK");
      EXPECT_EQ(ReadEntries(store, &text).ToString(), "OK");
      EXPECT_EQ(text, left);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, NoFileTest, ::testing::ValuesIn(kNoFiles),
                         [](const auto& info) { return info.param.first; });

}  // namespace
}  // namespace lull::testing
