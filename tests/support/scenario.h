// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Short fixed workloads. The crash and fault sweeps run them many times, with a failure at a
// different step each time. A scenario uses a ScenarioStore, which carries on after errors and
// records what the store has promised.
//
// All of this runs on one thread.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "leveldb/db.h"
#include "leveldb/iterator.h"
#include "tests/support/crash_env.h"
#include "tests/support/fault_env.h"
#include "tests/support/model.h"
#include "tests/support/option_sets.h"
#include "tests/support/workload.h"

namespace lull::testing {

// What a sweep in separate processes needs in addition to running the scenario.
struct ScenarioHooks {
  std::string directory = kStoreName;
  // Close leaves the store open; the next Open closes it first.
  bool stay_open = false;
  // Each may be empty. Called after a successful open, around each write, and by CountFromHere.
  std::function<void()> opened{};
  std::function<void(const WriteOps& ops)> write_begins{};
  std::function<void(bool acked)> write_ended{};
  std::function<void()> counts{};
};

class ScenarioStore {
 public:
  // The environment must outlive the store.
  ScenarioStore(leveldb::Env* env, size_t option_set, std::string scheduling,
                ScenarioHooks hooks = {});
  ~ScenarioStore();

  // After a failed open the store is closed, and every call below does nothing.
  leveldb::Status Open(bool create_if_missing = true);
  // From the next open on, damaged logs are set aside. Returns false if that was so before.
  bool StopBeingParanoid() { return std::exchange(set_->options.paranoid_checks, false); }
  void Close();
  bool is_open() const { return db_ != nullptr; }
  // From now on, also after the next open, compactions drop values that Expires.
  void UseFilter() { UseFilter(Expires, Expires); }
  // The same with the rule `drops`, which can throw and change over time. It may drop only values
  // for which `may_drop` is true.
  using Rule = std::function<bool(std::string_view value)>;
  void UseFilter(Rule may_drop, Rule drops);
  // What comes before this call is only preparation: sweeps skip it.
  void CountFromHere();
  leveldb::DB* db() { return db_.get(); }

  void Put(int key, size_t value_bytes, bool sync);
  void Delete(int key, bool sync);
  void Batch(int first_key, int puts, size_t value_bytes, bool sync);
  void CompactAll();
  void Flush();
  void WaitForIdle();
  // From key `from` to just before key `to`, without bounds if these are negative.
  void DeleteRange(int from, int to) { Remove(from, to, /*files_only=*/false); }
  void DeleteFiles(int from, int to) { Remove(from, to, /*files_only=*/true); }
  void HoldSnapshot();
  void DropSnapshots();
  // An iterator that exists must go on showing the same entries.
  void HoldIterator();
  void CheckIterators();
  // Reads `keys` keys and scans once; every answer must be correct or an error.
  void CheckReads(int keys);

  CommitLog* log() { return &log_; }
  const CommitLog& commits() const { return log_; }
  // The first wrong answer of a read; empty if there was none.
  const std::string& wrong_read() const { return wrong_read_; }

 private:
  using Value = std::optional<std::string>;

  struct HeldIterator {
    std::unique_ptr<leveldb::Iterator> iterator;
    Contents shown;
  };

  void Write(WriteOps ops, bool sync);
  void Remove(int from, int to, bool files_only);
  bool Possible(const std::string& key, const Value& value) const;
  void CheckScan();
  std::string NextValue(size_t bytes);

  leveldb::Env* const env_;
  const std::string scheduling_;
  const ScenarioHooks hooks_;
  const std::unique_ptr<OptionSet> set_;
  std::unique_ptr<leveldb::DB> db_;
  std::vector<const leveldb::Snapshot*> snapshots_;
  std::vector<HeldIterator> iterators_;
  Rule may_drop_;  // both are empty without a filter
  Rule drops_;
  CommitLog log_;
  // Possible results of reading a key: the last acked value first, then the failed writes since.
  std::map<std::string, std::vector<Value>> possible_;
  std::string wrong_read_;
  uint64_t writes_ = 0;
};

struct Scenario {
  const char* name;
  size_t option_set;
  void (*run)(ScenarioStore* store);
  const char* scheduling = "";  // added to the sweep's
  bool filters = false;         // `run` calls UseFilter
};

const std::vector<Scenario>& AllScenarios();

// Scenarios of DeleteRange, DeleteFilesInRange and compaction filters. All call CountFromHere.
const std::vector<Scenario>& RemovalScenarios();

struct SweepReport {
  uint64_t runs = 0;    // times the scenario ran
  uint64_t states = 0;  // stores reopened and compared
  uint64_t violations = 0;
  uint64_t appends_to_reused_logs = 0;
  uint64_t recoveries_cut_behind_current = 0;  // crashes of an open that had changed CURRENT
  std::string first_violation;                 // with everything needed to run it again

  void Violation(const std::string& text);
};

struct CrashSweepOptions {
  uint64_t seed = 1;
  std::string scheduling;
  // Random crash states at each step, besides "all unsynced lost" and "only the process died".
  int random_states = 2;
  // Also crashes in the recovery: the maximal depth of such nested crashes.
  int recovery_depth = 2;
  // Every stride-th step.
  uint64_t stride = 1;
  // Compares each state once; only some of them are also compacted, or reopened and compared again.
  bool brief = false;
};

// Crashes the scenario at every step of its I/O, reopens each after-crash state, and compares it
// with the prefixes of the commits.
SweepReport CrashSweep(const Scenario& scenario, const CrashSweepOptions& options);

struct FaultSweepOptions {
  std::string scheduling;
  uint64_t stride = 1;
};

// Hits every operation of the scenario with a fault of this kind, in one run each. Each read must
// be correct or an error. After the fault is healed, a reopened store must contain all acked
// commits; after a power loss, all acked and synced commits.
SweepReport FaultSweep(const Scenario& scenario, FaultKind kind, const FaultSweepOptions& options);

struct FaultPairOptions {
  uint64_t seed = 1;
  uint64_t pairs = 0;
  std::string scheduling;
};

// The same with two faults in a run, of random kinds, at random operations.
SweepReport FaultPairs(const Scenario& scenario, const FaultPairOptions& options);

}  // namespace lull::testing
