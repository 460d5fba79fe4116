// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// A store under all kinds of client load at once, on the machine's own file system: writers,
// readers, iterators and snapshots at full speed, while options change, clients ask for flushes and
// compactions, and the store is closed and reopened. For every key the test knows which versions a
// read may find. Nothing is lost, no read sees half of a batch, a snapshot stays as it is, memory
// stays within its budget, and no descriptor or file leaks.
//
// LULL_LOAD_SECONDS sets the duration, and LULL_LOAD_SEED the random choices. Ten minutes:
//   LULL_LOAD_SECONDS=600 db_test --gtest_filter='Load.*'
#include <algorithm>
#include <array>
#include <atomic>
#include <filesystem>
#include <iostream>
#include <map>
#include <memory>
#include <shared_mutex>
#include <string>
#include <vector>

#include "db/base/filename.h"
#include "db/store/store.h"
#include "gtest/gtest.h"
#include "leveldb/cache.h"
#include "leveldb/db.h"
#include "leveldb/write_batch.h"
#include "lull/lull.h"
#include "tests/db/support/small_store.h"
#include "tests/db/support/store_properties.h"
#include "tests/db/support/table_names.h"
#include "tests/support/crash_env.h"
#include "tests/support/fresh_directory.h"
#include "tests/support/gate.h"
#include "tests/support/metamorphic.h"
#include "tests/support/open_store.h"
#include "tests/support/random_policy.h"
#include "tests/support/rng.h"
#include "tests/support/setting.h"
#include "tests/util/threads.h"
#include "util/clock.h"
#include "util/coding.h"
#include "util/env_extension.h"

