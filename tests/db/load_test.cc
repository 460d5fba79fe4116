// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// A store under all kinds of client load at once, on the machine's own file system: writers,
// readers and iterators at full speed while options change and the store is closed and reopened.
// For every key the test knows which versions a read may find. Nothing is lost, memory stays within
// its budget, and no descriptor or file leaks.
//
// LULL_LOAD_SECONDS sets the duration, and LULL_LOAD_SEED the random choices. Ten minutes:
//   LULL_LOAD_SECONDS=600 db_test --gtest_filter='Load.*'
#include <algorithm>
#include <array>
#include <atomic>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <memory>
#include <shared_mutex>
#include <string>
#include <vector>

#include "db/filename.h"
#include "db/store.h"
#include "gtest/gtest.h"
#include "leveldb/cache.h"
#include "leveldb/db.h"
#include "leveldb/write_batch.h"
#include "lull/lull.h"
#include "tests/support/fresh_directory.h"
#include "tests/support/gate.h"
#include "tests/support/json_value.h"
#include "tests/support/random_policy.h"
#include "tests/support/rng.h"
#include "tests/support/setting.h"
#include "util/clock.h"
#include "util/coding.h"
#include "util/crc32c.h"
#include "util/env_extension.h"
#include "util/thread.h"

namespace lull::testing {
namespace {

constexpr int kWriters = 8;
constexpr int kReaders = 4;
constexpr int kIterators = 2;
constexpr int kKeysPerWriter = 2000;
constexpr int kKeys = kWriters * kKeysPerWriter;
constexpr uint64_t kMemoryBudgetBytes = 16 << 20;
constexpr uint64_t kLifeNanosMax = 3'000'000'000;  // between open and close
constexpr uint64_t kSecondsInOneRun = 20;
constexpr double kNanosPerSecond = 1e9;

std::string KeyOf(int key) { return "key" + std::to_string(100'000 + key); }

// Every fourth version of a key is a deletion, and so is the state before the first.
bool IsDeletion(uint32_t version) { return version % 4 == 0; }

std::string ValueOf(int key, uint32_t version) {
  std::string value(16 + Mix(version + key) % 2000, static_cast<char>('a' + version % 26));
  EncodeFixed32(value.data() + 4, version);
  EncodeFixed32(value.data() + 8, static_cast<uint32_t>(key));
  EncodeFixed32(value.data(), crc32c::Value(value.data() + 4, value.size() - 4));
  return value;
}

/// The known versions of one key. Only one thread writes the key.
struct KeyState {
  std::atomic<uint32_t> begun{0};
  std::atomic<uint32_t> done{0};

  /// Whether a read that began when `done_before` was done, and has ended, may find version
  /// `found`.
  bool MayBe(uint32_t found, uint32_t done_before) const {
    return found >= done_before && found <= begun.load();
  }
  bool MayBeMissing(uint32_t done_before) const {
    const uint32_t last = begun.load();
    for (uint32_t version = done_before; version <= last; ++version) {
      if (IsDeletion(version)) return true;
    }
    return false;
  }
};

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
    ASSERT_NO_FATAL_FAILURE(CheckAll());
    CheckFiles();
    std::printf("%llu writes, %llu reads, %llu scans, %d lives, %llu options\n",
                static_cast<unsigned long long>(writes_.load()),
                static_cast<unsigned long long>(reads_.load()),
                static_cast<unsigned long long>(scans_.load()), lives_,
                static_cast<unsigned long long>(changes_.load()));
    EXPECT_GT(scans_.load(), 0u);
    EXPECT_GT(changes_.load(), 0u);
  }

 private:
  bool Goes() const {
    return clock_->NowNanos() < ends_at_nanos_ && !::testing::Test::HasFailure();
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
    if (rng_.OneIn(3)) {
      policies = [seed = rng_.Next()](const std::string&, const PolicyOptions&) {
        return std::make_unique<RandomPolicy>(seed);
      };
    }
    leveldb::DB* raw = nullptr;
    const leveldb::Status status = Store::Open(options_, scheduling, name_, &raw, policies);
    ASSERT_TRUE(status.ok()) << status.ToString();
    db_.reset(raw);
    ++lives_;
  }

  /// REQUIRES: no client uses the store.
  void Reopen() {
    db_.reset();
    ASSERT_NO_FATAL_FAILURE(Open());
    Rng rng(rng_.Next());
    for (int i = 0; i < 200; ++i) CheckOne(static_cast<int>(rng.Below(kKeys)));
  }

  void Write(int id) {
    Rng rng(SubSeed(seed_ + 1, id));
    while (const auto client = Enter()) {
      leveldb::WriteBatch batch;
      std::vector<int> keys;
      for (uint64_t i = 1 + (rng.OneIn(4) ? rng.Below(20) : 0); i > 0; --i) {
        const int key = id * kKeysPerWriter + static_cast<int>(rng.Below(kKeysPerWriter));
        const uint32_t version = states_[key].begun.fetch_add(1) + 1;
        if (IsDeletion(version)) {
          batch.Delete(KeyOf(key));
        } else {
          batch.Put(KeyOf(key), ValueOf(key, version));
        }
        keys.push_back(key);
      }
      leveldb::WriteOptions options;
      options.sync = rng.OneIn(500);
      const leveldb::Status status = db_->Write(options, &batch);
      ASSERT_TRUE(status.ok()) << status.ToString();
      for (const int key : keys) states_[key].done.fetch_add(1);
      writes_.fetch_add(keys.size(), std::memory_order_relaxed);
    }
  }

  void Read(int id) {
    Rng rng(SubSeed(seed_ + 2, id));
    while (const auto client = Enter()) {
      CheckOne(static_cast<int>(rng.Below(kKeys)));
      reads_.fetch_add(1, std::memory_order_relaxed);
    }
  }

  void CheckOne(int key) {
    const uint32_t done_before = states_[key].done.load();
    std::string value;
    const leveldb::Status status = db_->Get(leveldb::ReadOptions(), KeyOf(key), &value);
    if (status.IsNotFound()) {
      EXPECT_TRUE(states_[key].MayBeMissing(done_before)) << KeyOf(key) << " of " << done_before;
    } else {
      ASSERT_TRUE(status.ok()) << status.ToString();
      CheckValue(key, value, done_before);
    }
  }

  void CheckValue(int key, const leveldb::Slice& value, uint32_t done_before) {
    ASSERT_GE(value.size(), 16u);
    const uint32_t version = DecodeFixed32(value.data() + 4);
    EXPECT_EQ(value.ToString(), ValueOf(key, version)) << KeyOf(key);
    EXPECT_TRUE(states_[key].MayBe(version, done_before))
        << KeyOf(key) << ": version " << version << ", at least " << done_before;
  }

  void Iterate(int id) {
    Rng rng(SubSeed(seed_ + 3, id));
    while (const auto client = Enter()) {
      const int first = static_cast<int>(rng.Below(kKeys));
      const int last = std::min(kKeys, first + static_cast<int>(rng.Below(3000))) - 1;
      Scan(first, last);
      scans_.fetch_add(1, std::memory_order_relaxed);
    }
  }

  /// All keys from `first` to `last`: each is present, or may be missing.
  void Scan(int first, int last) {
    std::vector<uint32_t> done_before;
    for (int key = first; key <= last; ++key) done_before.push_back(states_[key].done.load());
    const std::unique_ptr<leveldb::Iterator> iterator(db_->NewIterator(leveldb::ReadOptions()));
    iterator->Seek(KeyOf(first));
    for (int key = first; key <= last; ++key) {
      if (iterator->Valid() && iterator->key() == KeyOf(key)) {
        CheckValue(key, iterator->value(), done_before[key - first]);
        iterator->Next();
      } else {
        EXPECT_TRUE(states_[key].MayBeMissing(done_before[key - first])) << KeyOf(key);
      }
    }
    EXPECT_TRUE(iterator->status().ok()) << iterator->status().ToString();
    EXPECT_TRUE(last < kKeys - 1 || !iterator->Valid());
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
      const leveldb::Status status = SetOptions(db_.get(), change);
      ASSERT_TRUE(status.ok()) << change << ": " << status.ToString();
      changes_.fetch_add(1, std::memory_order_relaxed);
      std::string stats;
      ASSERT_TRUE(db_->GetProperty("lull.stats", &stats));
      const auto memory = testing::Json::Parse(stats)["memory"];
      ASSERT_EQ(memory["budget_bytes"], kMemoryBudgetBytes);
      EXPECT_LE(memory["used_bytes"].Count(), kMemoryBudgetBytes * 11 / 10);
    }
  }

