// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// RepairDB saves every record of a damaged WAL whose checksum is valid, and no other.
#include "db/recovery/salvage.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "db/base/filename.h"
#include "db/memory/batch_format.h"
#include "db/wal/log_writer.h"
#include "db/wal/wal_reader.h"
#include "leveldb/db.h"
#include "leveldb/filter_policy.h"
#include "leveldb/write_batch.h"
#include "lull/lull.h"
#include "table/format.h"
#include "tests/db/support/lines_logger.h"
#include "tests/db/support/memory_files.h"
#include "tests/db/support/small_store.h"
#include "tests/db/support/store_files.h"
#include "tests/db/support/table_names.h"
#include "tests/support/crash_env.h"

namespace lull::testing {
namespace {

using ::testing::HasSubstr;

class DamagedWalTest : public ::testing::Test {
 protected:
  static constexpr int kRecords = 100;  // 1 KiB each: four blocks

  std::string Log(SequenceNumber first, const std::string& value) {
    std::vector<std::string> records;
    for (int i = 0; i < kRecords; ++i) {
      records.push_back("k" + std::to_string(100 + i) + "@" + std::to_string(first + i) + "=" +
                        value + std::to_string(i) + std::string(1000, 'v'));
    }
    const std::string path = LogFileName(kStoreName, files_.AddWal(records, first));
    const std::string bytes = FileBytes(&env_, path);
    EXPECT_TRUE(env_.RemoveFile(path).ok());
    return bytes;
  }

  std::map<std::string, std::string> Repaired(const std::string& log) {
    StoreFiles files(&env_, kStoreName);
    const uint64_t number = files.context()->NewFileNumber() + 1000;
    EXPECT_TRUE(leveldb::WriteStringToFile(&env_, log, LogFileName(kStoreName, number)).ok());
    files.WriteManifest(number);
    leveldb::Options options = files_.options();
    options.info_log = &lines_;
    EXPECT_EQ(leveldb::RepairDB(kStoreName, options).ToString(), "OK");
    const StoreReading reading = ReadStore(options, kStoreName);
    EXPECT_EQ(reading.status.ToString(), "OK");
    for (const std::string& directory : {std::string(kStoreName), LostDirectoryName(kStoreName)}) {
      std::vector<std::string> names;
      env_.GetChildren(directory, &names);
      for (const std::string& name : names) env_.RemoveFile(directory + "/" + name);
    }
    return reading.found;
  }

