// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Short fixed workloads. The sweeps (sweep.h, tests/resources/sweep.h) run them many times, with
// another failure each time. A scenario uses a ScenarioStore, which carries on after errors and
// records what the store has promised.
//
// All of this runs on one thread.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "leveldb/db.h"
#include "leveldb/iterator.h"
#include "tests/support/crash_env.h"
#include "tests/support/model.h"
#include "tests/support/option_sets.h"
#include "tests/support/workload.h"

namespace lull::testing {

class ScenarioStore;

// `run` gets an open store; RunScenario reads and closes it in the end.
struct Scenario {
  const char* name;
  size_t option_set;
  void (*run)(ScenarioStore* store);
  const char* scheduling = "";  // added to the sweep's
};

const std::vector<Scenario>& AllScenarios();

// Scenarios of DeleteRange, DeleteFilesInRange and compaction filters. All call CountFromHere.
const std::vector<Scenario>& RemovalScenarios();

void RunScenario(const Scenario& scenario, ScenarioStore* store);

// What a sweep in separate processes needs in addition to running the scenario.
struct ScenarioHooks {
  std::string directory = kStoreName;
  // Close leaves the store open; the next Open closes it first.
  bool stay_open = false;
  // Each may be empty. Called after a successful open, and by CountFromHere.
  std::function<void()> opened{};
  std::function<void()> counts{};
  // The fates of the writes, by the number of the call; room for kWritesMax. In shared memory they
  // outlive the process that calls.
  CommitLog::Fate* fates = nullptr;
  // Opens no store: calls only record the writes in the log, with the given fates.
  bool replays = false;
};

class ScenarioStore {
 public:
  static constexpr size_t kWritesMax = 1 << 16;

  // The environment must outlive the store.
  ScenarioStore(const Scenario& scenario, leveldb::Env* env, const std::string& scheduling,
                ScenarioHooks hooks = {});
  ~ScenarioStore() { DropReaders(); }

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
  void UseFilter(const ValueRule& may_drop, ValueRule drops);
  // What comes before this call is only preparation: sweeps skip it.
  void CountFromHere();
  leveldb::DB* db() { return db_.get(); }

  leveldb::Status Put(int key, size_t value_bytes, bool sync);
  // Unsynced puts of the keys from `from` to just before `to`.
  void PutRange(int from, int to, size_t value_bytes);
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
  // An iterator that exists must go on showing the same entries, and so must a snapshot, except for
  // what a filter dropped.
  void HoldIterator();
  void CheckReaders();
  // Reads all keys and scans once; every answer must be correct or an error.
  void CheckReads();

  const CommitLog& commits() const { return log_; }
  // In a replay: whether the next write has a fate.
  bool HasMore() const { return hooks_.fates[calls_] != CommitLog::Fate::kNone; }
  // The first wrong answer of a read; empty if there was none.
  const std::string& wrong_read() const { return wrong_read_; }

 private:
  struct HeldIterator {
    std::unique_ptr<leveldb::Iterator> iterator;
    Contents shown;
  };
  struct HeldSnapshot {
    const leveldb::Snapshot* snapshot = nullptr;
    std::optional<Contents> shown;  // nullopt: it could not be read
  };

  leveldb::Status Write(WriteOps ops, bool sync);
  void Remove(int from, int to, bool files_only);
  void DropReaders();
  std::optional<Contents> ShownBy(const leveldb::Snapshot* snapshot);
  void Wrong(const std::string& what);
  std::string NextValue(size_t bytes);

  leveldb::Env* const env_;
  const std::string scheduling_;
  const ScenarioHooks hooks_;
  const std::unique_ptr<OptionSet> set_;
  std::unique_ptr<leveldb::DB> db_;
  std::vector<HeldSnapshot> snapshots_;
  std::vector<HeldIterator> iterators_;
  ValueRule drops_;  // empty without a filter
  CommitLog log_;
  std::string wrong_read_;
  size_t calls_ = 0;
};

}  // namespace lull::testing
