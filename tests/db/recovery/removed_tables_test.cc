// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Tables that were removed, and whose files an iterator or a kill has kept: RepairDB must not use
// them, also after a new MANIFEST replaced the one that has their removal.
#include "db/version/removed_tables.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "db/base/filename.h"
#include "db/version/manifest.h"
#include "leveldb/db.h"
#include "tests/db/support/small_store.h"
#include "tests/db/support/store_files.h"
#include "tests/db/support/table_names.h"
#include "tests/db/support/version_text.h"
#include "tests/support/crash_env.h"
#include "tests/support/fault_env.h"
#include "tests/support/open_store.h"
#include "tests/support/option_sets.h"

namespace lull::testing {
namespace {

// ---- which removals a new MANIFEST repeats

TEST(RemovedTables, AreThoseWithFiles) {
  RemovedTables removed;
  removed.Take(EditFromText("L1: 3:[a..c] 4:[d..f]", {{0, 1}, {0, 2}}));
  removed.Take(EditFromText("L2: 4:[d..f]", {{1, 4}}));  // a move
  removed.Take(EditFromText("", {{1, 3}}));
  removed.TakeUnused({8, 9});
  removed.KeepOnly({1, 3, 4, 8});
  std::set<uint64_t> repeated;
  for (const auto& [level, number] : removed.Edit().deleted_tables) repeated.insert(number);
  EXPECT_EQ(repeated, (std::set<uint64_t>{1, 3, 8}));
}

TEST(RemovedTables, OfAReaderThatFollowsTakeNoMemory) {
  CrashEnv env;
  StoreFiles files(&env, kStoreName);
  VersionEdit removal;
  removal.deleted_tables = {{1, files.AddTable(1, "a@1=a")}};
  files.AddTable(1, "b@2=b");
  files.WriteManifest(0, removal);
  ManifestState state;
  ASSERT_TRUE(IsOk(ReadManifest(files.context(), DescribedTable, &state)));
  EXPECT_FALSE(state.removed.empty());
  ASSERT_TRUE(IsOk(ReadAppended(files.context(), DescribedTable, &state)));
  EXPECT_TRUE(state.removed.empty());
}

// ---- repairs

enum class Removal { kRange, kFiles, kCompaction, kRangeAfterCompaction };
// What began the MANIFEST: the open store, a later open, or the one and then the other.
enum class Begun { kRolled, kReopened, kBoth };
enum class Damage { kTableIsMissing, kTableIsDamaged, kManifestEndsEarly };

constexpr char kScheduling[] = "own_coordinator=true;l0_trigger=100;manifest_bytes_min=1";

class RemovedFilesTest : public ::testing::Test {
 protected:
  void Open() {
    leveldb::DB* raw = nullptr;
    ASSERT_TRUE(IsOk(OpenStore(Options(&env_), kScheduling, kStoreName, &raw)));
    db_.reset(raw);
  }
  static leveldb::Options Options(leveldb::Env* env) {
    leveldb::Options options = SmallOptions(env);
    options.compression = leveldb::kNoCompression;
    return options;
  }
  void Put(const std::string& key, const std::string& value) {
    ASSERT_TRUE(IsOk(db_->Put({}, key, value)));
  }
  void FlushNow() { ASSERT_TRUE(IsOk(FlushStore(db_.get()))); }
  void Compact() {
    db_->CompactRange(nullptr, nullptr);
    ASSERT_TRUE(IsOk(WaitForIdleStore(db_.get())));
  }
  /// Makes two compactions replace the tables with keys from "b" to "c".
  void ReplaceTables() {
    ASSERT_TRUE(IsOk(db_->Delete({}, "b1")));
    Put("b2", "new");
    FlushNow();
    Compact();
    Put("b2", "newer");
    FlushNow();
    Compact();
  }
  void Remove(Removal removal) {
    const leveldb::Slice begin("b"), end("c");
    if (removal == Removal::kCompaction || removal == Removal::kRangeAfterCompaction) {
      ASSERT_NO_FATAL_FAILURE(ReplaceTables());
    }
    if (removal == Removal::kCompaction) return;
    ASSERT_TRUE(IsOk(RemoveRange(db_.get(), &begin, &end, removal == Removal::kFiles)));
  }
  std::string Current() { return FileBytes(&disk_, CurrentFileName(kStoreName)); }
  void AwaitNewManifest() {
    const std::string before = Current();
    for (int i = 0; i < 200 && Current() == before; ++i) {
      Put("filler" + std::to_string(i), "f");
      FlushNow();
    }
    ASSERT_NE(Current(), before);
  }
  /// An open after a kill. The process is killed again before it has deleted any table.
  void Reopen() {
    const std::unique_ptr<CrashEnv> killed = disk_.Crash(0, CrashOptions::KeepAll());
    FaultEnv env(killed.get());
    env.Arm({.kind = FaultKind::kErrorSticky, .ops = kRemove, .name_part = ".ldb"});
    leveldb::DB* raw = nullptr;
    ASSERT_TRUE(IsOk(OpenStore(Options(&env), kScheduling, kStoreName, &raw)));
    delete raw;
    after_ = killed->Crash(0, CrashOptions::KeepAll());
  }
  /// Kills the process.
  void Kill(Begun begun) {
    if (begun != Begun::kReopened) {
      ASSERT_NO_FATAL_FAILURE(AwaitNewManifest());
    }
    if (begun == Begun::kRolled) {
      after_ = disk_.Crash(0, CrashOptions::KeepAll());
    } else {
      ASSERT_NO_FATAL_FAILURE(Reopen());
    }
  }
  /// The tables in the directory after the kill that the MANIFEST lists (or not), by what they
  /// have.
  std::vector<std::string> Tables(bool listed, const std::string& with) {
    StoreContext context(Options(after_.get()));
    context.name = kStoreName;
    ManifestState state;
    EXPECT_TRUE(IsOk(ReadManifest(&context, DescribedTable, &state)));
    const std::set<uint64_t> numbers = state.version->TableNumbers();
    std::vector<std::string> paths;
    for (const std::string& name : TableNames(after_.get(), kStoreName)) {
      const std::string path = std::string(kStoreName) + "/" + name;
      if (numbers.contains(ParseFileName(name)->number) == listed &&
          FileBytes(after_.get(), path).find(with) != std::string::npos)
        paths.push_back(path);
    }
    return paths;
  }
  void DamageStore(Damage damage) {
    const std::vector<std::string> victims = Tables(true, "victim");
    ASSERT_EQ(victims.size(), 1u);
    const size_t at = FileBytes(after_.get(), victims[0]).find("victim");
    std::string current = FileBytes(after_.get(), CurrentFileName(kStoreName));
    current.pop_back();
    const std::string manifest = std::string(kStoreName) + "/" + current;
    switch (damage) {
      case Damage::kTableIsMissing:
        ASSERT_TRUE(IsOk(after_->RemoveFile(victims[0])));
        break;
      case Damage::kTableIsDamaged:
        ASSERT_TRUE(after_->Corrupt(victims[0], at, "?"));
        break;
      case Damage::kManifestEndsEarly:
        ASSERT_TRUE(IsOk(leveldb::WriteStringToFile(
            after_.get(), FileBytes(after_.get(), manifest) + std::string(10, '?'), manifest)));
        break;
    }
  }
  Contents ReadRepaired() {
    EXPECT_TRUE(IsOk(leveldb::RepairDB(kStoreName, Options(after_.get()))));
    Contents contents = testing::ReadStore(after_.get(), kStoreName);
    std::erase_if(contents, [](const auto& entry) { return entry.first.starts_with("filler"); });
    return contents;
  }

