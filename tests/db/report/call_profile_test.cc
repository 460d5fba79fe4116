// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// CallProfile on real calls. Times are only compared with waits that the test itself causes.
#include "lull/call_profile.h"

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <memory>
#include <new>
#include <string>

#include "lull/c.h"
#include "lull/lull.h"
#include "tests/db/support/scripted_store.h"
#include "tests/support/fault_env.h"
#include "util/clock.h"
#include "util/thread.h"

namespace lull::testing {
namespace {

class CallProfileTest : public ScriptedStoreTest {
 protected:
  CallProfileTest() {
    script_.Set(script_.Nothing());
    Open();
  }

  void Put(const std::string& key, bool sync = false) {
    leveldb::WriteOptions write;
    write.sync = sync;
    EXPECT_TRUE(db_->Put(write, key, "value").ok());
  }
};

TEST_F(CallProfileTest, PartsOfAWrite) {
  CallProfile profile;
  EXPECT_EQ(profile.ToString(), "");
  Put("a");
  EXPECT_EQ(profile.Count(CallPart::kLogAppend), 1u);
  EXPECT_EQ(profile.Count(CallPart::kMemTableAdd), 1u);
  EXPECT_EQ(profile.Count(CallPart::kLogSync), 0u);
  EXPECT_EQ(profile.Count(CallPart::kDelay), 0u);
  Put("b", /*sync=*/true);
  EXPECT_EQ(profile.Count(CallPart::kLogAppend), 2u);
  EXPECT_EQ(profile.Count(CallPart::kLogSync), 1u);
  EXPECT_NE(profile.ToString().find("log_append 2 x "), std::string::npos) << profile.ToString();
  profile.Clear();
  EXPECT_EQ(profile.ToString(), "");
}

TEST_F(CallProfileTest, ADelayedWrite) {
  Directive slow = script_.Nothing();
  slow.delay_us_per_write = 3000;
  script_.Set(slow);
  AwaitObeyed();
  CallProfile profile;
  Put("a");
  EXPECT_EQ(profile.Count(CallPart::kDelay), 1u);
  EXPECT_GE(profile.Nanos(CallPart::kDelay), 3'000'000u);
}

TEST_F(CallProfileTest, WritesThatWait) {
  script_.Set(Everything());
  AwaitObeyed();
  env_.tables.Close();  // no flush ends, so memory fills up
  uint64_t room = 0;
  uint64_t new_logs = 0;
  auto first = ThreadFactory::System()->Start("first", CpuClass::kNormal, [&] {
    CallProfile profile;
    for (uint64_t i = 0; profile.Count(CallPart::kRoom) == 0; ++i) Write(i, i + 1);
    room = profile.Nanos(CallPart::kRoom);
    new_logs = profile.Count(CallPart::kNewLog);
  });
  env_.tables.AwaitBlocked();
  Await("a write that waits for room", [&] { return Stats()["stalls"]["now"].size() > 0; });
  uint64_t queued = 0;
  uint64_t appended = 0;
  auto second = ThreadFactory::System()->Start("second", CpuClass::kNormal, [&] {
    CallProfile profile;
    Put("second");
    queued = profile.Count(CallPart::kQueue);
    appended = profile.Count(CallPart::kLogAppend);
  });
  Await("a second writer", [&] { return Stats()["queue"]["writers"] == 2; });
  env_.tables.Open();
  first.reset();
  second.reset();
  EXPECT_GT(room, 0u);
  EXPECT_GT(new_logs, 0u);
  EXPECT_EQ(queued, 1u);
  EXPECT_LE(appended, 1u) << "the first can have written the second's entry";
}

TEST_F(CallProfileTest, ReadsFromFiles) {
  Write(0, 100);
  ASSERT_TRUE(Flush(db_.get()).ok());
  db_.reset();
  constexpr uint64_t kReadTakesNanos = 2'000'000;
  FaultEnv env(leveldb::Env::Default());
  env.set_before_operation([](IoOp op, const std::string&) {
    const uint64_t begin = Clock::System()->NowNanos();
    while (op == kRead && Clock::System()->NowNanos() - begin < kReadTakesNanos) {
    }
  });
  options_.env = &env;
  leveldb::DB* raw = nullptr;
  ASSERT_TRUE(OpenReadOnly(options_, name_, &raw).ok());
  const std::unique_ptr<leveldb::DB> db(raw);

  CallProfile profile;
  std::string value;
  ASSERT_TRUE(db->Get({}, KeyOf(5), &value).ok());
  EXPECT_EQ(profile.Count(CallPart::kMemTableFind), 1u);
  EXPECT_EQ(profile.Count(CallPart::kBlockRead), 1u);
  EXPECT_EQ(profile.Count(CallPart::kBlockDecode), 1u);
  EXPECT_GE(profile.Nanos(CallPart::kBlockRead), kReadTakesNanos);

  profile.Clear();
  ASSERT_TRUE(db->Get({}, KeyOf(5), &value).ok());
  EXPECT_EQ(profile.Count(CallPart::kMemTableFind), 1u);
  EXPECT_EQ(profile.Count(CallPart::kBlockRead), 0u) << "the block is in the cache";

  profile.Clear();
  const std::unique_ptr<leveldb::Iterator> entry(db->NewIterator({}));
  for (entry->SeekToFirst(); entry->Valid(); entry->Next()) {
  }
  EXPECT_GT(profile.Count(CallPart::kBlockRead), 1u);
  EXPECT_EQ(profile.Count(CallPart::kBlockRead), profile.Count(CallPart::kBlockDecode));
}

TEST_F(CallProfileTest, EachOfAThreadMeasuresItsCalls) {
  CallProfile outer;
  auto other = ThreadFactory::System()->Start("other", CpuClass::kNormal, [&] {
    Put("a");
    CallProfile own;
    Put("b");
    EXPECT_EQ(own.Count(CallPart::kLogAppend), 1u);
  });
  other.reset();
  EXPECT_EQ(outer.ToString(), "");
  {
    CallProfile inner;
    Put("a");
    EXPECT_EQ(inner.Count(CallPart::kLogAppend), 1u);
  }
  EXPECT_EQ(outer.Count(CallPart::kLogAppend), 1u);
  Put("b");
  EXPECT_EQ(outer.Count(CallPart::kLogAppend), 2u);
}

// In any order: calls measure for those that still exist, and write to no other.
TEST_F(CallProfileTest, AreDestroyedInAnyOrder) {
  using Order = std::array<size_t, 3>;
  for (const Order& order : {Order{0, 1, 2}, Order{1, 0, 2}, Order{2, 0, 1}, Order{1, 2, 0}}) {
    struct Place {
      alignas(CallProfile) unsigned char bytes[sizeof(CallProfile)];
    };
    std::array<Place, 3> places;
    std::array<CallProfile*, 3> profiles;
    for (size_t i = 0; i < 3; ++i) profiles[i] = new (places[i].bytes) CallProfile;
    uint64_t calls = 0;
    for (const size_t i : order) {
      Put("a");
      EXPECT_EQ(profiles[i]->Count(CallPart::kLogAppend), ++calls);
      profiles[i]->~CallProfile();
      std::memset(places[i].bytes, 0xAA, sizeof(Place));
    }
    Put("b");
    for (const Place& place : places) {
      for (const unsigned char byte : place.bytes) ASSERT_EQ(byte, 0xAA);
    }
  }
}

TEST_F(CallProfileTest, IsDestroyedOnAnotherThread) {
  auto profile = std::make_unique<CallProfile>();
  ThreadFactory::System()->Start("other", CpuClass::kNormal, [&] {
    Put("a");
    EXPECT_EQ(profile->ToString(), "") << "measures the thread that created it";
    profile.reset();
    profile = std::make_unique<CallProfile>();
    Put("b");
  });
  Put("c");
  EXPECT_EQ(profile->Count(CallPart::kLogAppend), 1u) << "of the thread that has ended";
}

TEST_F(CallProfileTest, IsDestroyedDuringACallThatItMeasures) {
  std::unique_ptr<CallProfile> profile;
  FaultEnv env(leveldb::Env::Default());
  env.set_before_operation([&, caller = ThreadOrdinal()](IoOp op, const std::string&) {
    if (op == kSync && ThreadOrdinal() == caller) profile.reset();
  });
  db_.reset();
  options_.env = &env;
  Open();
  profile = std::make_unique<CallProfile>();
  Put("a", /*sync=*/true);
  EXPECT_EQ(profile, nullptr);
  db_.reset();
}

TEST_F(CallProfileTest, InC) {
  lull_call_profile_t* const profile = lull_call_profile_create();
  Put("a", /*sync=*/true);
  EXPECT_EQ(lull_call_profile_count(profile, lull_part_log_sync), 1u);
  EXPECT_GT(lull_call_profile_nanos(profile, lull_part_log_sync), 0u);
  EXPECT_EQ(lull_call_profile_count(profile, lull_part_block_decode), 0u);
  EXPECT_EQ(lull_call_profile_count(profile, lull_part_block_decode + 1), 0u);
  EXPECT_EQ(lull_call_profile_nanos(profile, -1), 0u);
  char* const text = lull_call_profile_text(profile);
  EXPECT_NE(std::string(text).find("log_sync 1 x "), std::string::npos) << text;
  leveldb_free(text);
  lull_call_profile_clear(profile);
  EXPECT_EQ(lull_call_profile_count(profile, lull_part_log_sync), 0u);
  lull_call_profile_destroy(profile);
}

}  // namespace
}  // namespace lull::testing
