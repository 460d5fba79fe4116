// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Opening a store with paranoid_checks after a kill, if its last log is in a recycled file: old
// values after its end can contain anything, such as logs with any sequences.
#include <gtest/gtest.h>

#include <memory>
#include <set>
#include <string>

#include "db/memory/batch_format.h"
#include "db/wal/log_format.h"
#include "db/wal/log_writer.h"
#include "db/wal/wal_reader.h"
#include "leveldb/write_batch.h"
#include "lull/lull.h"
#include "tests/db/support/memory_files.h"
#include "tests/db/support/small_store.h"
#include "tests/db/support/table_names.h"
#include "tests/db/support/wal_end.h"
#include "tests/support/crash_env.h"
#include "tests/support/open_store.h"
#include "tests/support/rng.h"
#include "tests/support/setting.h"

namespace lull::testing {
namespace {

class RecycledRestTest : public ::testing::Test {
 protected:
  RecycledRestTest() : options_(SmallOptions(&disk_)) {
    options_.compression = leveldb::kNoCompression;
    options_.paranoid_checks = true;
  }

  /// A log from sequence `first` on, like one of the store or of another one.
  std::string LogFrom(SequenceNumber first) {
    WrittenFile file;
    log::Writer writer(std::make_unique<MemoryWritable>(&file));
    EXPECT_TRUE(writer.AddRecord(WalPreamble(first)).ok());
    for (size_t records = 1 + rng_.Below(9); records > 0; --records, ++first) {
      leveldb::WriteBatch batch;
      batch.Put("alien", std::string(rng_.Below(200), 'a'));
      batch::SetSequence(&batch, first);
      EXPECT_TRUE(writer.AddRecord(batch::Contents(batch)).ok());
    }
    return file.bytes;
  }
  /// Logs of later and of the next sequences, between zeros and other bytes.
  std::string NextValue() {
    if (!embeds_logs_) return std::string(300 + rng_.Below(2000), static_cast<char>(rng_.Next()));
    std::string value;
    while (value.size() < 300) {
      value += std::string(rng_.OneIn(4) ? rng_.Below(1000) : rng_.Below(20), '\0');
      value += LogFrom(rng_.OneIn(2) ? writes_ + rng_.Below(2000) : (1u << 30) + rng_.Below(1000));
      value += std::string(rng_.Below(30), 'v');
    }
    return value;
  }
  void WriteOne() {
    const std::string key = "key " + std::to_string(writes_++ % 100);
    const size_t long_bytes = rng_.OneIn(20) ? 30'000 + rng_.Below(70'000) : 0;
    expected_[key] = NextValue() + std::string(long_bytes, 'l');
    ASSERT_TRUE(IsOk(db_->Put(Synced(), key, expected_[key])));
  }
  /// Writes until `count` records are in recycled logs.
  void WriteToRecycled(uint64_t count) {
    for (count += disk_.appends_to_reused_logs(); disk_.appends_to_reused_logs() < count;)
      ASSERT_NO_FATAL_FAILURE(WriteOne());
  }
  void Open() { ASSERT_TRUE(IsOk(OpenAt(options_, kStoreName, &db_))); }
  std::unique_ptr<CrashEnv> Kill() { return disk_.Crash(0, CrashOptions::KeepAll()); }
  leveldb::Status OpenOn(CrashEnv* disk, std::unique_ptr<leveldb::DB>* db) {
    leveldb::Options options = options_;
    options.env = disk;
    return OpenAt(options, kStoreName, db);
  }
  /// The last log with records, and where the last of these begins and ends.
  struct LastLog {
    std::string path;
    std::string bytes;
    uint64_t last_begin = 0;
    uint64_t end = 0;
  };
  static LastLog FindLastLog(CrashEnv* disk) {
    LastLog last;
    for (const std::string& name : NamesEndingIn(disk, kStoreName, ".log")) {
      const std::string path = std::string(kStoreName) + "/" + name;
      const std::string bytes = FileBytes(disk, path);
      WalReader reader(std::make_unique<MemorySequential>(bytes), path);
      leveldb::Slice record;
      while (reader.ReadRecord(&record))
        last = {path, bytes, reader.LastRecordOffset(), reader.ValidBytes()};
    }
    return last;
  }

