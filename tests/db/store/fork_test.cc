// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// A process that forks with a store open. The child closes it, reads it, gets errors on writes, and
// opens other stores; the parent's store is not damaged. A child that hangs is killed after a
// minute.
#include "util/fork.h"

#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>

#include "gtest/gtest.h"
#include "leveldb/db.h"
#include "leveldb/env.h"
#include "lull/compaction_filter.h"
#include "lull/listener.h"
#include "lull/lull.h"
#include "tests/db/support/expect_ok.h"
#include "tests/db/support/small_store.h"
#include "tests/db/support/stats_file_env.h"
#include "tests/support/event_count.h"
#include "tests/support/fresh_directory.h"
#include "tests/support/sanitized.h"
#include "util/env_extension.h"

namespace lull {
namespace {

using testing::InThread;
using testing::ReadValue;

constexpr unsigned kHangSeconds = 60;

class ForkTest : public ::testing::Test {
 protected:
  leveldb::DB* Open(const std::string& name) {
    leveldb::DB* db = nullptr;
    EXPECT_TRUE(testing::IsOk(leveldb::DB::Open(options_, name, &db)));
    return db;
  }
  static bool Fill(leveldb::DB* db, int count, const std::string& value) {
    for (int i = 0; i < count; ++i) {
      if (!db->Put({}, "key" + std::to_string(i), value).ok()) return false;
    }
    return true;
  }
  static size_t Count(leveldb::DB* db) { return testing::ReadAll(db).size(); }
  /// The parent after a fork: writes on, over several pages of a log that may be mapped, closes the
  /// store, and finds `count` keys, the first 200 with the new value.
  void ExpectUnharmed(leveldb::DB* opened, size_t count) {
    std::unique_ptr<leveldb::DB> db(opened);
    const std::string value(100, 'p');
    ASSERT_TRUE(Fill(db.get(), 200, value));
    db.reset();
    db.reset(Open(name_));
    EXPECT_EQ(Count(db.get()), count);
    for (int i = 0; i < 200; ++i) ASSERT_EQ(ReadValue(db.get(), "key" + std::to_string(i)), value);
  }
  /// Runs `body` in a forked child, which ends without destructors. True if it returned true.
  static bool InChild(const std::function<bool()>& body) {
    const pid_t child = fork();
    if (child == 0) {
      alarm(kHangSeconds);
      _exit(body() ? 0 : 1);
    }
    return EndsWell(child);
  }
  static bool EndsWell(pid_t child) {
    int status = 0;
    EXPECT_EQ(waitpid(child, &status, 0), child);
    EXPECT_FALSE(WIFSIGNALED(status)) << "killed by signal " << WTERMSIG(status);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
  }

