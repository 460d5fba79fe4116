// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Calls of the API on a store in memory, compared with a std::map.
//
// Input: options, then operations. Checks: every read, latest, at a snapshot and through an
// iterator in both directions, agrees with the map. So does the store after it is reopened, opened
// read-only or repaired, and so does its checkpoint.
#include <array>
#include <iterator>
#include <map>
#include <memory>
#include <string>

#include "leveldb/write_batch.h"
#include "lull/lull.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/store.h"

namespace lull::fuzz {
namespace {

using leveldb::Slice;
using leveldb::Status;
using Contents = std::map<std::string, std::string>;

enum Operation : uint8_t {
  kPut,
  kDelete,
  kBatch,
  kGet,
  kIterate,
  kTakeSnapshot,
  kReleaseSnapshot,
  kFlush,
  kCompact,
  kReopen,
  kReadOnly,
  kRepair,
  kCheckpoint,
  kFill,
  kOperations,
};

// A run does operations that cost more than a read only a few times.
constexpr int kCostlyMax = 6;
constexpr int kOperationsMax = 300;
constexpr size_t kSnapshots = 4;

class Run {
 public:
  explicit Run(const Input& input) : input_(input) { ChooseOptions(); }
  ~Run() { Close(); }

  void Go() {
    Open();
    for (int i = 0; i < kOperationsMax && !input_.empty(); ++i) Step(input_.Byte());
    Compare(store_.db(), model_);
    Close();
    Open();
    Compare(store_.db(), model_);
  }

 private:
  struct Snapshot {
    const leveldb::Snapshot* handle = nullptr;
    Contents contents;
  };

  void ChooseOptions() {
    const uint8_t flags = input_.Byte();
    store_.options.create_if_missing = true;
    store_.options.paranoid_checks = (flags & 1) != 0;
    if ((flags & 2) != 0) store_.options.filter_policy = nullptr;
    store_.options.compression = static_cast<leveldb::CompressionType>((flags >> 2) % 3);
    store_.options.block_size = (flags & 16) != 0 ? 1 : 4096;
    store_.options.block_restart_interval = (flags & 32) != 0 ? 1 : 16;
  }

  void Open() { RequireOk(store_.Open(), "a store opens"); }
  void Close() {
    for (Snapshot& snapshot : snapshots_) Release(&snapshot);
    store_.Close();
  }
  void Release(Snapshot* snapshot) {
    if (snapshot->handle != nullptr) store_.db()->ReleaseSnapshot(snapshot->handle);
    *snapshot = Snapshot();
  }

  /// Few and short keys, so that they repeat.
  std::string Key() {
    const uint8_t byte = input_.Byte();
    if (byte == 255) return "";
    std::string key(1 + byte % 3, static_cast<char>('a' + byte / 3 % 4));
    if (byte >= 200) key.push_back(static_cast<char>(byte));
    return key;
  }
  std::string Value() { return input_.TakePrefixed().ToString(); }
  leveldb::WriteOptions HowToWrite() {
    leveldb::WriteOptions options;
    options.sync = input_.Byte() % 8 == 0;
    return options;
  }
  bool MayBeCostly() { return costly_++ < kCostlyMax; }

  void Step(uint8_t code);
  void Batch();
  void Get();
  void Iterate();
  void Fill();
  void Reopen();
  void LookReadOnly();
  void Repair();
  void Checkpoint();
  static void Compare(leveldb::DB* db, const Contents& expected);

  /// A snapshot, or the latest state.
  const Snapshot* AnySnapshot() {
    const uint8_t byte = input_.Byte();
    if (byte % 2 == 0) return nullptr;
    const Snapshot& snapshot = snapshots_[byte / 2 % kSnapshots];
    return snapshot.handle != nullptr ? &snapshot : nullptr;
  }

