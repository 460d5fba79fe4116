// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// What an open store says about itself.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "db/base/dbformat.h"
#include "leveldb/db.h"
#include "tests/support/json_value.h"

namespace lull::testing {

inline std::string Property(leveldb::DB* db, const std::string& name) {
  std::string text;
  EXPECT_TRUE(db->GetProperty(name, &text)) << name;
  return text;
}

/// A property whose text is JSON, such as lull.stats.
inline Json JsonProperty(leveldb::DB* db, const std::string& name) {
  return Json::Parse(Property(db, name));
}

inline int TablesAt(leveldb::DB* db, int level) {
  return std::stoi(Property(db, "leveldb.num-files-at-level" + std::to_string(level)));
}

/// The tables of all levels.
inline size_t ListedTables(leveldb::DB* db) {
  size_t tables = 0;
  for (int level = 0; level < kLevels; ++level) tables += static_cast<size_t>(TablesAt(db, level));
  return tables;
}

}  // namespace lull::testing
