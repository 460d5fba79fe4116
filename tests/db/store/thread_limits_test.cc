// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// The threads of a process that opens stores: how many there are, and what happens when the system
// refuses to start one.
#include <atomic>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leveldb/db.h"
#include "leveldb/env.h"
#include "lull/lull.h"
#include "scheduler/threads/coordinator.h"
#include "tests/db/support/small_store.h"
#include "tests/support/event_count.h"
#include "tests/support/fresh_directory.h"
#include "tests/support/no_more_threads.h"
#include "util/thread.h"

namespace lull {
namespace {

using ::testing::HasSubstr;

leveldb::Status TryOpen(const std::string& name, const std::string& scheduling,
                        std::unique_ptr<leveldb::DB>* db) {
  return testing::OpenAt(testing::SmallOptions(leveldb::Env::Default()), name, db, scheduling);
}

/// As TryOpen, while no thread can be started.
std::string RefusedOpen(const std::string& name, std::unique_ptr<leveldb::DB>* db) {
  const testing::NoMoreThreads refused;
  const leveldb::Status status = TryOpen(name, "", db);
  EXPECT_TRUE(status.IsIOError());
  return status.ToString();
}

int ThreadsNamed(const std::string& name) {
  int count = 0;
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
    std::ifstream file(task.path() / "comm");
    std::string line;
    if (std::getline(file, line) && line == name) ++count;
  }
  return count;
}

TEST(StoreThreads, AllStoresShareThoseOfCompactions) {
  const std::string directory = testing::FreshDirectory("shared-threads");
  std::vector<std::unique_ptr<leveldb::DB>> stores(10);
  for (size_t i = 0; i < stores.size(); ++i) {
    ASSERT_EQ(
        TryOpen(directory + "/" + std::to_string(i), "compaction_threads=2", &stores[i]).ToString(),
        "OK");
    ASSERT_TRUE(stores[i]->Put({}, "key", "value").ok());
    ASSERT_TRUE(Flush(stores[i].get()).ok());
  }
  EXPECT_EQ(ThreadsNamed("lull-monitor"), 1);
  EXPECT_EQ(ThreadsNamed("lull-work"), 2);
  EXPECT_EQ(ThreadsNamed("lull-idle"), 2);
  EXPECT_EQ(ThreadsNamed("lull-flush"), 10);
}

TEST(StoreThreads, WithoutThemAnOpenFailsAndLeavesNothing) {
  const std::string name = testing::FreshDirectory("no-threads") + "/store";
  std::unique_ptr<leveldb::DB> db;
  EXPECT_THAT(RefusedOpen(name, &db), ::testing::AllOf(HasSubstr("cannot start thread lull-work: "),
                                                       HasSubstr("ulimit -u")));
  EXPECT_EQ(db, nullptr);
  EXPECT_FALSE(std::filesystem::exists(name));
  ASSERT_EQ(TryOpen(name, "", &db).ToString(), "OK");
  EXPECT_TRUE(db->Put({}, "key", "value").ok());
}

TEST(StoreThreads, AnOpenThatLacksTheEventThreadReleasesItsLock) {
  const std::string name = testing::FreshDirectory("no-event-thread") + "/store";
  std::shared_ptr<Coordinator> others;  // its threads already run
  ASSERT_TRUE(Coordinator::Shared({}, &others).ok());
  std::unique_ptr<leveldb::DB> db;
  EXPECT_THAT(RefusedOpen(name, &db), HasSubstr("cannot start thread lull-events: "));
  EXPECT_EQ(TryOpen(name, "", &db).ToString(), "OK");
}

/// Starts at most `left` threads, and counts those that have not ended.
class FewThreads final : public ThreadFactory {
 public:
  explicit FewThreads(int left) : left_(left) {}

  leveldb::Status TryStart(const std::string& name, CpuClass cpu_class, std::function<void()> body,
                           std::unique_ptr<ThreadHandle>* result) override {
    if (left_-- == 0) return leveldb::Status::IOError(name);
    alive.fetch_add(1);
    const auto counted = [this, body = std::move(body)] {
      body();
      alive.fetch_sub(1);
    };
    return System()->TryStart(name, cpu_class, counted, result);
  }
  leveldb::Status TryStartDetached(const std::string& name, CpuClass cpu_class,
                                   std::function<void()> body) override {
    detached_.emplace_back();
    return TryStart(name, cpu_class, std::move(body), &detached_.back());
  }
  void JoinDetached() { detached_.clear(); }

  std::atomic<int> alive{0};

 private:
  int left_;
  std::vector<std::unique_ptr<ThreadHandle>> detached_;
};

TEST(StoreThreads, ACoordinatorThatLacksOneEndsTheOthers) {
  constexpr int kThreads = 2 * 2 + 1;
  for (int left = 0; left <= kThreads; ++left) {
    FewThreads threads(left);
    CoordinatorOptions options;
    options.compaction_threads = 2;
    options.threads = &threads;
    auto coordinator = std::make_unique<Coordinator>(options);
    EXPECT_EQ(coordinator->StartThreads().ok(), left == kThreads);
    coordinator.reset();
    threads.JoinDetached();
    EXPECT_EQ(threads.alive.load(), 0);
  }
}

// If an earlier test has started the thread, nothing is refused.
TEST(StoreThreads, ScheduleTriesAgain) {
  leveldb::Env* const env = leveldb::Env::Default();
  testing::EventCount scheduled;
  const auto note = [](void* events) { static_cast<testing::EventCount*>(events)->Note(); };
  {
    const testing::NoMoreThreads refused;
    env->Schedule(note, &scheduled);
  }
  env->Schedule(note, &scheduled);
  scheduled.Await("both calls", [&] { return scheduled.count() == 2; });
}

}  // namespace
}  // namespace lull
