// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "leveldb/write_batch.h"
#include "lull/write.h"
#include "tests/db/support/scripted_store.h"

namespace lull {
namespace {

using testing::kKiB;
using testing::ReadValue;

constexpr uint64_t kLongMicros = 60'000'000;

class TryWriteTest : public testing::ScriptedStoreTest {
 protected:
  leveldb::Status TryPut(const std::string& key, const std::string& value, uint64_t wait_micros) {
    leveldb::WriteBatch batch;
    batch.Put(key, value);
    return TryWrite(db_.get(), {}, &batch, wait_micros, &busy_);
  }
  /// Writes until a write gives up.
  void FillUntilBusy(uint64_t wait_micros) {
    for (; written_ < 20'000; ++written_) {
      const leveldb::Status status = TryPut(KeyOf(written_), ValueOf(written_), wait_micros);
      EXPECT_EQ(status.ok(), !busy_.is_busy) << status.ToString();
      if (busy_.is_busy) return;
    }
    ADD_FAILURE() << "every write found room";
  }
  /// The accepted writes are there, and the last one, which gave up, is not. Now it finds room.
  void ExpectRoom() {
    ExpectAll(db_.get(), written_);
    EXPECT_EQ(ReadValue(db_.get(), KeyOf(written_)), "-");
    EXPECT_EQ(TryPut(KeyOf(written_), ValueOf(written_), kLongMicros).ToString(), "OK");
    EXPECT_FALSE(busy_.is_busy);
    ExpectAll(db_.get(), written_ + 1);
  }