  CrashEnv env_;
  StoreFiles files_{&env_, kStoreName};
  LinesLogger lines_;
};

TEST_F(DamagedWalTest, OneByteCostsOneRecord) {
  const std::string whole = Log(1, "");
  ASSERT_EQ(Repaired(whole).size(), size_t{kRecords});
  EXPECT_THAT(lines_.TakeText(), ::testing::Not(HasSubstr("offset")));
  size_t at = log::kBlockBytes;  // the second block begins in the middle of a record
  at += log::kHeaderBytes + static_cast<uint8_t>(whole[at + 4]) +
        256 * static_cast<uint8_t>(whole[at + 5]);
  for (const size_t byte : {0, 3, 4, 5, 6, 7, 10, 20, 500, 1000}) {
    std::string damaged = whole;
    damaged[at + byte] ^= 0x04;
    EXPECT_EQ(Repaired(damaged).size(), size_t{kRecords - 1}) << byte;
    const std::string text = lines_.TakeText();
    EXPECT_THAT(text, HasSubstr("at offset " + std::to_string(at)));
    EXPECT_THAT(text, HasSubstr("the next record that can be read begins at offset"));
  }
}

// A value may contain a log whose records have valid checksums.
TEST_F(DamagedWalTest, ALogInsideAValueIsNoPartOfTheLog) {
  WrittenFile inner;
  log::Writer inner_writer(std::make_unique<MemoryWritable>(&inner));
  const auto batch_of = [](const std::string& key, const std::string& value,
                           SequenceNumber sequence) {
    leveldb::WriteBatch batch;
    batch.Put(key, value);
    batch::SetSequence(&batch, sequence);
    return batch::Contents(batch).ToString();
  };
  ASSERT_TRUE(inner_writer.AddRecord(batch_of("inner", "x", 7)).ok());
  WrittenFile outer;
  log::Writer writer(std::make_unique<MemoryWritable>(&outer));
  ASSERT_TRUE(writer.AddRecord(WalPreamble(1)).ok());
  const size_t at = outer.bytes.size();
  const std::string value = inner.bytes + std::string(100, '\0');
  ASSERT_TRUE(writer.AddRecord(batch_of("a", value, 1)).ok());
  ASSERT_TRUE(writer.AddRecord(batch_of("b", "y", 2)).ok());
  for (const size_t byte : {0, 4, 6, 30}) {
    std::string damaged = outer.bytes + std::string(5000, '\0');
    damaged[at + byte] ^= 0x01;
    const auto found = Repaired(damaged);
    EXPECT_EQ(found.size(), 1u) << byte;
    EXPECT_TRUE(found.contains("b"));
  }
}

// Records of an older log in the file are never replayed, whatever part of the newer is damaged.
TEST_F(DamagedWalTest, WhatARecycledFileHeldBeforeDoesNotComeBack) {
  const std::string older = Log(1, "older");
  const std::string younger = Log(1001, "y").substr(0, 40'000);
  std::string recycled = older;
  for (size_t block = log::kBlockBytes; block < recycled.size(); block += log::kBlockBytes) {
    std::fill_n(recycled.begin() + block, log::kHeaderBytes, '\0');
  }
  recycled.replace(0, younger.size(), younger);
  // The newer log ends in the middle of a record, as after a power loss; later at a record's end.
  const size_t own = Repaired(recycled).size();
  EXPECT_GT(own, 30u);
  EXPECT_LT(own, 45u);
  for (size_t at = 0; at < younger.size(); at += 97) {
    for (const size_t bytes : {size_t{1}, size_t{512}, younger.size() - at}) {
      std::string damaged = recycled;
      for (size_t i = at; i < std::min(at + bytes, younger.size()); ++i) damaged[i] ^= 0x55;
      for (const auto& [key, value] : Repaired(damaged)) {
        ASSERT_TRUE(value.starts_with("y")) << "at " << at << ", " << bytes << " bytes: " << key;
      }
    }
  }
}

// Whatever a reader needs of the table: this one has no filter policy, and skips the filter.
TEST(ScanTableTest, NoticesAFlippedByteOfAnyBlock) {
  CrashEnv disk;
  const std::unique_ptr<const leveldb::FilterPolicy> policy(leveldb::NewBloomFilterPolicy(10));
  leveldb::Options options = SmallOptions(&disk);
  options.filter_policy = policy.get();
  std::unique_ptr<leveldb::DB> db;
  ASSERT_TRUE(OpenAt(options, kStoreName, &db).ok());
  for (int i = 0; i < 20; ++i) ASSERT_TRUE(db->Put({}, std::to_string(i), "value").ok());
  ASSERT_TRUE(Flush(db.get()).ok());
  db.reset();

  options.filter_policy = nullptr;
  StoreContext context(options);
  context.name = kStoreName;
  const std::string path = std::string(kStoreName) + "/" + *TableNames(&disk, kStoreName).begin();
  const std::string whole = FileBytes(&disk, path);
  TableScan scan;
  ASSERT_TRUE(ScanTable(context, 1, path, &scan).ok());
  ASSERT_EQ(scan.damage.ToString(), "OK");
  ASSERT_EQ(scan.meta_damage.ToString(), "OK");
  for (size_t at = 0; at + kFooterBytes < whole.size(); ++at) {
    std::string damaged = whole;
    damaged[at] ^= 0x10;
    ASSERT_TRUE(leveldb::WriteStringToFile(&disk, damaged, path).ok());
    ASSERT_TRUE(ScanTable(context, 1, path, &scan).ok());
    EXPECT_FALSE(scan.damage.ok() && scan.meta_damage.ok())
        << "byte " << at << " of " << whole.size();
  }
}

}  // namespace
}  // namespace lull::testing