  Input input_;
  StoreUnderTest store_;
  Contents model_;
  std::array<Snapshot, kSnapshots> snapshots_;
  int costly_ = 0;
};

void Run::Step(uint8_t code) {
  leveldb::DB* const db = store_.db();
  switch (static_cast<Operation>(code % kOperations)) {
    case kPut: {
      const std::string key = Key();
      const std::string value = Value();
      RequireOk(db->Put(HowToWrite(), key, value), "a put succeeds");
      model_[key] = value;
      return;
    }
    case kDelete: {
      const std::string key = Key();
      RequireOk(db->Delete(HowToWrite(), key), "a delete succeeds");
      model_.erase(key);
      return;
    }
    case kBatch:
      return Batch();
    case kGet:
      return Get();
    case kIterate:
      return Iterate();
    case kTakeSnapshot: {
      Snapshot& snapshot = snapshots_[input_.Byte() % kSnapshots];
      Release(&snapshot);
      snapshot = {db->GetSnapshot(), model_};
      return;
    }
    case kReleaseSnapshot:
      return Release(&snapshots_[input_.Byte() % kSnapshots]);
    case kFlush:
      if (MayBeCostly()) RequireOk(lull::Flush(db), "a flush succeeds");
      return;
    case kCompact:
      if (MayBeCostly()) db->CompactRange(nullptr, nullptr);
      return;
    case kReopen:
      return Reopen();
    case kReadOnly:
      return LookReadOnly();
    case kRepair:
      return Repair();
    case kCheckpoint:
      return Checkpoint();
    case kFill:
      return Fill();
    case kOperations:
      return;
  }
}

void Run::Batch() {
  leveldb::WriteBatch batch;
  Contents after = model_;
  for (int left = input_.Byte() % 8; left > 0; --left) {
    const std::string key = Key();
    if (input_.Byte() % 3 == 0) {
      batch.Delete(key);
      after.erase(key);
    } else {
      const std::string value = Value();
      batch.Put(key, value);
      after[key] = value;
    }
  }
  RequireOk(store_.db()->Write(HowToWrite(), &batch), "a batch succeeds");
  model_ = std::move(after);
}

void Run::Get() {
  const Snapshot* const snapshot = AnySnapshot();
  const Contents& expected = snapshot != nullptr ? snapshot->contents : model_;
  leveldb::ReadOptions options;
  options.snapshot = snapshot != nullptr ? snapshot->handle : nullptr;
  const std::string key = Key();
  std::string value;
  const Status status = store_.db()->Get(options, key, &value);
  const auto found = expected.find(key);
  if (found == expected.end()) {
    Require(status.IsNotFound(), "an absent key is not found", status.ToString());
  } else {
    RequireOk(status, "a present key is found");
    Require(value == found->second, "with its value");
  }
}

/// Moves the iterator and the map's in step.
void Run::Iterate() {
  const Snapshot* const snapshot = AnySnapshot();
  const Contents expected = snapshot != nullptr ? snapshot->contents : model_;
  leveldb::ReadOptions options;
  options.snapshot = snapshot != nullptr ? snapshot->handle : nullptr;
  const std::unique_ptr<leveldb::Iterator> entry(store_.db()->NewIterator(options));
  auto at = expected.end();
  for (int moves = input_.Byte() % 16; moves > 0; --moves) {
    const uint8_t move = input_.Byte() % 8;
    if (move == 0) {
      entry->SeekToFirst();
      at = expected.begin();
    } else if (move == 1) {
      entry->SeekToLast();
      at = expected.empty() ? expected.end() : std::prev(expected.end());
    } else if (move == 2) {
      const std::string target = Key();
      entry->Seek(target);
      at = expected.lower_bound(target);
    } else if (at != expected.end() && move % 2 == 0) {
      entry->Next();
      ++at;
    } else if (at != expected.end()) {
      entry->Prev();
      at = at == expected.begin() ? expected.end() : std::prev(at);
    }
    RequireOk(entry->status(), "an iterator has no error");
    Require(entry->Valid() == (at != expected.end()), "an iterator ends where the map does");
    if (at == expected.end()) continue;
    Require(entry->key() == Slice(at->first) && entry->value() == Slice(at->second),
            "an iterator shows what the map has");
  }
}

/// Writes enough to fill memtables.
void Run::Fill() {
  if (!MayBeCostly()) return;
  const std::string value(8000, static_cast<char>(input_.Byte()));
  for (int i = 0; i < 12; ++i) {
    const std::string key = "fill" + std::to_string(i);
    RequireOk(store_.db()->Put(leveldb::WriteOptions(), key, value), "a put succeeds");
    model_[key] = value;
  }
}

void Run::Reopen() {
  if (!MayBeCostly()) return;
  Close();
  Open();
}

void Run::LookReadOnly() {
  if (!MayBeCostly()) return;
  leveldb::DB* raw = nullptr;
  RequireOk(OpenReadOnly(store_.options, kStore, &raw), "an open store can be opened read-only");
  const std::unique_ptr<leveldb::DB> db(raw);
  Compare(db.get(), model_);
}

void Run::Repair() {
  if (!MayBeCostly()) return;
  Close();
  RequireOk(leveldb::RepairDB(kStore, store_.options), "a healthy store can be repaired");
  Open();
}

void Run::Checkpoint() {
  if (!MayBeCostly()) return;
  const std::string copy = "/copy" + std::to_string(costly_);
  RequireOk(CreateCheckpoint(store_.db(), copy), "a checkpoint is made");
  leveldb::DB* raw = nullptr;
  RequireOk(OpenReadOnly(store_.options, copy, &raw), "a checkpoint opens");
  const std::unique_ptr<leveldb::DB> db(raw);
  Compare(db.get(), model_);
}

void Run::Compare(leveldb::DB* db, const Contents& expected) {
  const std::unique_ptr<leveldb::Iterator> entry(db->NewIterator(leveldb::ReadOptions()));
  auto at = expected.begin();
  for (entry->SeekToFirst(); entry->Valid(); entry->Next(), ++at) {
    Require(at != expected.end() && entry->key() == Slice(at->first) &&
                entry->value() == Slice(at->second),
            "a store has what the map has");
  }
  RequireOk(entry->status(), "a store can be read whole");
  Require(at == expected.end(), "a store has all that the map has");
}

}  // namespace
}  // namespace lull::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  lull::fuzz::Run(lull::fuzz::Input(data, size)).Go();
  return 0;
}
