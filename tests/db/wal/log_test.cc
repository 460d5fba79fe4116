// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// What the log writer writes, and what the reader makes of it when it is damaged, torn or growing.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "db/wal/log_reader.h"
#include "db/wal/log_writer.h"
#include "tests/db/support/memory_files.h"
#include "tests/support/setting.h"
#include "util/coding.h"
#include "util/crc32c.h"
#include "util/random.h"

namespace lull::log {
namespace {

using lull::testing::MemorySequential;
using lull::testing::MemoryWritable;
using lull::testing::WrittenFile;
using ::testing::HasSubstr;

using Records = std::vector<std::string>;

std::string Written(const Records& records, uint64_t initial_bytes = 0) {
  WrittenFile file;
  Writer writer(std::make_unique<MemoryWritable>(&file), initial_bytes);
  for (const std::string& record : records) EXPECT_TRUE(writer.AddRecord(record).ok());
  return file.bytes;
}

std::string Fragment(int type, const std::string& payload) {
  const std::string checked = std::string(1, static_cast<char>(type)) + payload;
  std::string bytes;
  PutFixed32(&bytes, crc32c::Mask(crc32c::Value(checked.data(), checked.size())));
  bytes.push_back(static_cast<char>(payload.size() & 0xff));
  bytes.push_back(static_cast<char>(payload.size() >> 8));
  return bytes + checked;
}

struct Outcome {
  Records records;
  LogEnd end = LogEnd::kNone;
  leveldb::Status status;
  uint64_t valid_bytes = 0;
};

Outcome Read(std::unique_ptr<leveldb::SequentialFile> file, leveldb::Env* env = nullptr) {
  Reader reader(std::move(file), "x/000007.log", nullptr, env);
  Outcome outcome;
  leveldb::Slice record;
  while (reader.ReadRecord(&record)) {
    EXPECT_EQ(reader.end(), LogEnd::kNone);
    outcome.records.push_back(record.ToString());
  }
  outcome.end = reader.end();
  outcome.status = reader.status();
  outcome.valid_bytes = reader.ValidBytes();
  EXPECT_FALSE(reader.ReadRecord(&record)) << "the end is final";
  EXPECT_EQ(reader.end(), outcome.end);
  EXPECT_EQ(outcome.status.ok(), outcome.end == LogEnd::kClean || outcome.end == LogEnd::kTorn);
  return outcome;
}

Outcome Read(const std::string& bytes) { return Read(std::make_unique<MemorySequential>(bytes)); }

std::string Numbered(int i, size_t size) {
  std::string record = std::to_string(i) + ".";
  while (record.size() < size) record += record;
  record.resize(size);
  return record;
}

// Reads as a repair does.
Records Salvaged(const std::string& bytes, leveldb::Status* status = nullptr) {
  Reader reader(std::make_unique<MemorySequential>(bytes), "x/000007.log");
  reader.SkipFaults();
  Records records;
  leveldb::Slice record;
  while (reader.ReadRecord(&record)) records.push_back(record.ToString());
  if (status != nullptr) *status = reader.status();
  return records;
}

Records ManyRecords() {
  Records records;
  for (int i = 0; i < 600; ++i) records.push_back(Numbered(i, 250));
  return records;
}

bool IsSubsequence(const Records& part, const Records& whole) {
  auto next = whole.begin();
  return std::all_of(part.begin(), part.end(), [&](const std::string& record) {
    next = std::find(next, whole.end(), record);
    return next != whole.end() && next++ != whole.end();
  });
}

bool IsPrefix(const Records& part, const Records& whole) {
  return part.size() <= whole.size() && std::equal(part.begin(), part.end(), whole.begin());
}

// ---- the writer

class LogWriterTest : public ::testing::Test {
 protected:
  WrittenFile file_;
  Writer writer_{std::make_unique<MemoryWritable>(&file_)};
};

// A log written by LevelDB 1.23: an empty batch, then one with a single put.
TEST_F(LogWriterTest, SameBytesAsLevelDB) {
  const std::string empty_batch("\x6e\x0c\0\0\0\0\0\0\0\0\0\0", 12);
  const std::string one_put("\x6e\x0c\0\0\0\0\0\0\x01\0\0\0\x01\x02k2\x02v2", 19);
  const std::string expected(
      "\x0c\xfd\xa2\x0c\x0c\0\x01\x6e\x0c\0\0\0\0\0\0\0\0\0\0"
      "\xad\xaf\x1d\x66\x13\0\x01\x6e\x0c\0\0\0\0\0\0\x01\0\0\0\x01\x02k2\x02v2",
      45);
  ASSERT_TRUE(writer_.AddRecord(empty_batch).ok());
  ASSERT_TRUE(writer_.AddRecord(one_put).ok());
  EXPECT_EQ(file_.bytes, expected);
}

TEST_F(LogWriterTest, OneAppendAndOneFlushWhereTheRecordFits) {
  for (int i = 1; i <= 100; ++i) {
    ASSERT_TRUE(writer_.AddRecord(std::string(130, 'x')).ok());
    EXPECT_EQ(file_.appends, i);
    EXPECT_EQ(file_.flushes, i);
  }
  EXPECT_EQ(file_.syncs, 0);
}

TEST_F(LogWriterTest, LongRecordsAreCutAtBlocks) {
  std::string record;
  for (int i = 0; record.size() < 80'000; ++i) record += std::to_string(i);
  ASSERT_TRUE(writer_.AddRecord(record).ok());
  constexpr size_t kRoom = kBlockBytes - kHeaderBytes;
  EXPECT_EQ(file_.bytes, Fragment(2, record.substr(0, kRoom)) +
                             Fragment(3, record.substr(kRoom, kRoom)) +
                             Fragment(4, record.substr(2 * kRoom)));
  EXPECT_EQ(file_.appends, 3);
  EXPECT_EQ(file_.flushes, 1);
}

// Every possible remainder of a block, from zero bytes to just over a header.
TEST_F(LogWriterTest, TailOfABlock) {
  for (size_t rest = 0; rest <= kHeaderBytes + 2; ++rest) {
    SCOPED_TRACE(rest);
    WrittenFile file;
    Writer writer(std::make_unique<MemoryWritable>(&file));
    const std::string first(kBlockBytes - kHeaderBytes - rest, 'a');
    ASSERT_TRUE(writer.AddRecord(first).ok());
    ASSERT_TRUE(writer.AddRecord("xyz").ok());
    std::string expected = Fragment(1, first);
    if (rest < kHeaderBytes) {
      expected += std::string(rest, '\0') + Fragment(1, "xyz");
      EXPECT_EQ(file.appends, 2);
    } else {
      const size_t fits = rest - kHeaderBytes;
      expected += Fragment(2, std::string("xyz").substr(0, fits)) +
                  Fragment(4, std::string("xyz").substr(fits));
    }
    EXPECT_EQ(file.bytes, expected);
    EXPECT_EQ(writer.FileBytes(), expected.size());
    const Outcome read = Read(expected);
    EXPECT_EQ(read.records, (Records{first, "xyz"}));
    EXPECT_EQ(read.end, LogEnd::kClean);
  }
}

TEST_F(LogWriterTest, AppendsBehindExistingContent) {
  WrittenFile second;
  ASSERT_TRUE(writer_.AddRecord(std::string(32'000, 'a')).ok());
  const std::string before = file_.bytes;
  Writer continued(std::make_unique<MemoryWritable>(&second), before.size());
  for (Writer* each : {&writer_, &continued}) {
    ASSERT_TRUE(each->AddRecord(std::string(5000, 'b')).ok());
    ASSERT_TRUE(each->AddRecord("").ok());
  }
  EXPECT_EQ(before + second.bytes, file_.bytes);
  EXPECT_EQ(continued.FileBytes(), file_.bytes.size());
}

TEST_F(LogWriterTest, NothingIsAcceptedBehindAFailedAppend) {
  ASSERT_TRUE(writer_.AddRecord("first").ok());
  file_.appends_until_failure = 0;
  file_.failed_append_keeps = 3;
  const leveldb::Status failure = writer_.AddRecord("second");
  ASSERT_FALSE(failure.ok());
  file_.appends_until_failure = -1;  // the disk has room again
  const std::string bytes = file_.bytes;
  EXPECT_EQ(writer_.AddRecord("third").ToString(), failure.ToString());
  EXPECT_EQ(writer_.Sync().ToString(), failure.ToString());
  EXPECT_EQ(writer_.Close().ToString(), failure.ToString());
  EXPECT_EQ(writer_.status().ToString(), failure.ToString());
  EXPECT_EQ(file_.bytes, bytes);
  EXPECT_EQ(file_.syncs, 0);
}

TEST_F(LogWriterTest, FailedFlushAndSyncAreFinalToo) {
  for (const bool sync : {false, true}) {
    WrittenFile file;
    Writer writer(std::make_unique<MemoryWritable>(&file));
    (sync ? file.sync_fails : file.flush_fails) = true;
    EXPECT_EQ(writer.AddRecord("a").ok(), sync);
    EXPECT_FALSE(writer.Sync().ok());
    file.sync_fails = file.flush_fails = false;
    EXPECT_FALSE(writer.AddRecord("b").ok());
    EXPECT_FALSE(writer.Sync().ok());
  }
}

// ---- the reader

TEST(LogReaderTest, ReadsBackAllSizes) {
  Random random(42);
  Records records = {"", "a", "", Numbered(3, 32'761), Numbered(4, 32'762), Numbered(5, 200'000)};
  for (int i = 6; i < 500; ++i)
    records.push_back(Numbered(i, random.Uniform(i % 9 == 0 ? 9000 : 400)));
  const std::string bytes = Written(records);
  for (const size_t chunk : {SIZE_MAX, size_t{4096}, size_t{1000}}) {
    const Outcome read = Read(std::make_unique<MemorySequential>(bytes, chunk));
    EXPECT_EQ(read.records, records);
    EXPECT_EQ(read.end, LogEnd::kClean);
    EXPECT_EQ(read.valid_bytes, bytes.size());
  }
}

TEST(LogReaderTest, ZerosBehindTheLastRecordAreACleanEnd) {
  const std::string bytes = Written({"one", "two"});
  for (const size_t zeros : {1, 6, 7, 8, 100, 40'000, 4 << 20}) {
    const Outcome read = Read(bytes + std::string(zeros, '\0'));
    EXPECT_EQ(read.records, (Records{"one", "two"}));
    EXPECT_EQ(read.end, LogEnd::kClean) << zeros;
    EXPECT_EQ(read.valid_bytes, bytes.size());
  }
}

TEST(LogReaderTest, EveryTruncationGivesAPrefixAndATornOrCleanEnd) {
  const Records records = {"first", std::string(300, 's'), "", std::string(66'000, 't'), "last"};
  const std::string bytes = Written(records);
  std::vector<uint64_t> ends = {0};
  for (size_t i = 0; i < records.size(); ++i)
    ends.push_back(Written(Records(records.begin(), records.begin() + i + 1)).size());
  std::vector<size_t> sizes = {kBlockBytes, 2 * kBlockBytes};  // between fragments of a record
  for (size_t size = 0; size < bytes.size(); size += (size < 400 || size > 66'300) ? 1 : 97)
    sizes.push_back(size);
  for (const size_t size : sizes) {
    const Outcome read = Read(bytes.substr(0, size));
    const size_t whole = std::upper_bound(ends.begin(), ends.end(), size) - ends.begin() - 1;
    EXPECT_EQ(read.records.size(), whole) << size;
    EXPECT_TRUE(IsPrefix(read.records, records));
    EXPECT_EQ(read.valid_bytes, ends[whole]);
    if (size == ends[whole]) {
      EXPECT_EQ(read.end, LogEnd::kClean) << size;
    } else {
      EXPECT_EQ(read.end, LogEnd::kTorn) << size;
      // The same with preallocated zeros at the end. The last part of a sector can be the record's.
      const LogEnd end = Read(bytes.substr(0, size) + std::string(5000, '\0')).end;
      EXPECT_TRUE(end == LogEnd::kTorn || (end == LogEnd::kBadLast && size % 512 > 0)) << size;
    }
  }
}

TEST(LogReaderTest, DamageInFrontOfOtherRecordsIsCorrupt) {
  const std::string front = Written({"one"});
  const std::string bytes = Written({"one", std::string(500, 'b'), "three", "four"});
  const size_t at[] = {0, 3, 4, 5, 6, 7, 300};  // in the second record
  for (const size_t offset : at) {
    std::string bad = bytes;
    bad[front.size() + offset] ^= 0x40;
    const Outcome read = Read(bad);
    EXPECT_EQ(read.records, Records{"one"});
    EXPECT_EQ(read.end, LogEnd::kCorrupt) << offset;
    EXPECT_TRUE(read.status.IsCorruption());
    EXPECT_THAT(read.status.ToString(), HasSubstr("x/000007.log"));
    EXPECT_THAT(read.status.ToString(), HasSubstr("offset " + std::to_string(front.size())));
    EXPECT_EQ(read.valid_bytes, front.size());
  }
}

TEST(LogReaderTest, DamageOfTheLastRecordIsToldFromATornEnd) {
  const size_t front = Written({"one"}).size();
  for (const size_t size : {20, 70'000}) {
    const std::string bytes = Written({"one", std::string(size, 'b')});
    std::vector<size_t> offsets = {bytes.size() - front - 1};
    for (size_t i = 0; i <= kHeaderBytes; ++i) offsets.push_back(i);
    // In the middle and the last of its fragments, and in their headers.
    if (size > kBlockBytes) {
      for (const size_t middle : {kBlockBytes - front, 2 * kBlockBytes - front}) {
        for (size_t i = 0; i <= kHeaderBytes; ++i) offsets.push_back(middle + i);
      }
    }
    for (const size_t offset : offsets) {
      for (const char bit : {'\x01', '\x10', '\x80'}) {
        for (const size_t zeros : {0, 3, 5000}) {
          std::string bad = bytes + std::string(zeros, '\0');
          bad[front + offset] ^= bit;
          const Outcome read = Read(bad);
          EXPECT_EQ(read.records, Records{"one"});
          EXPECT_EQ(read.end, LogEnd::kBadLast) << offset << ", zeros " << zeros;
          EXPECT_THAT(read.status.ToString(), HasSubstr("x/000007.log"));
        }
      }
    }
  }
}

// Whatever a sector's length of zeros is: a page that a power loss took, or that a killed process
// had not yet written.
TEST(LogReaderTest, ALastRecordThatLacksASectorIsTorn) {
  constexpr size_t kSectorBytes = 512;
  for (const size_t size : {700, 40'000}) {
    const std::string front = Written({std::string(505, 'a')});  // the header crosses a sector
    const std::string bytes = Written({std::string(505, 'a'), std::string(size, 'b')});
    for (size_t at = front.size(); at < bytes.size(); at += kSectorBytes - at % kSectorBytes) {
      const size_t end = std::min(bytes.size(), at + kSectorBytes - at % kSectorBytes);
      for (const size_t to : {end, bytes.size()}) {
        for (const size_t zeros : {0, 5000}) {
          std::string bad = bytes;
          std::fill(bad.begin() + at, bad.begin() + to, '\0');
          const Outcome read = Read(bad + std::string(zeros, '\0'));
          EXPECT_EQ(read.records.size(), 1u);
          const bool lacks_all = at == front.size();
          EXPECT_TRUE(read.end == LogEnd::kTorn || (lacks_all && read.end == LogEnd::kClean)) << at;
        }
      }
    }
  }
}

// A file system that lost a file's end leaves zeros from any byte on. (In a payload these are taken
// for damage, if they do not reach the next sector.)
TEST(LogReaderTest, AHeaderThatZerosCutShortIsTorn) {
  for (size_t size = 490; size < 512; ++size) {  // the header is before, across and after a sector
    const std::string front = Written({std::string(size, 'a')});
    for (const size_t last : {20, 700, 40'000}) {
      const std::string bytes = Written({std::string(size, 'a'), std::string(last, 'b')});
      for (size_t cut = 1; cut < kHeaderBytes; ++cut) {
        const Outcome read = Read(bytes.substr(0, front.size() + cut) + std::string(50'000, '\0'));
        EXPECT_EQ(read.records.size(), 1u);
        EXPECT_EQ(read.end, LogEnd::kTorn) << size << ", " << last << ", " << cut;
      }
    }
  }
}

TEST(LogReaderTest, AHoleInFrontOfOtherRecordsIsCorrupt) {
  const Records records = ManyRecords();
  const std::string bytes = Written(records);
  for (const bool garbage : {false, true}) {
    // The third reaches from one block into the next.
    for (const size_t hole : {size_t{4096}, size_t{28'672}, size_t{30'720}, size_t{32'768}}) {
      std::string bad = bytes;
      Random random(9);
      for (size_t i = hole; i < hole + 4096; ++i)
        bad[i] = garbage ? static_cast<char>(random.Next()) : '\0';
      const Outcome read = Read(bad);
      EXPECT_EQ(read.end, LogEnd::kCorrupt) << hole;
      EXPECT_TRUE(IsPrefix(read.records, records));
      EXPECT_EQ(read.records.size(), Read(bytes.substr(0, hole)).records.size());
    }
  }
}

TEST(LogReaderTest, AHoleUpToTheEndIsTornOrClean) {
  std::string bytes = Written(ManyRecords());
  Random random(10);
  for (size_t i = 50'176; i < bytes.size(); ++i) bytes[i] = static_cast<char>(random.Next());
  EXPECT_EQ(Read(bytes).end, LogEnd::kBadLast);
  std::fill(bytes.begin() + 50'176, bytes.end(), '\0');
  EXPECT_EQ(Read(bytes).end, LogEnd::kTorn);
  const uint64_t whole = Read(bytes).valid_bytes;
  std::fill(bytes.begin() + whole, bytes.end(), '\0');
  EXPECT_EQ(Read(bytes).end, LogEnd::kClean);
}

TEST(LogReaderTest, FragmentsOutOfOrderAndUnknownTypesAreCorrupt) {
  for (const int type : {0, 3, 4, 5, 200}) {
    EXPECT_EQ(Read(Fragment(type, "odd")).end, LogEnd::kCorrupt) << type;
    leveldb::Status status;
    EXPECT_EQ(Salvaged(Fragment(type, "odd"), &status), Records());
    EXPECT_TRUE(status.IsCorruption()) << type;
    const Outcome late = Read(Fragment(1, "whole") + Fragment(type, "odd") + Fragment(1, "more"));
    EXPECT_EQ(late.records, Records{"whole"}) << type;
    EXPECT_EQ(late.end, LogEnd::kCorrupt) << type;
    EXPECT_THAT(late.status.ToString(), HasSubstr("offset 12"));
  }
}

// LevelDB's reuse_logs appends after a record that its writer did not finish.
TEST(LogReaderTest, AnUnfinishedRecordMayBeFollowedByOthers) {
  const std::string unfinished = Written({"one", std::string(70'000, 'u')}).substr(0, kBlockBytes);
  const std::string bytes = unfinished + Written({"two", std::string(50'000, 'l')}, kBlockBytes);
  const Outcome read = Read(bytes);
  EXPECT_EQ(read.records, (Records{"one", "two", std::string(50'000, 'l')}));
  EXPECT_EQ(read.end, LogEnd::kClean);
  const Outcome again = Read(unfinished + Fragment(2, "") + Fragment(2, "a") + Fragment(4, "b"));
  EXPECT_EQ(again.records, (Records{"one", "ab"}));
}

TEST(LogReaderTest, ReadErrorsAreErrorsNotTheEnd) {
  const Records records = ManyRecords();
  const std::string bytes = Written(records);
  for (const size_t fails_at : {size_t{0}, size_t{100}, kBlockBytes, size_t{100'000}}) {
    const Outcome read = Read(std::make_unique<MemorySequential>(bytes, SIZE_MAX, fails_at));
    EXPECT_EQ(read.end, LogEnd::kError) << fails_at;
    EXPECT_TRUE(read.status.IsIOError());
    EXPECT_TRUE(IsPrefix(read.records, records));
  }
  // Also where the reader looks for records after a fault.
  std::string bad = bytes;
  std::fill(bad.begin() + 1000, bad.begin() + kBlockBytes, '\0');
  EXPECT_EQ(Read(std::make_unique<MemorySequential>(bad, SIZE_MAX, kBlockBytes)).end,
            LogEnd::kError);
}

// A file that another process writes: `states` are its contents, one after each read. The last one
// stays.
class GrowingFile final : public leveldb::EnvWrapper {
 public:
  explicit GrowingFile(Records states)
      : EnvWrapper(leveldb::Env::Default()), states_(std::move(states)) {}

  leveldb::Status NewSequentialFile(const std::string&, leveldb::SequentialFile** result) override {
    if (opens++ > 0 && !second_open.ok()) return second_open;
    *result = new View(this);
    return leveldb::Status::OK();
  }

  Outcome ReadAll() {
    leveldb::SequentialFile* file = nullptr;
    EXPECT_TRUE(NewSequentialFile("", &file).ok());
    return Read(std::unique_ptr<leveldb::SequentialFile>(file), this);
  }

  int opens = 0;
  leveldb::Status second_open;

 private:
  class View final : public leveldb::SequentialFile {
   public:
    explicit View(GrowingFile* file) : file_(file) {}
    leveldb::Status Read(size_t n, leveldb::Slice* result, char* scratch) override {
      const std::string& bytes = file_->states_[file_->reads_];
      if (file_->reads_ + 1 < file_->states_.size()) ++file_->reads_;
      const size_t length = at_ < bytes.size() ? std::min(n, bytes.size() - at_) : 0;
      std::copy_n(bytes.data() + at_, length, scratch);
      *result = leveldb::Slice(scratch, length);
      at_ += length;
      return leveldb::Status::OK();
    }
    leveldb::Status Skip(uint64_t n) override {
      at_ += n;
      return leveldb::Status::OK();
    }

   private:
    GrowingFile* const file_;
    size_t at_ = 0;
  };

  const Records states_;
  size_t reads_ = 0;
};

class GrowingLogTest : public ::testing::Test {
 protected:
  GrowingLogTest() {
    for (int i = 0; i < 600; ++i) records_.push_back(Numbered(i, i % 50 == 0 ? 40'000 : 150));
    whole_ = Written(records_);
  }
  // A preallocated file of which only the first `bytes` bytes are written.
  std::string Early(size_t bytes) const {
    return whole_.substr(0, bytes) + std::string(whole_.size() - bytes, '\0');
  }

  Records records_;
  std::string whole_;
};

TEST_F(GrowingLogTest, TheEndOfALogThatGrewIsNoDamage) {
  for (size_t at = 0; at < 2 * kBlockBytes; at += 480 + 97 * testing::TestStride()) {
    for (const size_t grown : {kBlockBytes, 3 * kBlockBytes, 4 * kBlockBytes + 100}) {
      GrowingFile file({Early(at), Early(at), Early(at + grown), Early(at + 2 * grown), whole_});
      const Outcome read = file.ReadAll();
      ASSERT_EQ(read.status.ToString(), "OK") << at << ", then " << grown;
      ASSERT_TRUE(IsPrefix(read.records, records_));
      ASSERT_GE(read.valid_bytes + 50'000, std::min(whole_.size(), at)) << at;
    }
  }
}

TEST_F(GrowingLogTest, ItIsReadOnToItsNewEnd) {
  GrowingFile file({Early(1000), whole_});
  const Outcome read = file.ReadAll();
  EXPECT_EQ(read.end, LogEnd::kClean);
  EXPECT_EQ(read.records, records_);
  EXPECT_EQ(file.opens, 2);
}

TEST_F(GrowingLogTest, DamageIsStillThereAtTheSecondLook) {
  std::string damaged = whole_;
  std::fill_n(damaged.begin() + 50'000, 4096, '\0');
  GrowingFile file({damaged.substr(0, 70'000), damaged});
  const Outcome read = file.ReadAll();
  EXPECT_EQ(read.end, LogEnd::kCorrupt);
  EXPECT_TRUE(IsPrefix(read.records, records_));
  EXPECT_LE(read.valid_bytes, 50'000u);
}

TEST_F(GrowingLogTest, ALastRecordIsDamagedOnlyIfItStillIsAtTheSecondLook) {
  std::string half = whole_;
  half[whole_.size() - 1] ^= 1;  // not written yet
  GrowingFile grown({half, half, half, half, half, whole_});
  const Outcome read = grown.ReadAll();
  EXPECT_EQ(read.end, LogEnd::kClean);
  EXPECT_EQ(read.records, records_);
  EXPECT_EQ(GrowingFile({half}).ReadAll().end, LogEnd::kBadLast);
}

TEST_F(GrowingLogTest, AFileThatIsGoneAtTheSecondLookIsAnError) {
  GrowingFile file({Early(1000), whole_});
  file.second_open = leveldb::Status::NotFound("x/000007.log");
  const Outcome read = file.ReadAll();
  EXPECT_EQ(read.end, LogEnd::kError);
  EXPECT_TRUE(read.status.IsNotFound());
}

TEST(LogReaderTest, RandomDamageGivesAPrefix) {
  constexpr uint64_t kSeed = 20'261'121;
  Random random(kSeed);
  for (uint64_t round = 0; round < testing::Strided(400); ++round) {
    SCOPED_TRACE("seed " + std::to_string(kSeed) + " round " + std::to_string(round));
    Records records;
    const size_t count = random.Uniform(60);
    const size_t size_max = random.OneIn(4) ? 50'000 : 600;
    for (size_t i = 0; i < count; ++i)
      records.push_back(Numbered(static_cast<int>(i), random.Uniform(size_max)));
    std::string bytes = Written(records);
    const uint64_t faults = 1 + random.Uniform(3);
    for (uint64_t i = 0; i < faults && !bytes.empty(); ++i) {
      const size_t at = random.Uniform(bytes.size());
      switch (random.Uniform(4)) {
        case 0:
          bytes[at] ^= static_cast<char>(1 + random.Uniform(255));
          break;
        case 1:
          bytes.resize(at);
          break;
        case 2:
          std::fill(bytes.begin() + at, bytes.begin() + std::min(bytes.size(), at + 4096), '\0');
          break;
        default:
          bytes.insert(at, std::string(random.Uniform(100), static_cast<char>(random.Next())));
          break;
      }
    }
    const Outcome read = Read(bytes);
    EXPECT_TRUE(IsPrefix(read.records, records));
    EXPECT_LE(read.valid_bytes, bytes.size());
    const Records salvaged = Salvaged(bytes);
    EXPECT_TRUE(IsPrefix(read.records, salvaged));
    EXPECT_TRUE(IsSubsequence(salvaged, records));
  }
}

// The fragments on both sides of a fault belong to different records.
TEST(LogReaderTest, ASalvageJoinsNothingAcrossAFault) {
  const Records records = {std::string(40'000, 'a'), std::string(40'000, 'b'),
                           std::string(40'000, 'c'), "end"};
  const std::string bytes = Written(records);
  for (size_t at = 0; at + 1000 < bytes.size(); at += 991) {
    std::string bad = bytes;
    std::fill_n(bad.begin() + at, 1000, '\xaa');
    const Records salvaged = Salvaged(bad);
    ASSERT_TRUE(IsSubsequence(salvaged, records)) << at;
    ASSERT_GE(salvaged.size(), 2u) << at;
  }
}

}  // namespace
}  // namespace lull::log
