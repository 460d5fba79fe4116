// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// A store stays in the directory that it was opened in, whatever then happens to its name: the
// program changes its working directory, someone switches a link, moves the directory, or puts
// another one in its place. Writes fail once the name leads to another directory: nobody would find
// them. With Env::Default() and with an Env around it, which has names only.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <memory>
#include <string>

#include "leveldb/db.h"
#include "leveldb/env.h"
#include "lull/lull.h"
#include "tests/db/support/expect_ok.h"
#include "tests/db/support/small_store.h"
#include "tests/support/fresh_directory.h"
#include "tests/support/sanitized.h"

namespace lull {
namespace {

namespace fs = std::filesystem;
using leveldb::Status;
using testing::IsOk;

constexpr int kPlaceKeys = 2000;

std::unique_ptr<leveldb::DB> OpenPlaced(const std::string& name,
                                        leveldb::Env* env = leveldb::Env::Default()) {
  std::unique_ptr<leveldb::DB> db;
  EXPECT_TRUE(IsOk(testing::OpenAt(testing::SmallOptions(env), name, &db)));
  return db;
}

Status PutPlaced(leveldb::DB* db, int key, const std::string& who) {
  return db->Put({}, std::to_string(key), who + std::string(200, '.'));
}

/// Enough for several logs, flushes, compactions, and a MANIFEST with all of them.
void FillPlaced(leveldb::DB* db, const std::string& who) {
  for (int key = 0; key < kPlaceKeys; ++key) ASSERT_TRUE(IsOk(PutPlaced(db, key, who)));
  ASSERT_TRUE(IsOk(Flush(db)));
  db->CompactRange(nullptr, nullptr);
  ASSERT_TRUE(IsOk(WaitForIdle(db)));
}

void ExpectPlaced(leveldb::DB* db, const std::string& who) {
  ASSERT_NE(db, nullptr);
  const auto entries = testing::ReadAll(db);
  EXPECT_EQ(entries.size(), size_t{kPlaceKeys});
  for (const auto& [key, value] : entries) ASSERT_EQ(value.substr(0, who.size()), who) << key;
}

/// Writes until a write fails. The store looks at its place once in a while.
Status FirstFailure(leveldb::DB* db) {
  Status status;
  for (int write = 0; status.ok() && write < 20'000'000; ++write)
    status = PutPlaced(db, write % kPlaceKeys, "late");
  return status;
}

void ExpectRefusesWrites(leveldb::DB* db) {
  const Status status = FirstFailure(db);
  EXPECT_TRUE(status.IsIOError()) << status.ToString();
  EXPECT_NE(status.ToString().find("leads to another directory"), std::string::npos)
      << status.ToString();
  EXPECT_EQ(PutPlaced(db, 1, "later").ToString(), status.ToString());
}

class PlaceTest : public ::testing::TestWithParam<bool> {
 protected:
  PlaceTest() {
    for (const char* name : {"here", "there"}) fs::create_directories(root_ + "/" + name);
    fs::current_path(root_ + "/here");
  }
  ~PlaceTest() override { fs::current_path(before_); }

  leveldb::Env* env() { return GetParam() ? &names_only_ : leveldb::Env::Default(); }
  std::unique_ptr<leveldb::DB> Open(const std::string& name) { return OpenPlaced(name, env()); }
  /// A store of another process that was closed.
  void MakeStore(const std::string& name, const std::string& who) {
    FillPlaced(Open(name).get(), who);
  }