namespace lull::testing {
namespace {

constexpr int kWriters = 8;
constexpr int kReaders = 4;
constexpr int kIterators = 3;
constexpr int kGroupsPerWriter = 64;
constexpr int kGroups = kWriters * kGroupsPerWriter;
constexpr int kKeysPerGroup = 64;
constexpr int kKeys = kGroups * kKeysPerGroup;
constexpr uint64_t kMemoryBudgetBytes = 16 << 20;
constexpr uint64_t kLifeNanosMax = 3'000'000'000;  // between open and close
constexpr uint64_t kSecondsInOneRun = 10;
// However slow the machine is: fewer may miss entries that are visible too early.
constexpr uint64_t kScansMin = 3000;
constexpr double kSecondNanos = 1e9;

std::string LoadKey(int key) { return "key" + std::to_string(100'000 + key); }

// Every fourth version is a deletion, and so is the state before the first.
bool IsDeletion(uint32_t version) { return version % 4 == 0; }

std::string ValueOf(int key, uint32_t version) {
  std::string value(8 + Mix(version + key) % 800, static_cast<char>('a' + version % 26));
  EncodeFixed32(value.data(), version);
  EncodeFixed32(value.data() + 4, static_cast<uint32_t>(key));
  return value;
}

/// The known versions of a group of keys. Only one thread writes them, each version in one batch,
/// so that they all have the same version at any time.
struct GroupState {
  std::atomic<uint32_t> begun{0};
  std::atomic<uint32_t> done{0};

  /// Whether a read that began when `done_before` was done, and has ended, may find version
  /// `found`; 0 is a deleted one.
  bool MayBe(uint32_t found, uint32_t done_before) const {
    const uint32_t last = begun.load();
    if (found > 0) return found >= done_before && found <= last && !IsDeletion(found);
    for (uint32_t version = done_before; version <= last; ++version) {
      if (IsDeletion(version)) return true;
    }
    return false;
  }
};

/// Makes every policy of the store a random one, including those that SetOptions installs.
PolicyFactory RandomPolicies(uint64_t seed) {
  auto made = std::make_shared<std::atomic<uint64_t>>(0);
  return [seed, made](const std::string&, const PolicyOptions&) {
    return std::make_unique<RandomPolicy>(SubSeed(seed, made->fetch_add(1)));
  };
}

class Load {
 public:
  Load(uint64_t nanos, uint64_t seed)
      : name_(FreshDirectory("load")),
        ends_at_nanos_(clock_->NowNanos() + nanos),
        seed_(seed),
        rng_(seed) {
    options_.create_if_missing = true;
    options_.compression = leveldb::kNoCompression;
    options_.write_buffer_size = 1 << 20;
    options_.max_file_size = 1 << 20;
    cache_.reset(leveldb::NewLRUCache(1 << 20));
    options_.block_cache = cache_.get();
  }

  void Run() {
    ASSERT_NO_FATAL_FAILURE(Open());
    std::vector<std::unique_ptr<ThreadHandle>> threads;
    const auto start = [&](const char* what, int count, void (Load::*work)(int)) {
      for (int id = 0; id < count; ++id) {
        threads.push_back(ThreadFactory::System()->Start(what, CpuClass::kNormal,
                                                         [=, this] { (this->*work)(id); }));
      }
    };
    start("writer", kWriters, &Load::Write);
    start("reader", kReaders, &Load::Read);
    start("iterator", kIterators, &Load::Iterate);
    start("options", 1, &Load::ChangeOptions);
    while (Goes()) {
      clock_->SleepForNanos(rng_.Below(kLifeNanosMax));
      entrance_.Close();
      {
        const std::unique_lock alone(clients_);
        Reopen();
      }
      entrance_.Open();
    }
    threads.clear();  // joins
    // No more writes, so each key has one version.
    ASSERT_NO_FATAL_FAILURE(Reopen());
    for (const GroupState& state : states_) ASSERT_EQ(state.begun.load(), state.done.load());
    ASSERT_TRUE(WaitForIdle(db_.get()).ok());
    Scan({}, 0, Done(0, kGroups));
    CheckFiles();
    std::cout << writes_ << " writes, " << reads_ << " reads, " << scans_ << " scans, " << lives_
              << " lives, " << changes_ << " options\n";
    EXPECT_GT(changes_.load(), 0u);
  }

 private:
  bool Goes() const {
    const bool goes =
        clock_->NowNanos() < ends_at_nanos_ || scans_.load() < Strided(kScansMin, 300);
    return goes && !::testing::Test::HasFailure();
  }

  /// Clients hold this lock while they use the store; if it is not held, the run is over. A thread
  /// that wants to close the store has priority: otherwise it might never find a gap between
  /// clients.
  std::shared_lock<std::shared_mutex> Enter() {
    entrance_.Pass();
    std::shared_lock client(clients_);
    if (!Goes()) client.unlock();
    return client;
  }

  void Open() {
    OptionValues scheduling;
    scheduling.memory_budget_bytes = kMemoryBudgetBytes;
    scheduling.own_coordinator = true;
    scheduling.policy = PolicyNames()[rng_.Below(PolicyNames().size())];
    PolicyFactory policies = MakePolicy;
    if (rng_.OneIn(3)) policies = RandomPolicies(rng_.Next());
    leveldb::DB* raw = nullptr;
    ASSERT_TRUE(IsOk(Store::Open(options_, scheduling, name_, &raw, policies)));
    db_.reset(raw);
    ++lives_;
  }

  /// REQUIRES: no client uses the store.
  void Reopen() {
    db_.reset();
    ASSERT_NO_FATAL_FAILURE(Open());
    Scan({}, 0, Done(0, kGroups));
  }

  /// A group of a writer: half of the time its first one, so that reads often meet a write.
  static int GroupOf(int writer, Rng* rng) {
    const uint64_t group = rng->OneIn(2) ? 0 : rng->Below(kGroupsPerWriter);
    return writer * kGroupsPerWriter + static_cast<int>(group);
  }

  void Write(int id) {
    Rng rng(SubSeed(seed_ + 1, id));
    while (const auto client = Enter()) {
      const int group = GroupOf(id, &rng);
      const uint32_t version = states_[group].begun.fetch_add(1) + 1;
      leveldb::WriteBatch batch;
      for (int key = group * kKeysPerGroup; key < (group + 1) * kKeysPerGroup; ++key) {
        if (IsDeletion(version)) {
          batch.Delete(LoadKey(key));
        } else {
          batch.Put(LoadKey(key), ValueOf(key, version));
        }
      }
      ASSERT_TRUE(IsOk(db_->Write(Synced(rng.OneIn(500)), &batch)));
      states_[group].done = version;
      writes_.fetch_add(1, std::memory_order_relaxed);
    }
  }

  void Read(int id) {
    Rng rng(SubSeed(seed_ + 2, id));
    while (const auto client = Enter()) {
      const int group = GroupOf(static_cast<int>(rng.Below(kWriters)), &rng);
      const int key = group * kKeysPerGroup + static_cast<int>(rng.Below(kKeysPerGroup));
      const uint32_t done_before = states_[group].done.load();
      std::string value;
      const leveldb::Status status = db_->Get({}, LoadKey(key), &value);
      ASSERT_TRUE(status.ok() || status.IsNotFound()) << status.ToString();
      const uint32_t version = status.ok() ? VersionIn(value, key) : 0;
      EXPECT_TRUE(states_[group].MayBe(version, done_before))
          << LoadKey(key) << ": version " << version << ", at least " << done_before;
      reads_.fetch_add(1, std::memory_order_relaxed);
    }
  }

  static uint32_t VersionIn(const leveldb::Slice& value, int key) {
    const uint32_t version = value.size() < 8 ? 0 : DecodeFixed32(value.data());
    EXPECT_EQ(value.ToString(), ValueOf(key, version)) << LoadKey(key);
    return version;
  }

  void Iterate(int id) {
    Rng rng(SubSeed(seed_ + 3, id));
    while (const auto client = Enter()) {
      const int first = GroupOf(static_cast<int>(rng.Below(kWriters)), &rng);
      const int count = rng.OneIn(16) ? static_cast<int>(rng.Below(48)) : 1;
      const std::vector<uint32_t> done = Done(first, std::min(count, kGroups - first));
      leveldb::ReadOptions options;
      if (rng.OneIn(2)) options.snapshot = db_->GetSnapshot();
      const std::vector<uint32_t> versions = Scan(options, first, done);
      if (options.snapshot != nullptr) {
        if (rng.OneIn(500)) {
          EXPECT_TRUE(Flush(db_.get()).ok());
        }
        EXPECT_EQ(Scan(options, first, done), versions) << "the snapshot changed";
        db_->ReleaseSnapshot(options.snapshot);
      }
      scans_.fetch_add(1, std::memory_order_relaxed);
    }
  }

  std::vector<uint32_t> Done(int first, int groups) const {
    std::vector<uint32_t> done;
    for (int i = 0; i < groups; ++i) done.push_back(states_[first + i].done.load());
    return done;
  }

  /// The versions of successive groups, which must be those of one moment after `done_before`.
  std::vector<uint32_t> Scan(const leveldb::ReadOptions& options, int first,
                             const std::vector<uint32_t>& done_before) {
    const std::unique_ptr<leveldb::Iterator> iterator(db_->NewIterator(options));
    iterator->Seek(LoadKey(first * kKeysPerGroup));
    std::vector<uint32_t> versions;
    for (const uint32_t done : done_before) {
      const int group = first + static_cast<int>(versions.size());
      versions.push_back(ScanGroup(iterator.get(), group));
      EXPECT_TRUE(states_[group].MayBe(versions.back(), done))
          << "group " << group << ": version " << versions.back() << ", at least " << done;
    }
    EXPECT_TRUE(iterator->status().ok()) << iterator->status().ToString();
    return versions;
  }

  static uint32_t ScanGroup(leveldb::Iterator* iterator, int group) {
    uint32_t version = 0;
    for (int key = group * kKeysPerGroup; key < (group + 1) * kKeysPerGroup; ++key) {
      const bool found = iterator->Valid() && iterator->key() == LoadKey(key);
      const uint32_t of_key = found ? VersionIn(iterator->value(), key) : 0;
      if (key % kKeysPerGroup == 0) version = of_key;
      EXPECT_EQ(of_key, version) << LoadKey(key) << ": half of a batch";
      if (found) iterator->Next();
    }
    return version;
  }

  void ChangeOptions(int) {
    Rng rng(SubSeed(seed_, 4));
    while (Goes()) {
      clock_->SleepForNanos(rng.Below(60'000'000));
      const auto client = Enter();
      if (!client) return;
      std::string change = "policy=" + PolicyNames()[rng.Below(PolicyNames().size())];
      const int trigger = 1 + static_cast<int>(rng.Below(6));
      if (rng.OneIn(2)) {
        change += ";l0_trigger=" + std::to_string(trigger) +
                  ";l0_slowdown=" + std::to_string(trigger + rng.Below(8)) +
                  ";l0_stop=" + std::to_string(trigger + 8 + rng.Below(8));
      }
      if (rng.OneIn(3)) change += ";debt_bytes_max=" + std::to_string(1 + rng.Below(60)) + "M";
      ASSERT_TRUE(IsOk(SetOptions(db_.get(), change))) << change;
      changes_.fetch_add(1, std::memory_order_relaxed);
      if (rng.OneIn(8)) {
        const std::string begin = LoadKey(static_cast<int>(rng.Below(kKeys)));
        const leveldb::Slice from(begin);
        db_->CompactRange(&from, nullptr);
      }
      const Json memory = JsonProperty(db_.get(), "lull.stats")["memory"];
      ASSERT_EQ(memory["budget_bytes"], kMemoryBudgetBytes);
      EXPECT_LE(memory["used_bytes"].Count(), kMemoryBudgetBytes * 11 / 10);
    }
  }

  void CheckFiles() {
    db_.reset();
    ASSERT_NO_FATAL_FAILURE(Open());
    ASSERT_TRUE(Flush(db_.get()).ok());
    ASSERT_TRUE(WaitForIdle(db_.get()).ok());
    db_.reset();  // with this, the tables that the open found obsolete are gone
    std::map<FileKind, size_t> files;
    for (const std::string& name : NamesEndingIn(leveldb::Env::Default(), name_, "")) {
      if (const auto parsed = ParseFileName(name)) ++files[parsed->kind];
      EXPECT_NE(name, "lost");
    }
    EXPECT_EQ(files[FileKind::kDescriptor], 1u);
    EXPECT_EQ(files[FileKind::kTemp], 0u);
    EXPECT_LE(files[FileKind::kLog], 1u);
    ASSERT_NO_FATAL_FAILURE(Open());
    const std::string text = Property(db_.get(), "leveldb.sstables");
    const auto listed = static_cast<size_t>(std::count(text.begin(), text.end(), '['));
    EXPECT_EQ(files[FileKind::kTable], listed) << text;
    EXPECT_GT(listed, 1u);
    db_.reset();
  }

  Clock* const clock_ = Clock::System();
  const std::string name_;
  const uint64_t ends_at_nanos_;
  const uint64_t seed_;
  Rng rng_;
  leveldb::Options options_;
  std::unique_ptr<leveldb::Cache> cache_;
  std::shared_mutex clients_;  // held exclusively by the thread that closes the store
  Gate entrance_;              // closed while the store is
  std::unique_ptr<leveldb::DB> db_;
  int lives_ = 0;
  std::array<GroupState, kGroups> states_;
  std::atomic<uint64_t> writes_{0}, reads_{0}, scans_{0}, changes_{0};
};

size_t OpenDescriptors() {
  const std::filesystem::directory_iterator open("/proc/self/fd");
  return static_cast<size_t>(std::distance(begin(open), end(open)));
}

TEST(Load, LosesNothingAndLeavesNothingBehind) {
  const double seconds =
      Setting("LULL_LOAD_SECONDS", static_cast<double>(Strided(kSecondsInOneRun)));
  const auto seed = static_cast<uint64_t>(Setting("LULL_LOAD_SEED", 1));
  // Fills the reserve of descriptors, which stays.
  ASSERT_TRUE(ExtensionOf(leveldb::Env::Default())->SyncDirectory("/").ok());
  const size_t open_before = OpenDescriptors();
  std::make_unique<Load>(static_cast<uint64_t>(seconds * kSecondNanos), seed)->Run();
  EXPECT_EQ(OpenDescriptors(), open_before);
}

// ---- a bad policy makes a store slow, never wrong, and hangs nothing
//
// These tests run every operation of leveldb::DB, and open, write, change and close stores side by
// side, under policies that return arbitrary directives.
//
// LULL_STRESS_LIVES sets the number of lives. Ten thousand under TSan:
//   LULL_STRESS_LIVES=10000 db_test --gtest_filter='AdversaryOfMany.StoresOpenAndClose*'

constexpr uint64_t kAdversarySeeds = 16;
constexpr uint64_t kAdversaryOps = 10'000;
constexpr double kLivesInOneRun = 300;

/// A change of options that is either valid or refused.
std::string AnyOptions(Rng* rng) {
  const std::vector<std::string>& policies = PolicyNames();
  std::string text = "policy=" + policies[rng->Below(policies.size())];
  if (rng->OneIn(2)) text += ";l0_trigger=" + std::to_string(1 + rng->Below(6));
  if (rng->OneIn(3)) text += ";debt_bytes_max=" + std::to_string(1 + rng->Below(100)) + "M";
  if (rng->OneIn(3)) text += ";lull_after_us=" + std::to_string(rng->Below(30'000));
  if (rng->OneIn(3)) text += ";delete_persist_seconds=" + std::to_string(rng->Below(3));
  if (rng->OneIn(8)) text += ";compaction_threads=7";
  if (rng->OneIn(8)) text += ";nonsense";
  return text;
}

/// A stream of operations on a store with random policies, and its directory.
MetamorphicConfig StreamOf(uint64_t seed, leveldb::Env* memory) {
  MetamorphicConfig config;
  config.seed = seed;
  config.env = memory;
  config.directory = "/store" + std::to_string(seed);
  config.hooks = StoreHooks("");
  config.hooks.open = [seed](const leveldb::Options& options, const std::string& name,
                             leveldb::DB** db) {
    OptionValues scheduling;
    scheduling.memory_budget_bytes = 1 << 20;
    scheduling.own_coordinator = seed % 2 == 0;
    StorePace pace;
    if (seed % 4 < 2) pace.part_bytes_min = 1;
    return Store::Open(options, scheduling, name, db, RandomPolicies(seed), pace);
  };
  config.hooks.set_options = [](leveldb::DB* db, uint64_t draw) {
    Rng rng(draw);
    const leveldb::Status status = SetOptions(db, AnyOptions(&rng));
    return status.IsInvalidArgument() ? leveldb::Status::OK() : status;
  };
  return config;
}

class Adversary : public ::testing::TestWithParam<uint64_t> {};

TEST_P(Adversary, NoOperationGoesWrong) {
  CrashEnv memory;
  MetamorphicConfig config = StreamOf(GetParam(), &memory);
  config.ops = kAdversaryOps;
  const MetamorphicReport report = RunMetamorphic(config);
  EXPECT_TRUE(report.ok) << report.failure;
}

INSTANTIATE_TEST_SUITE_P(Seeds, Adversary, ::testing::Range<uint64_t>(1, kAdversarySeeds + 1));

TEST(AdversaryOfMany, StoresOpenAndCloseNextToEachOther) {
  constexpr uint64_t kOpsInALife = 40;
  constexpr uint64_t kStoreSeeds[] = {77, 78, 79, 81};  // all but the second share a coordinator
  const auto lives = static_cast<uint64_t>(Setting("LULL_STRESS_LIVES", kLivesInOneRun));
  CrashEnv memory;
  RunThreads(std::size(kStoreSeeds), [&](int store) {
    MetamorphicConfig config = StreamOf(kStoreSeeds[store], &memory);
    config.reopen_one_in = kOpsInALife;
    config.ops = kOpsInALife * lives / std::size(kStoreSeeds);
    const MetamorphicReport report = RunMetamorphic(config);
    EXPECT_TRUE(report.ok) << report.failure;
  });
}

}  // namespace
}  // namespace lull::testing
