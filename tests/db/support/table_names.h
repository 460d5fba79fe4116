// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#pragma once

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "leveldb/env.h"

namespace lull::testing {

/// The names in a directory that end so. Of logs and tables, the last one is the newest.
inline std::set<std::string> NamesEndingIn(leveldb::Env* env, const std::string& directory,
                                           const std::string& suffix) {
  std::vector<std::string> names;
  EXPECT_TRUE(env->GetChildren(directory, &names).ok());
  std::erase_if(names, [&](const std::string& name) { return !name.ends_with(suffix); });
  return {names.begin(), names.end()};
}

/// "" if there is no such file.
inline std::string FileBytes(leveldb::Env* env, const std::string& path) {
  std::string bytes;
  leveldb::ReadFileToString(env, path, &bytes);
  return bytes;
}

inline std::set<std::string> TableNames(leveldb::Env* env, const std::string& directory) {
  return NamesEndingIn(env, directory, ".ldb");
}

}  // namespace lull::testing
