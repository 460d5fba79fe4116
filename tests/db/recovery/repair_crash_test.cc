// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// RepairDB can be interrupted at any step: the next one then completes it, and nothing more is
// lost.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>

#include "db/base/filename.h"
#include "leveldb/db.h"
#include "tests/db/support/small_store.h"
#include "tests/db/support/store_files.h"
#include "tests/db/support/table_names.h"
#include "tests/support/crash_env.h"
#include "tests/support/option_sets.h"
#include "tests/support/setting.h"

namespace lull::testing {
namespace {

using ::testing::HasSubstr;

enum class Manifest {
  kKept,
  kGoneBack,  // to before the damaged table
  kLacksATable,
  kDamaged
};

// A store with every kind of file and damage.
void MakeDamagedStore(CrashEnv* env, Manifest manifest) {
  StoreFiles files(env, kStoreName);
  files.AddTable(0, "a@20=a0 m@21-");
  const char* const table = "a@22=a1 broken@23=broken z@24=z0";
  VersionEdit flush;
  if (manifest == Manifest::kGoneBack) flush.new_tables = {files.AddUnlisted(table)};
  const uint64_t damaged =
      flush.new_tables.empty() ? files.AddTable(0, table) : flush.new_tables[0].number;
  files.AddTable(1, "a@10=x b@11=b1 m@12=m1");
  files.AddTable(2, "b@1=x c@2=c2 m@3=x");
  files.AddTable(2, "zd@5=x ze@6=x");  // the log deletes both, and nothing else is near
  const uint64_t lost = files.AddTable(2, "zy@8=x");
  files.AddUnlisted("q@2=nothing");
  uint64_t wal = 0;
  if (manifest == Manifest::kGoneBack) wal = files.AddWal({"a@22=a1 broken@23=broken", "z@24=z0"});
  const uint64_t next = files.AddWal({"a@30=a3", "d@31=d3 e@32-", "zd@33- ze@34-"});
  if (wal == 0) wal = next;
  flush.log_number = next;
  const uint64_t number = files.WriteManifest(wal, flush);
  const std::string path = TableFileName(kStoreName, damaged);
  ASSERT_TRUE(env->Corrupt(path, FileBytes(env, path).find("broken"), "?"));
  if (manifest == Manifest::kLacksATable) {
    ASSERT_TRUE(env->RemoveFile(TableFileName(kStoreName, lost)).ok());
  }
  if (manifest == Manifest::kDamaged) {
    ASSERT_TRUE(env->Truncate(DescriptorFileName(kStoreName, number), 5));
  }
  ASSERT_TRUE(env->SyncDirectory(kStoreName).ok());
}

// The worst order: renames survive, but not the creation of the tables that they make necessary.
CrashOptions RenamesFirst() {
  CrashOptions options;
  options.decide_entry = [](const PendingEntry& entry) {
    return entry.op != DiskOp::kCreate || entry.path.ends_with(".dbtmp");
  };
  return options;
}

// Whether the table with the unreadable part still exists after the store was opened. An open
// deletes files that the current MANIFEST does not need.
bool AnOpenKeepsTheDamagedTable(const CrashEnv& disk) {
  const auto env = disk.Crash(0, CrashOptions::KeepAll());
  leveldb::Options options;
  options.env = env.get();
  std::unique_ptr<leveldb::DB> db;
  OpenAt(options, kStoreName, &db);  // or the open fails, and nothing is deleted
  db.reset();
  const auto files = AllFiles(env.get(), kStoreName);
  return std::any_of(files.begin(), files.end(), [](const auto& file) {
    return file.second.find("?roken") != std::string::npos;
  });
}

class RepairCrashTest : public ::testing::TestWithParam<Manifest> {};

TEST_P(RepairCrashTest, CanBeInterruptedAnywhere) {
  CrashEnv original;
  ASSERT_NO_FATAL_FAILURE(MakeDamagedStore(&original, GetParam()));
  leveldb::Options options;
  std::string expected;
  uint64_t steps = 0;
  {
    const auto env = original.Crash(0, CrashOptions::KeepAll());
    options.env = env.get();
    const uint64_t before = env->steps();
    ASSERT_EQ(leveldb::RepairDB(kStoreName, options).ToString(), "OK");
    steps = env->steps() - before;
    expected = ReadStore(options, kStoreName).text();
  }
  const bool is_back = GetParam() == Manifest::kGoneBack;
  EXPECT_THAT(expected, HasSubstr(is_back ? "b1 broken=broken c=c2" : "b1 c=c2"));
  EXPECT_THAT(expected, HasSubstr("d=d3"));
  EXPECT_THAT(expected, HasSubstr("z=z0"));
  EXPECT_THAT(expected, ::testing::Not(HasSubstr("zd=")));
  ASSERT_GT(steps, 10u);
  for (uint64_t step = 0; step < steps; step += ShortStride()) {
    for (uint64_t seed = 1; seed <= 7; ++seed) {
      SCOPED_TRACE("crash at step " + std::to_string(step) + ", seed " + std::to_string(seed));
      const auto env = original.Crash(0, CrashOptions::KeepAll());
      options.env = env.get();
      // With odd seeds, like an Env that syncs directories only on request.
      env->set_manifest_sync_covers_directory(seed % 2 == 0);
      env->SetCrashPoint(env->steps() + step);
      leveldb::RepairDB(kStoreName, options);
      const auto after = env->Crash(seed, seed == 7 ? RenamesFirst() : CrashOptions());
      options.env = after.get();
      // CURRENT never leads to tables that may be gone.
      ASSERT_TRUE(GetParam() == Manifest::kDamaged || GetParam() == Manifest::kLacksATable ||
                  ReadStore(options, kStoreName).listed_files_exist);
      ASSERT_TRUE(AnOpenKeepsTheDamagedTable(*after));
      ASSERT_EQ(leveldb::RepairDB(kStoreName, options).ToString(), "OK");
      const StoreReading reading = ReadStore(options, kStoreName);
      ASSERT_EQ(reading.status.ToString(), "OK");
      ASSERT_EQ(reading.text(), expected);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, RepairCrashTest,
                         ::testing::Values(Manifest::kKept, Manifest::kGoneBack,
                                           Manifest::kLacksATable, Manifest::kDamaged));

}  // namespace
}  // namespace lull::testing
