// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include <algorithm>
#include <iterator>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/rng.h"
#include "tests/support/scenario.h"

namespace lull::testing {

using leveldb::Status;

void SweepReport::Violation(const std::string& text) {
  if (violations++ == 0) first_violation = text;
}

namespace {

using Demand = CommitLog::Demand;

// How much Examine does after its first comparison.
enum class Then { kNothing, kCompact, kReopen };

// Opens the store on `env` and compares it; then compacts it, or one more synced write must work
// and last, and compares it again. Returns the error, or nothing.
std::string Examine(leveldb::Env* env, const Scenario& scenario, const std::string& scheduling,
                    const CommitLog& log, Demand demand, Then then = Then::kReopen) {
  ScenarioStore store(env, scenario.option_set, scheduling);
  Status s = store.Open();
  // Garbage before records that survived looks like damage, and paranoid_checks reports damage. The
  // store must still open without paranoid_checks.
  if (s.IsCorruption() && store.StopBeingParanoid()) s = store.Open();
  if (!s.ok()) return "does not open: " + s.ToString();
  const CommitLog::Verdict before = log.MatchesPrefix(store.db(), demand);
  if (!before.ok) return before.detail;
  if (then == Then::kNothing) return "";
  if (then == Then::kCompact) {
    store.CompactAll();
    const CommitLog::Verdict compacted = log.MatchesPrefix(store.db(), demand);
    if (compacted.ok && compacted.prefix == before.prefix) return "";
    return "first had " + std::to_string(before.prefix) + " commits; after a compaction " +
           compacted.detail;
  }
  leveldb::WriteOptions write;
  write.sync = true;
  s = store.db()->Put(write, "after", "the crash");
  if (!s.ok()) return "opens, but refuses a write: " + s.ToString();
  store.Close();
  s = store.Open(/*create_if_missing=*/false);
  if (!s.ok()) return "does not open a second time: " + s.ToString();
  std::string value;
  s = store.db()->Get(leveldb::ReadOptions(), "after", &value);
  if (!s.ok() || value != "the crash") return "lost the write made after recovery: " + s.ToString();
  store.db()->Delete(leveldb::WriteOptions(), "after");
  const CommitLog::Verdict again = log.MatchesPrefix(store.db(), demand);
  if (!again.ok) return "after a second open: " + again.detail;
  if (again.prefix != before.prefix) {
    return "first had " + std::to_string(before.prefix) + " commits, after a second open " +
           std::to_string(again.prefix);
  }
  return "";
}

std::string CurrentOf(leveldb::Env* env) {
  std::string current;
  leveldb::ReadFileToString(env, std::string(kStoreName) + "/CURRENT", &current);
  return current;
}

class CrashSweeper {
 public:
  CrashSweeper(const Scenario& scenario, CrashSweepOptions options)
      : scenario_(scenario), options_(std::move(options)) {
    options_.scheduling.insert(0, scenario.scheduling);
  }

  SweepReport Run() {
    const uint64_t steps = CrashAt(CrashEnv::kNoCrashPoint);
    const uint64_t first = counts_from_;
    for (uint64_t step = first; step < steps; step += options_.stride) CrashAt(step);
    return std::move(report_);
  }

 private:
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
    ScenarioStore store(&env, scenario_.option_set, options_.scheduling, std::move(hooks));
    scenario_.run(&store);
    store.Close();
    ++report_.runs;
#ifdef LULL_BUILD
    report_.appends_to_reused_logs += env.appends_to_reused_logs();
#endif
    // Threads do not take the same steps in each run, so a crash can be earlier than planned.
    if (counts) CheckAll(env, step, store);
    return env.steps();
  }

  void CheckAll(const CrashEnv& env, uint64_t step, const ScenarioStore& store) {
    const std::string where =
        step == CrashEnv::kNoCrashPoint ? "the end" : "step " + std::to_string(step);
    if (!store.wrong_read().empty()) Complain(where, store.wrong_read());
    Check(env, 0, CrashOptions::LoseAllUnsynced(), where + ", all unsynced lost", store);
    Check(env, 0, CrashOptions::KeepAll(), where + ", process died", store, Demand::kAckedSurvives);
    for (int i = 0; i < options_.random_states; ++i) {
      const uint64_t seed = SubSeed(options_.seed, step * 64 + static_cast<uint64_t>(i));
      Check(env, seed, CrashOptions(), where + ", crash seed " + std::to_string(seed), store);
      // A brief sweep crashes one recovery at each step.
      if (options_.brief && i > 0) continue;
      CrashInRecovery(env, seed, where + ", crash seed " + std::to_string(seed), store);
    }
  }

  void Check(const CrashEnv& env, uint64_t seed, const CrashOptions& crash,
             const std::string& where, const ScenarioStore& store,
             Demand demand = Demand::kSyncedSurvives) {
    const uint64_t number = report_.states++;
    Then then = Then::kReopen;
    if (options_.brief && number % 4 != 0) then = number % 4 == 1 ? Then::kCompact : Then::kNothing;
    const std::unique_ptr<CrashEnv> after = env.Crash(seed, crash);
    const std::string wrong =
        Examine(after.get(), scenario_, options_.scheduling, store.commits(), demand, then);
    if (!wrong.empty()) Complain(where, wrong);
  }

