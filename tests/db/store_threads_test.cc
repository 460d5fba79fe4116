// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Many threads use one store, run under TSan: writers, readers, iterators and snapshots, while
// memtables are sealed, flushed and compacted, and the store is closed and reopened. Each thread
// knows what it may see, so that a lost or stale entry fails the test.
#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "leveldb/db.h"
#include "leveldb/write_batch.h"
#include "lull/lull.h"
#include "tests/support/fresh_directory.h"
#include "util/coding.h"
#include "util/random.h"
#include "util/thread.h"

namespace lull {
namespace {

constexpr int kWriters = 8;
constexpr int kReaders = 3;
constexpr int kKeysPerWriter = 64;
constexpr int kRounds = 3;
constexpr uint64_t kBatchesPerRound = 400;

std::string KeyOf(int writer, int key) {
  return "w" + std::to_string(writer) + "-" + std::to_string(1000 + key);
}

/// A value contains the number of the batch that wrote it.
std::string ValueOf(uint64_t batch, size_t size) {
  std::string value(size, static_cast<char>('a' + batch % 26));
  EncodeFixed64(value.data(), batch);
  return value;
}

class Stress {
 public:
  explicit Stress(leveldb::DB* db) : db_(db) {}

  /// Writer `id` writes all its keys in each batch, so that they all have the same batch number at
  /// any time.
  void Write(int id, uint64_t first_batch) {
    Random random(1000 + id);
    for (uint64_t batch = first_batch; batch < first_batch + kBatchesPerRound; ++batch) {
      leveldb::WriteBatch updates;
      for (int key = 0; key < kKeysPerWriter; ++key) {
        updates.Put(KeyOf(id, key), ValueOf(batch, 8 + random.Uniform(200)));
      }
      leveldb::WriteOptions options;
      options.sync = random.OneIn(64);
      started_[id].store(batch);
      ASSERT_TRUE(db_->Write(options, &updates).ok());
      written_[id].store(batch);
    }
  }

  void ReadPoints(uint64_t seed) {
    Random random(seed);
    while (!stop_.load()) {
      const int id = static_cast<int>(random.Uniform(kWriters));
      const uint64_t at_least = written_[id].load();
      std::string value;
      const leveldb::Status status =
          db_->Get(leveldb::ReadOptions(),
                   KeyOf(id, static_cast<int>(random.Uniform(kKeysPerWriter))), &value);
      if (at_least > 0) {
        ASSERT_TRUE(status.ok()) << status.ToString();
        ASSERT_GE(DecodeFixed64(value.data()), at_least) << "a read went back in time";
        ASSERT_LE(DecodeFixed64(value.data()), started_[id].load());
      }
    }
  }

  /// Checks that batches are atomic: in one snapshot each writer's keys are all present and have
  /// one batch number, not older than the last acknowledged one. Returns the number, 0 if there is
  /// no key.
  void ReadBatch(int id, const leveldb::ReadOptions& options, uint64_t* batch) {
    const uint64_t at_least = options.snapshot == nullptr ? written_[id].load() : 0;
    std::unique_ptr<leveldb::Iterator> iterator(db_->NewIterator(options));
    int seen = 0;
    for (iterator->Seek(KeyOf(id, 0)); iterator->Valid() && seen < kKeysPerWriter;
         iterator->Next(), ++seen) {
      if (seen == 0 && !iterator->key().starts_with("w" + std::to_string(id))) break;
      ASSERT_EQ(iterator->key().ToString(), KeyOf(id, seen)) << "a key is missing";
      const uint64_t found = DecodeFixed64(iterator->value().data());
      if (seen == 0) *batch = found;
      ASSERT_EQ(found, *batch) << "half of a batch";
    }
    ASSERT_TRUE(iterator->status().ok()) << iterator->status().ToString();
    ASSERT_TRUE(seen == kKeysPerWriter || (seen == 0 && at_least == 0)) << seen << " keys";
    ASSERT_GE(*batch, at_least) << "a scan went back in time";
  }

