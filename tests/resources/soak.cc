// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Runs several stores for hours while resources come and go and the process is killed. The parent
// has one thread. The child has the stores, and a writer and a reader thread for each. Shared
// memory records the acknowledged writes, so that the next child can check them.
//
//   resource_soak --seconds=3600 --seed=1 [--dir=D]
// Exit code: 0 correct, 1 the store is wrong, 2 no private disk, others bad usage.
#include <poll.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "leveldb/db.h"
#include "tests/resources/limits.h"
#include "tests/support/event_count.h"
#include "tests/support/fresh_directory.h"
#include "tests/support/open_store.h"
#include "tests/support/option_sets.h"
#include "tests/support/rng.h"
#include "util/clock.h"
#include "util/thread.h"

namespace lull::testing {
namespace {

using leveldb::Status;

constexpr size_t kStores = 4;
constexpr uint32_t kKeys = 20'000;
constexpr uint64_t kDiskBytes = 256 << 20;
constexpr uint64_t kMilli = 1'000'000;
constexpr uint64_t kPatienceNanos = 10'000 * kMilli;
constexpr uint32_t kRecoveriesMax = 1 << 20;

struct StoreKind {
  size_t option_set;
  const char* scheduling;
};
constexpr StoreKind kStoreKinds[kStores] = {
    {1, "policy=lull"},
    {2, "policy=lull;layout=vsst;table_bytes_max=32K;growth_factor=4"},
    {6, "policy=leveldb"},
    {9, "policy=silk"},
};

// Versions of a key are numbered upward. The number decides whether a version is a value or a
// delete; version 0 means absent. A store has the acked version, or one attempted since.
struct Slot {
  std::atomic<uint32_t> acked;
  std::atomic<uint32_t> attempted;
};

struct Shared {
  Slot slots[kStores][kKeys];
  std::atomic<bool> stop;
  std::atomic<uint64_t> acked, failed, reads, failed_reads;
  std::atomic<uint32_t> recoveries;
  uint32_t recovery_ms[kRecoveriesMax];
  uint64_t lives, kills, out_of_memory;  // of the parent
};

Shared* shared = nullptr;
volatile std::sig_atomic_t interrupted = 0;

void Interrupt(int) { interrupted = 1; }

bool IsAbsent(uint32_t version) { return version == 0 || version % 8 == 7; }

std::string KeyOf(uint32_t key) { return "k" + std::to_string(100'000 + key); }

std::string ValueOf(size_t store, uint32_t key, uint32_t version) {
  std::string value = std::to_string(version) + "." + std::to_string(store) + "." + KeyOf(key);
  Rng rng(SubSeed(version, key * kStores + store));
  const size_t bytes = 50 + rng.Below(900);
  while (value.size() < bytes) value.push_back(static_cast<char>(rng.Next()));
  return value;
}

// One store of the child, and the work of its two threads.
class SoakStore {
 public:
  SoakStore(size_t number, const std::string& directory)
      : number_(number),
        directory_(directory + "/store" + std::to_string(number)),
        set_(MakeOptionSet(kStoreKinds[number].option_set)) {}

  Status Open() {
    leveldb::DB* db = nullptr;
    const Status s = OpenStore(set_->options, kStoreKinds[number_].scheduling, directory_, &db);
    db_.reset(db);
    return s;
  }

  // Reads all keys; every read must succeed.
  std::string VerifyAll() {
    for (uint32_t key = 0; key < kKeys; ++key) {
      std::string wrong = Read(key, true);
      if (!wrong.empty()) return wrong;
    }
    const std::unique_ptr<leveldb::Iterator> it(db_->NewIterator(leveldb::ReadOptions()));
    for (it->SeekToFirst(); it->Valid(); it->Next()) {
      const std::string key = it->key().ToString();
      const auto index = static_cast<uint32_t>(std::atoi(key.c_str() + 1) - 100'000);
      if (index >= kKeys || key != KeyOf(index)) return Tell("a scan showed the key " + key);
      if (!IsPossible(index, it->value().ToString(), 0)) return Tell("a scan is wrong at " + key);
    }
    return it->status().ok() ? "" : Tell("scan: " + it->status().ToString());
  }

  // The next write of the only writer.
  Status Write(Rng* rng, bool sync) {
    const auto key = static_cast<uint32_t>(rng->Below(kKeys));
    Slot& slot = shared->slots[number_][key];
    const uint32_t version = slot.attempted.load() + 1;
    slot.attempted = version;
    leveldb::WriteOptions options;
    options.sync = sync;
    const Status s = IsAbsent(version)
                         ? db_->Delete(options, KeyOf(key))
                         : db_->Put(options, KeyOf(key), ValueOf(number_, key, version));
    if (s.ok()) slot.acked = version;
    (s.ok() ? shared->acked : shared->failed).fetch_add(1);
    return s;
  }

  // Returns what is wrong. An error counts only if the read must succeed.
  std::string Read(uint32_t key, bool must_succeed) {
    const uint32_t oldest = shared->slots[number_][key].acked.load();
    std::string value;
    const Status s = db_->Get(leveldb::ReadOptions(), KeyOf(key), &value);
    shared->reads.fetch_add(1);
    if (s.IsNotFound()) {
      const uint32_t newest = shared->slots[number_][key].attempted.load();
      for (uint32_t v = oldest; v <= newest; ++v) {
        if (IsAbsent(v)) return "";
      }
      return Tell("lost " + KeyOf(key) + " version " + std::to_string(oldest));
    }
    if (!s.ok()) {
      shared->failed_reads.fetch_add(1);
      return must_succeed ? Tell(KeyOf(key) + ": " + s.ToString()) : "";
    }
    if (IsPossible(key, value, oldest)) return "";
    return Tell("wrong value of " + KeyOf(key) + ", acked " + std::to_string(oldest) + ", found " +
                value.substr(0, value.find('k')));
  }

  // A synced write and a flush.
  Status Work(Rng* rng) {
    const Status s = Write(rng, true);
    return s.ok() ? FlushStore(db_.get()) : s;
  }

  std::string Tell(const std::string& what) const {
    return "store " + std::to_string(number_) + ": " + what;
  }

 private:
  bool IsPossible(uint32_t key, const std::string& value, uint32_t oldest) const {
    const auto version = static_cast<uint32_t>(std::strtoul(value.c_str(), nullptr, 10));
    return version >= oldest && version <= shared->slots[number_][key].attempted.load() &&
           !IsAbsent(version) && value == ValueOf(number_, key, version);
  }

  const size_t number_;
  const std::string directory_;
  const std::unique_ptr<OptionSet> set_;
  std::unique_ptr<leveldb::DB> db_;
};

// A child, from opening its stores to closing them.
class Life {
 public:
  Life(uint64_t seed, std::string directory) : seed_(seed), directory_(std::move(directory)) {}

  // Returns what is wrong, or "" when asked to stop.
  std::string Run() {
    for (size_t i = 0; i < kStores; ++i) {
      stores_.push_back(std::make_unique<SoakStore>(i, directory_));
      const Status s = stores_.back()->Open();
      if (!s.ok()) return stores_.back()->Tell("open: " + s.ToString());
      std::string wrong = stores_.back()->VerifyAll();
      if (!wrong.empty()) return wrong;
    }
    // A blocked thread is never joined: the process exits without it.
    auto* const threads = new std::vector<std::unique_ptr<ThreadHandle>>;
    for (size_t i = 0; i < kStores; ++i) {
      threads->push_back(
          ThreadFactory::System()->Start("writer", CpuClass::kNormal, [this, i] { WriteLoop(i); }));
      threads->push_back(
          ThreadFactory::System()->Start("reader", CpuClass::kNormal, [this, i] { ReadLoop(i); }));
    }
    Rng rng(SubSeed(seed_, kStores));
    while (!Ending()) {
      LimitForTenSeconds(&rng);
      AwaitRecovery();
    }
    if (stuck_) return "stuck: a writer has been blocked for eleven seconds";
    delete threads;
    return error_ == nullptr ? "" : *error_;
  }

 private:
  bool Ending() const { return shared->stop || stuck_ || error_.load() != nullptr; }

  void Fail(const std::string& what) {
    const std::string* none = nullptr;
    const auto* text = new std::string(what);  // never freed
    if (!error_.compare_exchange_strong(none, text)) delete text;
  }

  void WriteLoop(size_t i) {
    Rng rng(SubSeed(seed_, i));
    uint32_t recovered = 0;
    while (!Ending()) {
      const uint32_t phase = phase_.load();
      if (phase == recovered) {
        stores_[i]->Write(&rng, rng.OneIn(50));
      } else if (const Status s = stores_[i]->Work(&rng); s.ok()) {
        const auto ms = static_cast<uint32_t>((clock_->NowNanos() - lifted_nanos_.load()) / kMilli);
        const uint32_t at = shared->recoveries.fetch_add(1);
        if (at < kRecoveriesMax) shared->recovery_ms[at] = ms;
        recovered = phase;
        recovered_.fetch_add(1);
        progress_.Note();
      } else if (clock_->NowNanos() - lifted_nanos_.load() > kPatienceNanos) {
        Fail(stores_[i]->Tell("stuck: " + s.ToString()));
      }
      clock_->SleepForNanos(2 * kMilli);
    }
    writers_.fetch_sub(1);
    progress_.Note();
  }

  void ReadLoop(size_t i) {
    Rng rng(SubSeed(seed_, 100 + i));
    while (!Ending()) {
      const std::string wrong = stores_[i]->Read(static_cast<uint32_t>(rng.Below(kKeys)), false);
      if (!wrong.empty()) Fail(wrong);
      clock_->SleepForNanos(2 * kMilli);
    }
  }

  void LimitForTenSeconds(Rng* rng) {
    for (int second = 0; second < 10 && !Ending(); ++second) {
      std::vector<std::unique_ptr<Limit>> limits;
      const auto add = [&](LimitKind kind, double chance, uint64_t value) {
        if (!rng->Chance(chance)) return;
        limits.push_back(std::make_unique<Limit>(kind, value, directory_));
        limits.back()->Apply();
      };
      add(LimitKind::kDisk, 0.4, rng->Below(4096));
      add(LimitKind::kPreallocation, 0.4, rng->Below(40));
      add(LimitKind::kFileSize, 0.3, (1 << 20) + rng->Below(4 << 20));
      add(LimitKind::kAddressSpace, 0.05, (16 << 10) + rng->Below(128 << 10));
      add(LimitKind::kDescriptors, 0.4, rng->Below(200));  // last: the others need descriptors
      clock_->SleepForNanos(1000 * kMilli);
    }
  }

  // Lifts all limits for two seconds, and until every store has worked.
  void AwaitRecovery() {
    recovered_ = 0;
    lifted_nanos_ = clock_->NowNanos();
    phase_.fetch_add(1);
    // A writer that gets an error reports it; this notices one that blocks.
    const auto is_over = [this] { return recovered_ == kStores || writers_ < kStores; };
    stuck_ = !progress_.AwaitFor(kPatienceNanos + 1000 * kMilli, is_over);
    const uint64_t waited = clock_->NowNanos() - lifted_nanos_.load();
    if (!Ending() && waited < 2000 * kMilli) clock_->SleepForNanos(2000 * kMilli - waited);
  }

  Clock* const clock_ = Clock::System();
  const uint64_t seed_;
  const std::string directory_;
  std::vector<std::unique_ptr<SoakStore>> stores_;
  std::atomic<const std::string*> error_{nullptr};
  std::atomic<bool> stuck_{false};
  std::atomic<uint32_t> phase_{0};  // counts how often the limits were lifted
  std::atomic<uint64_t> lifted_nanos_{0};
  std::atomic<uint32_t> recovered_{0};      // stores that have worked since then
  std::atomic<uint32_t> writers_{kStores};  // writers that have not ended
  EventCount progress_;                     // noted with each change of these two
};

// Runs a child for some seconds, then kills it or asks it to stop. Returns what is wrong.
std::string RunLife(uint64_t seed, const std::string& directory, uint64_t deadline) {
  Clock* const clock = Clock::System();
  Rng rng(SubSeed(seed, 1'000'000));
  const uint64_t end_of_life =
      std::min(deadline, clock->NowNanos() + (15'000 + rng.Below(60'000)) * kMilli);
  shared->stop = false;
  Child child([&] {
    // Closing stuck stores might never return.
    auto* const life = new Life(seed, directory);
    std::string said = life->Run();
    if (said.empty()) delete life;
    return said;
  });
  bool over = false;
  while (!over && interrupted == 0 && clock->NowNanos() < end_of_life) {
    struct pollfd waiting {
      child.fd(), POLLIN, 0
    };
    over = poll(&waiting, 1, 200) > 0;
  }
  ++shared->lives;
  const bool is_last = interrupted != 0 || clock->NowNanos() >= deadline;
  const bool killed = !over && !is_last && !rng.OneIn(4);
  if (!over) shared->stop = !killed;
  const Child::End end = child.Wait(killed ? 0 : 60'000);
  shared->kills += killed ? 1 : 0;
  if (killed) return end.said;
  if (end.timed_out) return "closing the stores hangs";
  shared->out_of_memory += end.out_of_memory ? 1 : 0;
  if (end.out_of_memory) return "";
  return end.signal != 0 ? std::string("died: ") + strsignal(end.signal) : end.said;
}

void PrintTable(const std::string& wrong) {
  std::vector<uint32_t> ms(
      shared->recovery_ms,
      shared->recovery_ms + std::min(shared->recoveries.load(), kRecoveriesMax));
  std::sort(ms.begin(), ms.end());
  const auto at = [&ms](double part) {
    if (ms.empty()) return 0u;
    return ms[static_cast<size_t>(part * static_cast<double>(ms.size() - 1))];
  };
  const auto line = [](const char* name, uint64_t value) {
    std::printf("%-28s %12llu\n", name, static_cast<unsigned long long>(value));
  };
  line("writes acknowledged", shared->acked);
  line("writes failed", shared->failed);
  line("reads", shared->reads);
  line("reads failed", shared->failed_reads);
  line("lives", shared->lives);
  line("kills", shared->kills);
  line("ended by std::bad_alloc", shared->out_of_memory);
  line("recoveries", ms.size());
  line("recovery ms, median", at(0.5));
  line("recovery ms, p99", at(0.99));
  line("recovery ms, longest", at(1));
  std::printf("%s\n", wrong.empty() ? "right" : wrong.c_str());
}

int Soak(uint64_t seconds, uint64_t seed, const std::string& directory) {
  std::signal(SIGINT, Interrupt);
  std::signal(SIGTERM, Interrupt);
  shared = static_cast<Shared*>(ShareMemory(sizeof(Shared)));
  std::filesystem::create_directories(directory);
  if (!MountPrivateDisk(directory, kDiskBytes)) {
    std::fprintf(stderr, "soak: %s: no private disk: needs root or user namespaces\n",
                 directory.c_str());
    return 2;
  }
  Clock* const clock = Clock::System();
  const uint64_t deadline = clock->NowNanos() + seconds * 1000 * kMilli;
  std::string wrong;
  while (wrong.empty() && interrupted == 0 && clock->NowNanos() < deadline) {
    wrong = RunLife(SubSeed(seed, shared->lives), directory, deadline);
  }
  if (!wrong.empty()) wrong += "; --seed=" + std::to_string(seed);
  PrintTable(wrong);
  return wrong.empty() ? 0 : 1;
}

}  // namespace
}  // namespace lull::testing

int main(int argc, char** argv) {
  uint64_t seconds = 3600;
  uint64_t seed = 1;
  std::string directory;
  CLI::App app;
  app.add_option("--seconds", seconds);
  app.add_option("--seed", seed);
  app.add_option("--dir", directory);
  CLI11_PARSE(app, argc, argv);
  if (directory.empty()) directory = lull::testing::FreshDirectory("soak");
  return lull::testing::Soak(seconds, seed, directory);
}