  CrashEnv disk_;
  FaultEnv env_{&disk_};
  std::unique_ptr<leveldb::DB> db_;
  std::unique_ptr<CrashEnv> after_;  // what a kill leaves
};

using Case = std::tuple<Removal, Begun, Damage>;

class RemovedFilesRepairTest : public RemovedFilesTest,
                               public ::testing::WithParamInterface<Case> {};

TEST_P(RemovedFilesRepairTest, DoesNotBringThemBack) {
  const auto [removal, begun, damage] = GetParam();
  ASSERT_NO_FATAL_FAILURE(Open());
  Put("b1", "removed");
  Put("b2", "removed");
  FlushNow();
  Compact();
  const std::unique_ptr<leveldb::Iterator> reader(db_->NewIterator({}));
  ASSERT_NO_FATAL_FAILURE(Remove(removal));
  Put("y1", "victim");
  FlushNow();
  Put("z1", "kept");
  FlushNow();
  ASSERT_NO_FATAL_FAILURE(Kill(begun));
  ASSERT_FALSE(Tables(false, "removed").empty());
  ASSERT_NO_FATAL_FAILURE(DamageStore(damage));
  Contents expected = {{"z1", "kept"}};
  if (removal == Removal::kCompaction) expected["b2"] = "newer";
  if (damage == Damage::kManifestEndsEarly) expected["y1"] = "victim";
  EXPECT_EQ(ReadRepaired(), expected);
}

INSTANTIATE_TEST_SUITE_P(
    All, RemovedFilesRepairTest,
    ::testing::Combine(::testing::Values(Removal::kRange, Removal::kFiles, Removal::kCompaction,
                                         Removal::kRangeAfterCompaction),
                       ::testing::Values(Begun::kRolled, Begun::kReopened, Begun::kBoth),
                       ::testing::Values(Damage::kTableIsMissing, Damage::kTableIsDamaged,
                                         Damage::kManifestEndsEarly)));

// They are not deleted either: they can be the last copies of what a missing table had.
TEST_F(RemovedFilesTest, AreKeptInLost) {
  ASSERT_NO_FATAL_FAILURE(Open());
  Put("b1", "removed");
  Put("b3", "saved");
  FlushNow();
  Compact();
  const std::unique_ptr<leveldb::Iterator> reader(db_->NewIterator({}));
  ASSERT_NO_FATAL_FAILURE(ReplaceTables());
  ASSERT_NO_FATAL_FAILURE(Kill(Begun::kBoth));
  const std::vector<std::string> successors = Tables(true, "saved");
  ASSERT_EQ(successors.size(), 1u);
  ASSERT_TRUE(IsOk(after_->RemoveFile(successors[0])));
  EXPECT_FALSE(ReadRepaired().contains("b3"));
  EXPECT_FALSE(TableNames(after_.get(), LostDirectoryName(kStoreName)).empty());
}

// What is in lost/ counts as what the MANIFEST can have listed.
TEST_F(RemovedFilesTest, AreNotSetAsideWhereTheManifestEndsEarly) {
  ASSERT_NO_FATAL_FAILURE(Open());
  Put("b1", "removed");
  FlushNow();
  const std::unique_ptr<leveldb::Iterator> reader(db_->NewIterator({}));
  ASSERT_NO_FATAL_FAILURE(Remove(Removal::kRange));
  Put("y1", "victim");
  FlushNow();
  ASSERT_NO_FATAL_FAILURE(Kill(Begun::kRolled));
  ASSERT_FALSE(Tables(false, "removed").empty());
  ASSERT_NO_FATAL_FAILURE(DamageStore(Damage::kManifestEndsEarly));
  testing::ReadStore(after_.get(), kStoreName);
  EXPECT_FALSE(NamesEndingIn(after_.get(), LostDirectoryName(kStoreName), "").empty());
  EXPECT_TRUE(TableNames(after_.get(), LostDirectoryName(kStoreName)).empty());
}

// A store whose MANIFEST begins with removals opens as any other.
TEST_F(RemovedFilesTest, AreDeletedByTheNextOpen) {
  ASSERT_NO_FATAL_FAILURE(Open());
  Put("b1", "removed");
  FlushNow();
  const std::unique_ptr<leveldb::Iterator> reader(db_->NewIterator({}));
  ASSERT_NO_FATAL_FAILURE(Remove(Removal::kRange));
  Put("z1", "kept");
  ASSERT_NO_FATAL_FAILURE(Kill(Begun::kBoth));
  ASSERT_FALSE(Tables(false, "removed").empty());
  EXPECT_FALSE(testing::ReadStore(after_.get(), kStoreName).contains("b1"));
  EXPECT_TRUE(Tables(false, "").empty());
}

}  // namespace
}  // namespace lull::testing
