// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Power losses on seeded schedules. Runs one seed: a store, several clients and the store's own
// threads on a Schedule. The power fails at some steps, in several ways each. The test opens each
// resulting disk and compares it with the results that the clients got. The power can fail again
// during the open, and once more.
//
// A power loss is a copy of the disk, and the run continues after it. So one schedule gives many
// power losses, and the end of the run shows the order of commits that were in progress.
//
// Besides the tests, which use a fixed number of seeds, the program has its own command line:
//
//   schedule_test --seeds=N [--seed=FIRST]   runs N seeds; stops at the first that fails
//   schedule_test --replay=SEED              runs one; LULL_TRACE=1 prints each step
//   schedule_test --minimise=SEED            removes operations that a failing seed does not need
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cinttypes>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "tests/schedule/clients.h"
#include "tests/schedule/history.h"
#include "tests/schedule/schedule.h"
#include "tests/support/crash_env.h"
#include "tests/support/fault_env.h"
#include "util/thread.h"

namespace lull::testing {
namespace {

using leveldb::Status;

struct PowerLossOptions {
  uint64_t seed = 1;
  size_t points = 15;           // number of steps at which the power fails
  size_t states_per_point = 2;  // different disks for each of these
  std::set<size_t> left_out{};  // operations of clients, by number
  bool trace = false;
};

struct PowerLossReport {
  std::string failure;  // empty: no failure
  std::string setup;    // the store's options
  uint64_t hash = 0;    // of all schedules
  uint64_t steps = 0;
  uint64_t operations = 0;  // of clients
  uint64_t commits = 0;
  uint64_t states = 0;            // opened and compared
  uint64_t recovery_crashes = 0;  // those that followed a power loss during a recovery
};

constexpr int kRecoveryCrashesMax = 2;  // plus the first power loss: three in a row
constexpr uint64_t kRecoveryCrashOneIn = 4;
constexpr uint64_t kCompactOneIn = 4;
constexpr uint64_t kAppendOneIn = 4;  // they are frequent; other steps are more interesting
constexpr uint64_t kProgressNanos = 60'000'000'000;  // for an open, a write and a compaction
constexpr char kAfterPrefix = '!';                   // of keys written after a power loss

constexpr uint32_t kChangesDisk =
    kOpenWrite | kAppend | kSync | kSyncDir | kRename | kRemove | kMakeDir | kLink;

// A disk that adds a note to the schedule for each operation, and can lose power there.
class WatchedDisk {
 public:
  explicit WatchedDisk(std::unique_ptr<CrashEnv> disk) : disk_(std::move(disk)), env_(disk_.get()) {
    // With an EnvExtension the store syncs its directory itself.
    disk_->set_manifest_sync_covers_directory(false);
    disk_->set_new_directories_may_vanish(true);
    env_.set_before_operation([this](IoOp op, const std::string& path) {
      Schedule::Current()->Note(IoOpName(op), path);
      if (before_change && (op & kChangesDisk) != 0)
        Schedule::Current()->Uninterrupted([&] { before_change(op); });
    });
  }

  leveldb::Env* env() { return &env_; }
  const CrashEnv& disk() const { return *disk_; }
  // Called before each operation that changes the disk; takes no step.
  std::function<void(IoOp)> before_change;

 private:
  const std::unique_ptr<CrashEnv> disk_;
  FaultEnv env_;
};

// The required content of a disk.
struct Expected {
  uint64_t moment = 0;                 // of the first power loss
  size_t removals = 0;                 // of RemovedRanges
  std::optional<size_t> commits{};     // once an open has found it, it must stay
  std::vector<std::string> written{};  // keys of later synced writes
};

struct PowerLoss {
  Expected expected;
  uint64_t seed = 0;
  std::unique_ptr<CrashEnv> left;
};

class Runner {
 public:
  explicit Runner(const PowerLossOptions& options)
      : options_(options), setup_(options.seed), rng_(SubSeed(options.seed, 12)) {
    report_.setup = setup_.ToString();
  }

  PowerLossReport Run() {
    RunClients();
    for (PowerLoss& loss : losses_) {
      if (!report_.failure.empty()) break;
      const std::string wrong =
          Examine(std::move(loss.left), loss.seed, /*crashes=*/0, loss.expected);
      if (wrong.empty()) continue;
      Fail("power loss at step " + std::to_string(loss.expected.moment) + ", " + wrong);
    }
    return std::move(report_);
  }

