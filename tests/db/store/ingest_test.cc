// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// IngestTables: where the copies go, which tables are refused, what readers and concurrent writers
// see, and what a crash leaves. Contents after crashes and faults: sweep_test.cc; long histories:
// metamorphic_test.cc.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "db/compaction/ingestion.h"
#include "db/version/manifest.h"
#include "db/wal/log_reader.h"
#include "leveldb/db.h"
#include "leveldb/env.h"
#include "leveldb/filter_policy.h"
#include "leveldb/write_batch.h"
#include "lull/lull.h"
#include "tests/db/support/expect_ok.h"
#include "tests/db/support/scripted_store.h"
#include "tests/db/support/small_store.h"
#include "tests/db/support/store_properties.h"
#include "tests/db/support/table_names.h"
#include "tests/db/support/version_text.h"
#include "tests/support/crash_env.h"
#include "tests/support/fault_env.h"
#include "tests/support/gate.h"
#include "tests/support/option_sets.h"
#include "tests/support/setting.h"
#include "tests/support/table_files.h"

namespace lull {
namespace {

using testing::BuildTable;
using testing::Contents;
using testing::CrashEnv;
using testing::CrashOptions;
using ::testing::HasSubstr;
using testing::InThread;
using testing::IsOk;
using testing::kStoreName;
using testing::OpenAt;
using testing::ReadAll;
using testing::SmallOptions;
using testing::TableEntries;
using testing::TablesAt;

TEST(LevelFor, IsTheDeepestWithoutOverlap) {
  struct Row {
    const char* what;
    const char* tables;
    std::vector<RunningRange> running;
    int level;
  };
  const Row rows[] = {
      {"an empty store", "", {}, 6},
      {"tables beside the range", "L0: 1:[a..c] L1: 2:[j..m] L6: 3:[a..e] 4:[j..z]", {}, 6},
      {"a table below", "L3: 1:[a..g]", {}, 2},
      {"a table of L1", "L1: 1:[h..k] L6: 2:[a..z]", {}, 0},
      {"a table of L0", "L0: 1:[a..z]", {}, 0},
      {"a key in common at an end", "L4: 1:[i..k]", {}, 3},
      {"a table covers the range", "L2: 1:[a..z]", {}, 1},
      {"a compaction into a level", "", {{3, 4, "a", "g"}}, 2},
      {"a compaction of L0", "L6: 1:[a..z]", {{0, 1, "h", "h"}}, 0},
      {"a compaction beside the range", "L4: 1:[a..z]", {{1, 2, "j", "z"}}, 3},
  };
  for (const Row& row : rows) {
    const VersionRef version = testing::VersionFromText(row.tables);
    EXPECT_EQ(LevelFor(*version, row.running, testing::Range("f", "i")), row.level) << row.what;
  }
}

class IngestTest : public ::testing::Test {
 protected:
  void Open(const std::string& scheduling = "") {
    db_.reset();
    ASSERT_TRUE(IsOk(OpenAt(options_, kStoreName, &db_, "own_coordinator=true;" + scheduling)));
  }
  std::string Table(const TableEntries& entries) { return Table(options_, entries); }
  std::string Table(const leveldb::Options& options, const TableEntries& entries) {
    const std::string path = "/table" + std::to_string(tables_++);
    EXPECT_TRUE(IsOk(BuildTable(options, path, entries)));
    return path;
  }
  std::string FileWith(const std::string& bytes) {
    const std::string path = "/file" + std::to_string(tables_++);
    EXPECT_TRUE(IsOk(leveldb::WriteStringToFile(&env_, bytes, path)));
    return path;
  }
  void Put(const std::string& key, const std::string& value) {
    ASSERT_TRUE(IsOk(db_->Put({}, key, value)));
  }
  std::string Get(const std::string& key, const leveldb::Snapshot* snapshot = nullptr) {
    return testing::ReadValue(db_.get(), key, snapshot);
  }

