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
//       Lull's store with a filter that drops values that Expires (workload.h). --ingest_every=J
//       ingests every J-th commit as tables, if it has only values.
//   driver verify --dir=D --seed=S --start=K [--set=I]
//   driver live   --dir=D --seed=S --start=K [--sync_every=I] [--set=I] [--ops=N]
//       checks that D holds commits [0, K) of stream S, plus at most the one that was in progress.
//       Then it applies more until it is killed, and prints how many commits the store has: after
//       each acked commit, and first if the one in progress was there, or if it changes nothing.
//       With --ops=N it closes the store after N commits, and prints how many allocations it made
//       since it began to open the store. --fail_allocation=A makes the A-th of them fail.
//       --ranges=1: some commits are calls of DeleteRange, of which a kill can leave any part.
//       --filter=1: a filter drops values that Expires.
//   driver metamorphic --dir=D --seed=S --ops=N [--set=I] [--filter=1]
//   driver sets --set=I
//       prints an option set, picked by --seed, that can open a store written with set I
// Common: [--scheduling=OPTIONS]. --filtered=K: such a filter has seen the commits [0, K).
// --compress=0: writes no compressed blocks, whatever the set says.
// Exit code: 0 correct, 1 the store is wrong, 2 bad usage.
#include <CLI/CLI.hpp>
#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "leveldb/db.h"
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
  uint64_t ingest_every = UINT64_MAX;
  uint64_t set = 0;
  uint64_t filter = 0;
  uint64_t filtered = 0;
  uint64_t ranges = 0;
  uint64_t compress = 1;
  bool has_set = false;
};

bool ParseFlags(int argc, char** argv, Flags* flags) {
  CLI::App app;
  app.add_option("command", flags->command)->required();
  app.add_option("--dir", flags->dir);
  app.add_option("--scheduling", flags->scheduling);
  app.add_option("--leave", flags->leave);
  app.add_option("--checkpoint", flags->checkpoint);
  app.add_option("--seed", flags->seed);
  app.add_option("--start", flags->start);
  app.add_option("--ops", flags->ops);
  app.add_option("--fail_allocation", flags->fail_allocation);
  app.add_option("--sync_every", flags->sync_every)->check(CLI::PositiveNumber);
  app.add_option("--flush_every", flags->flush_every)->check(CLI::PositiveNumber);
  app.add_option("--ingest_every", flags->ingest_every)->check(CLI::PositiveNumber);
  app.add_option("--set", flags->set);
  app.add_option("--filter", flags->filter);
  app.add_option("--filtered", flags->filtered);
  app.add_option("--ranges", flags->ranges);
  app.add_option("--compress", flags->compress);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError&) {
    return false;
  }
  flags->has_set = app.count("--set") > 0;
  flags->set %= kOptionSetCount;
  return flags->command == "sets" || !flags->dir.empty();
}

bool Wrong(const std::string& what) {
  std::fprintf(stderr, "driver: %s\n", what.c_str());
  return false;
}

bool Succeeds(const std::string& what, const leveldb::Status& s) {
  return s.ok() || Wrong(what + ": " + s.ToString());
}

bool IsRight(const CommitLog::Verdict& verdict) { return verdict.ok || Wrong(verdict.detail); }

// The commits of a stream and the store that they go to.
class Stream {
 public:
  explicit Stream(const Flags& flags)
      : flags_(flags),
        workload_(flags.seed),
        set_(MakeOptionSet(flags.set)),
        log_(set_->options.comparator) {
    for (uint64_t i = 0; i < flags.start; ++i) {
      Log(i, Fate::kAcked);
      if (i + 1 == flags.filtered) log_.BeginRemoval({}, Fate::kAcked, Expires);
    }
  }

  bool Run() {
    leveldb::Options options = set_->options;
    options.create_if_missing = flags_.start == 0;
    if (flags_.compress == 0) options.compression = leveldb::kNoCompression;
    // The batches are made before any allocation fails.
    const bool lives = flags_.command == "live";
    for (uint64_t i = 0; lives && i < flags_.ops; ++i)
      FillBatch(workload_.CommitAt(flags_.start + i), &made_.emplace_back());
    FailAllocation(flags_.fail_allocation);
    leveldb::DB* raw = nullptr;
    bool right = Succeeds("open", OpenStore(options, flags_.scheduling, flags_.dir, &raw));
    db_.reset(raw);
    right = right && (lives ? Live() : Verify());
    if (flags_.command == "apply") right = right && Apply();
    if (!flags_.checkpoint.empty())
      right = right && Succeeds("checkpoint", CheckpointStore(db_.get(), flags_.checkpoint));
    if (!right) {
      return Wrong("seed=" + std::to_string(flags_.seed) + " start=" +
                   std::to_string(flags_.start) + " ops=" + std::to_string(flags_.ops) +
                   " options=" + set_->name);
    }
    if (flags_.leave == "abandon") {
      std::fflush(nullptr);
      std::_Exit(0);
    }
    db_.reset();
    if (lives) std::fprintf(stderr, "%" PRIu64 " allocations\n", AllocationCount());
    return true;
  }