  const std::string name_ = testing::FreshDirectory("fork");
  const std::string other_ = testing::FreshDirectory("forked");
  leveldb::Options options_ = testing::SmallOptions(leveldb::Env::Default());
};

TEST_F(ForkTest, ClosingInTheChildTouchesNothing) {
  leveldb::DB* db = Open(name_);
  ASSERT_TRUE(Fill(db, 2000, std::string(100, 'a')));
  ASSERT_TRUE(WaitForIdle(db).ok());
  ASSERT_TRUE(Fill(db, 10, "in the log"));
  const leveldb::Snapshot* const snapshot = db->GetSnapshot();
  leveldb::Iterator* const iterator = db->NewIterator({});
  iterator->SeekToFirst();
  EXPECT_TRUE(InChild([&] {
    delete iterator;
    db->ReleaseSnapshot(snapshot);
    delete db;
    return true;
  }));

  EXPECT_TRUE(iterator->Valid());
  delete iterator;
  db->ReleaseSnapshot(snapshot);
  ExpectUnharmed(db, 2000);
}

TEST_F(ForkTest, TheParentsStatsFileStays) {
  testing::StatsFileEnv env;
  options_.env = &env;
  leveldb::DB* db = nullptr;
  ASSERT_TRUE(lull::Open(options_, "stats_file=lull.prom", name_, &db).ok());
  env.attempts.Await("the stats file", [&] { return env.attempts.count() > 0; });
  EXPECT_TRUE(InChild([&] {
    delete db;
    return true;
  }));
  EXPECT_TRUE(env.FileExists(name_ + "/lull.prom"));
  delete db;
  EXPECT_FALSE(env.FileExists(name_ + "/lull.prom"));
}

leveldb::DB* of_the_parent;  // as an object of a scripting language is, until exit() destroys it

TEST_F(ForkTest, AChildThatExitsClosesTheStoreByTheWay) {
  of_the_parent = Open(name_);
  ASSERT_TRUE(Fill(of_the_parent, 1000, "value"));
  const pid_t child = fork();
  if (child == 0) {
    alarm(kHangSeconds);
    std::atexit([] { _exit(0); });  // before leak checkers run: threads' stacks are no roots here
    std::atexit([] { delete of_the_parent; });  // runs first
    std::exit(0);
  }
  EXPECT_TRUE(EndsWell(child));
  ExpectUnharmed(of_the_parent, 1000);
}

TEST_F(ForkTest, TheChildReadsTheStoreAsItWas) {
  const std::unique_ptr<leveldb::DB> db(Open(name_));
  ASSERT_TRUE(Fill(db.get(), 2000, std::string(100, 'a')));
  ASSERT_TRUE(Fill(db.get(), 10, "in memory"));
  EXPECT_TRUE(InChild([&] {
    const leveldb::Snapshot* const snapshot = db->GetSnapshot();
    const bool found = ReadValue(db.get(), "key1", snapshot) == "in memory" &&
                       ReadValue(db.get(), "key1999") == std::string(100, 'a');
    db->ReleaseSnapshot(snapshot);
    return found && Count(db.get()) == 2000;
  }));
}

TEST_F(ForkTest, TheChildCannotWrite) {
  leveldb::DB* const db = Open(name_);
  ASSERT_TRUE(Fill(db, 1000, "value"));
  EXPECT_TRUE(InChild([&] {
    std::string text;
    const auto listener = std::make_shared<EventListener>();
    db->CompactRange(nullptr, nullptr);
    for (const leveldb::Status& status :
         {db->Put({}, "key1", "child"), db->Delete({}, "key2"), Flush(db), WaitForIdle(db),
          SetOptions(db, "policy=silk"), SetCompactionFilter(db, nullptr),
          CreateCheckpoint(db, other_ + "/copy"), AddListener(db, listener),
          RemoveListener(db, listener), DeleteRange(db, nullptr, nullptr),
          DeleteFilesInRange(db, nullptr, nullptr, nullptr), IngestTables(db, {})}) {
      if (!status.IsNotSupportedError()) return false;
    }
    return !db->GetProperty("lull.stats", &text) && ReadValue(db, "key1") == "value";
  }));
  ExpectUnharmed(db, 1000);
}

// ---- the child opens stores ----
//
// Not under TSan, which lets no child of a process with threads start its own, nor under ASan,
// whose allocator in the child keeps locks that the parent's threads held.

#if !defined(LULL_SANITIZED)

TEST_F(ForkTest, TheChildOpensTheParentsStoreOnceItIsClosed) {
  leveldb::DB* const db = Open(name_);
  ASSERT_TRUE(Fill(db, 100, "parent"));
  int refused[2], closed[2];
  ASSERT_EQ(pipe(refused) + pipe(closed), 0);
  const pid_t child = fork();
  char byte = 0;
  if (child == 0) {
    alarm(kHangSeconds);
    leveldb::DB* own = nullptr;
    const bool was_refused = leveldb::DB::Open(options_, name_, &own).IsIOError();
    delete db;
    if (write(refused[1], &byte, 1) != 1 || read(closed[0], &byte, 1) != 1) _exit(2);
    own = Open(name_);
    const bool written = own != nullptr && Fill(own, 10, "child");
    delete own;
    _exit(was_refused && written ? 0 : 1);
  }
  close(refused[1]);
  EXPECT_EQ(read(refused[0], &byte, 1), 1);
  delete db;
  EXPECT_EQ(write(closed[1], &byte, 1), 1);
  EXPECT_TRUE(EndsWell(child));
  for (const int fd : {refused[0], closed[0], closed[1]}) close(fd);
  const std::unique_ptr<leveldb::DB> again(Open(name_));
  EXPECT_EQ(ReadValue(again.get(), "key9"), "child");
  EXPECT_EQ(ReadValue(again.get(), "key10"), "parent");
}

TEST_F(ForkTest, TheChildsEnvRunsWhatIsScheduled) {
  const auto run_one = [] {
    testing::EventCount calls;
    leveldb::Env::Default()->Schedule(
        [](void* called) { static_cast<testing::EventCount*>(called)->Note(); }, &calls);
    return calls.Await("the call", [&] { return calls.count() > 0; });
  };
  run_one();
  EXPECT_TRUE(InChild(run_one));
}

// Some thread of the parent holds locks whenever it forks.
TEST_F(ForkTest, ForksAmidWork) {
  constexpr int kForks = 5;
  const std::unique_ptr<leveldb::DB> db(Open(name_));
  std::atomic<bool> stop{false};
  auto writer = InThread([&] {
    while (!stop.load()) EXPECT_TRUE(Fill(db.get(), 500, std::string(100, 'w')));
  });
  auto opener = InThread([&] {
    const std::string name = other_ + "/open";
    while (!stop.load()) delete Open(name);
  });
  for (int i = 0; i < kForks; ++i) {
    EXPECT_TRUE(InChild([&] {
      delete db.get();
      std::unique_ptr<leveldb::DB> own(Open(other_ + "/own"));
      if (own == nullptr || !Fill(own.get(), 3000, std::string(100, 'c'))) return false;
      if (!WaitForIdle(own.get()).ok()) return false;
      own.reset();
      own.reset(Open(other_ + "/own"));
      return own != nullptr && Count(own.get()) == 3000;
    }));
  }
  stop.store(true);
  writer.reset();
  opener.reset();
  EXPECT_EQ(Count(db.get()), 500u);
}

// What all stores of a process share: the list of stores, and the reserved descriptors.
TEST_F(ForkTest, ForksAmidCalls) {
  constexpr int kForks = 100;
  const std::unique_ptr<leveldb::DB> db(Open(name_));
  const auto call = [this](leveldb::DB* store) {
    leveldb::WritableFile* file = nullptr;
    EnvExtension* const env = ExtensionOf(leveldb::Env::Default());
    return AddListener(store, nullptr).IsInvalidArgument() &&
           env->NewManifestFile(name_ + "/missing/file", &file).IsNotFound();
  };
  std::atomic<bool> stop{false};
  std::atomic<bool> failed{false};
  auto caller = InThread([&] {
    while (!stop.load()) {
      if (!call(db.get())) failed.store(true);
    }
  });
  for (int i = 0; i < kForks && !HasFailure(); ++i)
    EXPECT_TRUE(InChild([&] { return call(nullptr); }));
  stop.store(true);
  caller.reset();
  EXPECT_FALSE(failed.load());
}

#endif

struct Number {
  std::atomic<int> value{0};
};

#if defined(__ELF__) && !defined(LULL_SANITIZED)

bool child_is_new = false;

void ForkBeforeAllConstructors() {
  static constinit PerProcess<Number> numbers;
  numbers.Get().value = 7;
  const pid_t child = fork();
  if (child == 0) _exit(numbers.Get().value == 0 ? 0 : 1);
  int status = 1;
  waitpid(child, &status, 0);
  child_is_new = status == 0;
}
[[gnu::section(".preinit_array"),
  gnu::used]] void (*before_constructors)() = &ForkBeforeAllConstructors;

TEST_F(ForkTest, AForkBeforeTheConstructorsIsNoticed) { EXPECT_TRUE(child_is_new); }

#endif

TEST_F(ForkTest, PerProcessIsNewInTheChild) {
  static PerProcess<Number> numbers;
  numbers.Get().value = 7;
  EXPECT_TRUE(InChild([] {
    const bool is_new = numbers.Get().value == 0;
    numbers.Get().value = 8;
    return is_new && numbers.Get().value == 8;
  }));
  EXPECT_EQ(numbers.Get().value, 7);
}

}  // namespace
}  // namespace lull
