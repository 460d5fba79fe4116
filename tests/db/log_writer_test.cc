// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "db/wal/log_writer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "tests/db/memory_files.h"
#include "util/coding.h"
#include "util/crc32c.h"

namespace lull::log {
namespace {

using lull::testing::MemoryWritable;
using lull::testing::WrittenFile;

std::unique_ptr<MemoryWritable> Open(WrittenFile* file) {
  return std::make_unique<MemoryWritable>(file);
}

std::string FragmentBytes(int type, const std::string& payload) {
  const std::string checked = std::string(1, static_cast<char>(type)) + payload;
  std::string bytes;
  PutFixed32(&bytes, crc32c::Mask(crc32c::Value(checked.data(), checked.size())));
  bytes.push_back(static_cast<char>(payload.size() & 0xff));
  bytes.push_back(static_cast<char>(payload.size() >> 8));
  return bytes + checked;
}

TEST(LogWriterTest, BytesOfAShortRecord) {
  WrittenFile file;
  Writer writer(Open(&file));
  ASSERT_TRUE(writer.AddRecord("hello").ok());
  EXPECT_EQ(file.bytes, FragmentBytes(1, "hello"));
  EXPECT_EQ(writer.FileBytes(), file.bytes.size());
}

// A log written by LevelDB 1.23: an empty batch, then one with a single put.
TEST(LogWriterTest, SameBytesAsLevelDB) {
  const std::string empty_batch("\x6e\x0c\0\0\0\0\0\0\0\0\0\0", 12);
  const std::string one_put("\x6e\x0c\0\0\0\0\0\0\x01\0\0\0\x01\x02k2\x02v2", 19);
  const std::string expected(
      "\x0c\xfd\xa2\x0c\x0c\0\x01\x6e\x0c\0\0\0\0\0\0\0\0\0\0"
      "\xad\xaf\x1d\x66\x13\0\x01\x6e\x0c\0\0\0\0\0\0\x01\0\0\0\x01\x02k2\x02v2",
      45);
  WrittenFile file;
  Writer writer(Open(&file));
  ASSERT_TRUE(writer.AddRecord(empty_batch).ok());
  ASSERT_TRUE(writer.AddRecord(one_put).ok());
  EXPECT_EQ(file.bytes, expected);
}

TEST(LogWriterTest, OneAppendAndOneFlushWhereTheRecordFits) {
  WrittenFile file;
  Writer writer(Open(&file));
  for (int i = 1; i <= 100; ++i) {
    ASSERT_TRUE(writer.AddRecord(std::string(130, 'x')).ok());
    EXPECT_EQ(file.appends, i);
    EXPECT_EQ(file.flushes, i);
  }
  EXPECT_EQ(file.syncs, 0);
}

TEST(LogWriterTest, LongRecordsAreCutAtBlocks) {
  WrittenFile file;
  Writer writer(Open(&file));
  std::string record;
  for (int i = 0; record.size() < 80'000; ++i) record += std::to_string(i);
  ASSERT_TRUE(writer.AddRecord(record).ok());
  constexpr size_t kRoom = kBlockBytes - kHeaderBytes;
  EXPECT_EQ(file.bytes, FragmentBytes(2, record.substr(0, kRoom)) +
                            FragmentBytes(3, record.substr(kRoom, kRoom)) +
                            FragmentBytes(4, record.substr(2 * kRoom)));
  EXPECT_EQ(file.appends, 3);
  EXPECT_EQ(file.flushes, 1);
}

// Every possible remainder of a block, from zero bytes to just over a header.
TEST(LogWriterTest, TailOfABlock) {
  for (size_t rest = 0; rest <= kHeaderBytes + 2; ++rest) {
    SCOPED_TRACE(rest);
    WrittenFile file;
    Writer writer(Open(&file));
    const std::string first(kBlockBytes - kHeaderBytes - rest, 'a');
    ASSERT_TRUE(writer.AddRecord(first).ok());
    ASSERT_TRUE(writer.AddRecord("xyz").ok());
    std::string expected = FragmentBytes(1, first);
    if (rest < kHeaderBytes) {
      expected += std::string(rest, '\0') + FragmentBytes(1, "xyz");
      EXPECT_EQ(file.appends, 2);
    } else {
      const size_t fits = rest - kHeaderBytes;
      expected += FragmentBytes(2, std::string("xyz").substr(0, fits)) +
                  FragmentBytes(4, std::string("xyz").substr(fits));
    }
    EXPECT_EQ(file.bytes, expected);
    EXPECT_EQ(writer.FileBytes(), expected.size());
  }
}

TEST(LogWriterTest, AppendsBehindExistingContent) {
  WrittenFile whole, second;
  Writer writer(Open(&whole));
  ASSERT_TRUE(writer.AddRecord(std::string(32'000, 'a')).ok());
  const std::string before = whole.bytes;
  Writer continued(Open(&second), before.size());
  for (Writer* each : {&writer, &continued}) {
    ASSERT_TRUE(each->AddRecord(std::string(5000, 'b')).ok());
    ASSERT_TRUE(each->AddRecord("").ok());
  }
  EXPECT_EQ(before + second.bytes, whole.bytes);
  EXPECT_EQ(continued.FileBytes(), whole.bytes.size());
}

TEST(LogWriterTest, NothingIsAcceptedBehindAFailedAppend) {
  WrittenFile file;
  Writer writer(Open(&file));
  ASSERT_TRUE(writer.AddRecord("first").ok());
  file.appends_until_failure = 0;
  file.failed_append_keeps = 3;
  const leveldb::Status failure = writer.AddRecord("second");
  ASSERT_FALSE(failure.ok());
  file.appends_until_failure = -1;  // the disk has room again
  const std::string bytes = file.bytes;
  EXPECT_EQ(writer.AddRecord("third").ToString(), failure.ToString());
  EXPECT_EQ(writer.Sync().ToString(), failure.ToString());
  EXPECT_EQ(writer.Close().ToString(), failure.ToString());
  EXPECT_EQ(writer.status().ToString(), failure.ToString());
  EXPECT_EQ(file.bytes, bytes);
  EXPECT_EQ(file.syncs, 0);
}

TEST(LogWriterTest, AFailureInTheMiddleOfARecordEndsIt) {
  WrittenFile file;
  Writer writer(Open(&file));
  file.appends_until_failure = 1;
  EXPECT_FALSE(writer.AddRecord(std::string(100'000, 'x')).ok());
  EXPECT_EQ(file.appends, 2);
}

TEST(LogWriterTest, FailedFlushAndSyncAreFinalToo) {
  for (const bool sync : {false, true}) {
    WrittenFile file;
    Writer writer(Open(&file));
    (sync ? file.sync_fails : file.flush_fails) = true;
    EXPECT_EQ(writer.AddRecord("a").ok(), sync);
    EXPECT_FALSE(writer.Sync().ok());
    file.sync_fails = file.flush_fails = false;
    EXPECT_FALSE(writer.AddRecord("b").ok());
    EXPECT_FALSE(writer.Sync().ok());
  }
}

}  // namespace
}  // namespace lull::log
