// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Files that are there but cannot be looked at are neither missing nor damaged: each function
// returns the system's cause, with the name, and changes nothing. The cause here is a link to
// itself, because root could read anything else.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include "leveldb/db.h"
#include "leveldb/env.h"
#include "lull/lull.h"
#include "tests/db/support/expect_ok.h"
#include "tests/db/support/small_store.h"
#include "tests/support/fresh_directory.h"
#include "util/file_util.h"

namespace lull {
namespace {

namespace fs = std::filesystem;
using leveldb::Status;
using ::testing::HasSubstr;

Status Access(const std::string& how, leveldb::Options options, const std::string& store) {
  std::unique_ptr<leveldb::DB> db;
  if (how == "repair") return leveldb::RepairDB(store, options);
  if (how == "read") return testing::OpenForReadingAt(options, store, &db);
  options.create_if_missing = how == "create";
  return testing::OpenAt(options, store, &db);
}

class UnreadableTest : public ::testing::Test {
 protected:
  UnreadableTest() {
    std::unique_ptr<leveldb::DB> db;
    EXPECT_TRUE(testing::IsOk(testing::OpenAt(options_, store_, &db)));
    EXPECT_TRUE(testing::IsOk(db->Put({}, "key", "value")));
    EXPECT_TRUE(testing::IsOk(Flush(db.get())));
  }
  /// Runs `call` while a link to itself has the name `path`.
  Status WhileUnreadable(const std::string& path, const std::function<Status()>& call) const {
    fs::rename(path, path + ".moved");
    fs::create_symlink(path, path);
    const Status status = call();
    EXPECT_TRUE(fs::is_symlink(path)) << "was replaced";
    fs::remove(path);
    fs::rename(path + ".moved", path);
    return status;
  }

  const std::string root_ = testing::FreshDirectory("unreadable");
  const std::string store_ = root_ + "/store";
  const leveldb::Options options_ = testing::SmallOptions(leveldb::Env::Default());
};

TEST_F(UnreadableTest, IsNeitherMissingNorDamaged) {
  for (const std::string& path : {store_, store_ + "/CURRENT", store_ + "/LOCK"}) {
    for (const std::string how : {"open", "create", "read", "repair"}) {
      if (path.ends_with("LOCK") && how == "read") continue;  // needs no LOCK
      SCOPED_TRACE(how + " " + path);
      const Status status = WhileUnreadable(path, [&] { return Access(how, options_, store_); });
      EXPECT_THAT(status.ToString(), HasSubstr(path));
      EXPECT_THAT(status.ToString(), HasSubstr("Too many levels of symbolic links"));
    }
  }
  const Status destroyed =
      WhileUnreadable(store_, [&] { return leveldb::DestroyDB(store_, options_); });
  EXPECT_THAT(destroyed.ToString(), HasSubstr(store_ + ": Too many levels"));
  EXPECT_EQ(testing::ReadStore(leveldb::Env::Default(), store_).size(), 1u);
}

/// Of a client: all its errors are of one kind.
class VagueEnv final : public leveldb::EnvWrapper {
 public:
  VagueEnv() : EnvWrapper(Env::Default()) {}
  Status GetFileSize(const std::string& name, uint64_t* bytes) override {
    const Status status = target()->GetFileSize(name, bytes);
    return status.IsNotFound() ? Status::IOError(name, "cannot be sized") : status;
  }
};

TEST_F(UnreadableTest, AMissingFileIsMissingInEveryEnv) {
  VagueEnv vague;
  for (leveldb::Env* const env : {leveldb::Env::Default(), static_cast<leveldb::Env*>(&vague)}) {
    bool exists = true;
    for (const std::string& name : {store_ + "/none", root_ + "/none/none"}) {
      EXPECT_TRUE(testing::IsOk(FindFile(env, name, &exists)));
      EXPECT_FALSE(exists) << name;
    }
    EXPECT_TRUE(testing::IsOk(FindFile(env, store_ + "/CURRENT", &exists)));
    EXPECT_TRUE(exists);
    const std::string file = store_ + "/CURRENT/none";
    EXPECT_THAT(FindFile(env, file, &exists).ToString(), HasSubstr(file + ": "));
  }
}

}  // namespace
}  // namespace lull