 private:
  void Fail(const std::string& what) {
    if (report_.failure.empty()) report_.failure = what;
  }

  void Count(const Schedule& schedule) {
    report_.hash = Mix(report_.hash ^ schedule.hash());
    report_.steps += schedule.steps();
  }

  // ---- until the power fails ----

  void RunClients() {
    WatchedDisk disk(std::make_unique<CrashEnv>());
    disk.before_change = [&](IoOp op) { MaybeLosePower(disk.disk(), op); };
    Schedule schedule({.seed = SubSeed(options_.seed, 13), .trace = options_.trace});
    const bool ended = schedule.Run([&] { RunLives(disk.env()); });
    Count(schedule);
    report_.commits = history_.commits();
    if (!ended) Fail(schedule.stuck());
  }

  // Samples the changes of the disk, each with the same chance.
  void MaybeLosePower(const CrashEnv& disk, IoOp op) {
    if (op == kAppend && !rng_.OneIn(kAppendOneIn)) return;
    const uint64_t place =
        seen_changes_ < options_.points ? seen_changes_ : rng_.Below(seen_changes_ + 1);
    ++seen_changes_;
    if (place >= options_.points) return;
    losses_.resize(std::max<size_t>(losses_.size(), (place + 1) * options_.states_per_point));
    for (size_t i = 0; i < options_.states_per_point; ++i) {
      const uint64_t seed = rng_.Next();
      losses_[place * options_.states_per_point + i] = {
          {.moment = Schedule::Current()->steps(), .removals = ranges_.removals()},
          seed,
          disk.Crash(seed)};
    }
  }

  void RunLives(leveldb::Env* env) {
    const std::vector<Life> lives = DrawLives(options_.seed);
    for (size_t i = 0; i < lives.size() && report_.failure.empty(); ++i) {
      std::unique_ptr<leveldb::DB> db;
      const Status status = setup_.Open(env, SubSeed(options_.seed, 20 + i), &db);
      if (!status.ok()) return Fail("the store does not open: " + status.ToString());
      {
        std::vector<std::unique_ptr<ThreadHandle>> threads;
        for (const Client& client : lives[i]) {
          const size_t number = clients_++;
          threads.push_back(ThreadFactory::System()->Start(
              "client " + std::to_string(number), CpuClass::kNormal,
              [this, number, db = db.get(), &client] { RunClient(db, number, client); }));
        }
      }
      if (i + 1 == lives.size() && report_.failure.empty()) Fail(history_.Check(db.get()));
    }
  }

  void RunClient(leveldb::DB* db, size_t number, const Client& client) {
    for (const ClientOperation& operation : client) {
      if (!report_.failure.empty()) return;
      if (options_.left_out.contains(operation.number)) continue;
      ++report_.operations;
      Schedule::Current()->Note(ClientCallName(operation.call),
                                "(operation " + std::to_string(operation.number) + ")");
      Fail(Perform(db, number, operation, &history_, &ranges_));
    }
  }

  // ---- after a power loss ----

  // Opens the disk after a power loss, with further power losses, and compares. Returns what is
  // wrong.
  std::string Examine(std::unique_ptr<CrashEnv> left, uint64_t seed, int crashes,
                      Expected expected) {
    Rng rng(SubSeed(seed, 14));
    WatchedDisk disk(std::move(left));
    std::unique_ptr<CrashEnv> left_again;
    Expected expected_again;
    if (crashes < kRecoveryCrashesMax && rng.OneIn(kRecoveryCrashOneIn)) {
      // An open changes the disk about ten times, or some hundred times if it writes tables.
      disk.before_change = [&, changes = rng.Below(uint64_t{8} << rng.Below(6))](IoOp) mutable {
        if (changes-- != 0) return;
        left_again = disk.disk().Crash(rng.Next());
        expected_again = expected;
      };
    }
    Schedule schedule(
        {.seed = SubSeed(seed, 15), .horizon_nanos = kProgressNanos, .trace = options_.trace});
    ++report_.states;
    if (crashes > 0) ++report_.recovery_crashes;
    std::string wrong;
    if (!schedule.Run([&] { wrong = Recover(disk.env(), seed, &rng, &expected); }))
      wrong = schedule.stuck();
    Count(schedule);
    if (!wrong.empty())
      return "state " + std::to_string(seed) + (crashes == 0 ? "" : ", recovery crashed") + ": " +
             wrong;
    if (left_again == nullptr) return "";
    return Examine(std::move(left_again), SubSeed(seed, 16), crashes + 1,
                   std::move(expected_again));
  }

