// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Short fixed workloads. The sweeps (sweep.h, tests/resources/sweep.h) run them many times, with
// another failure each time. A scenario uses a ScenarioStore, which carries on after errors and
// records what the store has promised.
//
// All of this runs on one thread.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "leveldb/db.h"
#include "leveldb/iterator.h"
#include "tests/support/crash_env.h"
#include "tests/support/model.h"
#include "tests/support/open_store.h"
#include "tests/support/option_sets.h"
#include "tests/support/rng.h"
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
                ScenarioHooks hooks = {})
      : env_(env),
        scheduling_(scenario.scheduling + scheduling),
        hooks_(std::move(hooks)),
        set_(MakeOptionSet(scenario.option_set)),
        log_(set_->options.comparator) {}
  ~ScenarioStore() { DropReaders(); }

  // After a failed open the store is closed, and every call below does nothing.
  leveldb::Status Open(bool create_if_missing = true) {
    db_.reset();
    if (hooks_.replays) return leveldb::Status::OK();
    leveldb::Options options = set_->options;
    options.env = env_;
    options.create_if_missing = create_if_missing;
    leveldb::DB* db = nullptr;
    leveldb::Status s = OpenStore(options, scheduling_, hooks_.directory, &db);
    db_.reset(s.ok() ? db : nullptr);
    if (s.ok() && drops_) s = FilterStoreBy(db_.get(), drops_);
    if (s.ok() && hooks_.opened) hooks_.opened();
    return s;
  }
  // From the next open on, damaged logs are set aside. Returns false if that was so before.
  bool StopBeingParanoid() { return std::exchange(set_->options.paranoid_checks, false); }
  void Close() {
    DropReaders();
    if (!hooks_.stay_open) db_.reset();
  }
  bool is_open() const { return db_ != nullptr; }
  // From now on, also after the next open, compactions drop values that Expires.
  void UseFilter() { UseFilter(Expires, Expires); }
  // The same with the rule `drops`, which can throw and change over time. It may drop only values
  // for which `may_drop` is true.
  void UseFilter(const ValueRule& may_drop, ValueRule drops) {
    drops_ = std::move(drops);
    log_.LetExpire(may_drop);
    if (db_ != nullptr) FilterStoreBy(db_.get(), drops_);
  }
  // What comes before this call is only preparation: sweeps skip it.
  void CountFromHere() {
    if (db_ != nullptr && hooks_.counts) hooks_.counts();
  }
  leveldb::DB* db() { return db_.get(); }

  leveldb::Status Put(int key, size_t value_bytes, bool sync) {
    return Write({{KeyOf(key), NextValue(value_bytes)}}, sync);
  }
  // Unsynced puts of the keys from `from` to just before `to`.
  void PutRange(int from, int to, size_t value_bytes) {
    for (int key = from; key < to; ++key) Put(key, value_bytes, false);
  }
  void Delete(int key, bool sync) { Write({{KeyOf(key), std::nullopt}}, sync); }
  void Batch(int first_key, int puts, size_t value_bytes, bool sync) {
    WriteOps ops;
    for (int i = 0; i < puts; ++i) {
      ops.push_back({KeyOf(first_key + i), NextValue(value_bytes) + std::to_string(i)});
    }
    Write(std::move(ops), sync);
  }
  // The values of keys from `from` to just before `to`, as tables.
  void Ingest(int from, int to, size_t value_bytes) {
    if (kIsStock) return;
    WriteOps ops;
    for (int key = from; key < to; ++key) ops.push_back({KeyOf(key), NextValue(value_bytes)});
    leveldb::Options options = set_->options;
    options.env = env_;
    Record(ops, [&] {
      const size_t commit = log_.Begin(ops);
      const leveldb::Status s = IngestInto(db_.get(), options, hooks_.directory + "-table", ops);
      log_.SetFate(commit, s.ok() ? CommitLog::Fate::kAckedSynced : CommitLog::Fate::kFailed);
      return s;
    });
  }
  void CompactAll() {
    if (db_ != nullptr) db_->CompactRange(nullptr, nullptr);
  }
  void Flush() {
    if (db_ != nullptr) FlushStore(db_.get());
  }
  void WaitForIdle() {
    if (db_ != nullptr) WaitForIdleStore(db_.get());
  }
  // From key `from` to just before key `to`, without bounds if these are negative.
  void DeleteRange(int from, int to) { Remove(from, to, /*files_only=*/false); }
  void DeleteFiles(int from, int to) { Remove(from, to, /*files_only=*/true); }
  void HoldSnapshot() {
    if (db_ == nullptr) return;
    const leveldb::Snapshot* const snapshot = db_->GetSnapshot();
    snapshots_.push_back({snapshot, ShownBy(snapshot)});
  }
  void DropSnapshots() {
    for (const HeldSnapshot& held : snapshots_) db_->ReleaseSnapshot(held.snapshot);
    snapshots_.clear();
  }
  // An iterator that exists must go on showing the same entries, and so must a snapshot, except for
  // what a filter dropped.
  void HoldIterator() {
    if (db_ == nullptr) return;
    HeldIterator held;
    held.iterator.reset(db_->NewIterator({}));
    if (!ScanOf(held.iterator.get(), /*forward=*/true, &held.shown).ok()) return;
    iterators_.push_back(std::move(held));
  }
  void CheckReaders() {
    for (const HeldIterator& held : iterators_) {
      Contents shown;
      const leveldb::Status s = ScanOf(held.iterator.get(), /*forward=*/false, &shown);
      if (s.ok() && shown != held.shown) Wrong("an iterator shows other entries than before");
    }
    iterators_.clear();
    for (const HeldSnapshot& held : snapshots_) {
      const std::optional<Contents> shown = ShownBy(held.snapshot);
      if (held.shown && shown && *shown != *held.shown && !drops_)
        Wrong("a snapshot shows other entries than before");
    }
  }
  // Reads all keys and scans once; every answer must be correct or an error. The results of a scan
  // that ends with an error do not count: callers must check status() before they trust a scan.
  void CheckReads() {
    if (db_ == nullptr) return;
    leveldb::ReadOptions read;
    read.verify_checksums = true;
    std::set<std::string> keys = log_.Keys();
    keys.insert("never written");
    for (const std::string& key : keys) {
      std::string value;
      const leveldb::Status s = db_->Get(read, key, &value);
      if (!s.ok() && !s.IsNotFound()) continue;
      if (log_.MayRead(key, s.ok() ? &value : nullptr)) continue;
      Wrong("Get(" + key + ") gave " + (s.ok() ? Show(value) : s.ToString()));
    }
    Contents seen;
    const std::unique_ptr<leveldb::Iterator> it(db_->NewIterator(read));
    if (!ScanOf(it.get(), /*forward=*/true, &seen).ok()) return;
    for (const auto& [key, value] : seen) keys.insert(key);
    for (const std::string& key : keys) {
      const auto found = seen.find(key);
      const std::string* const value = found != seen.end() ? &found->second : nullptr;
      if (log_.MayRead(key, value)) continue;
      Wrong("a scan without an error showed " + key + " = " + (value ? Show(*value) : "nothing"));
    }
  }

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

  leveldb::Status Write(WriteOps ops, bool sync) {
    return Record(ops, [&] { return log_.Write(db_.get(), ops, sync); });
  }
  // `write` writes the commit and records it in the log.
  template <class Write>
  leveldb::Status Record(const WriteOps& ops, Write write) {
    using Fate = CommitLog::Fate;
    Fate* const fate = hooks_.fates != nullptr ? hooks_.fates + calls_++ % kWritesMax : nullptr;
    if (hooks_.replays && *fate != Fate::kNone) log_.Begin(ops, *fate);
    if (db_ == nullptr) return leveldb::Status::IOError("the store is closed");
    if (fate != nullptr) *fate = Fate::kUnknown;
    const leveldb::Status s = write();
    if (fate != nullptr) *fate = s.ok() ? Fate::kAcked : Fate::kFailed;
    return s;
  }
  void Remove(int from, int to, bool files_only) {
    if (db_ == nullptr) return;
    log_.Remove(db_.get(), {from < 0 ? "" : KeyOf(from), to < 0 ? "" : KeyOf(to)}, files_only);
  }
  void DropReaders() {
    DropSnapshots();
    iterators_.clear();
  }
  std::optional<Contents> ShownBy(const leveldb::Snapshot* snapshot) {
    leveldb::ReadOptions read;
    read.snapshot = snapshot;
    Contents shown;
    const std::unique_ptr<leveldb::Iterator> it(db_->NewIterator(read));
    if (!ScanOf(it.get(), /*forward=*/true, &shown).ok()) return std::nullopt;
    return shown;
  }
  void Wrong(const std::string& what) {
    if (wrong_read_.empty()) wrong_read_ = what;
  }
  std::string NextValue(size_t bytes) {
    std::string value = std::to_string(log_.size()) + ".";
    Rng rng(log_.size());
    const size_t counted = value.size();
    if (counted < bytes) value.resize(bytes);
    std::generate(value.begin() + static_cast<ptrdiff_t>(counted), value.end(),
                  [&] { return static_cast<char>(rng.Next()); });
    return value;
  }

  static std::string KeyOf(int number) { return "k" + std::to_string(1000 + number); }

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