  uint64_t written_ = 0;
  BusyWrite busy_;
};

TEST_F(TryWriteTest, TellsThatMemoryIsFull) {
  OpenWith(Everything());
  env_.tables.Close();
  for (const uint64_t wait_micros : {0, 2000, 0}) {
    FillUntilBusy(wait_micros);
    EXPECT_EQ(busy_.cause, WriteStallCause::kMemory);
  }
  env_.tables.Open();
  ExpectRoom();
}

TEST_F(TryWriteTest, TellsThatL0IsFull) {
  scheduling_.l0_trigger = 1;
  Directive no_compaction = testing::Script::Nothing();
  no_compaction.l0_stop = 2;
  no_compaction.memtable_bytes = 64 * kKiB;
  OpenWith(no_compaction);
  Await("a full L0", [&] {
    FillUntilBusy(1000);
    return busy_.cause == WriteStallCause::kL0;
  });
  script_.Set(Everything());
  ExpectRoom();
}

TEST_F(TryWriteTest, TellsThatThePolicySlowsWrites) {
  Directive slow = Everything();
  slow.cause = StallCause::kDebt;
  slow.delay_us_per_write = 5'000;
  OpenWith(slow);
  EXPECT_TRUE(TryPut("a", "delayed", 1'000).IsIOError());
  EXPECT_EQ(busy_.cause, WriteStallCause::kDebt);
  EXPECT_EQ(busy_.room_micros, 5'000u);
  EXPECT_EQ(TryPut("a", "delayed", kLongMicros).ToString(), "OK");

  slow.delay_us_per_write = 0;
  slow.write_bytes_per_sec_max = 100'000;
  script_.Set(slow);
  AwaitObeyed();
  const std::string second(100'000, 'v');  // of the allowed rate
  EXPECT_EQ(TryPut("b", second, 0).ToString(), "OK") << "nothing is owed yet";
  for (int i = 0; i < 3; ++i) {  // a write that gives up owes nothing
    EXPECT_TRUE(TryPut("c", second, 0).IsIOError());
    EXPECT_EQ(busy_.cause, WriteStallCause::kDebt);
    EXPECT_GT(busy_.room_micros, 0u);
    EXPECT_LE(busy_.room_micros, 20'000u);
  }
  EXPECT_EQ(ReadValue(db_.get(), "c"), "-");
}

// The first writer waits without a limit. Who gives up after it leaves the others as they are.
TEST_F(TryWriteTest, LeavesTheQueueWhileTheFirstWriterWaits) {
  OpenWith(Everything());
  env_.tables.Close();
  FillUntilBusy(0);
  const auto start = [&](const char* value) {
    return testing::InThread([this, value] {
      EXPECT_EQ(db_->Put({}, value, std::string(testing::kMiB, 'v')).ToString(), "OK");
    });
  };
  std::vector<std::unique_ptr<ThreadHandle>> writers;
  writers.push_back(start("first"));
  Await("a writer that waits", [&] { return Stats()["stalls"]["now"].size() > 0; });
  writers.push_back(start("second"));
  for (int i = 0; i < 5; ++i) {
    EXPECT_TRUE(TryPut("hasty", "v", 100).IsIOError());
    EXPECT_TRUE(busy_.is_busy);
  }
  env_.tables.Open();
  writers.clear();  // joins
  ExpectAll(db_.get(), written_);
  for (const char* key : {"first", "second"})
    EXPECT_EQ(ReadValue(db_.get(), key).size(), testing::kMiB) << key;
  EXPECT_EQ(ReadValue(db_.get(), "hasty"), "-");
}

// Each thread counts up in its own key, and knows the last value that was accepted. Room comes and
// goes.
TEST_F(TryWriteTest, ManyThatGiveUpLoseAndReorderNothing) {
  OpenWith(Everything());
  std::atomic<bool> ends{false};
  std::atomic<int> refused{0};
  std::vector<std::unique_ptr<ThreadHandle>> threads;
  std::vector<std::string> last(6, "-");  // none
  for (size_t t = 0; t < last.size(); ++t) {
    threads.push_back(testing::InThread([&, t] {
      const std::string key = "thread" + std::to_string(t);
      testing::Rng rng(t);
      for (int i = 0; !ends.load(); ++i) {
        const std::string value = std::to_string(i) + std::string(4 * kKiB, 'v');
        leveldb::WriteBatch batch;
        batch.Put(key, value);
        batch.Put(key + "again", value);
        BusyWrite busy;
        const uint64_t wait_micros = t == 0 ? kLongMicros : rng.Below(300);
        const leveldb::Status status = TryWrite(db_.get(), {}, &batch, wait_micros, &busy);
        EXPECT_EQ(status.ok(), !busy.is_busy) << status.ToString();
        if (status.ok()) last[t] = value;
        if (busy.is_busy) refused.fetch_add(1);
        EXPECT_EQ(ReadValue(db_.get(), key), last[t]) << "the thread's own last write";
      }
    }));
  }
  for (int round = 0; round < 5; ++round) {
    env_.tables.Close();
    const int before = refused.load();
    Await("refused writes", [&] { return refused.load() >= before + 20; });
    env_.tables.Open();
    script_.AwaitDecisions(3);
  }
  ends.store(true);
  threads.clear();  // joins
  db_.reset();
  Open();
  for (size_t t = 0; t < last.size(); ++t) {
    for (const char* suffix : {"", "again"})
      EXPECT_EQ(ReadValue(db_.get(), "thread" + std::to_string(t) + suffix), last[t]);
  }
}

TEST_F(TryWriteTest, PassesOnOtherErrors) {
  Open();
  EXPECT_TRUE(TryWrite(db_.get(), {}, nullptr, 0, &busy_).IsInvalidArgument());
  EXPECT_FALSE(busy_.is_busy);
  leveldb::WriteBatch batch;
  batch.Put("k", "v");
  EXPECT_EQ(TryWrite(db_.get(), {}, &batch, UINT64_MAX).ToString(), "OK");
  busy_.is_busy = true;
  EXPECT_TRUE(TryWrite(nullptr, {}, &batch, 0, &busy_).IsInvalidArgument());
  EXPECT_FALSE(busy_.is_busy);
}

}  // namespace
}  // namespace lull
