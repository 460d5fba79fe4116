// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Damaged tables: an error or the correct data, never wrong data, never a crash.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "leveldb/filter_policy.h"
#include "table/compression.h"
#include "table/format.h"
#include "tests/table/table_test_util.h"
#include "tests/util/threads.h"

namespace lull::testing {
namespace {

using ::testing::HasSubstr;

class TableDamageTest : public ::testing::Test {
 protected:
  std::string Build(Codec compression, size_t count, const KeyOrder& order, uint64_t seed) {
    Random random(seed);
    entries_ = std::make_unique<Entries>(RandomEntries(&random, order, count, 60));
    read_.order = order;
    read_.filter_policy = bloom_.get();
    return BuildTable({.order = order,
                       .filter_policy = bloom_.get(),
                       .block_bytes = 200,
                       .block_restart_interval = 4,
                       .compression = compression},
                      *entries_);
  }

  /// Checks that every answer of a table is correct or an error. Returns whether all were answered.
  bool AnswersAreRight(const std::string& bytes, const BlockReadOptions& options) {
    std::unique_ptr<TableReader> reader;
    if (!OpenTableBytes(read_, bytes, &reader).ok()) return false;
    bool complete = true;
    for (const auto& [key, value] : *entries_) {
      Found found;
      if (GetInto(*reader, options, key, &found).ok()) {
        EXPECT_TRUE(found.called);
        EXPECT_EQ(value, found.value);
      } else {
        complete = false;
      }
    }
    const std::unique_ptr<Iterator> iterator = reader->NewIterator(options);
    auto expected = entries_->begin();
    for (iterator->SeekToFirst(); iterator->Valid(); iterator->Next(), ++expected) {
      EXPECT_NE(expected, entries_->end());
      if (expected == entries_->end()) return false;
      EXPECT_EQ(expected->first, iterator->key().ToString());
      EXPECT_EQ(expected->second, iterator->value().ToString());
    }
    EXPECT_NE(expected == entries_->end(), !iterator->status().ok());
    auto backward = entries_->rbegin();
    for (iterator->SeekToLast(); iterator->Valid(); iterator->Prev(), ++backward) {
      EXPECT_NE(backward, entries_->rend());
      if (backward == entries_->rend()) return false;
      EXPECT_EQ(backward->first, iterator->key().ToString());
    }
    EXPECT_NE(backward == entries_->rend(), !iterator->status().ok());
    return complete && iterator->status().ok();
  }

  /// Reads everything, for tables whose data may be wrong because nothing checks it.
  void Exercise(const std::string& bytes, const BlockReadOptions& options) {
    std::unique_ptr<TableReader> reader;
    if (!OpenTableBytes(read_, bytes, &reader).ok()) return;
    const std::unique_ptr<Iterator> iterator = reader->NewIterator(options);
    size_t steps = 0;
    for (iterator->SeekToFirst(); iterator->Valid(); iterator->Next()) ASSERT_LT(++steps, 100000u);
    for (iterator->SeekToLast(); iterator->Valid(); iterator->Prev()) ASSERT_LT(++steps, 200000u);
    for (const auto& [key, value] : *entries_) {
      Found found;
      GetInto(*reader, options, key, &found);
      iterator->Seek(key);
      if (iterator->Valid()) iterator->Prev();
      reader->ApproximateOffsetOf(key);
    }
  }

