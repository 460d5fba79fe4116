// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// A store of handmade files, its damage and its repair.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "db/base/filename.h"
#include "leveldb/db.h"
#include "tests/db/support/store_files.h"
#include "tests/support/crash_env.h"

namespace lull::testing {

// All files except LOG and LOCK, including those in lost/, with their bytes.
inline std::map<std::string, std::string> AllFiles(leveldb::Env* env) {
  std::map<std::string, std::string> files;
  for (const std::string& directory : {std::string(kStoreName), LostDirectoryName(kStoreName)}) {
    std::vector<std::string> names;
    if (!env->GetChildren(directory, &names).ok()) continue;
    for (const std::string& name : names) {
      const auto parsed = ParseFileName(name);
      if (!parsed || parsed->kind == FileKind::kInfoLog || parsed->kind == FileKind::kLock)
        continue;
      const std::string path = directory + "/" + name;
      EXPECT_TRUE(leveldb::ReadFileToString(env, path, &files[path]).ok()) << path;
    }
  }
  return files;
}

inline std::vector<std::string> LostFiles(leveldb::Env* env) {
  std::vector<std::string> names, files;
  env->GetChildren(LostDirectoryName(kStoreName), &names);
  for (const std::string& name : names) {
    if (name != "." && name != "..") files.push_back(name);
  }
  std::sort(files.begin(), files.end());
  return files;
}

class RepairTest : public ::testing::Test {
 protected:
  RepairTest() : files_(&env_, kStoreName) {}

  // Repairs twice; the second repair must change nothing.
  StoreReading Repair() {
    EXPECT_EQ(leveldb::RepairDB(kStoreName, files_.options()).ToString(), "OK");
    const StoreReading reading = ReadStore(files_.options(), kStoreName);
    EXPECT_EQ(reading.status.ToString(), "OK");
    const auto before = AllFiles(&env_);
    EXPECT_EQ(leveldb::RepairDB(kStoreName, files_.options()).ToString(), "OK");
    EXPECT_EQ(AllFiles(&env_), before) << "a second repair changes nothing";
    return reading;
  }

  std::string TablePath(uint64_t number) const { return TableFileName(kStoreName, number); }

  // Damages the block that contains `value`.
  void DamageAt(const std::string& path, const std::string& value) {
    std::string bytes;
    ASSERT_TRUE(leveldb::ReadFileToString(&env_, path, &bytes).ok());
    const size_t at = bytes.find(value);
    ASSERT_NE(at, std::string::npos);
    ASSERT_TRUE(env_.Corrupt(path, at, std::string(1, static_cast<char>(bytes[at] ^ 0x40))));
  }

  CrashEnv env_;
  StoreFiles files_;
};

}  // namespace lull::testing
