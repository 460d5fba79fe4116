// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "tests/support/metamorphic.h"

#include <array>
#include <iterator>
#include <memory>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "leveldb/iterator.h"
#include "leveldb/slice.h"
#include "leveldb/write_batch.h"
#include "tests/support/model.h"
#include "tests/support/open_store.h"
#include "tests/support/option_sets.h"
#include "tests/support/rng.h"
#include "tests/support/workload.h"

namespace lull::testing {

using leveldb::Slice;
using leveldb::Status;

namespace {

constexpr size_t kSnapshotsMax = 64;
constexpr size_t kIteratorsMax = 8;

std::string Show(const std::string* bytes) { return bytes ? testing::Show(*bytes) : "nothing"; }

struct HeldSnapshot {
  const leveldb::Snapshot* snapshot;  // null: the latest state
  uint64_t sequence;
  // Set by the first removal of a range: a value that a filter drops later can stay visible.
  std::optional<uint64_t> gone_before{};
};

// An iterator of the store and the model's, moved in step.
struct HeldIterator {
  std::unique_ptr<leveldb::Iterator> actual;
  std::unique_ptr<Model::Cursor> expected;
};

struct ReadTally {
  uint64_t gets_found = 0;
  uint64_t gets_not_found = 0;
  uint64_t seeks = 0;
  uint64_t steps = 0;
};

class Runner {
 public:
  explicit Runner(const MetamorphicConfig& config)
      : config_(config),
        rng_(SubSeed(config.seed, 11)),
        workload_(config.seed),
        first_set_(config.option_set.value_or(SubSeed(config.seed, 12) % kOptionSetCount)),
        model_(MakeOptionSet(first_set_)->options.comparator) {}

  MetamorphicReport Run() {
    leveldb::Env* env = config_.env != nullptr ? config_.env : leveldb::Env::Default();
    leveldb::Options destroy;
    destroy.env = env;
    leveldb::DestroyDB(config_.directory, destroy);
    Open();
    for (; op_ < config_.ops && report_.failure.empty(); ++op_) Step();
    if (report_.failure.empty()) FullScan();
    if (report_.failure.empty()) Reopen();
    if (report_.failure.empty()) FullScan();
    Close();
    report_.ok = report_.failure.empty();
    if (report_.ok) leveldb::DestroyDB(config_.directory, destroy);
    return std::move(report_);
  }

 private:
  using Action = void (Runner::*)();
  struct Choice {
    const char* name;
    unsigned weight;
    Action action;
  };
  static std::span<const Choice> Choices() {
    static constexpr Choice kChoices[] = {
        {"put", 3000, &Runner::Put},
        {"delete", 900, &Runner::Delete},
        {"batch", 350, &Runner::WriteBatch},
        {"get", 2200, &Runner::Get},
        {"snapshot-gets", 400, &Runner::SnapshotGets},
        {"take-snapshot", 120, &Runner::TakeSnapshot},
        {"drop-snapshot", 110, &Runner::DropSnapshot},
        {"short-iterator", 250, &Runner::ShortIterator},
        {"new-held-iterator", 60, &Runner::NewHeldIterator},
        {"move-held-iterator", 1500, &Runner::MoveHeldIterator},
        {"drop-held-iterator", 50, &Runner::DropHeldIterator},
        {"full-scan", 3, &Runner::FullScan},
        {"compact-range", 3, &Runner::CompactRange},
        {"approximate-sizes", 15, &Runner::ApproximateSizes},
        {"properties", 15, &Runner::Properties},
        {"flush", 6, &Runner::FlushHook},
        {"wait-for-idle", 3, &Runner::IdleHook},
        {"set-options", 5, &Runner::OptionsHook},
        {"delete-range", 8, &Runner::RangeHook},
        {"ingest", 8, &Runner::IngestHook},
        {"set-filter", 5, &Runner::FilterHook},
        {"move-clock", 5, &Runner::ClockHook},
    };
    return kChoices;
  }

  HeldSnapshot MaybeSnapshot() { return rng_.OneIn(3) ? SomeSnapshot() : Latest(); }
  const leveldb::Comparator& order() const { return *set_->options.comparator; }

  void Step() {
    if (rng_.OneIn(config_.reopen_one_in)) {
      op_name_ = "reopen";
      ++report_.done[op_name_];
      Reopen();
      return;
    }
    const std::span<const Choice> choices = Choices();
    static const unsigned kTotal =
        std::accumulate(choices.begin(), choices.end(), 0u,
                        [](unsigned sum, const Choice& choice) { return sum + choice.weight; });
    auto draw = static_cast<unsigned>(rng_.Below(kTotal));
    const Choice* choice = choices.data();
    while (draw >= choice->weight) draw -= choice++->weight;
    op_name_ = choice->name;
    ++report_.done[op_name_];
    (this->*choice->action)();
  }

