// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "tests/support/sweep.h"

#include <iterator>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "tests/support/rng.h"

namespace lull::testing {

using Demand = CommitLog::Demand;

namespace {

// How much Examine does after its first comparison.
enum class Then { kNothing, kCompact, kReopen, kPowerLoss };
constexpr Then kBriefly[] = {Then::kReopen, Then::kCompact, Then::kNothing, Then::kPowerLoss,
                             Then::kReopen, Then::kCompact, Then::kNothing, Then::kNothing};

// Opens the store on `env` and compares it. Then compacts it, or one more synced write must work
// and last, and compares it again. Returns the error, or nothing.
std::string Examine(const Scenario& scenario, CrashEnv* env, const std::string& scheduling,
                    const CommitLog& log, Demand demand, Then then) {
  ScenarioStore store(scenario, env, scheduling);
  leveldb::Status s = store.Open();
  // Garbage before records that survived looks like damage, and paranoid_checks reports damage. The
  // store must still open without paranoid_checks.
  if (s.IsCorruption() && store.StopBeingParanoid()) s = store.Open();
  if (!s.ok()) return "does not open: " + s.ToString();
  const CommitLog::Verdict before = log.MatchesPrefix(store.db(), demand);
  if (!before.ok) return before.detail;
  if (then == Then::kNothing) return "";
  if (then == Then::kCompact) {
    store.CompactAll();
  } else {
    leveldb::WriteOptions write;
    write.sync = true;
    s = store.db()->Put(write, "after", "the crash");
    if (!s.ok()) return "opens, but refuses a write: " + s.ToString();
    if (then == Then::kPowerLoss) {
      const auto after = env->Crash(0, CrashOptions::LoseAllUnsynced());
      ScenarioStore second(scenario, after.get(), scheduling);
      s = second.Open(/*create_if_missing=*/false);
      if (!s.ok()) return "does not open after a synced write and a power loss: " + s.ToString();
      std::string value;
      s = second.db()->Get({}, "after", &value);
      if (!s.ok()) return "lost a synced write after recovery: " + s.ToString();
    }
    store.Close();
    s = store.Open(/*create_if_missing=*/false);
    if (!s.ok()) return "does not open a second time: " + s.ToString();
    std::string value;
    s = store.db()->Get({}, "after", &value);
    if (!s.ok() || value != "the crash") return "lost a write after recovery: " + s.ToString();
    store.db()->Delete({}, "after");
  }
  const CommitLog::Verdict again = log.MatchesPrefix(store.db(), demand);
  if (again.ok && again.prefix == before.prefix) return "";
  return "first had " + std::to_string(before.prefix) + " commits; after a " +
         (then == Then::kCompact ? "compaction " : "second open ") + again.detail;
}

std::string CurrentOf(leveldb::Env* env) {
  std::string current;
  leveldb::ReadFileToString(env, std::string(kStoreName) + "/CURRENT", &current);
  return current;
}

class Sweeper {
 public:
  // `more`: added to the scheduling.
  Sweeper(const Scenario& scenario, const SweepOptions& options, const char* more = "")
      : scenario_(scenario), options_(options), scheduling_(more + options.scheduling) {}

  SweepReport Crashes() {
    const uint64_t steps = CrashAt(CrashEnv::kNoCrashPoint);
    const uint64_t first = counts_from_;
    for (uint64_t step = first; step < steps; step += options_.stride) CrashAt(step);
    return std::move(report_);
  }

  SweepReport Faults(FaultKind kind) {
    const uint64_t matching = CountOps()[kind];
    for (uint64_t at = 0; at < matching; at += options_.stride) Hit({FaultAt(kind, at)});
    return std::move(report_);
  }

  SweepReport FaultPairs(uint64_t pairs) {
    std::map<FaultKind, uint64_t> matching = CountOps();
    Rng rng(options_.seed);
    for (uint64_t i = 0; i < pairs; ++i) {
      std::vector<Fault> faults;
      while (faults.size() < 2) {
        const FaultKind kind = kAllFaultKinds[rng.Below(std::size(kAllFaultKinds))];
        if (matching[kind] > 0) faults.push_back(FaultAt(kind, rng.Below(matching[kind])));
      }
      Hit(faults);
    }
    return std::move(report_);
  }

 private:
  // ---- power losses ----

  // Runs the scenario up to the crash point; returns the number of steps taken.
  uint64_t CrashAt(uint64_t step) {
    CrashEnv env;
#ifdef LULL_BUILD
    env.set_new_directories_may_vanish(true);
    // With an EnvExtension the store syncs its directory itself.
    env.set_manifest_sync_covers_directory(false);
#endif
    env.SetCrashPoint(step);
    bool counts = counts_from_ == 0;
    ScenarioHooks hooks;
    hooks.counts = [&] {
      counts = true;
      if (step == CrashEnv::kNoCrashPoint) counts_from_ = env.steps();
    };
    ScenarioStore store(scenario_, &env, scheduling_, std::move(hooks));
    RunScenario(scenario_, &store);
    ++report_.runs;
#ifdef LULL_BUILD
    report_.appends_to_reused_logs += env.appends_to_reused_logs();
#endif
    // Threads do not take the same steps in each run, so a crash can be earlier than planned.
    if (counts) CheckCrash(env, step, store);
    return env.steps();
  }

