// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "tests/support/scenario.h"

#include <algorithm>
#include <set>
#include <utility>

#include "leveldb/write_batch.h"
#include "tests/support/metamorphic.h"
#include "tests/support/open_store.h"

namespace lull::testing {

using leveldb::Status;

namespace {

std::string KeyOf(int number) { return "k" + std::to_string(1000 + number); }

}  // namespace

ScenarioStore::ScenarioStore(leveldb::Env* env, size_t option_set, std::string scheduling,
                             ScenarioHooks hooks)
    : env_(env),
      scheduling_(std::move(scheduling)),
      hooks_(std::move(hooks)),
      set_(MakeOptionSet(option_set)) {}

ScenarioStore::~ScenarioStore() {
  DropSnapshots();
  iterators_.clear();
}

Status ScenarioStore::Open(bool create_if_missing) {
  db_.reset();
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

void ScenarioStore::UseFilter(Rule may_drop, Rule drops) {
  may_drop_ = std::move(may_drop);
  drops_ = std::move(drops);
  log_.LetExpire(may_drop_);
  if (db_ != nullptr) FilterStoreBy(db_.get(), drops_);
}

void ScenarioStore::CountFromHere() {
  if (db_ != nullptr && hooks_.counts) hooks_.counts();
}

void ScenarioStore::Close() {
  DropSnapshots();
  iterators_.clear();
  if (!hooks_.stay_open) db_.reset();
}

std::string ScenarioStore::NextValue(size_t bytes) {
  std::string value = std::to_string(writes_) + ".";
  Rng rng(writes_);
  while (value.size() < bytes) value.push_back(static_cast<char>(rng.Next()));
  return value;
}

void ScenarioStore::Write(WriteOps ops, bool sync) {
  if (db_ == nullptr) return;
  ++writes_;
  std::map<std::string, Value> last;
  for (const WriteOp& op : ops) last[op.key] = op.value;
  if (hooks_.write_begins) hooks_.write_begins(ops);
  const bool acked = log_.Write(db_.get(), std::move(ops), sync).ok();
  if (hooks_.write_ended) hooks_.write_ended(acked);
  for (auto& [key, value] : last) {
    std::vector<Value>& possible = possible_[key];
    if (acked) {
      possible.clear();
    } else if (possible.empty()) {
      possible.emplace_back(std::nullopt);
    }
    possible.push_back(std::move(value));
  }
}

void ScenarioStore::Put(int key, size_t value_bytes, bool sync) {
  Write({{KeyOf(key), NextValue(value_bytes)}}, sync);
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
  const KeySpan span{from < 0 ? "" : KeyOf(from), to < 0 ? "" : KeyOf(to)};
  std::set<std::string> gone;
  const bool acked = log_.Remove(db_.get(), span, files_only, &gone).ok();
  for (auto& [key, possible] : possible_) {
    if (!span.Contains(key)) continue;
    if (acked && (!files_only || gone.count(key) > 0)) {
      possible = {std::nullopt};
    } else if (!acked) {
      possible.emplace_back(std::nullopt);
    }
  }
}

void ScenarioStore::HoldIterator() {
  if (db_ == nullptr) return;
  HeldIterator held{std::unique_ptr<leveldb::Iterator>(db_->NewIterator(leveldb::ReadOptions())),
                    {}};
  leveldb::Iterator& it = *held.iterator;
  for (it.SeekToFirst(); it.Valid(); it.Next()) {
    held.shown.emplace(it.key().ToString(), it.value().ToString());
  }
  if (it.status().ok()) iterators_.push_back(std::move(held));
}

void ScenarioStore::CheckIterators() {
  for (const HeldIterator& held : iterators_) {
    Contents shown;
    leveldb::Iterator& it = *held.iterator;
    for (it.SeekToLast(); it.Valid(); it.Prev()) {
      shown.emplace(it.key().ToString(), it.value().ToString());
    }
    if (it.status().ok() && shown != held.shown && wrong_read_.empty()) {
      wrong_read_ = "an iterator shows other entries than before";
    }
  }
  iterators_.clear();
}

void ScenarioStore::HoldSnapshot() {
  if (db_ != nullptr) snapshots_.push_back(db_->GetSnapshot());
}

void ScenarioStore::DropSnapshots() {
  for (const leveldb::Snapshot* snapshot : snapshots_) db_->ReleaseSnapshot(snapshot);
  snapshots_.clear();
}

bool ScenarioStore::Possible(const std::string& key, const Value& value) const {
  auto it = possible_.find(key);
  if (it == possible_.end()) return !value.has_value();
  if (may_drop_ && !value.has_value() &&
      std::any_of(it->second.begin(), it->second.end(),
                  [&](const Value& possible) { return possible && may_drop_(*possible); })) {
    return true;
  }
  return std::find(it->second.begin(), it->second.end(), value) != it->second.end();
}

void ScenarioStore::CheckReads(int keys) {
  if (db_ == nullptr) return;
  leveldb::ReadOptions read;
  read.verify_checksums = true;
  for (int i = 0; i < keys; ++i) {
    std::string bytes;
    const Status s = db_->Get(read, KeyOf(i), &bytes);
    if (!s.ok() && !s.IsNotFound()) continue;
    const Value value = s.ok() ? Value(bytes) : std::nullopt;
    if (Possible(KeyOf(i), value) || !wrong_read_.empty()) continue;
    wrong_read_ = "Get(" + KeyOf(i) + ") gave " + (s.ok() ? Show(bytes) : s.ToString());
  }
  CheckScan();
}

// A scan that ends without an error must have shown exactly the store's content. The results of a
// scan that ends with an error do not count: callers must check status() before they trust a scan.
void ScenarioStore::CheckScan() {
  leveldb::ReadOptions read;
  read.verify_checksums = true;
  std::unique_ptr<leveldb::Iterator> it(db_->NewIterator(read));
  std::map<std::string, Value> seen;
  for (it->SeekToFirst(); it->Valid(); it->Next()) {
    seen[it->key().ToString()] = it->value().ToString();
  }
  if (!it->status().ok()) return;
  for (const auto& [key, value] : seen) {
    if (!Possible(key, value) && wrong_read_.empty()) {
      wrong_read_ = "a scan showed " + key + " = " + Show(*value);
    }
  }
  for (const auto& [key, possible] : possible_) {
    if (seen.count(key) == 0 && !Possible(key, std::nullopt) && wrong_read_.empty()) {
      wrong_read_ = "a scan that ended without an error left out " + key;
    }
  }
}

// ---- the scenarios ---------------------------------------------------------------------------

namespace {

void SyncedPuts(ScenarioStore* store) {
  store->Open();
  for (int i = 0; i < 25; ++i) store->Put(i % 9, 120, true);
  store->CheckReads(9);
  store->Close();
}

void MixedSync(ScenarioStore* store) {
  store->Open();
  for (int i = 0; i < 60; ++i) store->Put(i % 20, i % 5 == 0 ? 6000 : 300, i % 4 == 3);
  store->CheckReads(20);
  store->Close();
}

void MemtableSwitches(ScenarioStore* store) {
  store->Open();
  for (int i = 0; i < 60; ++i) store->Put(i % 25, 5000, i % 10 == 9);
  store->CheckReads(25);
  store->Close();
}

// Writes the same amount to each WAL, so that the records of a recycled one overwrite older ones.
// The last WAL also has unsynced records.
void SyncedSwitches(ScenarioStore* store) {
  store->Open();
  for (int round = 0; round < 16; ++round) {
    for (int i = 0; i < 3; ++i) store->Put(i + round % 4, 6000, true);
    store->Flush();
  }
  for (int i = 0; i < 4; ++i) store->Put(i, 6000, i == 1);
  store->CheckReads(8);
  store->Close();
}

void AsyncBurst(ScenarioStore* store) {
  store->Open();
  for (int i = 0; i < 70; ++i) store->Put(i % 30, 4000, false);
  store->Put(99, 50, true);
  for (int i = 0; i < 20; ++i) store->Put(i, 4000, false);
  store->Close();
}

void OverwriteAndCompact(ScenarioStore* store) {
  store->Open();
  for (int round = 0; round < 3; ++round) {
    for (int i = 0; i < 12; ++i) store->Put(i, 3000, i == 6);
    for (int i = round; i < 12; i += 3) store->Delete(i, i > 8);
    store->CompactAll();
    store->CheckReads(12);
  }
  store->Close();
}

void Reopening(ScenarioStore* store) {
  for (int round = 0; round < 4; ++round) {
    store->Open();
    store->CheckReads(10);
    for (int i = 0; i < 6; ++i) store->Put(i + round, 700, i % 3 == 2);
    store->Close();
  }
}

void ReopeningWithData(ScenarioStore* store) {
  for (int round = 0; round < 3; ++round) {
    store->Open();
    for (int i = 0; i < 18; ++i) store->Put(i + round, 6000, i % 6 == 5);
    store->CheckReads(10);
    store->Close();
  }
}

void WideBatches(ScenarioStore* store) {
  store->Open();
  for (int i = 0; i < 6; ++i) {
    store->Batch(i * 3, 12, 3500, i % 2 == 1);
    store->Batch(i, 3, 10, false);
  }
  store->CheckReads(30);
  store->Close();
}

void FlushAndIdle(ScenarioStore* store) {
  store->Open();
  for (int round = 0; round < 4; ++round) {
    for (int i = 0; i < 8; ++i) store->Put(i * 3 + round, 2000, false);
    store->Flush();
    store->Put(50 + round, 20, true);
  }
  store->WaitForIdle();
  store->CheckReads(40);
  store->Close();
}

void SnapshotsHeld(ScenarioStore* store) {
  store->Open();
  for (int round = 0; round < 4; ++round) {
    for (int i = 0; i < 8; ++i) store->Put(i, 2500, i == 7);
    store->HoldSnapshot();
    store->Delete(round, false);
    if (round % 2 == 1) store->CompactAll();
  }
  store->DropSnapshots();
  store->CompactAll();
  store->CheckReads(8);
  store->Close();
}

// A quarter of the values expire. The first ones fill the deepest level, and small later ones hide
// them from L1.
void FilteredValues(ScenarioStore* store) {
  store->UseFilter();
  store->Open();
  for (int round = 0; round < 4; ++round) {
    for (int i = 0; i < 12; ++i) store->Put(i, round == 0 ? 2000 : 100, i == 6);
    store->Delete(round, true);
    store->Flush();
    store->WaitForIdle();
    store->CheckReads(12);
  }
  store->CompactAll();
  store->CheckReads(12);
  store->Close();
}

// Many installs and few tables, so that a MANIFEST rolls over several times.
void ManifestsRoll(ScenarioStore* store) {
  store->Open();
  for (int i = 0; i < 10; ++i) {
    store->Put(i % 5, 100, i % 3 == 0);
    store->Flush();
  }
  store->WaitForIdle();
  store->CheckReads(5);
  store->Close();
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
       "layout=vsst;table_bytes_max=4K;growth_factor=1;vsst_phi=1;", /*filters=*/true},
  };
  return *kAll;
}

}  // namespace lull::testing