  /// REQUIRES: no more writes, so that each key has one version.
  void CheckAll() {
    db_.reset();
    ASSERT_NO_FATAL_FAILURE(Open());
    Scan(0, kKeys - 1);
    for (const KeyState& state : states_) ASSERT_EQ(state.begun.load(), state.done.load());
    ASSERT_TRUE(WaitForIdle(db_.get()).ok());
    Scan(0, kKeys - 1);
  }

  void CheckFiles() {
    db_.reset();
    ASSERT_NO_FATAL_FAILURE(Open());
    ASSERT_TRUE(WaitForIdle(db_.get()).ok());
    db_.reset();  // with this, the tables that the open found obsolete are gone
    std::vector<std::string> names;
    ASSERT_TRUE(leveldb::Env::Default()->GetChildren(name_, &names).ok());
    size_t tables = 0, manifests = 0;
    for (const std::string& name : names) {
      const auto parsed = ParseFileName(name);
      tables += parsed && parsed->kind == FileKind::kTable;
      manifests += parsed && parsed->kind == FileKind::kDescriptor;
      EXPECT_FALSE(parsed && parsed->kind == FileKind::kTemp) << name;
      EXPECT_NE(name, "lost");
    }
    EXPECT_EQ(manifests, 1u);
    ASSERT_NO_FATAL_FAILURE(Open());
    std::string stats;
    ASSERT_TRUE(db_->GetProperty("lull.stats", &stats));
    size_t listed = 0;
    const auto parsed = testing::Json::Parse(stats);
    for (const testing::Json& level : parsed["levels"].Values()) listed += level["tables"].Count();
    EXPECT_EQ(tables, listed);
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
  std::array<KeyState, kKeys> states_;
  std::atomic<uint64_t> writes_{0}, reads_{0}, scans_{0}, changes_{0};
};

size_t OpenDescriptors() {
  const std::filesystem::directory_iterator open("/proc/self/fd");
  return static_cast<size_t>(std::distance(begin(open), end(open)));
}

TEST(Load, LosesNothingAndLeavesNothingBehind) {
  const double seconds = testing::Setting("LULL_LOAD_SECONDS", kSecondsInOneRun);
  const auto seed = static_cast<uint64_t>(testing::Setting("LULL_LOAD_SEED", 1));
  // Fills the reserve of descriptors, which stays.
  ASSERT_TRUE(ExtensionOf(leveldb::Env::Default())->SyncDirectory("/").ok());
  const size_t open_before = OpenDescriptors();
  std::make_unique<Load>(static_cast<uint64_t>(seconds * kNanosPerSecond), seed)->Run();
  EXPECT_EQ(OpenDescriptors(), open_before);
}

}  // namespace
}  // namespace lull::testing