  std::string Recover(leveldb::Env* env, uint64_t seed, Rng* rng, Expected* expected) {
    StoreSetup setup = setup_;
    std::unique_ptr<leveldb::DB> db;
    Status status = setup.Open(env, SubSeed(seed, 17), &db);
    // Garbage before records that survived looks like damage, which paranoid_checks reports. The
    // store must still open without paranoid_checks.
    if (status.IsCorruption() && std::exchange(setup.options.paranoid_checks, false))
      status = setup.Open(env, SubSeed(seed, 18), &db);
    if (!status.ok()) return "does not open: " + status.ToString();
    std::string wrong = Compare(db.get(), expected);
    if (!wrong.empty()) return wrong;
    leveldb::WriteOptions write;
    write.sync = true;
    const std::string key = kAfterPrefix + std::to_string(expected->written.size());
    status = db->Put(write, key, key);
    if (!status.ok()) return "refuses a write: " + status.ToString();
    expected->written.push_back(key);
    if (!rng->OneIn(kCompactOneIn)) return "";
    db->CompactRange(nullptr, nullptr);
    wrong = Compare(db.get(), expected);
    return wrong.empty() ? "" : "after a compaction: " + wrong;
  }

  // Once a comparison has succeeded, later ones must find the same prefix.
  std::string Compare(leveldb::DB* db, Expected* expected) {
    leveldb::ReadOptions read;
    read.verify_checksums = true;
    Contents state;
    Status status = StateOf(db, read, kAfterPrefix, &state);
    if (!status.ok()) return "cannot be read: " + status.ToString();
    const CommitLog::Verdict found =
        history_.LogAt(expected->moment).MatchesPrefix(state, CommitLog::Demand::kSyncedSurvives);
    if (!found.ok) return found.detail;
    if (expected->commits.value_or(found.prefix) != found.prefix)
      return "an open had found " + std::to_string(*expected->commits) + " commits; " +
             found.detail;
    expected->commits = found.prefix;
    const std::string wrong = ranges_.Check(db, expected->removals);
    if (!wrong.empty()) return wrong;
    std::string value;
    for (const std::string& key : expected->written) {
      status = db->Get(read, key, &value);
      if (!status.ok() || value != key)
        return "lost a write made after a power loss: " + status.ToString();
    }
    return "";
  }

