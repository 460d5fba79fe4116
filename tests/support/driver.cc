// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// driver: applies a deterministic stream of commits to one directory. Two builds of it (against
// stock LevelDB, against Lull) can take turns on the directory.
//
//   driver apply  --dir=D --seed=S --start=K --ops=N [--set=I] [--leave=close|abandon]
//       checks that D holds commits [0, K) of stream S, applies N more (every 512th synced, or
//       every I-th with --sync_every=I), and checks again. Then it closes D or, with
//       --leave=abandon, exits without closing it. --checkpoint=C makes C a second store with the
//       same content. --flush_every=F flushes Lull's memtable every F commits. --filter=1 compacts
//       Lull's store with a filter that drops values that Expires (workload.h).
//   driver verify --dir=D --seed=S --start=K [--set=I]
//   driver live   --dir=D --seed=S --start=K [--sync_every=I] [--set=I] [--ops=N]
//       checks that D holds commits [0, K) of stream S, plus at most the one that was in progress.
//       Then it applies more until it is killed, and prints the number of each acked commit on a
//       line. With --ops=N it closes the store after N commits, and prints how many allocations it
//       made since it began to open the store. --fail_allocation=A makes the A-th of them fail.
//       --ranges=1: some commits are calls of DeleteRange, of which a kill can leave any part.
//       --filter=1: a filter drops values that Expires.
//   driver metamorphic --dir=D --seed=S --ops=N [--set=I] [--filter=1]
//   driver sets --set=I
//       prints an option set, picked by --seed, that can open a store written with set I
// Common: [--scheduling=OPTIONS]. --filtered=K: such a filter has seen the commits [0, K).
// --compress=0: writes no compressed blocks, whatever the set says.
// Exit code: 0 correct, 1 the store is wrong, 2 bad usage.
#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "leveldb/comparator.h"
#include "leveldb/db.h"
#include "leveldb/iterator.h"
#include "leveldb/write_batch.h"
#include "tests/support/failing_new.h"
#include "tests/support/metamorphic.h"
#include "tests/support/model.h"
#include "tests/support/open_store.h"
#include "tests/support/option_sets.h"
#include "tests/support/workload.h"

