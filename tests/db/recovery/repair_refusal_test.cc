// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// What is intact but cannot be read is not damaged: RepairDB says so and changes nothing.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>

#include "db/base/filename.h"
#include "db/wal/log_writer.h"
#include "leveldb/db.h"
#include "table/format.h"
#include "tests/db/recovery/repair_fixture.h"
#include "tests/support/option_sets.h"
#include "util/coding.h"
#include "util/crc32c.h"

namespace lull {
namespace {

using testing::AllFiles;
using ::testing::HasSubstr;
using testing::kStoreName;
using testing::StoreFiles;

// Without a MANIFEST that names it, only the files themselves show the comparator.
class RefusalTest : public testing::RepairTest {
 protected:
  RefusalTest() { options_ = files_.options(); }

  void ExpectRefusal(const std::string& cause) {
    const auto before = AllFiles(&env_);
    const leveldb::Status status = leveldb::RepairDB(kStoreName, options_);
    EXPECT_TRUE(status.IsInvalidArgument() || status.IsNotSupportedError()) << status.ToString();
    EXPECT_THAT(status.ToString(), HasSubstr(cause));
    EXPECT_EQ(AllFiles(&env_), before);
    leveldb::DB* db = nullptr;
    const leveldb::Status opened = leveldb::DB::Open(options_, kStoreName, &db);
    EXPECT_FALSE(opened.ok());
    delete db;
  }
  void Flip(const std::string& path, size_t at) {
    std::string bytes;
    ASSERT_TRUE(leveldb::ReadFileToString(&env_, path, &bytes).ok());
    ASSERT_TRUE(env_.Corrupt(path, at, std::string(1, static_cast<char>(bytes[at] ^ 1))));
  }
  // Replaces the type of the table's first block, which ends before `next_block`, and its checksum.
  void SetCompression(const std::string& path, const std::string& next_block, char type) {
    std::string bytes;
    ASSERT_TRUE(leveldb::ReadFileToString(&env_, path, &bytes).ok());
    const size_t end = bytes.find(next_block) - kBlockTrailerBytes;
    bytes[end] = type;
    std::string crc;
    PutFixed32(&crc, crc32c::Mask(crc32c::Value(bytes.data(), end + 1)));
    ASSERT_TRUE(env_.Corrupt(path, end, type + crc));
  }

  leveldb::Options options_;
};

TEST_F(RefusalTest, IntactBlocksInAnotherOrderMeanAnotherComparator) {
  for (const size_t block_bytes : {size_t{1}, size_t{4096}}) {  // in the index, in a block
    StoreFiles files(&env_, kStoreName);
    files.SetBlockBytes(block_bytes);
    files.AddTable(1, "a@1=x b@2=y c@3=z");
    const uint64_t manifest = files.WriteManifest(0);
    ASSERT_TRUE(env_.Truncate(DescriptorFileName(kStoreName, manifest), 3));
    options_.comparator = testing::ReverseComparator();
    ExpectRefusal("not in the order of comparator");
  }
}

TEST_F(RefusalTest, ADamagedMiddleDoesNotHideTheOrder) {
  const uint64_t table = files_.AddTable(1, "a@1=x b@2=broken c@3=z");
  const uint64_t manifest = files_.WriteManifest(0);
  DamageAt(TablePath(table), "broken");
  ASSERT_TRUE(env_.Truncate(DescriptorFileName(kStoreName, manifest), 3));
  options_.comparator = testing::ReverseComparator();
  ExpectRefusal("not in the order of comparator");
}

TEST_F(RefusalTest, ADamagedManifestStillNamesTheComparator) {
  const uint64_t manifest = files_.WriteManifest(files_.AddWal({"b@1=x", "a@2=y"}));
  const std::string path = DescriptorFileName(kStoreName, manifest);
  std::string bytes;
  ASSERT_TRUE(leveldb::ReadFileToString(&env_, path, &bytes).ok());
  for (const size_t at : {size_t{0}, size_t{6}, size_t{7}, size_t{8}, size_t{12}, size_t{40}}) {
    SCOPED_TRACE(at);
    Flip(path, at);
    options_.comparator = testing::ReverseComparator();
    ExpectRefusal("another comparator");
    Flip(path, at);
  }
  Flip(path, 12);  // in the name itself
  EXPECT_EQ(Repair().text(), "a=y b=x");
}

TEST_F(RefusalTest, AnUnknownCompressionIsNoDamage) {
  const uint64_t table = files_.AddTable(1, "a@1=first b@2=broken c@3=z");
  files_.WriteManifest(0);
  SetCompression(TablePath(table), std::string("\0\x09\6b", 4), 4);
  DamageAt(TablePath(table), "broken");
  const auto before = AllFiles(&env_);
  const leveldb::Status status = leveldb::RepairDB(kStoreName, options_);
  EXPECT_EQ(status.ToString(), "Not implemented: " + TablePath(table) +
                                   ": at offset 0: compression 4 is not supported");
  EXPECT_EQ(AllFiles(&env_), before);
}

TEST_F(RefusalTest, AStoreOfAnotherDatabaseIsNamed) {
  const std::pair<const char*, const char*> owners[] = {
      {"[Version]\n  rocksdb_version=9.1.0\n", "is a RocksDB store; use its tool ldb"},
      {"[Version]\n  pebble_version=0.1\n", "is a Pebble store; use its tool pebble"}};
  files_.AddTable(1, "a@1=x");
  files_.WriteManifest(0);
  ASSERT_TRUE(env_.RemoveFile(CurrentFileName(kStoreName)).ok());
  for (const auto& [text, message] : owners) {
    ASSERT_TRUE(
        leveldb::WriteStringToFile(&env_, text, std::string(kStoreName) + "/OPTIONS-000007").ok());
    for (const bool create : {false, true}) {
      options_.create_if_missing = create;
      leveldb::DB* db = nullptr;
      EXPECT_THAT(leveldb::DB::Open(options_, kStoreName, &db).ToString(), HasSubstr(message));
    }
    ExpectRefusal(message);
  }
}

TEST_F(RefusalTest, SoIsAManifestWithTagsOfAnother) {
  files_.AddTable(1, "a@1=x");
  const uint64_t manifest = files_.WriteManifest(0);
  const std::string path = DescriptorFileName(kStoreName, manifest);
  std::string bytes;
  ASSERT_TRUE(leveldb::ReadFileToString(&env_, path, &bytes).ok());
  leveldb::WritableFile* file = nullptr;
  ASSERT_TRUE(env_.NewWritableFile(path, &file).ok());
  log::Writer writer{std::unique_ptr<leveldb::WritableFile>(file)};
  ASSERT_TRUE(writer.AddRecord("\x67\x01\x02").ok());  // 103: a new file with a checksum
  ASSERT_TRUE(writer.Sync().ok());
  ASSERT_TRUE(writer.Close().ok());
  ExpectRefusal("unknown tag 103");
}

}  // namespace
}  // namespace lull
