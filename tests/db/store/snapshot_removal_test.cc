// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// What snapshots see while DeleteRange and DeleteFilesInRange remove tables.
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>

#include "leveldb/db.h"
#include "leveldb/env.h"
#include "leveldb/iterator.h"
#include "lull/lull.h"
#include "tests/db/support/expect_ok.h"
#include "tests/db/support/small_store.h"
#include "tests/db/support/table_names.h"
#include "tests/support/crash_env.h"
#include "tests/support/fresh_directory.h"
#include "tests/support/open_store.h"

namespace lull {
namespace {

using testing::IsOk;
using testing::ReadAll;

testing::Contents ReadThrough(leveldb::DB* db, const leveldb::Snapshot* snapshot) {
  leveldb::ReadOptions options;
  options.snapshot = snapshot;
  testing::Contents contents;
  const std::unique_ptr<leveldb::Iterator> entry(db->NewIterator(options));
  for (entry->SeekToFirst(); entry->Valid(); entry->Next())
    contents[entry->key().ToString()] = entry->value().ToString();
  EXPECT_TRUE(IsOk(entry->status()));
  return contents;
}

/// What a snapshot sees must not change.
class CheckedSnapshot {
 public:
  explicit CheckedSnapshot(leveldb::DB* db)
      : db_(db), snapshot_(db->GetSnapshot()), seen_(ReadThrough(db, snapshot_)) {}
  ~CheckedSnapshot() { db_->ReleaseSnapshot(snapshot_); }
  CheckedSnapshot(const CheckedSnapshot&) = delete;
  CheckedSnapshot& operator=(const CheckedSnapshot&) = delete;

  const testing::Contents& seen() const { return seen_; }
  void Check() const {
    EXPECT_TRUE(ReadThrough(db_, snapshot_) == seen_);
    leveldb::ReadOptions options;
    options.snapshot = snapshot_;
    for (const auto& [key, value] : seen_) {
      std::string found;
      ASSERT_TRUE(IsOk(db_->Get(options, key, &found))) << key;
      EXPECT_TRUE(found == value) << key;
    }
  }

 private:
  leveldb::DB* const db_;
  const leveldb::Snapshot* const snapshot_;
  const testing::Contents seen_;
};

class SnapshotRemovalTest : public ::testing::TestWithParam<bool> {
 protected:
  static std::string KeyOf(int i) { return "key" + std::to_string(1000 + i); }

  void Open(leveldb::Env* env, const std::string& name) {
    leveldb::Options options = testing::SmallOptions(env);
    options.compression = leveldb::kNoCompression;
    ASSERT_TRUE(
        IsOk(testing::OpenAt(options, name, &db_, "own_coordinator=true;table_bytes_max=64K")));
  }
  void Put(int from, int to, const std::string& value) {
    for (int i = from; i < to; ++i)
      ASSERT_TRUE(IsOk(db_->Put(leveldb::WriteOptions(), KeyOf(i), value)));
  }
  void Delete(int from, int to) {
    for (int i = from; i < to; ++i)
      ASSERT_TRUE(IsOk(db_->Delete(leveldb::WriteOptions(), KeyOf(i))));
  }
  void Rest() {
    ASSERT_TRUE(IsOk(Flush(db_.get())));
    ASSERT_TRUE(IsOk(WaitForIdle(db_.get())));
  }
  /// The files only, if the parameter says so.
  void Remove(int from, int to) {
    ASSERT_TRUE(
        IsOk(testing::RemoveRange(db_.get(), {KeyOf(from), KeyOf(to)}, /*files_only=*/GetParam())));
  }