  void Fail(const std::string& what) {
    if (!report_.failure.empty()) return;
    report_.failure =
        "seed=" + std::to_string(config_.seed) + " op=" + std::to_string(op_) + " (" + op_name_ +
        ") options=" + set_->name + ": " + what +
        "\nreplay: driver metamorphic --dir=DIR --seed=" + std::to_string(config_.seed) +
        " --ops=" + std::to_string(op_ + 1) + " --set=" + std::to_string(first_set_) +
        (config_.hooks.filter ? " --filter=1" : "");
  }

  bool Expect(const Status& s, const char* what) {
    if (!s.ok()) Fail(std::string(what) + " should succeed, but: " + s.ToString());
    return s.ok();
  }

  // ---- opening and closing

  void Open() {
    set_ = MakeOptionSet(set_index_);
    leveldb::Options options = set_->options;
    if (config_.env != nullptr) options.env = config_.env;
    leveldb::DB* db = nullptr;
    Status s = config_.hooks.open ? config_.hooks.open(options, config_.directory, &db)
                                  : leveldb::DB::Open(options, config_.directory, &db);
    db_.reset(db);
    if (db_ == nullptr && s.ok()) s = Status::Corruption("open returned OK and no store");
    tally_ = {};
    filters_ = false;
    if (Expect(s, "open") && rng_.OneIn(2)) FilterHook();
  }

  void Close() {
    iterators_.clear();
    DropAllSnapshots();
    if (db_ != nullptr && report_.failure.empty()) CheckTally();
    db_.reset();
  }

  // Lull counts exactly the reads of its client. Stock LevelDB has no such property.
  void CheckTally() {
    std::string stats;
    if (!db_->GetProperty("lull.stats", &stats)) return;
    const auto expect = [&](const std::string& name, uint64_t expected) {
      const std::string member = "\"" + name + "\":";
      const size_t at = stats.find(member);
      const std::string counted =
          at == std::string::npos ? "nothing"
                                  : std::to_string(std::stoull(stats.substr(at + member.size())));
      if (counted != std::to_string(expected)) {
        Fail("lull.stats should have counted " + std::to_string(expected) + " " + name + ", has " +
             counted);
      }
    };
    expect("gets_found", tally_.gets_found);
    expect("gets_not_found", tally_.gets_not_found);
    expect("seeks", tally_.seeks);
    expect("steps", tally_.steps);
    expect("open_iterators", 0);
  }

  void Reopen() {
    Close();
    set_index_ = CompatibleSet(set_index_, &rng_);
    Open();
  }

  // ---- writes

  leveldb::WriteOptions SomeWriteOptions() {
    leveldb::WriteOptions options;
    options.sync = rng_.OneIn(100);
    return options;
  }

  void Commit(const WriteOps& ops, const Status& s) {
    if (Expect(s, "write")) model_.Commit(ops);
  }

  void Put() {
    const std::string key = workload_.Key(&rng_);
    const std::string value = workload_.Value(op_, &rng_);
    Commit({{key, value}}, db_->Put(SomeWriteOptions(), key, value));
  }

  void Delete() {
    const std::string key = workload_.Key(&rng_);
    Commit({{key, std::nullopt}}, db_->Delete(SomeWriteOptions(), key));
  }

  void WriteBatch() {
    const WriteOps ops = workload_.Batch(op_, rng_.OneIn(10) ? 100 : 8, &rng_);
    leveldb::WriteBatch batch;
    FillBatch(ops, &batch);
    Commit(ops, db_->Write(SomeWriteOptions(), &batch));
  }

  // ---- reads

  leveldb::ReadOptions SomeReadOptions() {
    leveldb::ReadOptions options;
    options.verify_checksums = rng_.OneIn(2);
    options.fill_cache = !rng_.OneIn(4);
    return options;
  }

  Status Find(const leveldb::ReadOptions& options, const std::string& key, std::string* value) {
    const Status s = db_->Get(options, key, value);
    if (s.ok()) ++tally_.gets_found;
    if (s.IsNotFound()) ++tally_.gets_not_found;
    return s;
  }

