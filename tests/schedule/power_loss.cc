// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "tests/schedule/power_loss.h"

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tests/schedule/clients.h"
#include "tests/schedule/history.h"
#include "tests/schedule/schedule.h"
#include "tests/support/crash_env.h"
#include "tests/support/fault_env.h"
#include "util/thread.h"

namespace lull::testing {

using leveldb::Status;

namespace {

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
      if (before_change && (op & kChangesDisk) != 0) {
        const Schedule::Uninterrupted uninterrupted;
        before_change(op);
      }
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
  uint64_t moment = 0;               // of the first power loss
  size_t removals = 0;               // of RemovedRanges
  std::optional<size_t> commits;     // once an open has found it, it must stay
  std::vector<std::string> written;  // keys of later synced writes
};

struct PowerLoss {
  uint64_t moment = 0;
  size_t removals = 0;
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
      Expected expected;
      expected.moment = loss.moment;
      expected.removals = loss.removals;
      const std::string wrong =
          Examine(std::move(loss.left), loss.seed, /*crashes=*/0, std::move(expected));
      if (!wrong.empty()) Fail("power loss at step " + std::to_string(loss.moment) + ", " + wrong);
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
    Schedule::Options machine;
    machine.seed = SubSeed(options_.seed, 13);
    machine.trace = options_.trace;
    Schedule schedule(machine);
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
      PowerLoss& loss = losses_[place * options_.states_per_point + i];
      loss.moment = Schedule::Current()->steps();
      loss.removals = ranges_.removals();
      loss.seed = rng_.Next();
      loss.left = disk.Crash(loss.seed);
    }
  }

  void RunLives(leveldb::Env* env) {
    const std::vector<Life> lives = DrawLives(options_.seed);
    for (size_t i = 0; i < lives.size() && report_.failure.empty(); ++i) {
      std::unique_ptr<leveldb::DB> db;
      const Status status = setup_.Open(env, SubSeed(options_.seed, 20 + i), &db);
      if (!status.ok()) return Fail("the store does not open: " + status.ToString());
      RunLife(lives[i], db.get());
      if (i + 1 == lives.size() && report_.failure.empty()) Fail(history_.Check(db.get()));
    }
  }

  void RunLife(const Life& life, leveldb::DB* db) {
    std::vector<std::unique_ptr<ThreadHandle>> clients;
    for (const Client& client : life) {
      const size_t number = clients_++;
      clients.push_back(ThreadFactory::System()->Start(
          "client " + std::to_string(number), CpuClass::kNormal,
          [this, db, number, &client] { RunClient(db, number, client); }));
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
    Schedule::Options machine;
    machine.seed = SubSeed(seed, 15);
    machine.horizon_nanos = kProgressNanos;
    machine.trace = options_.trace;
    Schedule schedule(machine);
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
    const CommitLog::Verdict found = history_.LogAt(expected->moment)
                                         .MatchesPrefix(state, CommitLog::Demand::kSyncedSurvives);
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

}  // namespace

PowerLossReport RunPowerLoss(const PowerLossOptions& options) { return Runner(options).Run(); }

}  // namespace lull::testing