  const PowerLossOptions options_;
  const StoreSetup setup_;
  Rng rng_;
  History history_;
  RemovedRanges ranges_;
  size_t clients_ = 0;
  uint64_t seen_changes_ = 0;
  std::vector<PowerLoss> losses_;
  PowerLossReport report_;
};

// ---- the tests ---------------------------------------------------------------------------------

constexpr uint64_t kShards = 4;
constexpr uint64_t kSeedsPerShard = 125;

std::string HowToReplay(uint64_t seed, const PowerLossReport& report) {
  const std::string number = std::to_string(seed);
  return "seed " + number + ": " + report.failure + "\n  store: " + report.setup +
         "\n  replay: LULL_TRACE=1 schedule_test --replay=" + number +
         "\n  reduce: schedule_test --minimise=" + number;
}

// A run can also end the process; this shows where it was.
volatile uint64_t seed_under_way = 0;

void TellSeed(int signal) {
  char text[64];
  const int length = std::snprintf(text, sizeof(text), "seed %" PRIu64 " ends the process\n",
                                   static_cast<uint64_t>(seed_under_way));
  if (write(STDERR_FILENO, text, static_cast<size_t>(length)) < 0) _exit(1);
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

PowerLossReport RunSeed(uint64_t seed, const std::set<size_t>& left_out = {}, bool trace = false) {
  seed_under_way = seed;
  return Runner({.seed = seed, .left_out = left_out, .trace = trace}).Run();
}

bool WantsTrace() { return std::getenv("LULL_TRACE") != nullptr; }

class PowerLossOfSeeds : public ::testing::TestWithParam<uint64_t> {};

TEST_P(PowerLossOfSeeds, LeavesAPrefixWithAllThatWasSynced) {
  uint64_t states = 0, recovery_crashes = 0;
  for (uint64_t i = 0; i < kSeedsPerShard; ++i) {
    const uint64_t seed = GetParam() * kSeedsPerShard + i;
    const PowerLossReport report = RunSeed(seed);
    ASSERT_EQ(report.failure, "") << HowToReplay(seed, report);
    states += report.states;
    recovery_crashes += report.recovery_crashes;
  }
  EXPECT_GE(states, 15'000 / kShards);
  EXPECT_GT(recovery_crashes, states / 10);
}

INSTANTIATE_TEST_SUITE_P(Shards, PowerLossOfSeeds, ::testing::Range<uint64_t>(0, kShards));

TEST(PowerLoss, TheSameSeedGivesTheSameRun) {
  for (uint64_t seed = 0; seed < 5; ++seed) {
    const PowerLossReport first = RunSeed(seed), second = RunSeed(seed);
    EXPECT_EQ(first.hash, second.hash) << "seed " << seed;
    EXPECT_EQ(first.steps, second.steps) << "seed " << seed;
    EXPECT_GT(first.steps, 1000u);
  }
}

// ---- the command line --------------------------------------------------------------------------

int Replay(uint64_t seed) {
  const PowerLossReport report = RunSeed(seed, {}, WantsTrace());
  std::printf("store: %s\n%" PRIu64 " client operations, %" PRIu64 " commits, %" PRIu64
              " steps, %" PRIu64 " power losses; trace %016" PRIx64 "\n%s\n",
              report.setup.c_str(), report.operations, report.commits, report.steps, report.states,
              report.hash, report.failure.empty() ? "all is well" : report.failure.c_str());
  return report.failure.empty() ? 0 : 1;
}

int Sweep(uint64_t first, uint64_t count) {
  uint64_t states = 0;
  for (uint64_t seed = first; seed < first + count; ++seed) {
    const PowerLossReport report = RunSeed(seed);
    states += report.states;
    if (report.failure.empty()) continue;
    std::printf("%s\n", HowToReplay(seed, report).c_str());
    return 1;
  }
  std::printf("%" PRIu64 " seeds, %" PRIu64 " power losses: all is well\n", count, states);
  return 0;
}

// Uses a separate process, so that a run that is stuck or ends the process does not affect others.
bool FailsWithout(uint64_t seed, const std::set<size_t>& left_out) {
  const pid_t child = fork();
  if (child == 0) _exit(RunSeed(seed, left_out).failure.empty() ? 0 : 1);
  int status = 0;
  waitpid(child, &status, 0);
  return status != 0;
}

// Leaves out ranges of operations, ever smaller ones, as long as the run still fails.
int Minimise(uint64_t seed) {
  if (!FailsWithout(seed, {})) {
    std::printf("seed %" PRIu64 " does not fail\n", seed);
    return 1;
  }
  constexpr size_t kOperationsMax = 512;
  std::set<size_t> left_out;
  for (size_t stretch = kOperationsMax / 2; stretch > 0; stretch /= 2) {
    for (size_t begin = 0; begin < kOperationsMax; begin += stretch) {
      std::set<size_t> more = left_out;
      for (size_t i = begin; i < begin + stretch; ++i) more.insert(i);
      if (more.size() > left_out.size() && FailsWithout(seed, more)) left_out = std::move(more);
    }
  }
  const PowerLossReport report = RunSeed(seed, left_out, WantsTrace());
  std::printf("with %" PRIu64 " operations left: %s\n", report.operations, report.failure.c_str());
  return 0;
}

int Main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  for (const int signal : {SIGSEGV, SIGABRT}) std::signal(signal, TellSeed);
  uint64_t first = 0, count = 0;
  for (int i = 1; i < argc; ++i) {
    const auto number = [&](const char* name) {
      const size_t length = std::strlen(name);
      return std::strncmp(argv[i], name, length) == 0 ? argv[i] + length : nullptr;
    };
    if (const char* seed = number("--replay=")) return Replay(std::strtoull(seed, nullptr, 10));
    if (const char* seed = number("--minimise=")) return Minimise(std::strtoull(seed, nullptr, 10));
    if (const char* seed = number("--seed=")) first = std::strtoull(seed, nullptr, 10);
    if (const char* seeds = number("--seeds=")) count = std::strtoull(seeds, nullptr, 10);
  }
  return count > 0 ? Sweep(first, count) : RUN_ALL_TESTS();
}

}  // namespace
}  // namespace lull::testing

int main(int argc, char** argv) { return lull::testing::Main(argc, argv); }
