// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Tables are open before a read needs them: after a flush, after a compaction, and after the store
// opens.
#include "db/read/preload.h"

#include <map>
#include <memory>
#include <string>

#include "db/filename.h"
#include "gtest/gtest.h"
#include "leveldb/db.h"
#include "lull/lull.h"
#include "tests/db/many_tables.h"
#include "tests/db/small_store.h"
#include "tests/db/table_files_env.h"

namespace lull {
namespace {

using testing::TableFilesEnv;

// ---- a table cache

const Preload::OnContents kIgnore = [](TableFile*, const TableContents&) {};

/// Runs all jobs of `preload`; returns their number.
int RunAll(Preload* preload) {
  int jobs = 0;
  while (const std::unique_ptr<Job> job = preload->TakeJob()) {
    ++jobs;
    EXPECT_EQ(preload->TakeJob(), nullptr) << "one job at a time";
    Job::Progress progress = Job::Progress::kMore;
    while (progress == Job::Progress::kMore) EXPECT_TRUE(job->RunSlice({}, &progress).ok());
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
    preload.Begin(*version_, false);
    EXPECT_EQ(RunAll(&preload), 1);
  }
};

TEST_F(PreloadedTablesTest, PreloadOpensTheTablesOfUpperLevelsFirst) {
  Build(2, 10);
  Preload preload(files_.context(), tables_.get(), kIgnore);
  preload.Begin(*version_, false);
  EXPECT_EQ(OpenTables(), "............") << "only jobs open tables";
  EXPECT_EQ(RunAll(&preload), 2) << "a job is short";
  EXPECT_EQ(OpenTables(), "oooooooooo..") << "half of what can be open";
  EXPECT_EQ(env_.opens(), 10);
}

TEST_F(PreloadedTablesTest, PreloadDoesNotKeepTables) {
  Build(3, 1);
  Preload preload(files_.context(), tables_.get(), kIgnore);
  preload.Begin(*version_, false);
  const std::unique_ptr<Job> job = preload.TakeJob();
  version_.reset();
  Job::Progress progress = Job::Progress::kMore;
  while (progress == Job::Progress::kMore) ASSERT_TRUE(job->RunSlice({}, &progress).ok());
  EXPECT_EQ(env_.open_now(), 0);
  EXPECT_EQ(env_.opens(), 0) << "nothing lists them any more";
}

TEST_F(PreloadedTablesTest, PreloadSamplesWhatItOpensAndReadsAllContentsOnRequest) {
  Build(2, 14);
  for (const bool all : {false, true}) {
    std::map<const TableFile*, TableContents> read;
    Preload preload(files_.context(), tables_.get(),
                    [&](TableFile* file, const TableContents& contents) {
                      EXPECT_TRUE(read.emplace(file, contents).second);
                    });
    preload.Begin(*version_, all);
    EXPECT_EQ(RunAll(&preload), 2);
    EXPECT_EQ(read.size(), all ? 16u : 10u);
    EXPECT_EQ(read[all_[all ? 15 : 1]], (TableContents{.entries = 1}));
    EXPECT_EQ(OpenTables(), "oooooooooo......");
  }
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
  const std::string path = TableFileName("/store", all_[0]->number());
  std::string bytes;
  ASSERT_TRUE(leveldb::ReadFileToString(&env_, path, &bytes).ok());
  const size_t place = bytes.find(KeyFilter({&hash, 1}).bytes().ToString());
  ASSERT_NE(place, std::string::npos);
  bytes[place] ^= 1;
  ASSERT_TRUE(leveldb::WriteStringToFile(&env_, bytes, path).ok());
  PreloadAll();
  EXPECT_EQ(KeyFilters(), ".f");
  EXPECT_TRUE(Read(all_[0]).ok());
}

TEST_F(PreloadedTablesTest, OnlyAReadReportsADamagedTable) {
  Build(3, 0);
  const std::string path = TableFileName("/store", all_[1]->number());
  ASSERT_TRUE(leveldb::WriteStringToFile(&env_, "damaged", path).ok());
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
    const leveldb::Status status = testing::OpenAt(options_, "/store", &db_, scheduling_);
    ASSERT_TRUE(status.ok()) << status.ToString();
  }
  void WriteTable(int number) {
    for (const char* key : {"a", "b", "c"}) {
      ASSERT_TRUE(db_->Put({}, key, key + std::to_string(number)).ok());
    }
    ASSERT_TRUE(Flush(db_.get()).ok());
  }
  int TablesAt(int level) {
    std::string text;
    EXPECT_TRUE(db_->GetProperty("leveldb.num-files-at-level" + std::to_string(level), &text));
    return std::stoi(text);
  }
  void ExpectReadsOpenNothing() {
    const int opens = env_.opens();
    for (const char* key : {"a", "b", "c"}) {
      std::string value;
      ASSERT_TRUE(db_->Get({}, key, &value).ok());
    }
    EXPECT_EQ(env_.opens(), opens);
  }

  TableFilesEnv env_;
  leveldb::Options options_ = testing::SmallOptions(&env_);
  SchedulingOptions scheduling_;
  std::unique_ptr<leveldb::DB> db_;
};

TEST_F(PreloadTest, AFlushOpensItsTableAndACompactionItsOutputs) {
  Reopen();
  WriteTable(1);
  EXPECT_EQ(env_.open_now(), 1);
  ExpectReadsOpenNothing();
  WriteTable(2);
  db_->CompactRange(nullptr, nullptr);
  ASSERT_EQ(TablesAt(0), 0);
  ExpectReadsOpenNothing();
}

TEST_F(PreloadTest, AMovedTableStaysOpen) {
  scheduling_.SetL0Trigger(1);
  Reopen();
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