  void CheckGet(const std::string& key, const HeldSnapshot& at) {
    leveldb::ReadOptions options = SomeReadOptions();
    options.snapshot = at.snapshot;
    const std::string* expected = model_.Find(key, at.sequence, at.gone_before);
    std::string actual;
    Status s = Find(options, key, &actual);
    if (!s.ok() && !s.IsNotFound()) {
      Fail("Get(" + testing::Show(key) + ") failed: " + s.ToString());
      return;
    }
    const bool same = expected == nullptr ? s.IsNotFound() : s.ok() && *expected == actual;
    if (same) return;
    if (has_filtered_ && s.IsNotFound() && Expires(*expected)) {
      if (!at.gone_before) model_.MarkGone(key, at.sequence);
      return;
    }
    Fail("Get(" + testing::Show(key) + ") at commit " + std::to_string(at.sequence) +
         " should give " + Show(expected) + ", gave " + Show(s.ok() ? &actual : nullptr));
  }

  void Get() { CheckGet(workload_.Key(&rng_), Latest()); }

  void SnapshotGets() {
    if (snapshots_.empty()) return;
    const HeldSnapshot at = SomeSnapshot();
    for (uint64_t i = rng_.Below(8); i > 0; --i) CheckGet(workload_.Key(&rng_), at);
  }

  HeldSnapshot Latest() const { return {nullptr, model_.last_sequence()}; }

  HeldSnapshot SomeSnapshot() {
    return snapshots_.empty() ? Latest() : snapshots_[rng_.Below(snapshots_.size())];
  }

  void TakeSnapshot() {
    if (snapshots_.size() >= kSnapshotsMax) return;
    snapshots_.push_back({db_->GetSnapshot(), model_.last_sequence()});
  }

  void DropSnapshot() {
    if (snapshots_.empty()) return;
    const size_t victim = rng_.Below(snapshots_.size());
    db_->ReleaseSnapshot(snapshots_[victim].snapshot);
    snapshots_.erase(snapshots_.begin() + static_cast<ptrdiff_t>(victim));
  }

  void DropAllSnapshots() {
    for (const HeldSnapshot& held : snapshots_) db_->ReleaseSnapshot(held.snapshot);
    snapshots_.clear();
  }

  // ---- iterators

  HeldIterator MakeIterator(const HeldSnapshot& at) {
    leveldb::ReadOptions options = SomeReadOptions();
    options.snapshot = at.snapshot;
    HeldIterator it;
    it.actual.reset(db_->NewIterator(options));
    it.expected = std::make_unique<Model::Cursor>(model_, at.sequence, at.gone_before);
    Compare(it, "being made");
    return it;
  }

  // Each moves both iterators.
  void SeekToEnd(HeldIterator* it, bool first) {
    ++tally_.seeks;
    first ? it->actual->SeekToFirst() : it->actual->SeekToLast();
    first ? it->expected->SeekToFirst() : it->expected->SeekToLast();
    SkipDropped(it, /*forward=*/first);
  }

  void SeekTo(HeldIterator* it, const std::string& target) {
    ++tally_.seeks;
    it->actual->Seek(target);
    it->expected->Seek(target);
    SkipDropped(it, /*forward=*/true);
  }

  void Advance(HeldIterator* it, bool forward) {
    ++tally_.steps;
    forward ? it->actual->Next() : it->actual->Prev();
    forward ? it->expected->Next() : it->expected->Prev();
    SkipDropped(it, forward);
  }

  // Moves the model's iterator past values that the store's does not show, if a filter can have
  // dropped them.
  void SkipDropped(HeldIterator* it, bool forward) {
    if (!has_filtered_) return;
    const auto is_shown = [it] {
      return it->actual->Valid() && it->actual->key() == Slice(it->expected->key());
    };
    while (it->expected->Valid() && Expires(it->expected->value()) && !is_shown())
      forward ? it->expected->Next() : it->expected->Prev();
  }

  bool Compare(const HeldIterator& it, const std::string& move) {
    const Status s = it.actual->status();
    if (!s.ok()) {
      Fail("iterator has an error after " + move + ": " + s.ToString());
      return false;
    }
    const bool expected = it.expected->Valid();
    if (expected != it.actual->Valid()) {
      Fail("iterator after " + move + " should be " +
           (expected ? "at " + testing::Show(it.expected->key()) : "at the end") + ", is " +
           (expected ? "at the end" : "at " + testing::Show(it.actual->key().ToString())));
      return false;
    }
    if (!expected) return true;
    if (it.actual->key() == Slice(it.expected->key()) &&
        it.actual->value() == Slice(it.expected->value())) {
      return true;
    }
    Fail("iterator after " + move + " should be at " + testing::Show(it.expected->key()) + " = " +
         testing::Show(it.expected->value()) + ", is at " +
         testing::Show(it.actual->key().ToString()) + " = " +
         testing::Show(it.actual->value().ToString()));
    return false;
  }

