// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// A store under directives that a test chooses: sizes that change while it is open, a memtable that
// absorbs, what the pressure says, and options that change.
#include <algorithm>
#include <atomic>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "db/store.h"
#include "gtest/gtest.h"
#include "leveldb/db.h"
#include "leveldb/write_batch.h"
#include "lull/listener.h"
#include "lull/lull.h"
#include "tests/support/fresh_directory.h"
#include "tests/support/rng.h"
#include "util/clock.h"
#include "util/env_extension.h"
#include "util/mutex.h"
#include "util/thread.h"

namespace lull {
namespace {

constexpr uint64_t kKiB = 1 << 10;
constexpr uint64_t kMiB = 1 << 20;

/// What a test wants, and what policies were told. Shared by the policies that a store has in turn.
struct Script {
  Mutex mutex;
  Directive directive LULL_GUARDED_BY(mutex);
  Pressure seen LULL_GUARDED_BY(mutex);
  std::string policy LULL_GUARDED_BY(mutex);
  PolicyOptions options LULL_GUARDED_BY(mutex);
  std::atomic<uint64_t> asked{0};
  std::atomic<int> made{0};  ///< policies

  void Set(const Directive& wanted) {
    MutexLock lock(mutex);
    directive = wanted;
    directive.tick = true;
  }
  Pressure Seen() {
    MutexLock lock(mutex);
    return seen;
  }
};

class ScriptedPolicy final : public Policy {
 public:
  explicit ScriptedPolicy(Script* script) : script_(script) {}
  Directive OnEvent(EventKind, const Pressure& pressure, uint64_t) override {
    MutexLock lock(script_->mutex);
    script_->seen = pressure;
    script_->asked.fetch_add(1);
    return script_->directive;
  }

 private:
  Script* const script_;
};

/// The real file system, on which no table can be made while they are held, nor a folder be synced.
/// What is written is traced, a letter each: t, some of a table; T, a table's sync; d, a folder's,
/// with which each install begins.
class HeldTablesEnv final : public leveldb::EnvWrapper, public EnvExtension {
 public:
  HeldTablesEnv()
      : EnvWrapper(leveldb::Env::Default()), extension_(ExtensionOf(leveldb::Env::Default())) {}

  void Hold(bool on) { held_.store(on); }
  void HoldSyncs(bool on) { syncs_held_.store(on); }
  int waiting() const { return waiting_.load(); }
  /// And begins anew.
  std::string TakeTrace() {
    MutexLock lock(mutex_);
    return std::exchange(trace_, {});
  }

  leveldb::Status SyncDirectory(const std::string& dir) override {
    while (syncs_held_.load()) Clock::System()->SleepForNanos(1'000'000);
    Trace('d');
    return extension_->SyncDirectory(dir);
  }
  leveldb::Status NewLogFile(const std::string& name, uint64_t capacity_bytes, LogFileMode mode,
                             leveldb::WritableFile** result) override {
    return extension_->NewLogFile(name, capacity_bytes, mode, result);
  }
  leveldb::Status NewTableFile(const std::string& name, leveldb::WritableFile** result) override {
    waiting_.fetch_add(1);
    while (held_.load()) Clock::System()->SleepForNanos(1'000'000);
    waiting_.fetch_sub(1);
    const leveldb::Status status = extension_->NewTableFile(name, result);
    if (status.ok()) *result = new Table(this, *result);
    return status;
  }

 private:
  class Table final : public leveldb::WritableFile {
   public:
    Table(HeldTablesEnv* env, leveldb::WritableFile* file) : env_(env), file_(file) {}
    leveldb::Status Append(const leveldb::Slice& data) override {
      env_->Trace('t');
      return file_->Append(data);
    }
    leveldb::Status Close() override { return file_->Close(); }
    leveldb::Status Flush() override { return file_->Flush(); }
    leveldb::Status Sync() override {
      env_->Trace('T');
      return file_->Sync();
    }

   private:
    HeldTablesEnv* const env_;
    const std::unique_ptr<leveldb::WritableFile> file_;
  };

  void Trace(char event) {
    MutexLock lock(mutex_);
    trace_.push_back(event);
  }

