// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Logs in recycled files: whatever a power loss leaves, no reader takes a record of the older log
// for one of the newer. The test creates the worst case: in each log the records have the same
// sizes, and the same bytes at the same offsets except for their sequences.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "db/memory/batch_format.h"
#include "db/wal/log_format.h"
#include "db/wal/log_writer.h"
#include "db/wal/wal_reader.h"
#include "leveldb/write_batch.h"
#include "tests/db/support/memory_files.h"
#include "tests/db/support/table_names.h"
#include "tests/db/support/wal_end.h"
#include "tests/support/crash_env.h"
#include "tests/support/rng.h"
#include "tests/support/setting.h"
#include "util/coding.h"
#include "util/crc32c.h"

namespace lull {
namespace {

using log::kBlockBytes;
using log::kHeaderBytes;
using testing::CrashEnv;
using testing::EndOfWal;
using testing::FileBytes;
using testing::MemorySequential;

constexpr LogBlocks kBlocks{kBlockBytes, log::kEndMark};
constexpr uint64_t kCapacityBytes = 4 * kBlockBytes + 1000;

std::string Path(int number) { return "/d/" + std::to_string(number) + ".log"; }

struct LevelDBReading {
  std::vector<std::string> records;
  int complaints = 0;  // each is an error with paranoid_checks
};

// How LevelDB's reader reads a log: after a fault, or a header of zeros, it continues with the next
// block.
LevelDBReading ReadAsLevelDB(const std::string& bytes) {
  LevelDBReading reading;
  std::string assembled;
  bool in_record = false;
  for (size_t block = 0; block < bytes.size(); block += kBlockBytes) {
    leveldb::Slice rest(bytes.data() + block, std::min(kBlockBytes, bytes.size() - block));
    while (rest.size() >= kHeaderBytes) {
      const size_t length =
          static_cast<uint8_t>(rest[4]) | static_cast<size_t>(static_cast<uint8_t>(rest[5])) << 8;
      const int type = rest[6];
      const bool unused = type == 0 && length == 0;
      const bool intact =
          !unused && length <= rest.size() - kHeaderBytes &&
          crc32c::Mask(crc32c::Value(rest.data() + 6, length + 1)) == DecodeFixed32(rest.data());
      if (!intact) {
        if (!unused || in_record) ++reading.complaints;
        in_record = false;
        break;
      }
      const std::string payload(rest.data() + kHeaderBytes, length);
      rest.remove_prefix(kHeaderBytes + length);
      if (type == 1) reading.records.push_back(payload);
      if (type == 2) assembled.clear();
      if (type == 2 || in_record) assembled += payload;
      if (type == 4 && in_record) reading.records.push_back(assembled);
      in_record = type == 2 || (type == 3 && in_record);
    }
  }
  return reading;
}

// Both readers find the same `count` records and a clean end.
void ExpectCleanEnd(const std::string& bytes, size_t count) {
  const LevelDBReading reading = ReadAsLevelDB(bytes);
  ASSERT_EQ(reading.records.size(), count);
  ASSERT_EQ(reading.complaints, 0);
  WalReader reader(std::make_unique<MemorySequential>(bytes), "log");
  leveldb::Slice record;
  for (const std::string& expected : reading.records) {
    ASSERT_TRUE(reader.ReadRecord(&record));
    ASSERT_EQ(record.ToString(), expected);
  }
  ASSERT_FALSE(reader.ReadRecord(&record));
  ASSERT_EQ(reader.end(), log::LogEnd::kClean);
}

std::string BatchRecord(SequenceNumber sequence, int puts, const std::string& value) {
  leveldb::WriteBatch batch;
  for (int i = 0; i < puts; ++i) batch.Put("key", value);
  batch::SetSequence(&batch, sequence);
  return batch::Contents(batch).ToString();
}

// Successive logs in one file.
class Recycler {
 public:
  Recycler() { env_.CreateDir("/d"); }