  void Move(HeldIterator* it) {
    const uint64_t draw = rng_.Below(20);
    if (draw <= 1) {
      SeekToEnd(it, draw == 0);
      Compare(*it, draw == 0 ? "SeekToFirst" : "SeekToLast");
      return;
    }
    if (draw <= 4 || !it->expected->Valid()) {
      const std::string target = workload_.Key(&rng_);
      SeekTo(it, target);
      Compare(*it, "Seek(" + testing::Show(target) + ")");
      return;
    }
    // A few steps in one direction; the next move may reverse it.
    const bool forward = rng_.OneIn(2);
    for (uint64_t steps = 1 + rng_.Below(6); steps > 0 && it->expected->Valid(); --steps) {
      Advance(it, forward);
      if (!Compare(*it, forward ? "Next" : "Prev")) return;
    }
  }

  void ShortIterator() {
    HeldIterator it = MakeIterator(MaybeSnapshot());
    for (uint64_t moves = 1 + rng_.Below(12); moves > 0 && report_.failure.empty(); --moves) {
      Move(&it);
    }
  }

  void NewHeldIterator() {
    if (iterators_.size() < kIteratorsMax) iterators_.push_back(MakeIterator(MaybeSnapshot()));
  }

  void MoveHeldIterator() {
    if (!iterators_.empty()) Move(&iterators_[rng_.Below(iterators_.size())]);
  }

  void DropHeldIterator() {
    if (iterators_.empty()) return;
    iterators_.erase(iterators_.begin() + static_cast<ptrdiff_t>(rng_.Below(iterators_.size())));
  }

  void FullScan() {
    const bool forward = rng_.OneIn(2);
    HeldIterator it = MakeIterator(MaybeSnapshot());
    const std::string move = forward ? "a full scan" : "a full scan backward";
    SeekToEnd(&it, forward);
    while (Compare(it, move) && it.expected->Valid()) Advance(&it, forward);
  }

  // ---- the rest of the interface

  std::array<std::string, 2> TwoKeys() {
    std::array<std::string, 2> keys = {workload_.Key(&rng_), workload_.Key(&rng_)};
    if (order().Compare(keys[0], keys[1]) > 0) keys[0].swap(keys[1]);
    return keys;
  }

  void CompactRange() {
    const auto bounds = TwoKeys();
    const Slice begin(bounds[0]), end(bounds[1]);
    const bool has_begin = !rng_.OneIn(3), has_end = !rng_.OneIn(3);
    if (filters_ && rng_.OneIn(2)) DropAllSnapshots();
    db_->CompactRange(has_begin ? &begin : nullptr, has_end ? &end : nullptr);
    // Without snapshots, the filter has seen all that can be read.
    if (!filters_ || !snapshots_.empty()) return;
    model_.MarkGone(has_begin ? &bounds[0] : nullptr, has_end ? &bounds[1] : nullptr, Expires);
    FullScan();
  }

  void ApproximateSizes() {
    const std::string smallest = model_.smallest(), largest = model_.largest();
    const auto part = TwoKeys();
    if (order().Compare(part[0], smallest) < 0 || order().Compare(largest, part[1]) < 0) return;
    const leveldb::Range ranges[3] = {{smallest, largest}, {part[0], part[1]}, {part[0], part[0]}};
    uint64_t sizes[3] = {1, 1, 1};
    db_->GetApproximateSizes(ranges, 3, sizes);
    if (sizes[1] > sizes[0]) {
      Fail("a part of the key range takes " + std::to_string(sizes[1]) + " bytes, the whole " +
           std::to_string(sizes[0]));
    }
    if (sizes[2] != 0) Fail("an empty range takes " + std::to_string(sizes[2]) + " bytes");
  }

  void Properties() {
    std::string value;
    for (const char* name : {"leveldb.stats", "leveldb.sstables"}) {
      if (!db_->GetProperty(name, &value) || value.empty()) Fail(std::string(name) + " is missing");
    }
    for (const char* name : {"leveldb.num-files-at-level0", "leveldb.num-files-at-level6",
                             "leveldb.approximate-memory-usage"}) {
      const bool found = db_->GetProperty(name, &value);
      if (!found || value.empty() || value.find_first_not_of("0123456789") != std::string::npos) {
        Fail(std::string(name) + " should be a number, is " + testing::Show(value));
      }
    }
    for (const char* name : {"leveldb.num-files-at-level7", "leveldb.num-files-at-level",
                             "leveldb.num-files-at-levelx", "leveldb.unheard-of", "stats", ""}) {
      if (db_->GetProperty(name, &value)) Fail(std::string(name) + " should not exist");
    }
  }