 private:
  using Fate = CommitLog::Fate;

  CommitLog::Verdict Match() const {
    return log_.MatchesPrefix(db_.get(), CommitLog::Demand::kAckedSurvives);
  }
  bool Verify() const { return IsRight(Match()); }

  // The range that commit `index` removes, if any.
  std::optional<KeySpan> RangeAt(uint64_t index) const {
    if (flags_.ranges == 0) return std::nullopt;
    std::optional<KeySpan> range = workload_.RangeAt(index);
    if (range && set_->options.comparator->Compare(range->begin, range->end) > 0)
      std::swap(range->begin, range->end);
    return range;
  }

  size_t Log(uint64_t index, Fate fate) {
    const std::optional<KeySpan> range = RangeAt(index);
    return range ? log_.BeginRemoval(*range, fate) : log_.Begin(workload_.CommitAt(index), fate);
  }

  leveldb::Status Commit(uint64_t i) {
    const WriteOps ops = workload_.CommitAt(i);
    const bool ingests = i % flags_.ingest_every == flags_.ingest_every - 1 && IsIngestible(ops);
    if (kIsStock || !ingests) return log_.Write(db_.get(), ops, i % flags_.sync_every == 0);
    log_.Begin(ops, Fate::kAcked);
    return IngestInto(db_.get(), set_->options, flags_.dir + "-table", ops);
  }

  bool Apply() {
    for (uint64_t i = flags_.start; i < flags_.start + flags_.ops; ++i) {
      if (!Succeeds("commit " + std::to_string(i), Commit(i))) return false;
      if (kIsStock || i % flags_.flush_every != flags_.flush_every - 1) continue;
      if (!Succeeds("flush", FlushStore(db_.get()))) return false;
    }
    if (!Verify()) return false;
    if (flags_.filter == 0) return true;
    if (!Succeeds("filter", FilterStore(db_.get(), true))) return false;
    db_->CompactRange(nullptr, nullptr);
    log_.BeginRemoval({}, Fate::kAcked, Expires);
    return Verify();
  }

  // Checks a store that a kill left: it can hold the commit that was in progress, or a part of one
  // that removes a range. Then increments `*next`.
  bool VerifyKilled(uint64_t* next) {
    if (flags_.filter != 0) log_.LetExpire(Expires);
    const size_t in_progress = Log(*next, Fate::kUnknown);
    const CommitLog::Verdict verdict = Match();
    if (!IsRight(verdict)) return false;
    if (verdict.prefix <= in_progress) return true;
    const std::optional<KeySpan> range = RangeAt((*next)++);
    if (!range) return true;
    log_.SetFate(in_progress, Fate::kAcked);
    return Succeeds("the rest of the range", RemoveRange(db_.get(), *range, false)) && Verify();
  }

  // Prints that the store has the first `commits` commits.
  bool Ack(uint64_t commits) {
    const bool heard = std::printf("%" PRIu64 "\n", commits) > 0 && std::fflush(stdout) == 0;
    return heard || Wrong("nobody listens");
  }

  // Without `--ops`, returns only on an error.
  bool Live() {
    uint64_t next = flags_.start;
    if (!VerifyKilled(&next)) return false;
    if (next > flags_.start && !made_.empty()) made_.pop_front();
    if (flags_.filter != 0 && !Succeeds("filter", FilterStore(db_.get(), true))) return false;
    if (next > flags_.start && !Ack(next)) return false;
    for (; flags_.ops == 0 || !made_.empty(); ++next) {
      leveldb::Status s;
      if (const auto range = RangeAt(next)) {
        s = RemoveRange(db_.get(), *range, false);
      } else {
        if (flags_.ops == 0) FillBatch(workload_.CommitAt(next), &made_.emplace_back());
        leveldb::WriteOptions options;
        options.sync = next % flags_.sync_every == 0;
        s = db_->Write(options, &made_.front());
        made_.pop_front();
      }
      if (!Succeeds("commit " + std::to_string(next), s)) return false;
      if (!Ack(next + 1)) return false;
    }
    return true;
  }

  const Flags& flags_;
  const Workload workload_;
  const std::unique_ptr<OptionSet> set_;
  CommitLog log_;
  std::deque<leveldb::WriteBatch> made_;
  std::unique_ptr<leveldb::DB> db_;
};

int Metamorphic(const Flags& flags) {
  MetamorphicConfig config;
  config.seed = flags.seed;
  config.ops = flags.ops;
  config.directory = flags.dir;
  if (flags.has_set) config.option_set = flags.set;
  config.hooks = StoreHooks(flags.scheduling);
  if (flags.filter != 0) config.hooks.filter = FilterStore;
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
    return Stream(flags).Run() ? 0 : 1;
  if (flags.command == "sets") {
    Rng rng(flags.seed);
    std::printf("%zu\n", CompatibleSet(flags.set, &rng));
    return 0;
  }
  return 2;
}

}  // namespace
}  // namespace lull::testing

int main(int argc, char** argv) { return lull::testing::Main(argc, argv); }