  // Without `avoid_older_ends` the log is written as if its file were new.
  void Begin(bool avoid_older_ends = true) {
    LogFile* file = nullptr;
    const leveldb::Status status = Open(&file);
    ASSERT_TRUE(status.ok()) << status.ToString();
    ASSERT_TRUE(env_.SyncDirectory("/d").ok());
    if (!avoid_older_ends) ends_ = log::FragmentEnds();
    writer_ =
        std::make_unique<log::Writer>(std::unique_ptr<LogFile>(file), std::exchange(ends_, {}));
    first_ = synced_ = next_;
    ASSERT_TRUE(writer_->AddRecord(WalPreamble(next_)).ok());
  }
  leveldb::Status Open(LogFile** file) {
    ++number_;
    if (number_ == 1) return env_.NewLogFile(Path(1), kCapacityBytes, LogFileMode::kWrite, file);
    return env_.ReuseLogFile(Path(number_ - 1), Path(number_), kBlocks, file);
  }
  void Append(size_t value_bytes) {
    const std::string record = BatchRecord(next_++, 1, std::string(value_bytes, 'v'));
    ASSERT_TRUE(writer_->AddRecord(record).ok());
  }
  // What a killed process leaves.
  void ExpectCleanEndNow() { ExpectCleanEnd(FileBytes(&env_, Path(number_)), next_ - first_ + 1); }
  void Sync() {
    ASSERT_TRUE(writer_->Sync().ok());
    synced_ = next_;
  }
  void End() {
    ends_ = writer_->TakeEnds();
    writer_ = nullptr;  // not closed, because a close would truncate the file
  }

  // Whether LevelDB would replay a record of an older log. Any other mistake fails the test.
  bool CrashShowsOlder(uint64_t seed, const testing::CrashOptions& crash = {}) {
    const std::unique_ptr<CrashEnv> after = env_.Crash(seed, crash);
    const std::string bytes = FileBytes(after.get(), Path(number_));
    bool older = false;
    SequenceNumber synced_found = first_;
    for (const std::string& record : ReadAsLevelDB(bytes).records) {
      const SequenceNumber sequence = batch::SequenceOf(record);
      older = older || sequence < first_;
      if (batch::CountOf(record) == 1 && sequence == synced_found) ++synced_found;
    }
    EXPECT_GE(synced_found, synced_) << "seed " << seed;
    ExpectLullReadsAPrefix(bytes, seed);
    return older;
  }

  void ExpectLullReadsAPrefix(const std::string& bytes, uint64_t seed) {
    WalReader reader(std::make_unique<MemorySequential>(bytes), Path(number_));
    leveldb::Slice record;
    SequenceNumber next = first_;
    while (reader.ReadRecord(&record)) {
      ASSERT_EQ(batch::SequenceOf(record), next) << "seed " << seed;
      next += batch::CountOf(record);
    }
    ASSERT_GE(next, synced_) << "seed " << seed;
  }