  CrashEnv env_;
  leveldb::Options options_ = SmallOptions(&env_);
  std::unique_ptr<leveldb::DB> db_;
  int tables_ = 0;
};

TEST_F(IngestTest, ReplacesWhatMemoryAndTablesHave) {
  Open("l0_trigger=8");
  Put("b", "deep");
  Put("x", "deep");
  db_->CompactRange(nullptr, nullptr);
  Put("c", "in L0");
  ASSERT_TRUE(IsOk(Flush(db_.get())));
  Put("d", "in memory");
  ASSERT_TRUE(IsOk(db_->Delete({}, "e")));
  const Contents before = {{"b", "deep"}, {"c", "in L0"}, {"d", "in memory"}, {"x", "deep"}};
  const leveldb::Snapshot* const snapshot = db_->GetSnapshot();
  std::unique_ptr<leveldb::Iterator> iterator(db_->NewIterator({}));
  ASSERT_TRUE(IsOk(IngestTables(
      db_.get(), {Table({{"m", "7"}, {"n", "8"}}),
                  Table({{"", "0"}, {"b", "1"}, {"d", "2"}, {"e", "3"}}), Table({{"f", "4"}})})));
  const Contents after = {{"", "0"},  {"b", "1"}, {"c", "in L0"}, {"d", "2"},   {"e", "3"},
                          {"f", "4"}, {"m", "7"}, {"n", "8"},     {"x", "deep"}};
  EXPECT_EQ(ReadAll(db_.get()), after);
  EXPECT_EQ(Get("d") + Get("e"), "23");
  EXPECT_EQ(Get("e", snapshot), "-");
  EXPECT_EQ(Get("d", snapshot), "in memory");
  EXPECT_EQ(testing::ReadForward(iterator.get()), before);
  iterator.reset();
  db_->ReleaseSnapshot(snapshot);

  Put("d", "newer");
  EXPECT_EQ(Get("d"), "newer");
  ASSERT_TRUE(IsOk(Flush(db_.get())));
  db_->CompactRange(nullptr, nullptr);
  EXPECT_EQ(Get("d") + Get("f"), "newer4");
  Open();
  EXPECT_EQ(Get("d") + Get("f"), "newer4");
}

TEST_F(IngestTest, GoesToTheDeepestLevelThatFits) {
  options_.compression = leveldb::kNoCompression;
  options_.filter_policy = leveldb::NewBloomFilterPolicy(10);
  const std::unique_ptr<const leveldb::FilterPolicy> owned(options_.filter_policy);
  Open("table_bytes_max=64K;l0_trigger=8");
  TableEntries entries;
  for (int i = 0; i < 300; ++i)
    entries.emplace_back("k" + std::to_string(1000 + i), std::string(1000, 'v'));
  const std::string table = Table(entries);
  ASSERT_TRUE(IsOk(IngestTables(db_.get(), {table})));
  EXPECT_GE(TablesAt(db_.get(), 6), 4) << "tables of the store's size";
  ASSERT_TRUE(IsOk(IngestTables(db_.get(), {table})));
  EXPECT_GE(TablesAt(db_.get(), 5), 1) << "above those before";
  Put("k0", "");
  Put("z", "");
  ASSERT_TRUE(IsOk(Flush(db_.get())));
  ASSERT_TRUE(IsOk(IngestTables(db_.get(), {table})));
  EXPECT_GE(TablesAt(db_.get(), 0), 2);
  EXPECT_TRUE(env_.FileExists(table)) << "it stays";
  EXPECT_THAT(testing::Property(db_.get(), "lull.stats"), HasSubstr("\"user_entries\":2"));
}

// Nothing changes, and the error says what to do.
TEST_F(IngestTest, RefusesWhatIsNoTableOfUserKeys) {
  Open();
  Put("k", "v");
  ASSERT_TRUE(IsOk(Flush(db_.get())));
  leveldb::Options backward_options = options_;
  backward_options.comparator = testing::ReverseComparator();
  const std::string good = Table({{"a", "1"}, {"c", "3"}});
  const std::string bytes = testing::FileBytes(&env_, good);
  std::string damaged = bytes;
  damaged[3] ^= 1;
  const std::string own =
      std::string(kStoreName) + "/" + *testing::TableNames(&env_, kStoreName).begin();
  struct Row {
    std::vector<std::string> paths;
    bool (leveldb::Status::*is_kind)() const;
    const char* error;
  };
  using leveldb::Status;
  const Row rows[] = {
      {{}, &Status::IsInvalidArgument, "list of tables is empty"},
      {{"/missing"}, &Status::IsNotFound, "/missing"},
      {{FileWith("")}, &Status::IsCorruption, "too short"},
      {{FileWith(std::string(100, 'x'))}, &Status::IsCorruption, "/file"},
      {{FileWith(bytes.substr(0, bytes.size() - 1))}, &Status::IsCorruption, "/file"},
      {{good, FileWith(damaged)}, &Status::IsCorruption, "checksum"},
      {{Table({})}, &Status::IsInvalidArgument, "has no entries"},
      {{own}, &Status::IsInvalidArgument, "internal keys"},
      {{Table(backward_options, {{"c", ""}, {"b", ""}, {"a", ""}})},
       &Status::IsInvalidArgument,
       "\"b\" does not follow \"c\" in the order of leveldb.BytewiseComparator"},
      {{good, good}, &Status::IsInvalidArgument, "overlapping tables"},
      {{good, Table({{"b", ""}})}, &Status::IsInvalidArgument, "begins at key \"b\", before"},
      {{Table({{"c", ""}}), good}, &Status::IsInvalidArgument, "at \"c\""},
  };
  for (const Row& row : rows) {
    const Status status = IngestTables(db_.get(), row.paths);
    EXPECT_TRUE((status.*row.is_kind)()) << row.error << ": " << status.ToString();
    EXPECT_THAT(status.ToString(), HasSubstr(row.error));
    EXPECT_EQ(ReadAll(db_.get()), (Contents{{"k", "v"}}));
    EXPECT_TRUE(testing::NamesEndingIn(&env_, kStoreName, ".dbtmp").empty()) << row.error;
  }
  EXPECT_TRUE(IngestTables(nullptr, {good}).IsInvalidArgument());
  ASSERT_TRUE(IsOk(IngestTables(db_.get(), {good})));
  EXPECT_EQ(Get("c"), "3");
}

/// The value of all keys but the last, and that of the last key; in one moment.
std::pair<std::string, std::string> ReadMoment(leveldb::DB* db) {
  std::pair<std::string, std::string> moment;
  const std::unique_ptr<leveldb::Iterator> entry(db->NewIterator({}));
  for (entry->SeekToFirst(); entry->Valid(); entry->Next()) {
    const std::string value = entry->value().ToString();
    if (entry->key() == leveldb::Slice("last")) {
      moment.second = value;
    } else if (moment.first.empty()) {
      moment.first = value;
    } else {
      EXPECT_EQ(value, moment.first) << "at " << entry->key().ToString();
    }
  }
  EXPECT_TRUE(IsOk(entry->status()));
  return moment;
}

// Each write and each ingestion gives all keys one value, except that only ingestions write the
// last key. So if the last key changes without a write meanwhile, the others must change too.
TEST_F(IngestTest, IsOneWriteBesideOthers) {
  constexpr int kKeys = 20;
  constexpr int kReadsBetweenWrites = 20;
  const auto key = [](int i) { return "key" + std::to_string(100 + i); };
  Open();
  std::atomic<bool> ends{false};
  std::atomic<int> ingested{0};
  std::vector<std::unique_ptr<ThreadHandle>> threads;
  threads.push_back(InThread([&] {
    for (int n = 0; !ends.load(); ++n) {
      leveldb::WriteBatch batch;
      for (int i = 0; i < kKeys; ++i) batch.Put(key(i), "w" + std::to_string(n));
      ASSERT_TRUE(IsOk(db_->Write({}, &batch)));
      auto before = ReadMoment(db_.get());
      for (int i = 0; i < kReadsBetweenWrites; ++i) {
        auto now = ReadMoment(db_.get());
        ASSERT_TRUE(now == before || (now.first != before.first && now.first == now.second))
            << before.first << " " << before.second << " then " << now.first << " " << now.second;
        before = std::move(now);
      }
    }
  }));
  for (const char* who : {"p", "q"}) {
    threads.push_back(InThread([&, who] {
      for (int n = 0; n < 50; ++n) {
        TableEntries entries;
        for (int i = 0; i < kKeys; ++i) entries.emplace_back(key(i), who + std::to_string(n));
        entries.emplace_back("last", who + std::to_string(n));
        const std::string path = std::string("/") + who;
        ASSERT_TRUE(IsOk(BuildTable(options_, path, entries)));
        ASSERT_TRUE(IsOk(IngestTables(db_.get(), {path})));
        ++ingested;
      }
    }));
  }
  while (threads.size() > 1) threads.pop_back();
  ends.store(true);
  threads.clear();
  EXPECT_EQ(ingested.load(), 100);
}

// A write that began before the ingestion, and reaches memory after its first look there.
TEST_F(IngestTest, FlushesWhatIsWrittenWhileItWaitsForWriters) {
  testing::FaultEnv faults(&env_);
  testing::Gate gate;
  faults.set_before_operation([&](testing::IoOp op, const std::string& path) {
    if (op == testing::kSync && path.ends_with(".log")) gate.Pass();
  });
  options_.env = &faults;
  Open();
  const std::string table = Table({{"a", "new"}, {"c", "new"}});
  const auto await_writers = [&](double count) {
    while (testing::JsonProperty(db_.get(), "lull.stats")["queue"]["writers"] != count) {
    }
  };
  gate.Close();
  auto writer = InThread([&] { ASSERT_TRUE(IsOk(db_->Put(testing::Synced(), "c", "old"))); });
  await_writers(1);
  auto ingester = InThread([&] { ASSERT_TRUE(IsOk(IngestTables(db_.get(), {table}))); });
  await_writers(2);
  gate.Open();
  writer.reset();
  ingester.reset();
  EXPECT_EQ(Get("a") + Get("c"), "newnew");
  db_.reset();
}

using IngestBesideSealedTest = testing::ScriptedStoreTest;

// They are older, but their flush must not lower the last sequence: to LevelDB, that of the last
// edit counts.
TEST_F(IngestBesideSealedTest, StaysVisibleAfterSealedMemtablesAreFlushed) {
  Directive late = Everything();
  late.memtable_bytes = 64 * testing::kKiB;
  late.flush_bytes_min = 3 * testing::kMiB;
  options_.write_buffer_size = 64 * testing::kKiB;  // so that the store seals none in rest
  OpenWith(late);
  Write(0, 900);
  Await("memtables are sealed", [&] { return script_.Seen().immutables >= 8; });
  ASSERT_TRUE(IsOk(BuildTable(options_, name_ + "-table", {{"a", "1"}})));
  ASSERT_TRUE(IsOk(IngestTables(db_.get(), {name_ + "-table"})));
  EXPECT_GE(script_.Seen().immutables, 8) << "they have none of its keys";
  script_.Set(Everything());
  Await("they are flushed", [&] { return script_.Seen().immutables == 0; });
  db_.reset();
  uint64_t number = 0;
  StoreContext context(options_);
  context.name = name_;
  ASSERT_TRUE(IsOk(ReadCurrent(context, &number)));
  leveldb::SequentialFile* file = nullptr;
  const std::string manifest = DescriptorFileName(name_, number);
  ASSERT_TRUE(IsOk(env_.NewSequentialFile(manifest, &file)));
  log::Reader reader(std::unique_ptr<leveldb::SequentialFile>(file), manifest);
  SequenceNumber last = 0;
  for (leveldb::Slice record; reader.ReadRecord(&record);) {
    VersionEdit edit;
    ASSERT_TRUE(IsOk(edit.DecodeFrom(record)));
    EXPECT_GE(edit.last_sequence.value_or(last), last);
    last = edit.last_sequence.value_or(last);
  }
  EXPECT_GT(last, 1u << 24) << "that of the ingestion";
  Open();
  EXPECT_EQ(testing::ReadValue(db_.get(), "a"), "1");
  ExpectAll(db_.get(), 900);
}

// After a crash at each step of the ingestion the store has all or nothing, and no file beside.
TEST_F(IngestTest, ACrashLeavesNoCopies) {
  for (uint64_t step = 0;; step += testing::TestStride()) {
    CrashEnv env;
    options_ = SmallOptions(&env);
    Open();
    Put("a", "old");
    ASSERT_TRUE(IsOk(Flush(db_.get())));
    Put("x", "in the log");
    for (const char* path : {"/1", "/2"})
      ASSERT_TRUE(IsOk(BuildTable(options_, path, {{path, std::string(90'000, 'n')}})));
    env.SetCrashPoint(env.steps() + step);
    const leveldb::Status status = IngestTables(db_.get(), {"/1", "/2"});
    const bool crashed = env.crashed();  // perhaps after the call
    EXPECT_TRUE(status.ok() || crashed) << status.ToString();
    for (const bool power_loss : {false, true}) {
      const auto after =
          env.Crash(step, power_loss ? CrashOptions::LoseAllUnsynced() : CrashOptions::KeepAll());
      std::unique_ptr<leveldb::DB> db;
      const leveldb::Options options = SmallOptions(after.get());
      ASSERT_TRUE(IsOk(OpenAt(options, kStoreName, &db, "own_coordinator=true"))) << step;
      Contents contents = ReadAll(db.get());
      const size_t copies = contents.erase("/1") + contents.erase("/2");
      EXPECT_TRUE(copies == 2 || (copies == 0 && !status.ok())) << step;
      EXPECT_TRUE(contents.contains("x") || (power_loss && copies == 0)) << step;
      ASSERT_TRUE(IsOk(Flush(db.get())));
      ASSERT_TRUE(IsOk(WaitForIdle(db.get())));
      EXPECT_EQ(testing::TableNames(after.get(), kStoreName).size(),
                testing::ListedTables(db.get()))
          << step;
      EXPECT_TRUE(testing::NamesEndingIn(after.get(), kStoreName, ".dbtmp").empty()) << step;
      EXPECT_FALSE(after->FileExists(std::string(kStoreName) + "/lost")) << step;
    }
    db_.reset();
    if (!crashed) {
      EXPECT_GT(step, 10u);
      return;
    }
  }
}

}  // namespace
}  // namespace lull
