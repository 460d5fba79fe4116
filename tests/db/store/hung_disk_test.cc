// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// A disk that stops answering in the middle of a call stops only the stores on it. Each test lets
// the calls of one kind of one store's Env hang, until some of its threads are in such a call. Then
// another store, which shares the coordinator, must write, flush, compact, read, close and open.
#include <pthread.h>

#include <atomic>
#include <cstdarg>
#include <cstdint>
#include <memory>
#include <optional>
#include <ostream>
#include <string>

#include "gtest/gtest.h"
#include "leveldb/db.h"
#include "leveldb/env.h"
#include "lull/lull.h"
#include "scheduler/threads/coordinator.h"
#include "tests/db/support/expect_ok.h"
#include "tests/db/support/small_store.h"
#include "tests/support/event_count.h"
#include "tests/support/fault_env.h"
#include "tests/support/fresh_directory.h"
#include "tests/support/gate.h"
#include "util/clock.h"

namespace lull {
namespace {

/// What hangs: operations of FaultEnv, or a call that FaultEnv passes on.
struct Call {
  const char* name;
  uint32_t ops;
  bool only_workers = false;
};
constexpr uint32_t kFreeBytes = 1u << 30;
constexpr uint32_t kLogger = 1u << 31;

constexpr Call kCalls[] = {
    {"OpenRead", testing::kOpenRead},
    {"OpenWrite", testing::kOpenWrite},
    {"Read", testing::kRead},
    {"Append", testing::kAppend},
    {"Sync", testing::kSync},
    {"SyncDir", testing::kSyncDir},
    {"Remove", testing::kRemove},
    {"Close", testing::kClose},
    {"FreeBytes", kFreeBytes},
    {"Logger", kLogger},
    {"Any", ~0u},
    {"OpenReadOfWorkers", testing::kOpenRead, true},
    {"OpenWriteOfWorkers", testing::kOpenWrite, true},
    {"ReadOfWorkers", testing::kRead, true},
    {"AppendOfWorkers", testing::kAppend, true},
    {"SyncOfWorkers", testing::kSync, true},
    {"CloseOfWorkers", testing::kClose, true},
    {"AnyOfWorkers", ~0u, true},
};
void PrintTo(const Call& call, std::ostream* out) { *out << call.name; }

class HangingEnv final : public testing::FaultEnv {
 public:
  HangingEnv() : FaultEnv(leveldb::Env::Default()) {
    set_before_operation([this](testing::IoOp op, const std::string&) { Pass(op); });
  }

  std::atomic<uint32_t> hanging{0};  ///< calls that pass the gate
  std::atomic<bool> only_workers{false};
  testing::Gate gate;

  std::optional<uint64_t> FreeBytes(const std::string& dir) override {
    Pass(kFreeBytes);
    return FaultEnv::FreeBytes(dir);
  }
  leveldb::Status NewLogger(const std::string& path, leveldb::Logger** result) override {
    leveldb::Status status = FaultEnv::NewLogger(path, result);
    if (status.ok()) *result = new HangingLogger(this, *result);
    return status;
  }

 private:
  class HangingLogger final : public leveldb::Logger {
   public:
    HangingLogger(HangingEnv* env, leveldb::Logger* target) : env_(env), target_(target) {}
    void Logv(const char* format, std::va_list arguments) override {
      env_->Pass(kLogger);
      target_->Logv(format, arguments);
    }

   private:
    HangingEnv* const env_;
    const std::unique_ptr<leveldb::Logger> target_;
  };

  void Pass(uint32_t ops) {
    if ((hanging.load() & ops) == 0) return;
    if (only_workers.load() && !IsWorker()) return;
    gate.Pass();
  }
  static bool IsWorker() {
    char name[16] = "";
    pthread_getname_np(pthread_self(), name, sizeof(name));
    return std::string(name) == "lull-work" || std::string(name) == "lull-idle";
  }
};

/// Twenty times as fast, so that the seconds after which a slice counts as hanging pass soon.
class FastClock final : public Clock {
 public:
  uint64_t NowNanos() const override { return 20 * System()->NowNanos(); }
  void SleepForNanos(uint64_t) override {}
};

class HungDiskTest : public ::testing::TestWithParam<Call> {
 protected:
  HungDiskTest() : directory_(testing::FreshDirectory("hung-disk")) {
    CoordinatorOptions options;
    options.compaction_threads = 1;
    options.clock = &clock_;
    EXPECT_TRUE(Coordinator::Shared(options, &coordinator_).ok());
  }

  std::unique_ptr<leveldb::DB> Open(const std::string& name, leveldb::Env* env) const {
    std::unique_ptr<leveldb::DB> db;
    EXPECT_TRUE(testing::IsOk(
        testing::OpenAt(testing::SmallOptions(env), directory_ + "/" + name, &db, "l0_trigger=2")));
    return db;
  }
  static leveldb::Status Put(leveldb::DB* db, int i) {
    const std::string key = "key" + std::to_string(i * 7919 % 5000);
    return db->Put({}, key, std::string(500, static_cast<char>('a' + i % 26)));
  }
  /// Everything that a client can do, with compactions of all levels.
  void UseHealthyStore() {
    std::unique_ptr<leveldb::DB> db = Open("healthy", leveldb::Env::Default());
    for (int i = 0; i < 3000; ++i) ASSERT_TRUE(Put(db.get(), i).ok());
    ASSERT_TRUE(Flush(db.get()).ok());
    db->CompactRange(nullptr, nullptr);
    ASSERT_TRUE(WaitForIdle(db.get()).ok());
    std::string value;
    ASSERT_TRUE(db->Get({}, "key7919", &value).IsNotFound());
    ASSERT_TRUE(db->Get({}, "key2919", &value).ok());
    db.reset();
    db = Open("healthy", leveldb::Env::Default());
    ASSERT_TRUE(db->Get({}, "key2919", &value).ok());
  }

  const std::string directory_;
  FastClock clock_;
  HangingEnv env_;
  std::shared_ptr<Coordinator> coordinator_;  // of both stores
};

TEST_P(HungDiskTest, AnotherStoreGoesOn) {
  std::unique_ptr<leveldb::DB> sick = Open("sick", &env_);
  for (int i = 0; i < 3000; ++i) ASSERT_TRUE(Put(sick.get(), i).ok());
  std::atomic<bool> stop{false};
  env_.gate.Close();
  env_.only_workers = GetParam().only_workers;
  env_.hanging = GetParam().ops;
  auto writer = testing::InThread([&] {
    for (int i = 0; !stop.load(); ++i) {
      if (i % 100 == 0) Flush(sick.get());
      Put(sick.get(), i);
    }
  });
  env_.gate.AwaitBlocked();

  testing::EventCount used;
  auto user = testing::InThread([&] {
    UseHealthyStore();
    used.Note();
  });
  used.Await("the use of the healthy store", [&] { return used.count() > 0; });

  env_.hanging = 0;
  env_.gate.Open();
  stop.store(true);
  writer.reset();
  user.reset();
  EXPECT_TRUE(Put(sick.get(), 1).ok()) << "the sick disk works again";
  sick.reset();
  EXPECT_NE(Open("sick", &env_), nullptr);
}

INSTANTIATE_TEST_SUITE_P(Calls, HungDiskTest, ::testing::ValuesIn(kCalls),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace lull
