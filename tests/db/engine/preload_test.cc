// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Tables are open before a read needs them: after a flush, after a compaction, and after the store
// opens.
#include "db/engine/preload.h"

#include <algorithm>
#include <memory>
#include <string>

#include "db/base/filename.h"
#include "gtest/gtest.h"
#include "leveldb/db.h"
#include "leveldb/env.h"
#include "lull/lull.h"
#include "table/table_writer.h"
#include "tests/db/support/expect_ok.h"
#include "tests/db/support/many_tables.h"
#include "tests/db/support/small_store.h"
#include "tests/db/support/store_properties.h"
#include "tests/db/support/table_files_env.h"
#include "tests/db/support/table_names.h"

namespace lull {
namespace {

// ---- a table cache

const Preload::OnContents kIgnore = [](TableFile*, const TableContents&) {};

void RunToEnd(Job* job) {
  Job::Progress progress = Job::Progress::kMore;
  while (progress == Job::Progress::kMore) ASSERT_TRUE(job->RunSlice({}, &progress).ok());
}

/// Runs all jobs of `preload`; returns their number.
int RunAll(Preload* preload) {
  int jobs = 0;
  while (const std::unique_ptr<Job> job = preload->TakeJob()) {
    ++jobs;
    EXPECT_EQ(preload->TakeJob(), nullptr) << "one job at a time";
    RunToEnd(job.get());
  }
  return jobs;
}

class PreloadedTablesTest : public testing::ManyTablesTest {
 protected:
  /// For each table, whether it has a filter. The filter must have the table's key and no other.
  std::string KeyFilters() const {
    std::string text;
    for (const TableFile* const table : all_) {
      const KeyFilter* const filter = table->key_filter.load();
      text += filter != nullptr ? 'f' : '.';
      if (filter == nullptr) continue;
      EXPECT_TRUE(filter->MayContain(KeyFilter::Query(table->smallest_user())));
      EXPECT_FALSE(filter->MayContain(KeyFilter::Query("another")));
    }
    return text;
  }
  /// REQUIRES: few tables.
  void PreloadAll() {
    Preload preload(files_.context(), tables_.get(), kIgnore);
    preload.Begin(*version_);
    EXPECT_EQ(RunAll(&preload), 1);
  }
  std::string PathOf(size_t table) const { return TableFileName("/store", all_[table]->number()); }
  std::string BytesOf(size_t table) { return testing::FileBytes(&env_, PathOf(table)); }
  void Replace(size_t table, const std::string& bytes) {
    ASSERT_TRUE(leveldb::WriteStringToFile(&env_, bytes, PathOf(table)).ok());
  }
};

TEST_F(PreloadedTablesTest, PreloadDoesNotKeepTables) {
  Build(3, 1);
  Preload preload(files_.context(), tables_.get(), kIgnore);
  preload.Begin(*version_);
  const std::unique_ptr<Job> job = preload.TakeJob();
  version_.reset();
  RunToEnd(job.get());
  EXPECT_EQ(env_.open_now(), 0);
  EXPECT_EQ(env_.opens(), 0) << "nothing lists them any more";
}

// Tables of upper levels first, up to half of what can be open. All contents only on request.
TEST_F(PreloadedTablesTest, PreloadSamplesWhatItOpensAndReadsUnknownContentsOnRequest) {
  Build(2, 14);
  Preload preload(
      files_.context(), tables_.get(),
      [](TableFile* file, const TableContents& contents) { file->contents = contents; });
  const auto known = [&] {
    return std::count_if(all_.begin(), all_.end(), [](const TableFile* table) {
      return table->contents == TableContents{.entries = 1};
    });
  };
  preload.Begin(*version_);
  preload.ReadUnknownContents(*version_, 0);
  EXPECT_EQ(OpenTables(), "................") << "only jobs open tables";
  EXPECT_EQ(RunAll(&preload), 2) << "a job is short";
  EXPECT_EQ(OpenTables(), "oooooooooo......");
  EXPECT_EQ(env_.opens(), 10);
  EXPECT_EQ(known(), 10) << "other tables waited";
  preload.ReadUnknownContents(*version_, 0);
  EXPECT_EQ(RunAll(&preload), 1);
  EXPECT_EQ(known(), 16);
  EXPECT_EQ(env_.opens(), 16) << "only those that were unknown";
  EXPECT_EQ(OpenTables(), "oooooooooo......");
}

// As LevelDB writes it: without a block that tells the contents.
TEST_F(PreloadedTablesTest, ATableThatIsOnlySampledCanHaveDeletions) {
  TableMeta table;
  table.level = 1;
  table.number = files_.context()->NewFileNumber();
  leveldb::WritableFile* raw = nullptr;
  ASSERT_TRUE(env_.NewWritableFile(TableFileName("/store", table.number), &raw).ok());
  const std::unique_ptr<leveldb::WritableFile> file(raw);
  TableWriter writer(files_.context()->WriteOptions(), raw);
  for (int i = 0; i < 8; ++i) {
    table.largest = MakeInternalKey(KeyOf(i), 1, ValueKind::kValue);
    if (i == 0) table.smallest = table.largest;
    writer.Add(table.largest, std::string(5000, 'v'));
  }
  ASSERT_TRUE(writer.Finish().ok());
  ASSERT_TRUE(file->Close().ok());
  table.file_bytes = writer.FileBytes();
  VersionEdit edit;
  edit.new_tables.push_back(table);
  version_ = testing::Applied(testing::EmptyVersion(), edit);
  TableContents read;
  Preload preload(files_.context(), tables_.get(),
                  [&](TableFile*, const TableContents& contents) { read = contents; });
  preload.ReadUnknownContents(*version_, 0);
  EXPECT_EQ(RunAll(&preload), 1);
  EXPECT_EQ(read, (TableContents{.entries = 8, .deletions = 1}));
}

TEST_F(PreloadedTablesTest, PreloadReadsContentsAgainAfterAFailure) {
  Build(1, 0);
  int read = 0;
  Preload preload(files_.context(), tables_.get(),
                  [&](TableFile*, const TableContents&) { ++read; });
  const std::string bytes = BytesOf(0);
  Replace(0, "damaged");
  preload.ReadUnknownContents(*version_, 5);
  EXPECT_EQ(RunAll(&preload), 1);
  Replace(0, bytes);
  constexpr uint64_t kMinute = 60'000'000'000;
  preload.ReadUnknownContents(*version_, 4 + kMinute);
  EXPECT_EQ(RunAll(&preload), 0);
  EXPECT_EQ(read, 0);
  preload.ReadUnknownContents(*version_, 5 + kMinute);
  EXPECT_EQ(RunAll(&preload), 1);
  EXPECT_EQ(read, 1);
}

TEST_F(PreloadedTablesTest, PreloadLoadsTheKeyFiltersAboveTheDeepestLevel) {
  files_.builds_key_filters = true;
  Build(2, 2);
  EXPECT_EQ(KeyFilters(), "....");
  PreloadAll();
  EXPECT_EQ(KeyFilters(), "ff..");
}

TEST_F(PreloadedTablesTest, PreloadLoadsNoDamagedKeyFilter) {
  files_.builds_key_filters = true;
  Build(2, 0);
  const uint32_t hash = KeyFilter::HashOf(all_[0]->smallest_user());
  std::string bytes = BytesOf(0);
  const size_t place = bytes.find(KeyFilter({&hash, 1}).bytes().ToString());
  ASSERT_NE(place, std::string::npos);
  bytes[place] ^= 1;
  Replace(0, bytes);
  PreloadAll();
  EXPECT_EQ(KeyFilters(), ".f");
  EXPECT_TRUE(Read(all_[0]).ok());
}

TEST_F(PreloadedTablesTest, OnlyAReadReportsADamagedTable) {
  Build(3, 0);
  Replace(1, "damaged");
  PreloadAll();
  EXPECT_EQ(OpenTables(), "o.o");
  EXPECT_TRUE(Read(all_[1]).IsCorruption());
  EXPECT_TRUE(Read(all_[2]).ok());
}

TEST_F(PreloadedTablesTest, OpeningAheadEvictsNothing) {
  Build(0, 21);
  files_.context()->pace.reader_bytes_max = 0;
  for (int i = 0; i < 20; ++i) tables_->OpenAhead(all_[static_cast<size_t>(i)]);
  tables_->OpenAhead(all_[0]);
  EXPECT_EQ(tables_->GetUsage().tables, tables_->capacity());
  EXPECT_EQ(env_.opens(), 20);
  tables_->OpenAhead(all_[20]);
  EXPECT_EQ(OpenTables(), std::string(20, 'o') + ".");
  ASSERT_TRUE(Read(all_[20]).ok());
  EXPECT_EQ(tables_->GetUsage().tables, tables_->capacity()) << "the reader evicts one";
}

// ---- a store

class PreloadTest : public ::testing::Test {
 protected:
  PreloadTest() { scheduling_.SetOwnCoordinator(true); }