  std::unique_ptr<leveldb::DB> db_;
};

// Old values in a table that reaches beyond the range; above it newer values and deletions, in a
// table inside the range.
TEST_P(SnapshotRemovalTest, ASnapshotKeepsWhatItSees) {
  Open(leveldb::Env::Default(), testing::FreshDirectory("snapshot_removal"));
  Put(0, 1000, "old");
  db_->CompactRange(nullptr, nullptr);
  const CheckedSnapshot oldest(db_.get());
  Put(0, 300, "new");
  Delete(300, 600);
  ASSERT_TRUE(IsOk(Flush(db_.get())));
  const CheckedSnapshot before(db_.get());
  Remove(0, 900);
  before.Check();
  const CheckedSnapshot between(db_.get());
  Put(100, 200, "newer");
  ASSERT_TRUE(IsOk(Flush(db_.get())));
  Remove(0, 900);
  Put(0, 900, "newest");
  db_->CompactRange(nullptr, nullptr);
  for (const CheckedSnapshot* const snapshot : {&oldest, &before, &between}) snapshot->Check();
  if (!GetParam()) {
    EXPECT_EQ(between.seen().size(), 100u) << "the range was empty";
  }
  EXPECT_EQ(ReadAll(db_.get()).size(), 1000u);
}

TEST_P(SnapshotRemovalTest, AReleasedSnapshotKeepsNoFiles) {
  const std::string name = testing::FreshDirectory("snapshot_removal");
  Open(leveldb::Env::Default(), name);
  const auto tables = [&] { return testing::TableNames(leveldb::Env::Default(), name).size(); };
  Put(0, 900, std::string(500, 'a'));
  ASSERT_TRUE(IsOk(Flush(db_.get())));
  Put(0, 900, std::string(500, 'b'));
  db_->CompactRange(nullptr, nullptr);
  Rest();
  {
    const CheckedSnapshot snapshot(db_.get());
    Remove(0, 900);
    Rest();
    EXPECT_GT(tables(), 5u);
    snapshot.Check();
  }
  Rest();
  EXPECT_EQ(tables(), 0u);
}

INSTANTIATE_TEST_SUITE_P(Calls, SnapshotRemovalTest, ::testing::Bool(),
                         [](const auto& call) { return call.param ? "Files" : "Range"; });

/// Calls a function before each sync of the MANIFEST.
class ManifestSyncsEnv final : public leveldb::EnvWrapper {
 public:
  explicit ManifestSyncsEnv(leveldb::Env* target) : EnvWrapper(target) {}
  std::function<void()> before_sync;

  leveldb::Status NewWritableFile(const std::string& name,
                                  leveldb::WritableFile** result) override {
    const leveldb::Status status = target()->NewWritableFile(name, result);
    if (status.ok() && name.find("MANIFEST") != std::string::npos)
      *result = new Manifest(this, *result);
    return status;
  }

 private:
  class Manifest final : public leveldb::WritableFile {
   public:
    Manifest(ManifestSyncsEnv* env, leveldb::WritableFile* file) : env_(env), file_(file) {}
    leveldb::Status Append(const leveldb::Slice& data) override { return file_->Append(data); }
    leveldb::Status Close() override { return file_->Close(); }
    leveldb::Status Flush() override { return file_->Flush(); }
    leveldb::Status Sync() override {
      if (env_->before_sync) env_->before_sync();
      return file_->Sync();
    }

   private:
    ManifestSyncsEnv* const env_;
    const std::unique_ptr<leveldb::WritableFile> file_;
  };
};

class SnapshotDuringRemovalTest : public SnapshotRemovalTest {
 protected:
  testing::CrashEnv memory_;
  ManifestSyncsEnv env_{&memory_};
};

// The snapshot is taken when the range is deleted, except for the tables that are about to be
// removed. No write comes after that, so later iterators have its sequence. They find the range
// empty, and tell others to jump over it, but the snapshot must not.
TEST_P(SnapshotDuringRemovalTest, ItKeepsWhatItSees) {
  Open(&env_, "/store");
  Put(400, 500, "value");
  db_->CompactRange(nullptr, nullptr);
  Put(300, 400, "value");
  Delete(0, 300);
  EXPECT_EQ(ReadAll(db_.get()).size(), 200u) << "now writes are checked for empty ranges";
  const leveldb::Snapshot* snapshot = nullptr;
  env_.before_sync = [&] { snapshot = db_->GetSnapshot(); };
  Remove(0, 900);
  env_.before_sync = nullptr;
  const size_t stays = GetParam() ? 100 : 0;
  for (int scan = 0; scan < 3; ++scan) EXPECT_EQ(ReadAll(db_.get()).size(), stays);
  EXPECT_EQ(ReadThrough(db_.get(), snapshot).size(), stays + 100);
  db_->ReleaseSnapshot(snapshot);
  db_.reset();
}

INSTANTIATE_TEST_SUITE_P(Calls, SnapshotDuringRemovalTest, ::testing::Bool(),
                         [](const auto& call) { return call.param ? "Files" : "Range"; });

}  // namespace
}  // namespace lull