  void FlushHook() {
    if (config_.hooks.calls_extensions) Expect(FlushStore(db_.get()), "flush");
  }

  void IdleHook() {
    if (config_.hooks.calls_extensions) Expect(WaitForIdleStore(db_.get()), "wait-for-idle");
  }

  void OptionsHook() {
    const uint64_t draw = rng_.Next();
    if (config_.hooks.set_options)
      Expect(config_.hooks.set_options(db_.get(), draw), "set-options");
  }

  // Iterators and snapshots keep what they see.
  void RangeHook() {
    const auto bounds = TwoKeys();
    const Slice begin(bounds[0]), end(bounds[1]);
    const Slice* const from = rng_.OneIn(5) ? nullptr : &begin;
    const Slice* const to = rng_.OneIn(5) ? nullptr : &end;
    const bool files_only = rng_.OneIn(2);
    if (kIsStock || !config_.hooks.calls_extensions) return;
    for (HeldSnapshot& held : snapshots_)
      held.gone_before = held.gone_before.value_or(model_.gone_count());
    if (!Expect(RemoveRange(db_.get(), from, to, files_only), "delete-range")) return;
    WriteOps gone;
    Model::Cursor at(model_, model_.last_sequence());
    from == nullptr ? at.SeekToFirst() : at.Seek(bounds[0]);
    for (; at.Valid() && (to == nullptr || order().Compare(at.key(), end) < 0); at.Next()) {
      std::string value;
      const Status s = Find(SomeReadOptions(), at.key(), &value);
      if (s.IsNotFound()) gone.push_back({at.key(), std::nullopt});
      if (s.ok() && !files_only) Fail("range deletion left " + testing::Show(at.key()));
      if (s.ok() && value != at.value()) Fail("an old value of " + testing::Show(at.key()));
    }
    if (!gone.empty()) model_.Commit(gone);
    HeldIterator seen = MakeIterator(SomeSnapshot());
    SeekTo(&seen, bounds[0]);
    for (int steps = 0; steps < 50 && Compare(seen, "a removal") && seen.expected->Valid(); ++steps)
      Advance(&seen, /*forward=*/true);
  }

  void IngestHook() {
    WriteOps ops = workload_.Batch(op_, rng_.OneIn(3) ? 100 : 8, &rng_);
    std::erase_if(ops, [](const WriteOp& op) { return !op.value; });
    if (kIsStock || !config_.hooks.calls_extensions || ops.empty()) return;
    leveldb::Options options = set_->options;
    if (config_.env != nullptr) options.env = config_.env;
    Commit(ops, IngestInto(db_.get(), options, config_.directory + "-table", ops));
  }

  void ClockHook() {
    constexpr int64_t kYear = 365 * 24 * 3600;
    constexpr int64_t kSeconds[] = {0, 0, 1, 60, kYear, -1, -60, -kYear, -100 * kYear};
    const int64_t seconds = kSeconds[rng_.Below(std::size(kSeconds))];
    if (config_.hooks.move_clock) config_.hooks.move_clock(seconds);
  }

  void FilterHook() {
    const bool on = !rng_.OneIn(4);
    if (!config_.hooks.filter) return;
    Expect(config_.hooks.filter(db_.get(), on), "set-filter");
    filters_ = on;
    has_filtered_ = has_filtered_ || on;
  }

  const MetamorphicConfig& config_;
  Rng rng_;
  const Workload workload_;
  const size_t first_set_;
  size_t set_index_ = first_set_;
  std::unique_ptr<OptionSet> set_;
  Model model_;
  std::unique_ptr<leveldb::DB> db_;
  ReadTally tally_;  // since the open
  std::vector<HeldSnapshot> snapshots_;
  std::vector<HeldIterator> iterators_;
  bool filters_ = false;       // compactions that begin now use the filter
  bool has_filtered_ = false;  // earlier ones may have used it
  uint64_t op_ = 0;
  const char* op_name_ = "open";
  MetamorphicReport report_;
};

}  // namespace

MetamorphicReport RunMetamorphic(const MetamorphicConfig& config) { return Runner(config).Run(); }

}  // namespace lull::testing