  CrashEnv env_;
  int number_ = 0;
  std::unique_ptr<log::Writer> writer_;
  log::FragmentEnds ends_;
  SequenceNumber first_ = 1;   // of the current log
  SequenceNumber synced_ = 1;  // lower ones are durable
  SequenceNumber next_ = 1;
};

struct Shape {
  const char* name;
  size_t first_value_bytes;
  size_t value_bytes;  // 0: of all sizes
};
// The first record fills its sector after the preamble, so that each of the others ends with a
// sector.
constexpr Shape kShapes[] = {{"Sectors", 467, 486},
                             {"Pages", 4051, 4070},
                             {"Small", 60, 60},
                             {"Odd", 700, 1000},
                             {"All", 5, 0}};

// Writes logs of several lengths into one file, and simulates many power losses, more of them at
// the first appends; at the later ones, fewer with a stride. Returns in how many states LevelDB
// would replay an old record.
int WriteLogsAndCrash(const Shape& shape, bool avoid_older_ends) {
  Recycler logs;
  testing::Rng rng(17);
  int older = 0;
  for (const size_t log_bytes : {100'000, 70'000, 110'000, 50'000, 90'000}) {
    logs.Begin(avoid_older_ends);
    logs.Append(shape.first_value_bytes);
    while (logs.writer_->FileBytes() < log_bytes && !::testing::Test::HasFailure()) {
      logs.Append(shape.value_bytes > 0 ? shape.value_bytes : rng.Below(3000));
      if (rng.OneIn(3)) logs.Sync();
      const bool is_early = logs.writer_->FileBytes() < 2000;
      if (logs.number_ == 1 || (!is_early && !rng.OneIn(3 * testing::ShortStride()))) continue;
      if (avoid_older_ends) logs.ExpectCleanEndNow();
      for (int crash = 0; crash < (is_early ? 20 : 1); ++crash)
        older += logs.CrashShowsOlder(rng.Next());
    }
    logs.End();
  }
  return older;
}

class RecycledLogTest : public ::testing::TestWithParam<Shape> {};

INSTANTIATE_TEST_SUITE_P(Shapes, RecycledLogTest, ::testing::ValuesIn(kShapes),
                         [](const auto& info) { return info.param.name; });

TEST_P(RecycledLogTest, NoPowerLossBringsAnOlderRecordBackAndAKilledProcessLeavesACleanEnd) {
  EXPECT_EQ(WriteLogsAndCrash(GetParam(), true), 0);
}

// The control: the test finds old records if fragments may end where older ones did.
TEST(RecycledLog, OlderRecordsWouldComeBackWereFragmentsToEndAsTheirs) {
  EXPECT_GT(WriteLogsAndCrash(kShapes[0], false), 0);
}

// At each step: the old name with any contents, or the new name with no record to read.
TEST(RecycledLog, ACrashWhileTheFileIsRecycledLeavesAnEmptyLog) {
  bool done = false;
  for (uint64_t step = 0; !done; ++step) {
    Recycler logs;
    logs.Begin();
    while (logs.writer_->FileBytes() < 100'000) logs.Append(486);
    logs.Sync();
    logs.End();
    logs.env_.SetCrashPoint(logs.env_.steps() + step);
    LogFile* file = nullptr;
    done = logs.Open(&file).ok();
    delete file;
    for (uint64_t seed = 0; seed < 20; ++seed) {
      const auto after = logs.env_.Crash(seed);
      ASSERT_NE(after->FileExists(Path(1)), after->FileExists(Path(2))) << step;
      if (!after->FileExists(Path(2))) continue;
      SCOPED_TRACE(step);
      ASSERT_NO_FATAL_FAILURE(ExpectCleanEnd(FileBytes(after.get(), Path(2)), 0));
    }
  }
}

// A log in a recycled file before and after its last append.
struct LastAppend {
  std::string before, after;
  uint64_t begin, end;  // of the record
};

// Appends a record that ends at `end`, or a few bytes later if the block does not let it. The older
// log has one long record, so that no bytes after the newer one show that an older log was there.
LastAppend AppendUpTo(uint64_t end) {
  constexpr uint64_t kValueBytes = 500;
  constexpr uint64_t kRestBytes = 26;  // of a record with such a value
  Recycler logs;
  logs.Begin();
  logs.Append(kCapacityBytes);
  logs.End();
  logs.Begin();
  logs.Append(end - 2 * kValueBytes);
  logs.Append(end - kValueBytes - logs.writer_->FileBytes());
  LastAppend last;
  last.before = FileBytes(&logs.env_, Path(2));
  last.begin = logs.writer_->FileBytes();
  logs.Append(end - kRestBytes - last.begin);
  last.after = FileBytes(&logs.env_, Path(2));
  last.end = logs.writer_->FileBytes();
  return last;
}

// A kill can end the last append anywhere. A changed byte of a whole record is damage. The two are
// hardest to tell apart where a record ends at the end of a block or of the file.
TEST(RecycledLog, OnlyWhatAKillCannotLeaveIsDamage) {
  for (const uint64_t near : {2 * kBlockBytes, 4 * kBlockBytes, kCapacityBytes}) {
    for (uint64_t end = near - 24; end <= near + 12; ++end) {
      const LastAppend last = AppendUpTo(end);
      const uint64_t cut_end = std::min(last.before.size(), last.end + log::kEndMark.size());
      for (uint64_t cut = last.begin; cut < cut_end; ++cut) {
        if (cut > last.begin + 20 && cut + 20 < last.end && cut % 41 != 0) continue;
        const std::string bytes = last.after.substr(0, cut) + last.before.substr(cut);
        ASSERT_FALSE(log::IsDamage(EndOfWal(bytes)))
            << "cut at " << cut << " of " << last.begin << ".." << last.end;
      }
      // In the checksum, the length, the type, the payload, the last byte.
      for (const uint64_t at :
           {last.begin, last.begin + 4, last.begin + 6, last.begin + 20, last.end - 1}) {
        std::string bytes = last.after;
        bytes[at] ^= 4;
        ASSERT_TRUE(log::IsDamage(EndOfWal(bytes)))
            << "byte " << at << " of " << last.begin << ".." << last.end;
      }
      // Elsewhere a zero can be what a power loss left of a sector.
      std::string no_type = last.after;
      no_type[last.begin + 6] = 0;
      ASSERT_TRUE(log::IsDamage(EndOfWal(no_type))) << last.begin << ".." << last.end;
    }
  }
}

// ---- the parts ----

TEST(FragmentEnds, RestIsWhatTheYoungerLogDidNotOverwrite) {
  const auto list = [](const log::FragmentEnds& ends) {
    std::vector<uint64_t> all;
    log::FragmentEnds::Cursor cursor(ends);
    for (uint64_t end = cursor.SkipTo(1); end != log::FragmentEnds::Cursor::kNone;
         end = cursor.SkipTo(end + 1)) {
      all.push_back(end);
    }
    return all;
  };
  log::FragmentEnds older, younger, unused, near;
  for (const uint64_t end : {100, 200, 303, 400}) older.Add(end);
  for (const uint64_t end : {150, 300}) younger.Add(end);
  younger.AddRest(older);
  // Seven zero bytes at 300 make the checksum of a record at 303 zero, which no valid record has.
  EXPECT_EQ(list(younger), (std::vector<uint64_t>{150, 300, 400}));
  younger.AddRest(older);
  EXPECT_EQ(list(younger), (std::vector<uint64_t>{150, 300, 400}));
  unused.AddRest(younger);
  EXPECT_EQ(list(unused), list(younger));
  // A record at 304 is intact if its checksum begins with zeros.
  near.Add(304);
  unused = {};
  unused.Add(300);
  unused.AddRest(near);
  EXPECT_EQ(list(unused), (std::vector<uint64_t>{300, 304}));
}

class WalReaderTest : public ::testing::Test {
 protected:
  void Add(SequenceNumber sequence, int puts = 1) {
    ASSERT_TRUE(writer_.AddRecord(BatchRecord(sequence, puts, "value")).ok());
  }
  void ExpectRecords(int count, log::LogEnd end) {
    WalReader reader(std::make_unique<MemorySequential>(file_.bytes), "log");
    leveldb::Slice record;
    int records = 0;
    while (reader.ReadRecord(&record)) ++records;
    EXPECT_EQ(records, count);
    EXPECT_EQ(reader.end(), end);
    EXPECT_FALSE(reader.ReadRecord(&record));
  }

  testing::WrittenFile file_;
  log::Writer writer_{std::make_unique<testing::MemoryWritable>(&file_)};
};

TEST_F(WalReaderTest, StopsAtARecordThatIsOlderThanThePreamble) {
  ASSERT_TRUE(writer_.AddRecord(WalPreamble(100)).ok());
  Add(100, 3);
  Add(103);
  Add(109);  // a gap, as after a failed write of LevelDB
  const std::string own = file_.bytes;
  ExpectRecords(4, log::LogEnd::kClean);
  Add(109);
  Add(110);
  ExpectRecords(4, log::LogEnd::kTorn);
  // After a fault, an older record proves nothing, but a record of the current log does.
  file_.bytes = own + std::string(100, '\0') + file_.bytes.substr(own.size() - 30, 30);
  ExpectRecords(4, log::LogEnd::kClean);
  Add(110);
  ExpectRecords(4, log::LogEnd::kCorrupt);
}

// A kill or a power loss cut the last append short, so the older log's bytes follow.
TEST_F(WalReaderTest, OlderBytesInTheLastRecordAreNoDamage) {
  const std::string zeros(kHeaderBytes, '\0');
  ASSERT_TRUE(writer_.AddRecord(WalPreamble(1)).ok());
  for (SequenceNumber sequence = 1; sequence < 10; ++sequence) Add(sequence);
  const std::string older = file_.bytes;
  file_.bytes.clear();
  log::Writer newer(std::make_unique<testing::MemoryWritable>(&file_));
  ASSERT_TRUE(newer.AddRecord(WalPreamble(100)).ok());
  ASSERT_TRUE(newer.AddRecord(BatchRecord(100, 2, "longer value")).ok());
  const std::string newest = file_.bytes + zeros;
  for (const size_t cut : {1, 10, 30}) {
    const size_t length = newest.size() - zeros.size() - cut;
    file_.bytes = newest.substr(0, length) + older.substr(length);
    ExpectRecords(1, log::LogEnd::kTorn);
  }
  for (const size_t from_end : {1, 10, 30}) {
    file_.bytes = newest + older.substr(newest.size());
    file_.bytes[newest.size() - zeros.size() - from_end] ^= 1;
    ExpectRecords(1, log::LogEnd::kBadLast);
  }
}

TEST_F(WalReaderTest, ChecksNothingInALogOfLevelDB) {
  for (const SequenceNumber sequence : {7, 5, 6}) Add(sequence);
  ExpectRecords(3, log::LogEnd::kClean);
}

}  // namespace
}  // namespace lull
