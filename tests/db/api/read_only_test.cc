// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// OpenReadOnly: what it sees, that it leaves no trace, and that a concurrent writer does not harm
// it.
#include <atomic>
#include <memory>
#include <set>
#include <string>

#include "db/base/filename.h"
#include "gtest/gtest.h"
#include "leveldb/db.h"
#include "leveldb/env.h"
#include "leveldb/write_batch.h"
#include "lull/lull.h"
#include "tests/db/support/expect_ok.h"
#include "tests/db/support/memory_files.h"
#include "tests/db/support/small_store.h"
#include "tests/db/support/table_names.h"
#include "tests/support/fresh_directory.h"

namespace lull {
namespace {

using testing::ReadAll;
using testing::ReadValue;

std::string Key(int i) { return "key" + std::to_string(100'000 + i); }

/// Shows only the first half of one file to those that open it first, as if a writer had not yet
/// written the rest.
class HalfFileEnv final : public leveldb::EnvWrapper {
 public:
  using EnvWrapper::EnvWrapper;

  std::string path;
  int opens_left = 0;

  leveldb::Status NewSequentialFile(const std::string& name,
                                    leveldb::SequentialFile** file) override {
    if (name != path || opens_left-- <= 0) return target()->NewSequentialFile(name, file);
    std::string bytes;
    const leveldb::Status status = leveldb::ReadFileToString(target(), name, &bytes);
    *file = new testing::MemorySequential(bytes.substr(0, bytes.size() / 2));
    return status;
  }
};

class ReadOnlyTest : public ::testing::Test {
 protected:
  void OpenWriter() { ASSERT_TRUE(testing::IsOk(testing::OpenAt(options_, name_, &writer_))); }
  leveldb::Status TryOpenReader() { return testing::OpenForReadingAt(options_, name_, &reader_); }
  void OpenReader() { ASSERT_TRUE(testing::IsOk(TryOpenReader())); }
  void Fill(int first, int limit, const std::string& value) {
    for (int i = first; i < limit; ++i)
      ASSERT_TRUE(writer_->Put(testing::Synced(sync_), Key(i), value).ok());
  }
  /// Every file and its contents.
  testing::Contents Directory() {
    testing::Contents files;
    for (const std::string& file : testing::NamesEndingIn(env(), name_, ""))
      files[file] = testing::FileBytes(env(), name_ + "/" + file);
    return files;
  }
  leveldb::Env* env() { return options_.env; }

  const std::string name_ = testing::FreshDirectory("read_only");
  leveldb::Options options_ = testing::SmallOptions(leveldb::Env::Default());
  bool sync_ = false;
  std::unique_ptr<leveldb::DB> writer_;
  std::unique_ptr<leveldb::DB> reader_;
};

TEST_F(ReadOnlyTest, SeesTablesAndLogsAndChangesNothing) {
  OpenWriter();
  Fill(0, 2000, std::string(100, 'a'));
  ASSERT_TRUE(WaitForIdle(writer_.get()).ok());
  Fill(1000, 1010, "in the log");
  ASSERT_TRUE(writer_->Delete({}, Key(5)).ok());
  const auto expected = ReadAll(writer_.get());
  writer_.reset();
  const auto before = Directory();

  OpenReader();
  EXPECT_EQ(ReadAll(reader_.get()), expected);
  EXPECT_EQ(ReadValue(reader_.get(), Key(1005)), "in the log");
  EXPECT_EQ(ReadValue(reader_.get(), Key(4)), std::string(100, 'a'));
  EXPECT_EQ(ReadValue(reader_.get(), Key(5)), "-");
  EXPECT_EQ(ReadValue(reader_.get(), "absent"), "-");
  std::string text;
  EXPECT_TRUE(reader_->GetProperty("leveldb.sstables", &text));
  EXPECT_FALSE(reader_->GetProperty("leveldb.nonsense", &text));
  const leveldb::Range all("a", "z");
  uint64_t bytes = 0;
  reader_->GetApproximateSizes(&all, 1, &bytes);
  EXPECT_GT(bytes, 10'000u);
  reader_.reset();
  EXPECT_EQ(Directory(), before);
}

TEST_F(ReadOnlyTest, RefusesToWrite) {
  OpenWriter();
  writer_.reset();
  OpenReader();
  leveldb::WriteBatch batch;
  batch.Put("a", "b");
  EXPECT_TRUE(reader_->Put({}, "a", "b").IsNotSupportedError());
  EXPECT_TRUE(reader_->Delete({}, "a").IsNotSupportedError());
  EXPECT_TRUE(reader_->Write({}, &batch).IsNotSupportedError());
  reader_->CompactRange(nullptr, nullptr);
  EXPECT_TRUE(Flush(reader_.get()).IsInvalidArgument());
  EXPECT_EQ(ReadValue(reader_.get(), "a"), "-");
}

TEST_F(ReadOnlyTest, WhatIsNoStoreIsAnError) {
  EXPECT_TRUE(TryOpenReader().IsInvalidArgument());
  EXPECT_EQ(reader_, nullptr);
  OpenWriter();
  Fill(0, 10, "x");
  writer_.reset();
  ASSERT_TRUE(env()->RemoveFile(CurrentFileName(name_)).ok());
  EXPECT_TRUE(TryOpenReader().IsCorruption());
  options_.comparator = nullptr;
  EXPECT_TRUE(TryOpenReader().IsInvalidArgument());
}

TEST_F(ReadOnlyTest, StaysAtItsMomentWhileTheStoreGoesOn) {
  OpenWriter();
  Fill(0, 3000, std::string(100, 'a'));
  OpenReader();
  const auto* const snapshot = reader_->GetSnapshot();
  const auto expected = ReadAll(reader_.get());
  EXPECT_EQ(expected, ReadAll(writer_.get()));
  Fill(0, 3000, std::string(100, 'b'));
  writer_->CompactRange(nullptr, nullptr);  // deletes all tables that the reader has open
  EXPECT_EQ(ReadAll(reader_.get()), expected);
  EXPECT_EQ(ReadValue(reader_.get(), Key(7), snapshot), std::string(100, 'a'));
  reader_->ReleaseSnapshot(snapshot);
  OpenReader();
  EXPECT_EQ(ReadValue(reader_.get(), Key(7)), std::string(100, 'b'));
}

// The writer overwrites all keys in order, with a higher number in each round. A reader must see a
// consistent moment of that. Where the writer syncs, newer logs soon overwrite the logs being read.
class ReadOnlyBesideAWriter : public ReadOnlyTest, public ::testing::WithParamInterface<bool> {
 protected:
  ~ReadOnlyBesideAWriter() override {
    stop_ = true;
    thread_.reset();
  }
  void StartWriter(int keys, size_t value_bytes) {
    sync_ = GetParam();
    thread_ = testing::InThread([=, this] {
      for (int round = 1; !stop_.load(); ++round)
        Fill(0, keys, std::to_string(round) + std::string(value_bytes, 'p'));
    });
  }

 private:
  std::atomic<bool> stop_{false};
  std::unique_ptr<ThreadHandle> thread_;
};

INSTANTIATE_TEST_SUITE_P(Writers, ReadOnlyBesideAWriter, ::testing::Bool(),
                         [](const auto& info) { return info.param ? "Syncing" : "NotSyncing"; });

TEST_P(ReadOnlyBesideAWriter, AlwaysSeesAPrefixOfWhatIsWritten) {
  constexpr int kKeys = 200;
  OpenWriter();
  Fill(0, kKeys, "0");
  StartWriter(kKeys, 500);
  int opened = 0;
  for (int attempt = 0; attempt < 12; ++attempt) {
    if (!TryOpenReader().ok()) continue;  // may fail, but must never show a wrong state
    ++opened;
    const auto all = ReadAll(reader_.get());
    ASSERT_EQ(all.size(), static_cast<size_t>(kKeys));
    const int newest = std::atoi(all.begin()->second.c_str());
    int previous = newest;
    for (const auto& [key, value] : all) {
      const int round = std::atoi(value.c_str());
      ASSERT_LE(round, previous) << key;
      ASSERT_GE(round, newest - 1) << key;
      previous = round;
    }
  }
  EXPECT_GT(opened, 0);
}

// The reader reaches the end of the log in one block, and then finds the next block begun.
TEST_P(ReadOnlyBesideAWriter, TakesNoGrowingLogForADamagedOne) {
  constexpr int kOpens = 60;
  options_.write_buffer_size = 4 << 20;
  OpenWriter();
  Fill(0, 10, "0");
  StartWriter(100, 1000);
  options_.paranoid_checks = true;
  for (int i = 0; i < kOpens; ++i) {
    const leveldb::Status status = TryOpenReader();
    EXPECT_FALSE(status.IsCorruption()) << status.ToString();
  }
}

TEST_F(ReadOnlyTest, ReadsMoreTablesThanItMayKeepOpenAndTakesNoLostOneForAbsentKeys) {
  options_.max_open_files = 20;
  OpenWriter();
  ASSERT_TRUE(SetOptions(writer_.get(), "l0_trigger=100").ok());  // keeps all the tables
  for (int table = 0; table < 40; ++table) {
    Fill(table * 20, table * 20 + 20, std::string(100, 'a' + table % 26));
    ASSERT_TRUE(Flush(writer_.get()).ok());
  }
  const auto expected = ReadAll(writer_.get());
  writer_.reset();
  OpenReader();
  EXPECT_EQ(ReadAll(reader_.get()), expected);
  for (const auto& [key, value] : expected) ASSERT_EQ(ReadValue(reader_.get(), key), value);

  OpenReader();  // its cache is empty
  for (const std::string& table : testing::TableNames(env(), name_))
    ASSERT_TRUE(env()->RemoveFile(name_ + "/" + table).ok());
  int failed = 0;
  for (const auto& [key, expected_value] : expected) {
    const std::string value = ReadValue(reader_.get(), key);
    EXPECT_NE(value, "-");
    failed += value.starts_with("IO error");
  }
  EXPECT_GT(failed, 0);
  EXPECT_TRUE(TryOpenReader().IsCorruption()) << "and no endless loop";
}

// The reader reaches the end of the first log before the writer begins the second.
TEST_F(ReadOnlyTest, NoEntryIsMissingBecauseALogGrowsMeanwhile) {
  HalfFileEnv half(leveldb::Env::Default());
  options_.write_buffer_size = 1 << 20;  // nothing is flushed
  for (int session = 0; session < 2; ++session) {
    OpenWriter();
    Fill(100 * session, 100 * session + 100, std::string(500, 'v'));
    writer_.reset();
  }
  const std::set<std::string> logs = testing::NamesEndingIn(&half, name_, ".log");
  ASSERT_EQ(logs.size(), 2u);
  half.path = name_ + "/" + *logs.begin();
  options_.env = &half;
  for (const bool paranoid : {false, true}) {
    options_.paranoid_checks = paranoid;
    half.opens_left = 1;
    OpenReader();
    EXPECT_EQ(ReadAll(reader_.get()).size(), 200u);
    reader_.reset();
  }
  half.opens_left = 1000;  // it stays so: the entries are lost
  options_.paranoid_checks = false;
  OpenReader();
  EXPECT_LT(ReadAll(reader_.get()).size(), 100u);
}

}  // namespace
}  // namespace lull
