// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// A table cache, and a Version of small tables for it.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "db/read/table_cache.h"
#include "tests/db/support/store_files.h"
#include "tests/db/support/table_files_env.h"
#include "tests/db/support/version_text.h"
#include "util/grace.h"

namespace lull::testing {

class ManyTablesTest : public ::testing::Test {
 protected:
  ManyTablesTest() : files_(&env_, "/store") {
    files_.context()->options.max_open_files = 30;  // 20 tables
    tables_ = std::make_unique<TableCache>(files_.context(), &grace_, [] {});
  }

  static std::string KeyOf(int table) { return "k" + std::to_string(1000 + table); }

  /// A Version of `l0` tables in L0 and `l1` in L1, each with one key.
  void Build(int l0, int l1) {
    VersionEdit edit;
    for (int i = 0; i < l0 + l1; ++i)
      edit.new_tables.push_back(files_.AddUnlisted(KeyOf(i) + "@1=value", i < l0 ? 0 : 1));
    const auto make = [this](const TableMeta& table) {
      return std::make_shared<TableFile>(table,
                                         [this](const TableFile& file) { tables_->Forget(file); });
    };
    version_ = Applied(EmptyVersion(), {edit}, make);
    ASSERT_NE(version_, nullptr);
    for (int level : {0, 1}) {
      for (const TableRef& table : version_->level(level)) all_.push_back(table.get());
    }
  }
  /// For each table, in the order of the search, whether it is open.
  std::string OpenTables() const {
    std::string text;
    for (const TableFile* table : all_) text += table->opened.load() != nullptr ? 'o' : '.';
    return text;
  }
  leveldb::Status Read(TableFile* table) {
    const GraceGuard guard(grace_);
    const LookupKey key(table->smallest_user(), kMaxSequence);
    return tables_->Get(table, {}, key.internal_key(), nullptr,
                        [](void*, const leveldb::Slice&, const leveldb::Slice&) {});
  }
  TableFilesEnv env_;
  StoreFiles files_;
  GraceDomain grace_;
  std::unique_ptr<TableCache> tables_;
  VersionRef version_;
  std::vector<TableFile*> all_;
};

}  // namespace lull::testing