  const std::unique_ptr<const leveldb::FilterPolicy> bloom_{leveldb::NewBloomFilterPolicy(10)};
  TableReadOptions read_;
  std::unique_ptr<Entries> entries_;
};

TEST(TableSourceTest, ABlockLiesInTheFileAndIsNoLongerThanItsOffsetsCanTell) {
  TableSource source;
  source.file_bytes = 3 * kBlockBytesMax;
  source.name = "t.ldb";
  const auto check = [&](uint64_t offset, uint64_t size) {
    return source.CheckHandle(BlockHandle{offset, size}).ToString();
  };
  EXPECT_EQ(check(10, kBlockBytesMax), "OK");
  EXPECT_EQ(check(10, kBlockBytesMax + 1),
            "Corruption: t.ldb: at offset 10: block is impossibly long");
  EXPECT_EQ(check(source.file_bytes - 15, 10), "OK");
  for (const uint64_t size : {uint64_t{11}, source.file_bytes, UINT64_MAX})
    EXPECT_THAT(check(source.file_bytes - 15, size), HasSubstr("beyond the end")) << size;
  for (const uint64_t offset : {source.file_bytes - 4, UINT64_MAX - 2, UINT64_MAX})
    EXPECT_THAT(check(offset, 5), HasSubstr("beyond the end")) << offset;
}

TEST_F(TableDamageTest, EveryFlippedByteIsNoticedOrHarmless) {
  for (const Codec codec : kCodecs) {
    const std::string good = Build(codec, 40, InternalOrder(), 11);
    ASSERT_TRUE(AnswersAreRight(good, {}));
    size_t noticed = 0;
    for (size_t i = 0; i < good.size(); ++i) {
      SCOPED_TRACE("byte " + std::to_string(i));
      std::string bad = good;
      bad[i] = static_cast<char>(bad[i] ^ (1 << (i % 8)));
      BlockReadOptions options;
      options.verify_checksums = true;
      options.readahead_bytes = i % 3 == 0 ? 512 : 0;
      noticed += AnswersAreRight(bad, options) ? 0 : 1;
      ASSERT_FALSE(HasFailure());
      options.verify_checksums = false;
      ASSERT_NO_FATAL_FAILURE(Exercise(bad, options));
    }
    // Only damage in filter and metaindex blocks and in the footer's padding may go unnoticed.
    EXPECT_GT(noticed, good.size() * 3 / 4);
  }
}

TEST_F(TableDamageTest, EveryTruncationIsAnError) {
  const std::string good = Build(Codec::kSnappy, 40, UserOrder(), 12);
  for (size_t size = 0; size < good.size(); ++size) {
    std::unique_ptr<TableReader> reader;
    const Status cut = OpenTableBytes(read_, good.substr(0, size), &reader);
    ASSERT_TRUE(cut.IsCorruption()) << size;
    ASSERT_EQ(nullptr, reader);
    ASSERT_NE(std::string::npos, cut.ToString().find("the_table")) << cut.ToString();
    // The file is shorter than its owner believes.
    const Status shorter = TableReader::Open(
        read_, std::make_unique<MemoryFile>(good.substr(0, size)), good.size(), &reader);
    ASSERT_FALSE(shorter.ok()) << size;
  }
}

class BadSectorTest : public TableDamageTest {
 protected:
  const std::string bytes_ = Build(Codec::kNone, 3000, UserOrder(), 13);
  FileProbe probe_;
  const std::unique_ptr<TableReader> reader_ = OpenedTable(read_, bytes_, &probe_);
};

TEST_F(BadSectorTest, FailsWhatNeedsItUntilItCanBeRead) {
  ASSERT_GT(bytes_.size(), 80000u);  // more than an open reads
  probe_.bad_begin = 0;
  probe_.bad_end = 10000;
  const std::unique_ptr<Iterator> iterator = reader_->NewIterator({});
  iterator->SeekToFirst();
  EXPECT_FALSE(iterator->Valid());
  EXPECT_TRUE(iterator->status().IsIOError());
  iterator->SeekToLast();
  EXPECT_TRUE(iterator->Valid());
  EXPECT_TRUE(iterator->status().ok());
  size_t seen = 0;
  for (; iterator->Valid(); iterator->Prev()) ++seen;
  EXPECT_TRUE(iterator->status().IsIOError());
  EXPECT_GT(seen, entries_->size() / 2);
  Found found;
  EXPECT_TRUE(GetInto(*reader_, {}, entries_->begin()->first, &found).IsIOError());
  EXPECT_FALSE(found.called);
  probe_.bad_end = 0;  // the device has recovered
  ExpectHolds(iterator.get(), *entries_);
}

TEST_F(BadSectorTest, IsNotSpreadByReadahead) {
  probe_.bad_begin = 12000;
  probe_.bad_end = 12001;
  BlockReadOptions options;
  options.readahead_bytes = 1 << 20;
  const std::unique_ptr<Iterator> iterator = reader_->NewIterator(options);
  iterator->SeekToFirst();
  std::string last;
  for (; iterator->Valid(); iterator->Next()) last = iterator->key().ToString();
  EXPECT_TRUE(iterator->status().IsIOError());
  EXPECT_GT(reader_->ApproximateOffsetOf(last) + 400, 12000u);

  // For salvage the iterator skips the one block.
  options.skip_damaged_blocks = true;
  const std::unique_ptr<Iterator> salvage = reader_->NewIterator(options);
  size_t seen = 0;
  for (salvage->SeekToFirst(); salvage->Valid(); salvage->Next(), ++seen) {
    ASSERT_EQ(entries_->at(salvage->key().ToString()), salvage->value().ToString());
  }
  EXPECT_TRUE(salvage->status().IsIOError());
  EXPECT_LT(seen, entries_->size());
  EXPECT_GT(seen, entries_->size() - 60);
  size_t seen_backward = 0;
  for (salvage->SeekToLast(); salvage->Valid(); salvage->Prev()) ++seen_backward;
  EXPECT_EQ(seen, seen_backward);
}

TEST_F(TableDamageTest, ErrorsNameFileOffsetAndCause) {
  std::string bad = Build(Codec::kNone, 40, UserOrder(), 15);
  bad[5] = static_cast<char>(bad[5] ^ 1);
  Found found;
  const Status status = GetInto(*OpenedTable(read_, bad), {.verify_checksums = true},
                                entries_->begin()->first, &found);
  EXPECT_EQ("Corruption: the_table: at offset 0: block checksum mismatch", status.ToString());
}

TEST_F(TableDamageTest, DamagedFilterHidesNothing) {
  const std::string good = Build(Codec::kNone, 40, UserOrder(), 16);
  Footer footer;
  ASSERT_EQ(nullptr, footer.DecodeFrom(
                         leveldb::Slice(good.data() + good.size() - kFooterBytes, kFooterBytes)));
  for (const uint64_t place :
       {footer.metaindex.offset - kBlockTrailerBytes - 20, footer.metaindex.offset + 3}) {
    std::string bad = good;
    for (uint64_t i = place; i < place + 10; ++i) bad[i] = '\0';
    EXPECT_TRUE(AnswersAreRight(bad, {}));
    TableReadOptions paranoid = read_;
    paranoid.paranoid_checks = true;
    std::unique_ptr<TableReader> reader;
    EXPECT_TRUE(OpenTableBytes(paranoid, bad, &reader).IsCorruption());
  }
}

TEST(FormatTest, ABlockOfALibraryThatThisBuildLacksNamesIt) {
  EXPECT_EQ(MissingLibrary(Codec::kNone), nullptr);
  for (const Codec codec : {Codec::kSnappy, Codec::kZstd, Codec::kZlib, Codec::kZlibRaw}) {
    const char* const library = MissingLibrary(codec);
    const std::string header = codec == Codec::kZlib ? "\x78\x9c" : "\x05";
    const Status status = DecodeBlock(header + " no compressed data", TypeByte(codec));
    EXPECT_EQ(status.IsNotSupportedError(), library != nullptr) << status.ToString();
    EXPECT_EQ(status.IsCorruption(), library == nullptr) << status.ToString();
    if (library == nullptr) continue;
    EXPECT_THAT(status.ToString(), HasSubstr("file: at offset 0: needs " + std::string(library)));
  }
}

TEST(FormatTest, OnlyACorrectChecksumMakesAnUnknownCompressionMoreThanDamage) {
  for (const int type : {3, 5, 255}) {
    EXPECT_EQ(DecodeBlock("data", type).ToString(),
              "Not implemented: file: at offset 0: compression " + std::to_string(type) +
                  " is not supported");
    ByteBuffer buffer;
    leveldb::Slice contents;
    const std::string stored = std::string("data") + static_cast<char>(type) + "crc?";
    for (const bool verify : {false, true}) {
      EXPECT_TRUE(DecodeStored({nullptr, 0, "file"}, {}, stored, verify, &buffer, &contents)
                      .IsCorruption());
    }
  }
}

TEST(FormatTest, TablesOfOtherDatabasesAreNamed) {
  std::unique_ptr<TableReader> reader;
  const std::pair<uint64_t, const char*> owners[] = {{0x88e241b785f4cff7, "RocksDB"},
                                                     {0xb3aa9ff0b3aa9ff0, "Pebble"}};
  for (const auto& [magic, owner] : owners) {
    std::string bytes(100, '\0');
    PutFixed64(&bytes, magic);
    const Status status = OpenTableBytes({}, bytes, &reader);
    EXPECT_TRUE(status.IsNotSupportedError()) << status.ToString();
    EXPECT_THAT(status.ToString(), HasSubstr(owner));
  }
}

TEST(FormatTest, AbsurdLengthsAreRefusedBeforeMemoryIsTaken) {
  if (LacksALibrary()) GTEST_SKIP() << "a build without snappy or zstd";
  const std::string snappy_4gib("\xff\xff\xff\xff\x0f", 5);
  for (const std::string& stored : {snappy_4gib + "abc", std::string("\x05") + "abc", {}})
    EXPECT_TRUE(DecodeBlock(stored, 1).IsCorruption());
  const std::string zstd_2_to_the_60("\x28\xb5\x2f\xfd\xe0\0\0\0\0\0\0\0\x10\1\0\0", 16);
  for (const std::string& stored : {zstd_2_to_the_60, std::string("no zstd frame"), {}})
    EXPECT_TRUE(DecodeBlock(stored, 2).IsCorruption());
  EXPECT_TRUE(DecodeBlock("abc", 0).ok());
}

TEST(FormatTest, CompressionAtItsDensestIsAccepted) {
  if (LacksALibrary()) GTEST_SKIP() << "a build without snappy or zstd";
  const std::string zeros(64 << 20, '\0');
  Compressor compressor;
  for (const Codec codec : {Codec::kZstd, Codec::kZlib, Codec::kZlibRaw}) {
    Codec used;
    const leveldb::Slice dense = compressor.Run(codec, 19, zeros, &used);
    ASSERT_EQ(used, codec);
    EXPECT_TRUE(DecodeBlock(dense.ToString(), TypeByte(codec)).ok()) << dense.size();
  }
}

std::string Decompressed(const std::string& stored) {
  ByteBuffer buffer;
  leveldb::Slice contents;
  const char* const cause = Decompress(Codec::kZstd, leveldb::Slice(stored), &buffer, &contents);
  return cause == nullptr ? contents.ToString() : cause;
}

// The object is older than whatever the library has for the thread, so it is destroyed later.
TEST(FormatTest, TheObjectsOfAnEndingThreadCanRead) {
  if (LacksALibrary()) GTEST_SKIP() << "a build without snappy or zstd";
  Compressor compressor;
  Codec used;
  const std::string raw(4000, 'r');
  const std::string stored = compressor.Run(Codec::kZstd, 1, leveldb::Slice(raw), &used).ToString();
  ASSERT_EQ(used, Codec::kZstd);
  struct OfThread {
    ~OfThread() {
      if (result != nullptr) *result = Decompressed(*stored);
    }
    const std::string* stored = nullptr;
    std::string* result = nullptr;
  };
  std::string result;
  RunThreads(1, [&](int) {
    thread_local OfThread object;
    object.stored = &stored;
    EXPECT_EQ(Decompressed(stored), raw);
    object.result = &result;
  });
  EXPECT_EQ(result, raw);
}

}  // namespace
}  // namespace lull::testing
