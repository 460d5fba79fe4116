// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "tests/schedule/clients.h"

#include <iterator>
#include <utility>

#include "db/base/scheduling_options.h"
#include "db/read/snapshots.h"
#include "leveldb/iterator.h"
#include "leveldb/write_batch.h"
#include "lull/lull.h"
#include "tests/schedule/schedule.h"
#include "tests/support/random_policy.h"
#include "util/clock.h"

namespace lull::testing {

using leveldb::Status;

namespace {

constexpr uint64_t kKeys = 24;
constexpr char kStoreName[] = "/store";

constexpr uint64_t kRangeKeys = 40;

std::string RangeKeyOf(uint64_t number) {
  return RemovedRanges::kPrefix + std::to_string(10 + number);
}

std::string KeyOf(uint64_t number) { return "k" + std::to_string(10 + number); }

// Sizes that fill a memtable of 64 KiB within some thirty writes.
std::string ValueOf(Rng* rng) {
  const uint64_t tag = rng->Next();
  std::string value = std::to_string(tag);
  const uint64_t bytes = rng->OneIn(2) ? rng->Below(7000) : rng->Below(400);
  value.append(bytes, static_cast<char>('a' + tag % 26));
  return value;
}

std::string DrawLiveOptions(Rng* rng) {
  const std::vector<std::string>& policies = PolicyNames();
  std::string text = "policy=" + policies[rng->Below(policies.size())];
  if (rng->OneIn(2)) text += ";l0_trigger=" + std::to_string(1 + rng->Below(4));
  if (rng->OneIn(3)) text += ";lull_after_us=" + std::to_string(rng->Below(30'000));
  return text;
}

uint64_t Now() { return Schedule::Current()->steps(); }

std::string Failure(const char* call, const Status& status) {
  return status.ok() ? "" : std::string(call) + " failed: " + status.ToString();
}

Client DrawClient(std::initializer_list<ClientCall> calls, size_t count, size_t* number, Rng* rng) {
  Client client;
  for (size_t i = 0; i < count; ++i) {
    client.push_back({(*number)++, std::data(calls)[rng->Below(calls.size())], rng->Next()});
  }
  return client;
}

std::string Write(leveldb::DB* db, Rng* rng, History* history) {
  WriteOps ops;
  const uint64_t count = rng->OneIn(3) ? 1 + rng->Below(5) : 1;
  for (uint64_t i = 0; i < count; ++i) {
    WriteOp op{KeyOf(rng->Below(kKeys)), std::nullopt};
    if (!rng->OneIn(5)) op.value = ValueOf(rng);
    ops.push_back(std::move(op));
  }
  const size_t commit = history->Begin(&ops, Now());
  leveldb::WriteBatch batch;
  FillBatch(ops, &batch);
  leveldb::WriteOptions options;
  options.sync = rng->OneIn(4);
  const Status status = db->Write(options, &batch);
  if (status.ok()) history->Acked(commit, options.sync, Now());
  return Failure("a write", status);
}

std::string Get(leveldb::DB* db, size_t client, Rng* rng, History* history) {
  Look look;
  look.client = client;
  look.key = KeyOf(rng->Below(kKeys));
  look.began = Now();
  std::string value;
  const Status status = db->Get(leveldb::ReadOptions(), *look.key, &value);
  if (!status.IsNotFound() && !status.ok()) return Failure("a read", status);
  if (status.ok()) look.value = std::move(value);
  look.ended = Now();
  history->Saw(std::move(look));
  return "";
}

std::string Scan(leveldb::DB* db, size_t client, const leveldb::ReadOptions& options, Look look,
                 History* history) {
  look.client = client;
  if (options.snapshot == nullptr) look.began = Now();
  const Status status = StateOf(db, options, '\0', &look.state);
  if (options.snapshot == nullptr) look.ended = Now();
  if (status.ok()) history->Saw(std::move(look));
  return Failure("a scan", status);
}

// A snapshot must show the same content, whatever is flushed and compacted in between.
std::string ScanSnapshotTwice(leveldb::DB* db, size_t client, Rng* rng, History* history) {
  Look look;
  leveldb::ReadOptions options;
  look.began = Now();
  options.snapshot = db->GetSnapshot();
  look.ended = Now();
  look.snapshot = static_cast<const StoreSnapshot*>(options.snapshot)->sequence();
  std::string wrong = Scan(db, client, options, look, history);
  Clock::System()->SleepForNanos(rng->Below(50'000'000));
  if (wrong.empty()) wrong = Scan(db, client, options, look, history);
  db->ReleaseSnapshot(options.snapshot);
  return wrong;
}

}  // namespace

StoreSetup::StoreSetup(uint64_t seed) {
  Rng rng(SubSeed(seed, 10));
  options.create_if_missing = true;
  options.write_buffer_size = 64 << 10;
  options.block_size = 1 << 10;
  options.compression = rng.OneIn(4) ? leveldb::kSnappyCompression : leveldb::kNoCompression;
  options.paranoid_checks = rng.OneIn(4);
  const std::vector<std::string>& policies = PolicyNames();
  const auto draw = [&](const char* name, uint64_t min, uint64_t count) {
    scheduling += std::string(";") + name + "=" + std::to_string(min + rng.Below(count));
  };
  scheduling = "policy=" + policies[rng.Below(policies.size())];
  scheduling += rng.OneIn(3) ? ";layout=leveled" : ";layout=vsst";
  draw("compaction_threads", 1, 3);
  draw("own_coordinator", 0, 2);
  draw("l0_trigger", 1, 4);
  draw("growth_factor", 2, 7);
  draw("pick_by_overlap", 0, 2);
  scheduling += ";memory_budget_bytes=" + std::to_string(128 << rng.Below(4)) + "K";
  scheduling += ";table_bytes_max=" + std::to_string(4 << rng.Below(5)) + "K";
  if (rng.OneIn(2)) pace.manifest_bytes_min = pace.part_bytes_min = 300;
  adversary = rng.OneIn(2);
}

Status StoreSetup::Open(leveldb::Env* env, uint64_t seed, std::unique_ptr<leveldb::DB>* db) const {
  OptionValues parsed;
  Status status = ParseOptions(scheduling, &parsed);
  if (!status.ok()) return status;
  leveldb::Options with_env = options;
  with_env.env = env;
  PolicyFactory policies = MakePolicy;
  if (adversary) {
    policies = [seed, made = uint64_t{0}](const std::string&, const PolicyOptions&) mutable {
      return std::make_unique<RandomPolicy>(SubSeed(seed, made++));
    };
  }
  leveldb::DB* raw = nullptr;
  status = Store::Open(with_env, parsed, kStoreName, &raw, policies, pace);
  db->reset(raw);
  return status;
}

std::string StoreSetup::ToString() const {
  std::string text = scheduling;
  if (pace.manifest_bytes_min < StorePace().manifest_bytes_min)
    text += ", short MANIFESTs, small parts";
  if (options.compression != leveldb::kNoCompression) text += ", snappy";
  if (options.paranoid_checks) text += ", paranoid";
  if (adversary) text += ", arbitrary policies";
  return text;
}

std::string RemovedRanges::Step(leveldb::DB* db, Rng* rng) {
  leveldb::Status status;
  if (rng->OneIn(4)) {
    const uint64_t begin = rng->Below(kRangeKeys);
    const uint64_t end = begin + 1 + rng->Below(kRangeKeys - begin);
    removals_.push_back(log_.size());
    removed_ = false;
    const leveldb::Snapshot* const snapshot = db->GetSnapshot();
    const Contents seen = Read(db, snapshot, &status);
    if (status.ok())
      status = log_.Remove(db, {RangeKeyOf(begin), RangeKeyOf(end)}, /*files_only=*/false);
    if (status.ok() && Read(db, snapshot, &status) != seen)
      return "removed ranges: a snapshot sees other entries after a removal";
    db->ReleaseSnapshot(snapshot);
    removed_ = true;
  } else {
    WriteOps ops;
    for (uint64_t count = 1 + rng->Below(8); count > 0; --count) {
      const std::string key = RangeKeyOf(rng->Below(kRangeKeys));
      ops.push_back({key, std::to_string(log_.size()) + std::string(rng->Below(6000), ' ')});
    }
    status = log_.Write(db, std::move(ops), /*sync=*/false);
  }
  if (!status.ok()) return "a write or removal failed: " + status.ToString();
  return Compare(db, CommitLog::Demand::kAckedSurvives);
}

std::string RemovedRanges::Check(leveldb::DB* db, size_t removals) {
  using Fate = CommitLog::Fate;
  for (size_t i = 0; i < removals_.size(); ++i) {
    log_.SetFate(removals_[i], i < removals ? Fate::kAckedSynced : Fate::kUnknown);
  }
  return Compare(db, CommitLog::Demand::kSyncedSurvives);
}

Contents RemovedRanges::Read(leveldb::DB* db, const leveldb::Snapshot* snapshot,
                             leveldb::Status* status) {
  leveldb::ReadOptions options;
  options.verify_checksums = true;
  options.snapshot = snapshot;
  Contents contents;
  const std::unique_ptr<leveldb::Iterator> iterator(db->NewIterator(options));
  for (iterator->Seek(std::string(1, kPrefix));
       iterator->Valid() && iterator->key().starts_with({&kPrefix, 1}); iterator->Next()) {
    contents.emplace(iterator->key().ToString(), iterator->value().ToString());
  }
  *status = iterator->status();
  return contents;
}

std::string RemovedRanges::Compare(leveldb::DB* db, CommitLog::Demand demand) const {
  leveldb::Status status;
  const Contents contents = Read(db, nullptr, &status);
  if (!status.ok()) return "a scan failed: " + status.ToString();
  const CommitLog::Verdict verdict = log_.MatchesPrefix(contents, demand);
  return verdict.ok ? "" : "removed ranges: " + verdict.detail;
}

const char* ClientCallName(ClientCall call) {
  static constexpr const char* kNames[] = {"write",   "get",         "scan",  "snapshot", "flush",
                                           "compact", "set-options", "range", "pause"};
  return kNames[static_cast<size_t>(call)];
}

std::vector<Life> DrawLives(uint64_t seed) {
  using enum ClientCall;
  Rng rng(SubSeed(seed, 11));
  size_t number = 0;
  std::vector<Life> lives(rng.OneIn(3) ? 2 : 1);
  for (Life& life : lives) {
    const uint64_t writers = 1 + rng.Below(4);
    for (uint64_t i = 0; i < writers; ++i) {
      life.push_back(DrawClient({kWrite, kWrite, kWrite, kWrite, kWrite, kWrite, kGet, kPause},
                                20 + rng.Below(200) / writers, &number, &rng));
    }
    const uint64_t readers = rng.Below(3);
    for (uint64_t i = 0; i < readers; ++i) {
      life.push_back(
          DrawClient({kGet, kGet, kScan, kSnapshot, kPause}, 2 + rng.Below(12), &number, &rng));
    }
    if (rng.OneIn(2)) {
      life.push_back(
          DrawClient({kFlush, kCompact, kSetOptions, kPause}, 1 + rng.Below(6), &number, &rng));
    }
  }
  Rng range_rng(SubSeed(seed, 19));
  for (Life& life : lives) {
    if (range_rng.OneIn(2))
      life.push_back(DrawClient({kRange, kRange, kRange, kPause}, 8 + range_rng.Below(40), &number,
                                &range_rng));
  }
  return lives;
}

std::string Perform(leveldb::DB* db, size_t client, const ClientOperation& operation,
                    History* history, RemovedRanges* ranges) {
  Rng rng(operation.draw);
  switch (operation.call) {
    case ClientCall::kWrite:
      return Write(db, &rng, history);
    case ClientCall::kGet:
      return Get(db, client, &rng, history);
    case ClientCall::kScan:
      return Scan(db, client, leveldb::ReadOptions(), Look(), history);
    case ClientCall::kSnapshot:
      return ScanSnapshotTwice(db, client, &rng, history);
    case ClientCall::kFlush:
      return Failure("a flush", Flush(db));
    case ClientCall::kCompact: {
      const std::string begin = KeyOf(rng.Below(kKeys));
      const leveldb::Slice from(begin);
      db->CompactRange(rng.OneIn(2) ? &from : nullptr, nullptr);
      return "";
    }
    case ClientCall::kSetOptions:
      return Failure("a change of options", SetOptions(db, DrawLiveOptions(&rng)));
    case ClientCall::kRange:
      return ranges->Step(db, &rng);
    case ClientCall::kPause:
      Clock::System()->SleepForNanos(uint64_t{1000} << rng.Below(16));
      return "";
  }
  return "";
}

Status StateOf(leveldb::DB* db, const leveldb::ReadOptions& options, char without,
               Contents* state) {
  const std::unique_ptr<leveldb::Iterator> iterator(db->NewIterator(options));
  const Status status = ScanOf(iterator.get(), /*forward=*/true, state);
  std::erase_if(*state, [without](const auto& entry) {
    return entry.first[0] == without || entry.first[0] == RemovedRanges::kPrefix;
  });
  return status;
}

}  // namespace lull::testing