namespace lull::testing {
namespace {

struct Flags {
  std::string command;
  std::string dir;
  std::string scheduling;
  std::string leave = "close";
  std::string checkpoint;
  uint64_t seed = 1;
  uint64_t start = 0;
  uint64_t ops = 0;
  uint64_t fail_allocation = 0;
  uint64_t sync_every = 512;
  uint64_t flush_every = UINT64_MAX;
  std::optional<size_t> set;
  bool filter = false;
  uint64_t filtered = 0;
  bool ranges = false;
  bool compress = true;
};

bool ParseFlags(int argc, char** argv, Flags* flags) {
  if (argc < 2) return false;
  flags->command = argv[1];
  for (int i = 2; i < argc; ++i) {
    const std::string arg = argv[i];
    const size_t equals = arg.find('=');
    if (arg.rfind("--", 0) != 0 || equals == std::string::npos) return false;
    const std::string name = arg.substr(2, equals - 2);
    const std::string value = arg.substr(equals + 1);
    const uint64_t number = std::strtoull(value.c_str(), nullptr, 10);
    if (name == "dir") {
      flags->dir = value;
    } else if (name == "scheduling") {
      flags->scheduling = value;
    } else if (name == "leave") {
      flags->leave = value;
    } else if (name == "checkpoint") {
      flags->checkpoint = value;
    } else if (name == "seed") {
      flags->seed = number;
    } else if (name == "start") {
      flags->start = number;
    } else if (name == "ops") {
      flags->ops = number;
    } else if (name == "fail_allocation") {
      flags->fail_allocation = number;
    } else if (name == "sync_every" && number > 0) {
      flags->sync_every = number;
    } else if (name == "flush_every" && number > 0) {
      flags->flush_every = number;
    } else if (name == "filter") {
      flags->filter = number != 0;
    } else if (name == "ranges") {
      flags->ranges = number != 0;
    } else if (name == "compress") {
      flags->compress = number != 0;
    } else if (name == "filtered") {
      flags->filtered = number;
    } else if (name == "set") {
      flags->set = number % kOptionSetCount;
    } else {
      return false;
    }
  }
  return flags->command == "sets" || !flags->dir.empty();
}

bool Wrong(const std::string& what) {
  std::fprintf(stderr, "driver: %s\n", what.c_str());
  return false;
}

// Whether the store can lack an entry of the model.
using MayLack = std::function<bool(const Model::Cursor& entry)>;

// Forward and backward scans and a Get of each key, against the model's last state.
bool Verify(leveldb::DB* db, Model* model, const MayLack& may_lack = nullptr) {
  std::unique_ptr<leveldb::Iterator> it(db->NewIterator(leveldb::ReadOptions()));
  Model::Cursor expected(model, model->last_sequence());
  uint64_t entries = 0;
  std::string value;
  expected.SeekToFirst();
  const auto skip_to = [&](const leveldb::Slice* key) {
    while (may_lack && expected.Valid() && (key == nullptr || *key != expected.key()) &&
           may_lack(expected))
      expected.Next();
  };
  for (it->SeekToFirst(); it->Valid(); it->Next(), expected.Next(), ++entries) {
    const leveldb::Slice key = it->key();
    skip_to(&key);
    if (!expected.Valid()) return Wrong("unexpected key " + Show(it->key().ToString()));
    if (it->key() != leveldb::Slice(expected.key()) ||
        it->value() != leveldb::Slice(expected.value())) {
      return Wrong("expected " + Show(expected.key()) + " = " + Show(expected.value()) +
                   ", found " + Show(it->key().ToString()) + " = " + Show(it->value().ToString()));
    }
    const leveldb::Status s = db->Get(leveldb::ReadOptions(), it->key(), &value);
    if (!s.ok() || value != expected.value()) {
      return Wrong("Get(" + Show(expected.key()) + ") differs from the scan: " + s.ToString());
    }
  }
  if (!it->status().ok()) return Wrong("scan: " + it->status().ToString());
  skip_to(nullptr);
  if (expected.Valid()) return Wrong("missing key " + Show(expected.key()));
  for (it->SeekToLast(); it->Valid(); it->Prev()) --entries;
  if (entries != 0) return Wrong("the backward scan found a different number of entries");
  return true;
}

bool Apply(leveldb::DB* db, const Workload& workload, const Flags& flags, Model* model) {
  for (uint64_t i = flags.start; i < flags.start + flags.ops; ++i) {
    const WriteOps ops = workload.CommitAt(i);
    leveldb::WriteBatch batch;
    FillBatch(ops, &batch);
    leveldb::WriteOptions options;
    options.sync = i % flags.sync_every == 0;
    const leveldb::Status s = db->Write(options, &batch);
    if (!s.ok()) return Wrong("commit " + std::to_string(i) + ": " + s.ToString());
    model->Commit(ops);
    if (kIsStock || i % flags.flush_every != flags.flush_every - 1) continue;
    const leveldb::Status flushed = FlushStore(db);
    if (!flushed.ok()) return Wrong("flush: " + flushed.ToString());
  }
  return true;
}

// Batches of the commits [start, start + ops), made before any allocation fails.
std::deque<leveldb::WriteBatch> MakeBatches(const Workload& workload, const Flags& flags) {
  std::deque<leveldb::WriteBatch> batches;
  for (uint64_t i = flags.start; i < flags.start + flags.ops; ++i)
    FillBatch(workload.CommitAt(i), &batches.emplace_back());
  return batches;
}

// The range that commit `index` removes, if any.
std::optional<KeySpan> RangeAt(const Workload& workload, const Flags& flags, uint64_t index,
                               const leveldb::Comparator& order) {
  if (!flags.ranges) return std::nullopt;
  std::optional<KeySpan> range = workload.RangeAt(index);
  if (range && order.Compare(range->begin, range->end) > 0) std::swap(range->begin, range->end);
  return range;
}

bool IsIn(const KeySpan& range, const std::string& key, const leveldb::Comparator& order) {
  return order.Compare(range.begin, key) <= 0 &&
         (range.end.empty() || order.Compare(key, range.end) < 0);
}

// What commit `index` writes: for a range, the deletion of each key in it.
WriteOps OpsAt(const Workload& workload, const Flags& flags, uint64_t index,
               const leveldb::Comparator& order, Model* model) {
  const std::optional<KeySpan> range = RangeAt(workload, flags, index, order);
  if (!range) return workload.CommitAt(index);
  WriteOps ops;
  Model::Cursor cursor(model, model->last_sequence());
  for (cursor.SeekToFirst(); cursor.Valid(); cursor.Next()) {
    if (IsIn(*range, cursor.key(), order)) ops.push_back({cursor.key(), std::nullopt});
  }
  return ops;
}

// Checks a store that a kill left. If it holds the commit that was in progress, or a part of one
// that removes a range, increments `*next`.
bool VerifyKilled(leveldb::DB* db, const Workload& workload, const Flags& flags,
                  const leveldb::Comparator& order, Model* model, uint64_t* next) {
  const auto expired = [&](const Model::Cursor& entry) {
    return flags.filter && Expires(entry.value());
  };
  if (Verify(db, model, expired)) return true;
  const WriteOps ops = OpsAt(workload, flags, *next, order, model);
  if (const auto range = RangeAt(workload, flags, *next, order)) {
    const bool is_part = Verify(db, model, [&](const Model::Cursor& entry) {
      return expired(entry) || IsIn(*range, entry.key(), order);
    });
    if (!is_part) return Wrong("more than a range was in progress");
    const leveldb::Status s = RemoveRange(db, *range, false);
    if (!s.ok()) return Wrong("the rest of the range: " + s.ToString());
  }
  model->Commit(ops);
  ++*next;
  return Verify(db, model, expired) || Wrong("it holds neither the acked commits nor one more");
}

// Without `made`, returns only on an error.
bool Live(leveldb::DB* db, const Workload& workload, const Flags& flags,
          const leveldb::Comparator& order, std::deque<leveldb::WriteBatch> made, Model* model) {
  uint64_t next = flags.start;
  if (!VerifyKilled(db, workload, flags, order, model, &next)) return false;
  if (next > flags.start && !made.empty()) made.pop_front();
  if (flags.filter && !FilterStore(db, true).ok()) return Wrong("filter");
  for (; flags.ops == 0 || !made.empty(); ++next) {
    leveldb::Status s;
    if (const auto range = RangeAt(workload, flags, next, order)) {
      s = RemoveRange(db, *range, false);
    } else {
      if (flags.ops == 0) FillBatch(workload.CommitAt(next), &made.emplace_back());
      leveldb::WriteOptions options;
      options.sync = next % flags.sync_every == 0;
      s = db->Write(options, &made.front());
      made.pop_front();
    }
    if (!s.ok()) return Wrong("commit " + std::to_string(next) + ": " + s.ToString());
    const std::string line = std::to_string(next + 1) + "\n";
    if (std::fputs(line.c_str(), stdout) < 0 || std::fflush(stdout) != 0)
      return Wrong("nobody listens");
  }
  return true;
}

bool Filter(leveldb::DB* db, Model* model) {
  const leveldb::Status s = FilterStore(db, true);
  if (!s.ok()) return Wrong("filter: " + s.ToString());
  db->CompactRange(nullptr, nullptr);
  model->MarkGone(nullptr, nullptr, Expires);
  return Verify(db, model);
}

bool Checkpoint(leveldb::DB* db, const std::string& directory) {
  const leveldb::Status s = CheckpointStore(db, directory);
  return s.ok() || Wrong("checkpoint: " + s.ToString());
}

int Work(const Flags& flags) {
  const Workload workload(flags.seed);
  const std::unique_ptr<OptionSet> set = MakeOptionSet(flags.set.value_or(0));
  Model model(set->options.comparator);
  for (uint64_t i = 0; i < flags.start; ++i) {
    model.Commit(OpsAt(workload, flags, i, *set->options.comparator, &model));
    if (i + 1 == flags.filtered) model.MarkGone(nullptr, nullptr, Expires);
  }

  leveldb::Options options = set->options;
  options.create_if_missing = flags.start == 0;
  if (!flags.compress) options.compression = leveldb::kNoCompression;
  const bool lives = flags.command == "live";
  std::deque<leveldb::WriteBatch> made;
  if (lives) made = MakeBatches(workload, flags);
  FailAllocation(flags.fail_allocation);
  leveldb::DB* raw = nullptr;
  const leveldb::Status s = OpenStore(options, flags.scheduling, flags.dir, &raw);
  std::unique_ptr<leveldb::DB> db(raw);
  bool right = s.ok() || Wrong("open: " + s.ToString());
  if (right && lives) {
    right = Live(db.get(), workload, flags, *options.comparator, std::move(made), &model);
  } else if (right) {
    right = Verify(db.get(), &model);
  }
  if (right && flags.command == "apply") {
    right = Apply(db.get(), workload, flags, &model) && Verify(db.get(), &model);
  }
  if (right && flags.command == "apply" && flags.filter) right = Filter(db.get(), &model);
  if (right && !flags.checkpoint.empty()) right = Checkpoint(db.get(), flags.checkpoint);
  if (!right) {
    Wrong("seed=" + std::to_string(flags.seed) + " start=" + std::to_string(flags.start) +
          " ops=" + std::to_string(flags.ops) + " options=" + set->name);
  }
  if (right && flags.leave == "abandon") {
    std::fflush(nullptr);
    std::_Exit(0);
  }
  db.reset();
  if (lives) std::fprintf(stderr, "%" PRIu64 " allocations\n", AllocationCount());
  return right ? 0 : 1;
}

int Metamorphic(const Flags& flags) {
  MetamorphicConfig config;
  config.seed = flags.seed;
  config.ops = flags.ops;
  config.directory = flags.dir;
  config.option_set = flags.set;
  config.hooks = StoreHooks(flags.scheduling);
  if (flags.filter) config.hooks.filter = FilterStore;
  const MetamorphicReport report = RunMetamorphic(config);
  if (!report.ok) Wrong(report.failure);
  return report.ok ? 0 : 1;
}

int Main(int argc, char** argv) {
  Flags flags;
  if (!ParseFlags(argc, argv, &flags)) {
    std::fprintf(stderr, "usage: driver apply|verify|live|metamorphic|sets --dir=D --seed=S ...\n");
    return 2;
  }
  if (flags.command == "metamorphic") return Metamorphic(flags);
  if (flags.command == "apply" || flags.command == "verify" || flags.command == "live")
    return Work(flags);
  if (flags.command == "sets") {
    Rng rng(flags.seed);
    std::printf("%zu\n", CompatibleSet(flags.set.value_or(0), &rng));
    return 0;
  }
  return 2;
}

}  // namespace
}  // namespace lull::testing

int main(int argc, char** argv) { return lull::testing::Main(argc, argv); }
