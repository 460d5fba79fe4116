// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "tests/support/scenario.h"

#include <algorithm>
#include <cstddef>
#include <set>
#include <utility>

#include "tests/support/open_store.h"
#include "tests/support/rng.h"

namespace lull::testing {

using leveldb::Status;

namespace {

std::string KeyOf(int number) { return "k" + std::to_string(1000 + number); }

// The entries that an iterator shows in one direction, if it shows all without an error.
Status ScanOf(leveldb::Iterator* it, bool forward, Contents* shown) {
  for (forward ? it->SeekToFirst() : it->SeekToLast(); it->Valid();
       forward ? it->Next() : it->Prev()) {
    shown->emplace(it->key().ToString(), it->value().ToString());
  }
  return it->status();
}

}  // namespace

ScenarioStore::ScenarioStore(const Scenario& scenario, leveldb::Env* env,
                             const std::string& scheduling, ScenarioHooks hooks)
    : env_(env),
      scheduling_(scenario.scheduling + scheduling),
      hooks_(std::move(hooks)),
      set_(MakeOptionSet(scenario.option_set)),
      log_(set_->options.comparator) {}

Status ScenarioStore::Open(bool create_if_missing) {
  db_.reset();
  if (hooks_.replays) return Status::OK();
  leveldb::Options options = set_->options;
  options.env = env_;
  options.create_if_missing = create_if_missing;
  leveldb::DB* db = nullptr;
  Status s = OpenStore(options, scheduling_, hooks_.directory, &db);
  db_.reset(s.ok() ? db : nullptr);
  if (s.ok() && drops_) s = FilterStoreBy(db_.get(), drops_);
  if (s.ok() && hooks_.opened) hooks_.opened();
  return s;
}

void ScenarioStore::UseFilter(const ValueRule& may_drop, ValueRule drops) {
  drops_ = std::move(drops);
  log_.LetExpire(may_drop);
  if (db_ != nullptr) FilterStoreBy(db_.get(), drops_);
}

void ScenarioStore::CountFromHere() {
  if (db_ != nullptr && hooks_.counts) hooks_.counts();
}

void ScenarioStore::Close() {
  DropReaders();
  if (!hooks_.stay_open) db_.reset();
}

void ScenarioStore::DropReaders() {
  DropSnapshots();
  iterators_.clear();
}

void ScenarioStore::Wrong(const std::string& what) {
  if (wrong_read_.empty()) wrong_read_ = what;
}

std::string ScenarioStore::NextValue(size_t bytes) {
  std::string value = std::to_string(log_.size()) + ".";
  Rng rng(log_.size());
  const size_t counted = value.size();
  if (counted < bytes) value.resize(bytes);
  std::generate(value.begin() + static_cast<ptrdiff_t>(counted), value.end(),
                [&] { return static_cast<char>(rng.Next()); });
  return value;
}

Status ScenarioStore::Write(WriteOps ops, bool sync) {
  using Fate = CommitLog::Fate;
  Fate* const fate = hooks_.fates != nullptr ? hooks_.fates + calls_++ % kWritesMax : nullptr;
  if (hooks_.replays && *fate != Fate::kNone) log_.Begin(std::move(ops), *fate);
  if (db_ == nullptr) return Status::IOError("the store is closed");
  if (fate != nullptr) *fate = Fate::kUnknown;
  const Status s = log_.Write(db_.get(), std::move(ops), sync);
  if (fate != nullptr) *fate = s.ok() ? Fate::kAcked : Fate::kFailed;
  return s;
}

Status ScenarioStore::Put(int key, size_t value_bytes, bool sync) {
  return Write({{KeyOf(key), NextValue(value_bytes)}}, sync);
}

void ScenarioStore::PutRange(int from, int to, size_t value_bytes) {
  for (int key = from; key < to; ++key) Put(key, value_bytes, false);
}

void ScenarioStore::Delete(int key, bool sync) { Write({{KeyOf(key), std::nullopt}}, sync); }

void ScenarioStore::Batch(int first_key, int puts, size_t value_bytes, bool sync) {
  WriteOps ops;
  for (int i = 0; i < puts; ++i) {
    ops.push_back({KeyOf(first_key + i), NextValue(value_bytes) + std::to_string(i)});
  }
  Write(std::move(ops), sync);
}

void ScenarioStore::CompactAll() {
  if (db_ != nullptr) db_->CompactRange(nullptr, nullptr);
}

void ScenarioStore::Flush() {
  if (db_ != nullptr) FlushStore(db_.get());
}

void ScenarioStore::WaitForIdle() {
  if (db_ != nullptr) WaitForIdleStore(db_.get());
}

void ScenarioStore::Remove(int from, int to, bool files_only) {
  if (db_ == nullptr) return;
  log_.Remove(db_.get(), {from < 0 ? "" : KeyOf(from), to < 0 ? "" : KeyOf(to)}, files_only);
}

void ScenarioStore::HoldIterator() {
  if (db_ == nullptr) return;
  HeldIterator held;
  held.iterator.reset(db_->NewIterator(leveldb::ReadOptions()));
  if (!ScanOf(held.iterator.get(), /*forward=*/true, &held.shown).ok()) return;
  iterators_.push_back(std::move(held));
}

void ScenarioStore::CheckReaders() {
  for (const HeldIterator& held : iterators_) {
    Contents shown;
    const Status s = ScanOf(held.iterator.get(), /*forward=*/false, &shown);
    if (s.ok() && shown != held.shown) Wrong("an iterator shows other entries than before");
  }
  iterators_.clear();
  for (const HeldSnapshot& held : snapshots_) {
    const std::optional<Contents> shown = ShownBy(held.snapshot);
    if (held.shown && shown && *shown != *held.shown && !drops_)
      Wrong("a snapshot shows other entries than before");
  }
}

std::optional<Contents> ScenarioStore::ShownBy(const leveldb::Snapshot* snapshot) {
  leveldb::ReadOptions read;
  read.snapshot = snapshot;
  Contents shown;
  const std::unique_ptr<leveldb::Iterator> it(db_->NewIterator(read));
  if (!ScanOf(it.get(), /*forward=*/true, &shown).ok()) return std::nullopt;
  return shown;
}

void ScenarioStore::HoldSnapshot() {
  if (db_ == nullptr) return;
  const leveldb::Snapshot* const snapshot = db_->GetSnapshot();
  snapshots_.push_back({snapshot, ShownBy(snapshot)});
}

void ScenarioStore::DropSnapshots() {
  for (const HeldSnapshot& held : snapshots_) db_->ReleaseSnapshot(held.snapshot);
  snapshots_.clear();
}

// A scan that ends without an error must have shown exactly the store's content. The results of a
// scan that ends with an error do not count: callers must check status() before they trust a scan.
void ScenarioStore::CheckReads() {
  if (db_ == nullptr) return;
  leveldb::ReadOptions read;
  read.verify_checksums = true;
  std::set<std::string> keys = log_.Keys();
  keys.insert("never written");
  for (const std::string& key : keys) {
    std::string value;
    const Status s = db_->Get(read, key, &value);
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

void RunScenario(const Scenario& scenario, ScenarioStore* store) {
  store->Open();
  scenario.run(store);
  store->CheckReads();
  store->Close();
}

// ---- the scenarios ---------------------------------------------------------------------------

namespace {

void SyncedPuts(ScenarioStore* store) {
  for (int i = 0; i < 25; ++i) store->Put(i % 9, 120, true);
}

void MixedSync(ScenarioStore* store) {
  for (int i = 0; i < 60; ++i) store->Put(i % 20, i % 5 == 0 ? 6000 : 300, i % 4 == 3);
}

void MemtableSwitches(ScenarioStore* store) {
  for (int i = 0; i < 60; ++i) store->Put(i % 25, 5000, i % 10 == 9);
}

// Writes the same amount to each WAL, so that the records of a recycled one overwrite older ones.
// The last WAL also has unsynced records.
void SyncedSwitches(ScenarioStore* store) {
  for (int round = 0; round < 16; ++round) {
    for (int i = 0; i < 3; ++i) store->Put(i + round % 4, 6000, true);
    store->Flush();
  }
  for (int i = 0; i < 4; ++i) store->Put(i, 6000, i == 1);
}

void AsyncBurst(ScenarioStore* store) {
  for (int i = 0; i < 70; ++i) store->Put(i % 30, 4000, false);
  store->Put(99, 50, true);
  for (int i = 0; i < 20; ++i) store->Put(i, 4000, false);
}

void OverwriteAndCompact(ScenarioStore* store) {
  for (int round = 0; round < 3; ++round) {
    for (int i = 0; i < 12; ++i) store->Put(i, 3000, i == 6);
    for (int i = round; i < 12; i += 3) store->Delete(i, i > 8);
    store->CompactAll();
    store->CheckReads();
  }
}

void Reopening(ScenarioStore* store) {
  for (int round = 0; round < 4; ++round) {
    if (round > 0) store->Open();
    store->CheckReads();
    for (int i = 0; i < 6; ++i) store->Put(i + round, 700, i % 3 == 2);
    store->Close();
  }
}

void ReopeningWithData(ScenarioStore* store) {
  for (int round = 0; round < 3; ++round) {
    if (round > 0) store->Open();
    for (int i = 0; i < 18; ++i) store->Put(i + round, 6000, i % 6 == 5);
    store->CheckReads();
    store->Close();
  }
}

void WideBatches(ScenarioStore* store) {
  for (int i = 0; i < 6; ++i) {
    store->Batch(i * 3, 12, 3500, i % 2 == 1);
    store->Batch(i, 3, 10, false);
  }
}

void FlushAndIdle(ScenarioStore* store) {
  for (int round = 0; round < 4; ++round) {
    for (int i = 0; i < 8; ++i) store->Put(i * 3 + round, 2000, false);
    store->Flush();
    store->Put(50 + round, 20, true);
  }
  store->WaitForIdle();
}

void SnapshotsHeld(ScenarioStore* store) {
  for (int round = 0; round < 4; ++round) {
    for (int i = 0; i < 8; ++i) store->Put(i, 2500, i == 7);
    store->HoldSnapshot();
    store->Delete(round, false);
    if (round % 2 == 1) store->CompactAll();
  }
  store->DropSnapshots();
  store->CompactAll();
}

// A quarter of the values expire. The first ones fill the deepest level, and small later ones hide
// them from L1.
void FilteredValues(ScenarioStore* store) {
  store->UseFilter();
  for (int round = 0; round < 4; ++round) {
    for (int i = 0; i < 12; ++i) store->Put(i, round == 0 ? 2000 : 100, i == 6);
    store->Delete(round, true);
    store->Flush();
    store->WaitForIdle();
    store->CheckReads();
  }
  store->CompactAll();
}

// Many installs and few tables, so that a MANIFEST rolls over several times.
void ManifestsRoll(ScenarioStore* store) {
  for (int i = 0; i < 10; ++i) {
    store->Put(i % 5, 100, i % 3 == 0);
    store->Flush();
  }
  store->WaitForIdle();
}

}  // namespace

const std::vector<Scenario>& AllScenarios() {
  // Option sets 1..4 and up have small memtables; for the other differences see option_sets.cc.
  static const auto* const kAll = new std::vector<Scenario>{
      {"SyncedPuts", 0, SyncedPuts},
      {"MixedSync", 1, MixedSync},
      {"MemtableSwitches", 2, MemtableSwitches},
      {"SyncedSwitches", 2, SyncedSwitches},
      {"AsyncBurst", 1, AsyncBurst},
      {"OverwriteAndCompact", 5, OverwriteAndCompact},
      {"Reopening", 4, Reopening},
      {"ReopeningReuseLogs", 14, Reopening},
      {"ReopeningWithData", 8, ReopeningWithData},
      {"ReopeningWithDataReuseLogs", 9, ReopeningWithData},
      {"WideBatches", 10, WideBatches},
      {"FlushAndIdle", 2, FlushAndIdle},
      {"SnapshotsHeld", 12, SnapshotsHeld},
      {"ManifestsRoll", 2, ManifestsRoll, "manifest_bytes_min=1;"},
      {"FilteredValues", 5, FilteredValues,
       "layout=vsst;table_bytes_max=4K;growth_factor=1;vsst_phi=1;"},
  };
  return *kAll;
}

}  // namespace lull::testing