  CrashEnv disk_;
  leveldb::Options options_;
  std::unique_ptr<leveldb::DB> db_;
  Contents expected_;
  Rng rng_{7};
  uint64_t writes_ = 0;
  bool embeds_logs_ = true;
};

TEST_F(RecycledRestTest, AKillFailsNoOpen) {
  Open();
  WriteToRecycled(1);
  for (uint64_t kill = 0; kill < Strided(1000, 40); ++kill) {
    ASSERT_NO_FATAL_FAILURE(WriteToRecycled(1 + rng_.Below(3)));
    const auto after = Kill();
    std::unique_ptr<leveldb::DB> db;
    ASSERT_TRUE(IsOk(OpenOn(after.get(), &db))) << "kill " << kill;
    ASSERT_EQ(ReadAll(db.get()), expected_) << "kill " << kill;
  }
}

TEST_F(RecycledRestTest, DamageInTheMiddleOfTheLogDoes) {
  Open();
  WriteToRecycled(1);
  const std::string sector(512, '\0');
  for (const std::string& damage : {std::string("x"), std::string(7, '\0'), sector}) {
    for (uint64_t kill = 0; kill < Strided(200, 8);) {
      ASSERT_NO_FATAL_FAILURE(WriteToRecycled(1 + rng_.Below(3)));
      const auto after = Kill();
      const LastLog log = FindLastLog(after.get());
      if (log.last_begin < 3 * sector.size()) continue;
      ++kill;
      // Of one that is not the last; a header of zeros is at a record's begin.
      WalReader reader(std::make_unique<MemorySequential>(log.bytes), log.path);
      leveldb::Slice record;
      uint64_t at = rng_.Below(log.last_begin - sector.size());
      if (damage.size() == log::kHeaderBytes) {
        while (reader.LastRecordOffset() < at) ASSERT_TRUE(reader.ReadRecord(&record));
        at = reader.LastRecordOffset();
        if (at == log.last_begin) continue;
      }
      ASSERT_TRUE(after->Corrupt(log.path, at, damage));
      if (FileBytes(after.get(), log.path) == log.bytes) continue;
      std::unique_ptr<leveldb::DB> db;
      ASSERT_TRUE(OpenOn(after.get(), &db).IsCorruption()) << log.path << " at " << at;
    }
  }
}

// A kill can also end a write after some of its pages.
TEST_F(RecycledRestTest, ARecordThatAKillCutsShortIsNoDamage) {
  embeds_logs_ = false;
  Open();
  WriteToRecycled(1);
  for (uint64_t kill = 0; kill < Strided(300, 20); ++kill) {
    std::string before;
    LastLog log;
    std::unique_ptr<CrashEnv> after;
    while (before.empty()) {
      const LastLog old = FindLastLog(Kill().get());
      ASSERT_NO_FATAL_FAILURE(WriteOne());
      after = Kill();
      log = FindLastLog(after.get());
      if (old.path == log.path && log.bytes.size() == old.bytes.size()) before = old.bytes;
    }
    const uint64_t cut =
        log.last_begin + rng_.Below(log.end + log::kEndMark.size() - log.last_begin);
    // Without the mark the file is not a recycled one.
    if (cut >= before.size() || !before.substr(log.last_begin).starts_with(log::kEndMark)) continue;
    ASSERT_TRUE(after->Corrupt(log.path, cut, before.substr(cut)));
    ASSERT_FALSE(log::IsDamage(EndOfWal(FileBytes(after.get(), log.path))))
        << "kill " << kill << ", cut at " << cut << " of " << log.last_begin << ".." << log.end;
  }
}

}  // namespace
}  // namespace lull::testing