  void Scan(uint64_t seed) {
    Random random(seed);
    while (!stop_.load()) {
      const int id = static_cast<int>(random.Uniform(kWriters));
      leveldb::ReadOptions options;
      uint64_t batch = 0;
      if (random.OneIn(2)) {
        ASSERT_NO_FATAL_FAILURE(ReadBatch(id, options, &batch));
        continue;
      }
      const uint64_t at_least = written_[id].load();
      options.snapshot = db_->GetSnapshot();
      ASSERT_NO_FATAL_FAILURE(ReadBatch(id, options, &batch));
      ASSERT_GE(batch, at_least);
      // Flushes, merges and drops must not change what the snapshot sees.
      if (random.OneIn(4)) {
        ASSERT_TRUE(Flush(db_).ok());
      }
      uint64_t again = 0;
      ASSERT_NO_FATAL_FAILURE(ReadBatch(id, options, &again));
      ASSERT_EQ(again, batch);
      db_->ReleaseSnapshot(options.snapshot);
    }
  }

  /// Requests for background work while others write.
  void Pester(uint64_t seed) {
    Random random(seed);
    while (!stop_.load()) {
      if (random.OneIn(2)) {
        ASSERT_TRUE(Flush(db_).ok());
      } else {
        const std::string begin = KeyOf(static_cast<int>(random.Uniform(kWriters)), 0);
        const leveldb::Slice from(begin);
        db_->CompactRange(&from, nullptr);
      }
      std::string text;
      ASSERT_TRUE(db_->GetProperty("leveldb.stats", &text));
    }
  }

  void Run(uint64_t first_batch) {
    std::vector<std::unique_ptr<ThreadHandle>> writers, others;
    const auto start = [](std::function<void()> body) {
      return ThreadFactory::System()->Start("stress", CpuClass::kNormal, std::move(body));
    };
    for (int id = 0; id < kWriters; ++id) {
      writers.push_back(start([this, id, first_batch] { Write(id, first_batch); }));
    }
    for (int id = 0; id < kReaders; ++id) {
      others.push_back(start([this, id] { ReadPoints(50 + id); }));
      others.push_back(start([this, id] { Scan(80 + id); }));
    }
    others.push_back(start([this] { Pester(99); }));
    writers.clear();  // joins
    stop_.store(true);
    others.clear();
  }

 private:
  leveldb::DB* const db_;
  std::atomic<bool> stop_{false};
  std::atomic<uint64_t> started_[kWriters]{};
  std::atomic<uint64_t> written_[kWriters]{};
};

class StoreThreadsTest : public ::testing::TestWithParam<std::string> {};

TEST_P(StoreThreadsTest, NothingIsLostOrSeenByHalves) {
  leveldb::Options options;
  options.create_if_missing = true;
  options.write_buffer_size = 256 << 10;
  options.max_file_size = 1 << 20;
  const auto scheduling = SchedulingOptions().SetPolicy(GetParam()).SetMemoryBudgetBytes(2 << 20);
  const std::string name = testing::FreshDirectory("threads");
  uint64_t next_batch = 1;
  for (int round = 0; round < kRounds; ++round) {
    leveldb::DB* raw = nullptr;
    const leveldb::Status status = Open(options, scheduling, name, &raw);
    ASSERT_TRUE(status.ok()) << status.ToString();
    const std::unique_ptr<leveldb::DB> db(raw);
    for (int id = 0; next_batch > 1 && id < kWriters; ++id) {
      for (int key = 0; key < kKeysPerWriter; ++key) {
        std::string value;
        ASSERT_TRUE(db->Get(leveldb::ReadOptions(), KeyOf(id, key), &value).ok());
        ASSERT_EQ(DecodeFixed64(value.data()), next_batch - 1) << "after reopening";
      }
    }
    Stress(db.get()).Run(next_batch);
    next_batch += kBatchesPerRound;
  }
}

INSTANTIATE_TEST_SUITE_P(Policies, StoreThreadsTest, ::testing::Values("lull", "leveldb"),
                         [](const auto& param) { return param.param; });

}  // namespace
}  // namespace lull