  EnvExtension* const extension_;
  Mutex mutex_;
  std::string trace_ LULL_GUARDED_BY(mutex_);
  std::atomic<bool> held_{false};
  std::atomic<bool> syncs_held_{false};
  std::atomic<int> waiting_{0};
};

class StoreMechanismTest : public ::testing::Test {
 protected:
  StoreMechanismTest() {
    options_.create_if_missing = true;
    options_.env = &env_;
    options_.compression = leveldb::kNoCompression;
    options_.write_buffer_size = kMiB;
    options_.max_file_size = 2 * kMiB;
    scheduling_.own_coordinator = true;
    scheduling_.memory_budget_bytes = 4 * kMiB;
    name_ = testing::FreshDirectory("mechanism");
    script_.Set(Everything());
  }

  static Directive Everything() {
    Directive wanted;
    wanted.l0 = wanted.deep = {4, CpuPriority::kNormal};
    wanted.compactions_max = 4;
    return wanted;
  }

  void Open() {
    leveldb::DB* db = nullptr;
    const auto make = [this](const std::string& policy, const PolicyOptions& options) {
      MutexLock lock(script_.mutex);
      script_.policy = policy;
      script_.options = options;
      script_.made.fetch_add(1);
      return std::make_unique<ScriptedPolicy>(&script_);
    };
    const leveldb::Status status = Store::Open(options_, scheduling_, name_, &db, make);
    ASSERT_TRUE(status.ok()) << status.ToString();
    db_.reset(db);
  }
  void Await(const char* what, const std::function<bool()>& holds) {
    for (int i = 0; i < 60'000; ++i) {
      if (holds()) return;
      Clock::System()->SleepForNanos(1'000'000);
    }
    FAIL() << "never came: " << what;
  }
  /// Waits until the store obeys what the script said before.
  void AwaitObeyed() {
    const uint64_t asked = script_.asked.load();
    Await("two more decisions", [&] { return script_.asked.load() >= asked + 2; });
  }

