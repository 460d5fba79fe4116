// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#pragma once

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "leveldb/env.h"

namespace lull::testing {

/// The names of the table files in a folder. The last one is the newest.
inline std::set<std::string> TableNames(leveldb::Env* env, const std::string& folder) {
  std::vector<std::string> names;
  EXPECT_TRUE(env->GetChildren(folder, &names).ok());
  std::erase_if(names, [](const std::string& name) { return !name.ends_with(".ldb"); });
  return {names.begin(), names.end()};
}

}  // namespace lull::testing
