// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "leveldb/dumpfile.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "db/memory/batch_format.h"
#include "db/version/version_edit.h"
#include "db/wal/log_writer.h"
#include "leveldb/options.h"
#include "leveldb/table_builder.h"
#include "tests/db/support/memory_files.h"
#include "tests/util/test_dir.h"

namespace lull {
namespace {

using lull::testing::MemoryWritable;
using lull::testing::WrittenFile;
using ::testing::HasSubstr;

class DumpFileTest : public ::testing::Test {
 protected:
  std::string Dump(const std::string& name) {
    dumped_ = WrittenFile();
    MemoryWritable file(&dumped_);
    status_ = leveldb::DumpFile(leveldb::Env::Default(), dir_.File(name), &file);
    return dumped_.bytes;
  }
  static std::string Log(const std::vector<std::string>& records) {
    WrittenFile file;
    log::Writer writer(std::make_unique<MemoryWritable>(&file));
    for (const std::string& record : records) EXPECT_TRUE(writer.AddRecord(record).ok());
    return file.bytes;
  }
  void Make(const std::string& name, const std::string& bytes) {
    TestDir::SetContents(dir_.File(name), bytes);
  }
  static std::string Batch(SequenceNumber sequence, leveldb::WriteBatch* batch) {
    batch::SetSequence(batch, sequence);
    return batch::Contents(*batch).ToString();
  }

  const TestDir dir_;
  WrittenFile dumped_;
  leveldb::Status status_;
};

// The expected texts are LevelDB 1.23's.
TEST_F(DumpFileTest, Log) {
  leveldb::WriteBatch several, none;
  several.Put("a", std::string("x\0y", 3));
  several.Delete("b\xff'");
  several.Put("", "");
  Make("000010.log", Log({Batch(3178, &several), Batch(3182, &none)}));
  EXPECT_EQ(Dump("000010.log"),
            "--- offset 0; sequence 3178\n  put 'a' 'x\\x00y'\n  del 'b\\xff''\n  put '' ''\n"
            "--- offset 34; sequence 3182\n");
  EXPECT_TRUE(status_.ok());
  EXPECT_EQ(dumped_.appends, 5);
}

TEST_F(DumpFileTest, LogsWithDamage) {
  Make("000010.log", Log({"short", std::string("\5\0\0\0\0\0\0\0\2\0\0\0\1\1a\1b", 17)}));
  EXPECT_THAT(Dump("000010.log"), HasSubstr("--- offset 0; log record length 5 is too small\n"
                                            "--- offset 12; sequence 5\n  put 'a' 'b'\n  error: "));
  EXPECT_TRUE(status_.ok());
  leveldb::WriteBatch batch;
  batch.Put("k", "v");
  std::string bytes = Log({Batch(1, &batch), Batch(2, &batch), Batch(3, &batch)});
  bytes[bytes.size() / 2] ^= 1;
  Make("000010.log", bytes);
  EXPECT_THAT(
      Dump("000010.log"),
      HasSubstr("--- offset 0; sequence 1\n  put 'k' 'v'\ncorruption: 24 bytes; Corruption: "));
  EXPECT_THAT(Dump("000010.log"), HasSubstr("\n--- offset 48; sequence 3\n  put 'k' 'v'\n"));
  EXPECT_TRUE(status_.ok());
}

TEST_F(DumpFileTest, Manifest) {
  VersionEdit first, second;
  first.comparator = "leveldb.BytewiseComparator";
  second.log_number = 10;
  second.prev_log_number = 0;
  second.next_file_number = 13;
  second.last_sequence = 3177;
  second.compact_pointers = {{0, MakeInternalKey("key002998", 2799, ValueKind::kValue)}};
  second.deleted_tables = {{0, 9}, {1, 7}};
  second.new_tables = {TableMeta{1, 12, 31'471,
                                 MakeInternalKey("key000001", 1779, ValueKind::kValue),
                                 MakeInternalKey("key\xff", 1400, ValueKind::kDeletion)}};
  std::string records[2];
  first.EncodeTo(&records[0]);
  second.EncodeTo(&records[1]);
  Make("MANIFEST-000002", Log({records[0], records[1], "\x02"}));
  EXPECT_EQ(Dump("MANIFEST-000002"),
            "--- offset 0; VersionEdit {\n  Comparator: leveldb.BytewiseComparator\n}\n"
            "--- offset 35; VersionEdit {\n  LogNumber: 10\n  PrevLogNumber: 0\n  NextFile: 13\n"
            "  LastSeq: 3177\n  CompactPointer: 0 'key002998' @ 2799 : 1\n  RemoveFile: 0 9\n"
            "  RemoveFile: 1 7\n"
            "  AddFile: 1 12 31471 'key000001' @ 1779 : 1 .. 'key\\xff' @ 1400 : 0\n}\n"
            "--- offset 114; Corruption: VersionEdit: log number\n");
  EXPECT_TRUE(status_.ok());
}

TEST_F(DumpFileTest, Table) {
  for (const char* name : {"000030.ldb", "000030.sst"}) {
    WrittenFile file;
    MemoryWritable writable(&file);
    leveldb::TableBuilder builder(leveldb::Options(), &writable);
    builder.Add("abc", "v");
    builder.Add("abd12345678", "");
    builder.Add(MakeInternalKey("k1", 7, ValueKind::kDeletion), "gone");
    builder.Add(MakeInternalKey("k2", 9, ValueKind::kValue), "x\ny");
    ASSERT_TRUE(builder.Finish().ok());
    Make(name, file.bytes);
    EXPECT_EQ(Dump(name),
              "badkey 'abc' => 'v'\nbadkey 'abd12345678' => ''\n'k1' @ 7 : del => 'gone'\n"
              "'k2' @ 9 : val => 'x\\x0ay'\n");
    EXPECT_TRUE(status_.ok());
    file.bytes[3] ^= 1;
    Make(name, file.bytes);
    EXPECT_THAT(Dump(name), HasSubstr("iterator error: Corruption: "));
    Make(name, "too short");
    EXPECT_EQ(Dump(name), "");
    EXPECT_TRUE(status_.IsCorruption());
  }
}

TEST_F(DumpFileTest, OtherFiles) {
  for (const char* name : {"CURRENT", "LOCK", "LOG", "000001.dbtmp"}) {
    EXPECT_EQ(Dump(name), "");
    EXPECT_EQ(status_.ToString(),
              "Invalid argument: " + dir_.File(name) + ": not a dump-able file type");
  }
  for (const char* name : {"nothing", "nothing.log", "lost"}) {
    EXPECT_EQ(Dump(name), "");
    EXPECT_EQ(status_.ToString(), "Invalid argument: " + dir_.File(name) + ": unknown file type");
  }
  for (const char* name : {"000001.log", "000001.ldb", "MANIFEST-000001"}) {
    EXPECT_EQ(Dump(name), "");
    EXPECT_TRUE(status_.IsNotFound()) << name;
  }
}

TEST_F(DumpFileTest, ReportsAFailingDestination) {
  leveldb::WriteBatch batch;
  for (int i = 0; i < 10; ++i) batch.Put("k", "v");
  Make("000010.log", Log({Batch(1, &batch), Batch(11, &batch)}));
  WrittenFile full;
  full.appends_until_failure = 3;
  MemoryWritable file(&full);
  EXPECT_TRUE(
      leveldb::DumpFile(leveldb::Env::Default(), dir_.File("000010.log"), &file).IsIOError());
  EXPECT_EQ(full.appends, 4);
}

}  // namespace
}  // namespace lull