  // Crashes the recovery at a random step, then the recovery from that, and so on.
  void CrashInRecovery(const CrashEnv& env, uint64_t seed, std::string where,
                       const ScenarioStore& store) {
    if (options_.recovery_depth == 0) return;
    Rng rng(SubSeed(seed, 7));
    std::unique_ptr<CrashEnv> disk = env.Crash(seed);
    for (int depth = 0; depth < options_.recovery_depth; ++depth) {
      // An open takes from five steps to some hundred, including the tables that it writes.
      const uint64_t step = rng.Below(uint64_t{8} << rng.Below(6));
      disk->SetCrashPoint(step);
      const std::string current = CurrentOf(disk.get());
      {
        ScenarioStore recovering(disk.get(), scenario_.option_set, options_.scheduling);
        recovering.Open().ok();
      }
      const bool cut = disk->crashed();
      where += ", recovery crashed at step " + std::to_string(step);
      disk = disk->Crash(rng.Next());
      if (cut && CurrentOf(disk.get()) != current) ++report_.recoveries_cut_behind_current;
    }
    Check(*disk, 0, CrashOptions::LoseAllUnsynced(), where, store);
  }

  void Complain(const std::string& where, const std::string& what) {
    report_.Violation(std::string(scenario_.name) + " (sweep seed " +
                      std::to_string(options_.seed) + ", " + options_.scheduling + ") at " + where +
                      ": " + what);
  }

  const Scenario& scenario_;
  CrashSweepOptions options_;
  uint64_t counts_from_ = 0;  // the first step that counts
  SweepReport report_;
};

class FaultSweeper {
 public:
  // In most runs background work fails; without a short retry time they would mostly wait.
  FaultSweeper(const Scenario& scenario, const std::string& scheduling)
      : scenario_(scenario),
        scheduling_(std::string("retry_ms=20;") + scenario.scheduling + scheduling) {}

  SweepReport AtEveryOperation(FaultKind kind, uint64_t stride) {
    const uint64_t matching = CountOps()[kind];
    for (uint64_t index = 0; index < matching; index += stride) Hit({FaultAt(kind, index)});
    return std::move(report_);
  }

  SweepReport Pairs(uint64_t seed, uint64_t pairs) {
    std::map<FaultKind, uint64_t> matching = CountOps();
    Rng rng(seed);
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
  static Fault FaultAt(FaultKind kind, uint64_t index) {
    Fault fault;
    fault.kind = kind;
    fault.index = index;
    fault.bytes = index % 50;
    return fault;
  }

  // Runs the scenario without a fault; returns how many operations each kind could hit.
  std::map<FaultKind, uint64_t> CountOps() {
    CrashEnv disk;
    FaultEnv env(&disk);
    ScenarioStore store(&env, scenario_.option_set, scheduling_);
    scenario_.run(&store);
    store.Close();
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
    for (const Fault& fault : faults) {
      env.Arm(fault);
      lies = lies || fault.kind == FaultKind::kSyncLie;
    }
    ScenarioStore store(&env, scenario_.option_set, scheduling_);
    scenario_.run(&store);
    ++report_.runs;
    env.Heal();
    store.Close();
    if (!store.wrong_read().empty()) Complain(faults, env, store.wrong_read());
    const uint64_t seed = faults.front().index;
    // A disk that lied about a sync may lose anything at a power loss; any other disk must not.
    if (!lies) {
      Check(faults, env, disk.Crash(seed, CrashOptions::LoseAllUnsynced()).get(), store,
            Demand::kSyncedSurvives, "after a power loss: ");
    }
    Check(faults, env, disk.Crash(seed, CrashOptions::KeepAll()).get(), store,
          Demand::kAckedSurvives, "after reopening: ");
  }

  void Check(const std::vector<Fault>& faults, const FaultEnv& env, CrashEnv* after,
             const ScenarioStore& store, Demand demand, const char* when) {
    ++report_.states;
    const std::string wrong = Examine(after, scenario_, scheduling_, store.commits(), demand);
    if (!wrong.empty()) Complain(faults, env, when + wrong);
  }

  void Complain(const std::vector<Fault>& faults, const FaultEnv& env, const std::string& what) {
    std::string where = std::string(scenario_.name) + " (" + scheduling_ + ")";
    for (const Fault& fault : faults) {
      where += std::string(" with ") + FaultKindName(fault.kind) + " at operation " +
               std::to_string(fault.index);
    }
    report_.Violation(where + " [" + env.first_hit() + "]: " + what);
  }

  const Scenario& scenario_;
  const std::string scheduling_;
  SweepReport report_;
};

}  // namespace

SweepReport CrashSweep(const Scenario& scenario, const CrashSweepOptions& options) {
  return CrashSweeper(scenario, options).Run();
}

SweepReport FaultSweep(const Scenario& scenario, FaultKind kind, const FaultSweepOptions& options) {
  return FaultSweeper(scenario, options.scheduling).AtEveryOperation(kind, options.stride);
}

SweepReport FaultPairs(const Scenario& scenario, const FaultPairOptions& options) {
  return FaultSweeper(scenario, options.scheduling).Pairs(options.seed, options.pairs);
}

}  // namespace lull::testing