  /// Values that do not compress, and whose key is known by their number.
  static std::string KeyOf(uint64_t i) { return "key" + std::to_string(100'000 + i); }
  static std::string ValueOf(uint64_t i) {
    testing::Rng rng(i);
    std::string value(1000, '\0');
    for (char& byte : value) byte = static_cast<char>(rng.Next());
    return value;
  }
  void Write(uint64_t from, uint64_t until) {
    for (uint64_t i = from; i < until; ++i) {
      ASSERT_TRUE(db_->Put(leveldb::WriteOptions(), KeyOf(i), ValueOf(i)).ok());
      acked_.store(i + 1);
    }
  }
  void ExpectAll(leveldb::DB* db, uint64_t count) {
    for (uint64_t i = 0; i < count; ++i) {
      std::string value;
      ASSERT_TRUE(db->Get(leveldb::ReadOptions(), KeyOf(i), &value).ok()) << i;
      ASSERT_EQ(value, ValueOf(i)) << i;
    }
  }
  std::vector<uint64_t> TableSizes() const {
    std::vector<uint64_t> sizes;
    for (const auto& file : std::filesystem::directory_iterator(name_)) {
      if (file.path().extension() == ".ldb") sizes.push_back(file.file_size());
    }
    return sizes;
  }

  HeldTablesEnv env_;
  leveldb::Options options_;
  SchedulingOptions scheduling_;
  std::string name_;
  Script script_;
  std::unique_ptr<leveldb::DB> db_;
  std::atomic<uint64_t> acked_{0};
};

TEST_F(StoreMechanismTest, MemtablesAreAsLargeAsThePolicyWants) {
  Directive small = Everything();
  small.memtable_bytes = 64 * kKiB;
  small.flush_bytes_min = 3 * kMiB;
  script_.Set(small);
  Open();
  AwaitObeyed();
  Write(0, 900);
  Await("more than one", [&] { return script_.Seen().immutables >= 8; });
  EXPECT_LE(script_.Seen().immutables, 900 * 1000 / 50'000) << "a few entries do not fill one";
  EXPECT_EQ(script_.Seen().memtable_bytes, kMiB) << "as the store was opened";
  EXPECT_LT(script_.Seen().active_bytes, 2 * 64 * kKiB);
  script_.Set(Everything());
  AwaitObeyed();
  ASSERT_TRUE(Flush(db_.get()).ok());
  Write(900, 1700);
  Await("the last write is seen", [&] { return script_.Seen().active_bytes > 700 * kKiB; });
  ExpectAll(db_.get(), 1700);
}

TEST_F(StoreMechanismTest, TheOptionStringGoesBeforeTheSizeOfMemtablesInOptions) {
  scheduling_.memtable_bytes = 256 * kKiB;
  Open();
  AwaitObeyed();
  EXPECT_EQ(script_.Seen().memtable_bytes, 256 * kKiB);
  Write(0, 400);
  AwaitObeyed();
  EXPECT_LT(script_.Seen().active_bytes, 2 * 256 * kKiB);
  ExpectAll(db_.get(), 400);
}

TEST_F(StoreMechanismTest, NoMemtableIsTooLargeForTheBudget) {
  Directive vast = Everything();
  vast.memtable_bytes = uint64_t{1} << 50;
  script_.Set(vast);
  Open();
  AwaitObeyed();
  Write(0, 1600);
  Await("it is larger than it was opened with",
        [&] { return script_.Seen().active_bytes >= 1600 * kKiB * 9 / 10; });
  EXPECT_GE(script_.Seen().memory_used_bytes, 400 * kKiB) << "what it grew by counts";
  EXPECT_EQ(script_.Seen().immutables, 0);
  Write(1600, 6000);
  AwaitObeyed();
  EXPECT_LE(script_.Seen().active_bytes, 2 * kMiB + 256 * kKiB) << "half the budget";
  ASSERT_TRUE(Flush(db_.get()).ok());
  Await("all is given back", [&] { return script_.Seen().memory_used_bytes == 0; });
  ExpectAll(db_.get(), 6000);
}

TEST_F(StoreMechanismTest, TablesAreAsLargeAsThePolicyWants) {
  Directive small = Everything();
  small.table_bytes = 64 * kKiB;
  script_.Set(small);
  Open();
  AwaitObeyed();
  for (int round = 0; round < 4; ++round) {
    Write(0, 500);
    ASSERT_TRUE(Flush(db_.get()).ok());
  }
  db_->CompactRange(nullptr, nullptr);
  ASSERT_TRUE(WaitForIdle(db_.get()).ok());
  std::string in_l0;
  ASSERT_TRUE(db_->GetProperty("leveldb.num-files-at-level0", &in_l0));
  EXPECT_EQ(in_l0, "0");
  db_.reset();  // removes what is no longer needed
  const std::vector<uint64_t> sizes = TableSizes();
  EXPECT_GE(sizes.size(), 7u);
  EXPECT_LE(*std::max_element(sizes.begin(), sizes.end()), 80 * kKiB);
}

TEST_F(StoreMechanismTest, AFullMemtableAbsorbsWhileAnotherWaitsAndNeverBeyondTheBudget) {
  Directive absorb = Everything();
  absorb.memtable_bytes = 64 * kKiB;
  absorb.immutables_max = 1;
  absorb.absorb = true;
  script_.Set(absorb);
  Open();
  AwaitObeyed();
  env_.Hold(true);
  acked_.store(0);
  constexpr uint64_t kWrites = 8000;
  auto writer =
      ThreadFactory::System()->Start("writer", CpuClass::kNormal, [&] { Write(0, kWrites); });
  Await("the flush waits", [&] { return env_.waiting() > 0; });
  // The writer goes on until the budget is used up, far beyond one memtable.
  Await("it absorbs", [&] { return script_.Seen().active_bytes > 3 * kMiB; });
  uint64_t before = acked_.load();
  Await("it stops", [&] {
    const uint64_t asked = script_.asked.load();
    Await("decisions", [&] { return script_.asked.load() >= asked + 10; });
    return std::exchange(before, acked_.load()) == before;
  });
  const Pressure full = script_.Seen();
  EXPECT_EQ(full.immutables, 1);
  // The size with which the store was opened is not counted before it is sealed.
  EXPECT_LE(full.immutable_bytes + full.active_bytes,
            scheduling_.memory_budget_bytes + options_.write_buffer_size);
  EXPECT_LE(full.memory_used_bytes, scheduling_.memory_budget_bytes);
  EXPECT_LT(acked_.load(), kWrites);

  // What stands on the disk now is what a killed process would leave: a log far longer than what
  // was allocated for it.
  const uint64_t survived = acked_.load();
  const std::string copy = testing::FreshDirectory("mechanism-copy") + "/store";
  std::filesystem::copy(name_, copy);
  env_.Hold(false);
  writer.reset();
  ExpectAll(db_.get(), kWrites);
  Await("it seals again as soon as it can", [&] { return script_.Seen().immutables == 0; });
  ASSERT_TRUE(Flush(db_.get()).ok());
  Await("what it took beyond its size is given back",
        [&] { return script_.Seen().memory_used_bytes == 0; });
  db_.reset();
  Open();
  ExpectAll(db_.get(), kWrites);
  db_.reset();

  name_ = copy;
  Open();
  ExpectAll(db_.get(), survived);
}

TEST_F(StoreMechanismTest, ThePressureTellsReadsAndBackgroundBytes) {
  Open();
  Write(0, 2000);
  ASSERT_TRUE(Flush(db_.get()).ok());
  AwaitObeyed();
  const Pressure written = script_.Seen();
  EXPECT_GE(written.background_bytes_total, 2'000'000u) << "flushes";
  EXPECT_EQ(written.client_read_bytes_total, 0u);
  ExpectAll(db_.get(), 100);
  AwaitObeyed();
  EXPECT_EQ(script_.Seen().client_read_bytes_total, 100u * 1000);
  {
    std::unique_ptr<leveldb::Iterator> iterator(db_->NewIterator(leveldb::ReadOptions()));
    for (iterator->SeekToFirst(); iterator->Valid(); iterator->Next()) {
      ASSERT_EQ(iterator->value().size(), 1000u);
    }
    for (iterator->SeekToLast(); iterator->Valid(); iterator->Prev()) {
    }
  }
  AwaitObeyed();
  const uint64_t key_bytes = KeyOf(0).size();
  EXPECT_EQ(script_.Seen().client_read_bytes_total,
            100 * 1000 + 2000 * (1000 + key_bytes) + 2000 * key_bytes);
  db_->CompactRange(nullptr, nullptr);
  AwaitObeyed();
  EXPECT_GE(script_.Seen().background_bytes_total, written.background_bytes_total + 2'000'000u);
}

TEST_F(StoreMechanismTest, ThePressureTellsWhatReadsSearchedInVain) {
  Directive wanted = Everything();
  wanted.l0 = wanted.deep = {0, CpuPriority::kNormal};
  script_.Set(wanted);
  Open();
  for (const int first : {0, 100, 200}) {  // each table spans all keys, and holds a third
    Write(first, first + 100);
    ASSERT_TRUE(db_->Put(leveldb::WriteOptions(), "a", "").ok());
    ASSERT_TRUE(db_->Put(leveldb::WriteOptions(), "z", "").ok());
    ASSERT_TRUE(Flush(db_.get()).ok());
  }
  AwaitObeyed();
  EXPECT_EQ(script_.Seen().l0_tables, 3);
  EXPECT_GT(script_.Seen().l0_bytes, 300'000u);
  EXPECT_EQ(script_.Seen().l0_misses_total, 0u);
  std::string value;
  ASSERT_TRUE(db_->Get(leveldb::ReadOptions(), KeyOf(50), &value).ok());
  EXPECT_TRUE(db_->Get(leveldb::ReadOptions(), KeyOf(50) + "x", &value).IsNotFound());
  AwaitObeyed();
  EXPECT_EQ(script_.Seen().l0_misses_total, 0u) << "filters in memory spare the others";

  db_.reset();
  Open();  // which has no filters
  ASSERT_TRUE(db_->Get(leveldb::ReadOptions(), KeyOf(250), &value).ok());
  AwaitObeyed();
  EXPECT_EQ(script_.Seen().l0_misses_total, 0u) << "in the newest";
  ASSERT_TRUE(db_->Get(leveldb::ReadOptions(), KeyOf(50), &value).ok());
  AwaitObeyed();
  EXPECT_EQ(script_.Seen().l0_misses_total, 2u) << "in the oldest";
  EXPECT_TRUE(db_->Get(leveldb::ReadOptions(), KeyOf(50) + "x", &value).IsNotFound());
  AwaitObeyed();
  EXPECT_EQ(script_.Seen().l0_misses_total, 5u) << "in none";
  std::unique_ptr<leveldb::Iterator>(db_->NewIterator(leveldb::ReadOptions()))->SeekToFirst();
  AwaitObeyed();
  EXPECT_EQ(script_.Seen().l0_misses_total, 5u + 2 * kMissesOfASeek)
      << "three at once where one would do";
}

TEST_F(StoreMechanismTest, OptionsChangeWhileTheStoreIsOpen) {
  Open();
  std::string text;
  ASSERT_TRUE(db_->GetProperty("lull.options", &text));
  EXPECT_EQ(text, scheduling_.ToString());
  ASSERT_TRUE(SetOptions(db_.get(), "policy=leveldb; l0_trigger=7").ok());
  SchedulingOptions changed = scheduling_;
  changed.policy = "leveldb";
  changed.l0_trigger = 7;
  ASSERT_TRUE(db_->GetProperty("lull.options", &text));
  EXPECT_EQ(text, changed.ToString());
  AwaitObeyed();
  {
    MutexLock lock(script_.mutex);
    EXPECT_EQ(script_.policy, "leveldb");
    EXPECT_EQ(script_.options.l0_trigger, 7);
  }
  // The picker goes by it too.
  for (int round = 0; round < 6; ++round) {
    Write(0, 10);
    ASSERT_TRUE(Flush(db_.get()).ok());
  }
  AwaitObeyed();
  EXPECT_FALSE(script_.Seen().l0_due);
  EXPECT_EQ(script_.Seen().l0_tables, 6);
}

// What a policy has learned, the rhythm of its clients or the speed of its device, is not thrown
// away for a change that does not concern it.
TEST_F(StoreMechanismTest, APolicyForWhichNothingChangesStays) {
  Open();
  EXPECT_EQ(script_.made.load(), 1);
  ASSERT_TRUE(SetOptions(db_.get(), "").ok());
  ASSERT_TRUE(SetOptions(db_.get(), "policy=lull").ok());
  const int trigger = DefaultL0Limits("lull").trigger;
  ASSERT_TRUE(SetOptions(db_.get(), "l0_trigger=" + std::to_string(trigger)).ok());
  EXPECT_EQ(script_.made.load(), 1);
  std::string text;
  ASSERT_TRUE(db_->GetProperty("lull.options", &text));
  EXPECT_NE(text.find("l0_trigger=" + std::to_string(trigger)), std::string::npos) << text;
  ASSERT_TRUE(SetOptions(db_.get(), "l0_trigger=" + std::to_string(trigger + 1)).ok());
  EXPECT_EQ(script_.made.load(), 2);
  ASSERT_TRUE(SetOptions(db_.get(), "policy=silk").ok());
  EXPECT_EQ(script_.made.load(), 3);
}

TEST_F(StoreMechanismTest, WhatCannotChangeIsNamed) {
  Open();
  for (const char* text : {"compaction_threads=3", "no_such_option=1", "l0_trigger=many"}) {
    const leveldb::Status status = SetOptions(db_.get(), std::string("l0_trigger=5;") + text);
    EXPECT_TRUE(status.IsInvalidArgument()) << text;
    const std::string name(text, std::string(text).find('='));
    EXPECT_NE(status.ToString().find(name), std::string::npos) << status.ToString();
  }
  std::string text;
  ASSERT_TRUE(db_->GetProperty("lull.options", &text));
  EXPECT_EQ(text, scheduling_.ToString()) << "a refused change changes nothing";
}

TEST_F(StoreMechanismTest, AWriterDoesNotWaitForACompactionThatIsNotDue) {
  Directive tight = Everything();
  tight.l0_stop = 1;
  tight.memtable_bytes = 64 * kKiB;
  script_.Set(tight);
  scheduling_.l0_trigger = 100;
  scheduling_.l0_slowdown = 200;
  scheduling_.l0_stop = 300;
  Open();
  AwaitObeyed();
  Write(0, 500);  // seals several; each finds a table in L0 that nothing would take away
  ExpectAll(db_.get(), 500);
}

TEST_F(StoreMechanismTest, CompactRangeEndsThoughEverythingIsPaused) {
  Open();
  Write(0, 3000);
  ASSERT_TRUE(Flush(db_.get()).ok());
  Directive nothing;
  nothing.rate = {1, 0};
  script_.Set(nothing);
  AwaitObeyed();
  Write(0, 3000);
  db_->CompactRange(nullptr, nullptr);
  ASSERT_TRUE(WaitForIdle(db_.get()).ok());
  ExpectAll(db_.get(), 3000);
}

// A write that takes long, here because of a sync, is not silence: a policy would take it for a
// lull, compact, and make it longer.
TEST_F(StoreMechanismTest, AWriteUnderWayIsSeen) {
  Open();
  Await("silence", [&] { return !script_.Seen().write_under_way; });
  env_.HoldSyncs(true);
  const auto writer = ThreadFactory::System()->Start("writer", CpuClass::kNormal, [&] {
    leveldb::WriteOptions synced;
    synced.sync = true;
    EXPECT_TRUE(db_->Put(synced, "key", "value").ok());  // the WAL's name is made durable
  });
  Await("the write", [&] { return script_.Seen().write_under_way; });
  env_.HoldSyncs(false);
  Await("silence again", [&] { return !script_.Seen().write_under_way; });
}

class DeepJobs final : public EventListener {
 public:
  void OnJobBegin(const JobInfo& job) override {
    if (job.kind == JobKind::kDeepCompaction) begun_.fetch_add(1);
  }
  int begun() const { return begun_.load(); }

 private:
  std::atomic<int> begun_{0};
};

/// A store whose flush thread is held in the install of a deep job, while others are finished.
class HeldInstallsTest : public StoreMechanismTest {
 protected:
  static constexpr int kToInstallMax = 8;

  ~HeldInstallsTest() override { env_.HoldSyncs(false); }

  /// Moves of tables out of a level that holds more than twice what it should. (No call of Flush:
  /// what a client waits for is done though no policy wants it.)
  void HoldTheFirstOfMany() {
    scheduling_.memory_budget_bytes = 64 * kMiB;
    scheduling_.compaction_threads = 1;
    scheduling_.l0_trigger = 1;
    Directive wanted = Everything();
    wanted.l0.jobs_max = wanted.deep.jobs_max = 0;
    wanted.table_bytes = kMiB;
    script_.Set(wanted);
    Open();
    ASSERT_TRUE(AddListener(db_.get(), jobs_).ok());
    WriteMiB(0, 25);
    Await("all but the last are flushed", [&] { return script_.Seen().l0_bytes >= 23 * kMiB; });
    wanted.l0.jobs_max = 1;
    script_.Set(wanted);
    Await("all of it in L1", [&] { return script_.Seen().l0_tables == 0; });
    ASSERT_EQ(jobs_->begun(), 0);
    env_.HoldSyncs(true);
    wanted.l0.jobs_max = 0;
    wanted.deep.jobs_max = 1;
    script_.Set(wanted);
    Await("jobs wait", [&] { return jobs_->begun() > kToInstallMax; });
  }
  void WriteMiB(int from, int until) {
    constexpr int kEntriesInMiB = 8;
    for (int i = from * kEntriesInMiB; i < until * kEntriesInMiB; ++i) {
      const std::string value(kMiB / kEntriesInMiB, 'v');
      ASSERT_TRUE(db_->Put(leveldb::WriteOptions(), KeyOf(static_cast<uint64_t>(i)), value).ok());
    }
  }

  const std::shared_ptr<DeepJobs> jobs_ = std::make_shared<DeepJobs>();
};

TEST_F(HeldInstallsTest, FewFinishedJobsWait) {
  HoldTheFirstOfMany();
  for (int i = 0; i < 10; ++i) AwaitObeyed();
  EXPECT_EQ(jobs_->begun(), 1 + kToInstallMax) << "one is being installed";
  env_.HoldSyncs(false);
  ASSERT_TRUE(WaitForIdle(db_.get()).ok()) << "none of them took what another had";
  Await("the others", [&] { return jobs_->begun() > 1 + kToInstallMax; });
}

TEST_F(HeldInstallsTest, AFlushGoesOnBetweenTwoOfThem) {
  HoldTheFirstOfMany();
  WriteMiB(25, 38);
  Await("they are sealed", [&] { return script_.Seen().immutables >= 12; });
  env_.TakeTrace();
  env_.HoldSyncs(false);
  Await("the flush", [&] { return script_.Seen().immutables == 0; });
  std::string trace = env_.TakeTrace();
  ASSERT_NE(trace.find('T'), std::string::npos) << trace;
  trace.erase(trace.rfind('T'));
  EXPECT_EQ(trace.find("dd"), std::string::npos) << "two installs without any flush: " << trace;
  // A slice is no more than 4 MiB.
  EXPECT_GE(std::count(trace.begin(), trace.end(), 'd'), 3) << trace;
}

}  // namespace
}  // namespace lull