  const fs::path before_ = fs::current_path();
  const std::string root_ = testing::FreshDirectory("place");
  leveldb::EnvWrapper names_only_{leveldb::Env::Default()};
};

TEST_P(PlaceTest, TheWorkingDirectoryChanges) {
  MakeStore("../there/db", "there");
  auto db = Open("db");
  FillPlaced(db.get(), "before");
  fs::current_path(root_ + "/there");
  FillPlaced(db.get(), "here");
  ExpectPlaced(db.get(), "here");
  // It is another store, so its LOCK is free.
  auto other = Open("db");
  ExpectPlaced(other.get(), "there");
  FillPlaced(other.get(), "there");
  db.reset();
  other.reset();
  ExpectPlaced(Open("db").get(), "there");
  ExpectPlaced(Open("../here/db").get(), "here");
}

TEST_P(PlaceTest, ALinkInTheNameIsSwitched) {
  for (const bool links_store : {false, true}) {
    const std::string link = links_store ? "store" : "current";
    const std::string name = links_store ? link : link + "/db";
    MakeStore("../there/db", "there");
    fs::create_directories("db");
    fs::create_symlink(links_store ? root_ + "/here/db" : root_ + "/here", link);
    auto db = Open(name);
    FillPlaced(db.get(), "before");
    fs::remove(link);
    FillPlaced(db.get(), "here");
    fs::create_symlink(links_store ? root_ + "/there/db" : root_ + "/there", link);
    const bool has_name_of_link = !GetParam();  // the other Env is called with real names
    has_name_of_link ? ExpectRefusesWrites(db.get()) : FillPlaced(db.get(), "here");
    ExpectPlaced(Open(name).get(), "there");
    db.reset();
    db = Open("db");
    EXPECT_EQ(testing::ReadAll(db.get()).size(), size_t{kPlaceKeys});
    if (!has_name_of_link) ExpectPlaced(db.get(), "here");
    db.reset();
    fs::remove(link);
  }
}

TEST_P(PlaceTest, AStoreOpenedForReadingStays) {
  MakeStore("db", "here");
  MakeStore("../there/db", "there");
  leveldb::Options options = testing::SmallOptions(env());
  options.max_open_files = 1;  // the rest are opened when they are read
  std::unique_ptr<leveldb::DB> db;
  ASSERT_TRUE(IsOk(testing::OpenForReadingAt(options, "db", &db)));
  fs::current_path(root_ + "/there");
  ExpectPlaced(db.get(), "here");
}

TEST_P(PlaceTest, AnotherDirectoryTakesTheNamesPlace) {
  for (const std::string& name : {std::string("relative"), root_ + "/absolute"}) {
    auto old = Open(name);
    FillPlaced(old.get(), "old");
    fs::remove_all(name);
    leveldb::DB* refused = nullptr;
    EXPECT_TRUE(leveldb::DB::Open(testing::SmallOptions(env()), name, &refused).IsIOError())
        << "as in LevelDB, while this process has a store of that name";
    // A store of another process, as far as `old` can tell.
    const std::string elsewhere = root_ + "/elsewhere";
    MakeStore(elsewhere, "new");
    fs::rename(elsewhere, name);
    const Status status = FirstFailure(old.get());
    EXPECT_TRUE(status.IsIOError()) << status.ToString();
    EXPECT_NE(status.ToString().find("removed or replaced"), std::string::npos)
        << status.ToString();
    EXPECT_EQ(PutPlaced(old.get(), 1, "later").ToString(), status.ToString());
    old.reset();
    ExpectPlaced(Open(name).get(), "new");
  }
}

TEST_P(PlaceTest, TheDirectoryIsRemoved) {
  auto db = Open("db");
  FillPlaced(db.get(), "old");
  fs::remove_all("db");
  const Status status = FirstFailure(db.get());
  EXPECT_TRUE(status.IsIOError()) << status.ToString();
  db.reset();
  EXPECT_FALSE(fs::exists("db/CURRENT"));
}

INSTANTIATE_TEST_SUITE_P(Envs, PlaceTest, ::testing::Bool(),
                         [](const auto& info) { return info.param ? "NamesOnly" : "Default"; });

// Only Env::Default() can do this: the directory itself stays open.
TEST(PlacedDirectory, IsMoved) {
  const std::string root = testing::FreshDirectory("moved");
  auto db = OpenPlaced(root + "/old");
  fs::rename(root + "/old", root + "/new");
  FillPlaced(db.get(), "moved");
  db.reset();
  ExpectPlaced(OpenPlaced(root + "/new").get(), "moved");
}

TEST(PlacedDirectory, IsMovedAndAnotherTakesItsPlace) {
  const fs::path before = fs::current_path();
  const std::string root = testing::FreshDirectory("retaken");
  fs::create_directories(root + "/elsewhere/store");
  for (const bool is_relative : {false, true}) {
    FillPlaced(OpenPlaced(root + "/new").get(), "new");
    fs::current_path(root);
    auto db = OpenPlaced(is_relative ? "store" : root + "/store");
    fs::current_path(root + "/elsewhere");
    fs::rename(root + "/store", root + "/moved");
    FillPlaced(db.get(), "old");
    fs::rename(root + "/new", root + "/store");
    ExpectRefusesWrites(db.get());
    db.reset();
    fs::current_path(before);
    ExpectPlaced(OpenPlaced(root + "/store").get(), "new");
    fs::remove_all(root + "/store");
    fs::remove_all(root + "/moved");
  }
}

TEST(PlacedDirectory, LosesItsLock) {
  const std::string name = testing::FreshDirectory("lock");
  const auto db = OpenPlaced(name);
  fs::remove(name + "/LOCK");
  const Status status = FirstFailure(db.get());
  EXPECT_NE(status.ToString().find(name + "/LOCK: was removed or replaced"), std::string::npos)
      << status.ToString();
}

#if !defined(LULL_SANITIZED)

// A daemon closes its standard streams, and later prints to them.
TEST(PlacedDescriptors, AreNotThoseOfTheStandardStreams) {
  const std::string name = testing::FreshDirectory("standard");
  const pid_t child = fork();
  if (child == 0) {
    for (int fd = 0; fd < 3; ++fd) close(fd);
    std::unique_ptr<leveldb::DB> db;
    const auto options = testing::SmallOptions(leveldb::Env::Default());
    bool good = testing::OpenAt(options, name, &db).ok();
    for (int key = 0; good && key < kPlaceKeys; ++key) {
      for (int fd = 0; fd < 3; ++fd) good = good && write(fd, "text", 4) < 0;
      good = good && PutPlaced(db.get(), key, "daemon").ok();
    }
    if (good) db->CompactRange(nullptr, nullptr);
    db.reset();
    _exit(good ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  ExpectPlaced(OpenPlaced(name).get(), "daemon");
}

#endif  // LULL_SANITIZED

#if defined(__linux__)
TEST(PlacedDescriptors, AreAboveThoseOfSelect) {
  const std::string name = testing::FreshDirectory("above");
  rlimit before;
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  if (before.rlim_max < 2 * FD_SETSIZE) GTEST_SKIP() << "the limit is too low";
  const rlimit enough{before.rlim_max, before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &enough), 0);
  auto db = OpenPlaced(name);
  for (int key = 0; key < kPlaceKeys; ++key) ASSERT_TRUE(IsOk(PutPlaced(db.get(), key, "above")));
  ASSERT_TRUE(IsOk(Flush(db.get())));
  int files = 0;
  for (const auto& entry : fs::directory_iterator("/proc/self/fd")) {
    std::error_code gone;
    const fs::path target = fs::read_symlink(entry.path(), gone);
    if (gone || target.string().rfind(fs::canonical(name).string(), 0) != 0) continue;
    ++files;
    EXPECT_GE(std::stoi(entry.path().filename()), FD_SETSIZE) << target;
  }
  EXPECT_GT(files, 4) << "a LOCK, the directory, a LOG, a MANIFEST and a log at least";
  db.reset();
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &before), 0);
}
#endif

}  // namespace
}  // namespace lull