  void CheckCrash(const CrashEnv& env, uint64_t step, const ScenarioStore& store) {
    const std::string at =
        step == CrashEnv::kNoCrashPoint ? " at the end" : " at step " + std::to_string(step);
    CheckReads(at, store);
    Check(at + ", all unsynced lost", env.Crash(0, CrashOptions::LoseAllUnsynced()), store,
          Demand::kSyncedSurvives);
    Check(at + ", process died", env.Kill(), store, Demand::kAckedSurvives);
    for (int i = 0; i < options_.random_states; ++i) {
      const uint64_t seed = SubSeed(options_.seed, step * 64 + static_cast<uint64_t>(i));
      const std::string state = at + ", crash seed " + std::to_string(seed);
      Check(state, env.Crash(seed), store, Demand::kSyncedSurvives);
      // A brief sweep crashes one recovery at each step.
      if (!options_.brief || i == 0) CrashInRecovery(env, seed, state, store);
    }
  }

  // Crashes the recovery at a random step, then the recovery from that, and so on.
  void CrashInRecovery(const CrashEnv& env, uint64_t seed, std::string at,
                       const ScenarioStore& store) {
    if (options_.recovery_depth == 0) return;
    Rng rng(SubSeed(seed, 7));
    std::unique_ptr<CrashEnv> disk = env.Crash(seed);
    for (int depth = 0; depth < options_.recovery_depth; ++depth) {
      // An open takes from five steps to some hundred, including the tables that it writes.
      const uint64_t step = rng.Below(uint64_t{8} << rng.Below(6));
      disk->SetCrashPoint(step);
      const std::string current = CurrentOf(disk.get());
      ScenarioStore(scenario_, disk.get(), scheduling_).Open();
      const bool cut = disk->crashed();
      at += ", recovery crashed at step " + std::to_string(step);
      disk = disk->Crash(rng.Next());
      if (cut && CurrentOf(disk.get()) != current) ++report_.recoveries_cut_behind_current;
    }
    Check(at, disk->Crash(0, CrashOptions::LoseAllUnsynced()), store, Demand::kSyncedSurvives);
  }

  // ---- faults ----

  static Fault FaultAt(FaultKind kind, uint64_t index) {
    return {.kind = kind, .index = index, .bytes = index % 50};
  }

  // Runs the scenario without a fault; returns how many operations each kind could hit.
  std::map<FaultKind, uint64_t> CountOps() {
    CrashEnv disk;
    FaultEnv env(&disk);
    ScenarioStore store(scenario_, &env, scheduling_);
    RunScenario(scenario_, &store);
    std::map<FaultKind, uint64_t> matching;
    for (const FaultKind kind : kAllFaultKinds) matching[kind] = env.Count(OpsOf(kind));
    return matching;
  }

  // Runs the scenario with `faults` armed.
  void Hit(const std::vector<Fault>& faults) {
    CrashEnv disk;
    FaultEnv env(&disk);
    env.set_on_failed_sync([&disk](const std::string& path) { disk.DropDirtyPages(path); });
    bool lies = false;
    std::string at;
    for (const Fault& fault : faults) {
      env.Arm(fault);
      lies = lies || fault.kind == FaultKind::kSyncLie;
      at += std::string(" with ") + FaultKindName(fault.kind) + " at operation " +
            std::to_string(fault.index);
    }
    ScenarioStore store(scenario_, &env, scheduling_);
    RunScenario(scenario_, &store);
    ++report_.runs;
    env.Heal();
    at += " [" + env.first_hit() + "]";
    CheckReads(at, store);
    const uint64_t seed = faults.front().index;
    // A disk that lied about a sync may lose anything at a power loss; any other disk must not.
    if (!lies) {
      Check(at + " after a power loss", disk.Crash(seed, CrashOptions::LoseAllUnsynced()), store,
            Demand::kSyncedSurvives);
    }
    Check(at + " after reopening", disk.Kill(), store, Demand::kAckedSurvives);
  }

  // ---- both ----

  void CheckReads(const std::string& at, const ScenarioStore& store) {
    if (!store.wrong_read().empty()) Complain(at, store.wrong_read());
  }

  void Check(const std::string& at, std::unique_ptr<CrashEnv> after, const ScenarioStore& store,
             Demand demand) {
    const uint64_t number = report_.states++;
    Then then = number % 4 < 2 ? Then::kReopen : Then::kPowerLoss;
    if (options_.brief) then = kBriefly[number % std::size(kBriefly)];
    const std::string wrong =
        Examine(scenario_, after.get(), scheduling_, store.commits(), demand, then);
    if (!wrong.empty()) Complain(at, wrong);
  }

  void Complain(const std::string& at, const std::string& what) {
    if (report_.violations++ > 0) return;
    report_.first_violation = std::string(scenario_.name) + " (sweep seed " +
                              std::to_string(options_.seed) + ", " + scheduling_ + ")" + at + ": " +
                              what;
  }

  const Scenario& scenario_;
  const SweepOptions options_;
  const std::string scheduling_;
  uint64_t counts_from_ = 0;  // the first step that counts
  SweepReport report_;
};

// With faults background work fails; without a short retry time they would mostly wait.
constexpr char kRetrySoon[] = "retry_ms=20;";

}  // namespace

SweepReport CrashSweep(const Scenario& scenario, const SweepOptions& options) {
  return Sweeper(scenario, options).Crashes();
}

SweepReport FaultSweep(const Scenario& scenario, FaultKind kind, const SweepOptions& options) {
  return Sweeper(scenario, options, kRetrySoon).Faults(kind);
}

SweepReport FaultPairs(const Scenario& scenario, uint64_t pairs, const SweepOptions& options) {
  return Sweeper(scenario, options, kRetrySoon).FaultPairs(pairs);
}

}  // namespace lull::testing