  void Reopen() {
    db_.reset();
    ASSERT_TRUE(testing::IsOk(testing::OpenAt(options_, "/store", &db_, scheduling_)));
  }
  /// So that tables are wanted open.
  void Iterate() { delete db_->NewIterator({}); }
  void WriteTable(int number) {
    for (const char* key : {"a", "b", "c"}) {
      ASSERT_TRUE(db_->Put({}, key, key + std::to_string(number)).ok());
    }
    ASSERT_TRUE(Flush(db_.get()).ok());
  }
  int TablesAt(int level) { return testing::TablesAt(db_.get(), level); }
  void ExpectReadsOpenNothing() {
    const int opens = env_.opens();
    for (const char* key : {"a", "b", "c"}) {
      std::string value;
      ASSERT_TRUE(db_->Get({}, key, &value).ok());
    }
    EXPECT_EQ(env_.opens(), opens);
  }

  testing::TableFilesEnv env_;
  leveldb::Options options_ = testing::SmallOptions(&env_);
  SchedulingOptions scheduling_;
  std::unique_ptr<leveldb::DB> db_;
};

TEST_F(PreloadTest, AFlushOpensItsTableAndACompactionItsOutputs) {
  Reopen();
  Iterate();
  WriteTable(1);
  EXPECT_EQ(env_.open_now(), 1);
  ExpectReadsOpenNothing();
  WriteTable(2);
  Iterate();
  db_->CompactRange(nullptr, nullptr);
  ASSERT_EQ(TablesAt(0), 0);
  ExpectReadsOpenNothing();
}

TEST_F(PreloadTest, TablesThatNobodyReadsStayClosed) {
  Reopen();
  for (int i = 0; i < 2; ++i) WriteTable(i);
  EXPECT_EQ(env_.opens(), 0);
  std::string value;
  ASSERT_TRUE(db_->Get({}, "a", &value).ok());
  EXPECT_EQ(env_.opens(), 1);
  WriteTable(3);
  EXPECT_EQ(env_.opens(), 2) << "somebody reads tables";
}

TEST_F(PreloadTest, AMovedTableStaysOpen) {
  scheduling_.SetL0Trigger(1);
  Reopen();
  Iterate();
  WriteTable(1);
  ASSERT_TRUE(WaitForIdle(db_.get()).ok());
  ASSERT_EQ(TablesAt(1), 1);
  EXPECT_EQ(env_.opens(), 1);
  ExpectReadsOpenNothing();
}

TEST_F(PreloadTest, OpeningAStoreOpensItsTables) {
  Reopen();
  for (int i = 0; i < 3; ++i) WriteTable(i);
  db_.reset();
  EXPECT_EQ(env_.open_now(), 0);
  Reopen();
  env_.noted.Await("the tables are open", [&] { return env_.open_now() == 3; });
  ExpectReadsOpenNothing();
}

}  // namespace
}  // namespace lull
