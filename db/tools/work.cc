// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// repair, compact, checkpoint and bench: commands for a whole store.
#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <memory>

#include "db/recovery/repair.h"
#include "db/store/store.h"
#include "db/tools/commands.h"
#include "db/tools/inspect.h"
#include "db/tools/progress.h"
#include "leveldb/db.h"
#include "lull/lull.h"
#include "util/clock.h"
#include "util/latency_histogram.h"
#include "util/logging.h"
#include "util/os.h"
#include "util/random.h"

namespace lull::tools {
namespace {

using leveldb::Status;

/// Prints the library's log messages to standard error, in place of a line of Progress.
class ErrorLogger final : public leveldb::Logger {
 public:
  void Logv(const char* format, std::va_list arguments) override {
    char line[1000];
    std::vsnprintf(line, sizeof(line), format, arguments);
    std::fprintf(stderr, "%s%s\n", os::IsTerminal(stderr) ? "\r\033[K" : "",
                 MessageOf(line).c_str());
  }
};

uint64_t TableBytes(const std::string& directory) {
  InspectedStore store;
  return Inspect(directory, &store).ok() ? store.manifest.version->TotalBytes() : 0;
}

/// The bytes that a compaction of all levels reads, if no table moves unread.
uint64_t CompactionInputBytes(const std::string& directory) {
  InspectedStore store;
  if (!Inspect(directory, &store).ok()) return 0;
  const Version& version = *store.manifest.version;
  uint64_t total = 0, from_above = 0;
  for (int level = 0; level < kLevels; ++level) {
    if (level > 0 && version.LevelBytes(level) > 0) total += from_above + version.LevelBytes(level);
    from_above += version.LevelBytes(level);
  }
  return std::max(total, from_above);
}

/// The bytes that compactions of the open store have read.
uint64_t CompactedBytes(leveldb::DB* db) {
  std::string text;
  db->GetProperty("lull.stats", &text);
  const Json stats = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (stats.is_discarded()) return 0;
  uint64_t bytes = 0;
  for (const auto& [job_class, totals] : stats["job_totals"].items())
    if (job_class != "flush") bytes += totals["read_bytes"].get<uint64_t>();
  for (const Json& job : stats["jobs"])
    if (job["class"] != "flush") bytes += job["input_bytes_done"].get<uint64_t>();
  return bytes;
}

/// What a phase of the benchmark does with entries, in random order.
enum class Phase { kWrite, kRead };

Status Step(const Invocation& call, leveldb::DB* db, Phase phase, const std::string& key) {
  if (phase == Phase::kRead) {
    std::string value;
    const Status status = db->Get(leveldb::ReadOptions(), key, &value);
    return status.IsNotFound() ? Status::OK() : status;
  }
  leveldb::WriteOptions write;
  write.sync = call.sync;
  return db->Put(write, key, std::string(call.bench_value_bytes, key.back()));
}

Status RunPhase(const Invocation& call, leveldb::DB* db, const char* what, Phase phase) {
  Random random(301);
  Clock* const clock = Clock::System();
  LatencyHistogram latencies;
  const uint64_t entry_bytes = 16 + call.bench_value_bytes;
  Progress progress(call.json, what, call.bench_entries * entry_bytes);
  const uint64_t began = clock->NowNanos();
  for (uint64_t i = 0; i < call.bench_entries; ++i) {
    const std::string key =
        Format("%016llx", static_cast<unsigned long long>(random.Uniform(call.bench_entries)));
    const uint64_t start = clock->NowNanos();
    const Status status = Step(call, db, phase, key);
    if (!status.ok()) return status;
    latencies.Record(clock->NowNanos() - start);
    progress.Advance(entry_bytes);
  }
  const double seconds = static_cast<double>(clock->NowNanos() - began) * 1e-9;
  const auto entries = static_cast<double>(call.bench_entries);
  const double per_sec = entries / seconds;
  const double mb_per_sec = entries * static_cast<double>(entry_bytes) / 1e6 / seconds;
  const LatencySnapshot all = latencies.Snapshot();
  const auto us = [&](double share) { return all.PercentileNanos(share) / 1000; };
  PrintResult(
      call.json,
      {{"what", what},
       {"operations", call.bench_entries},
       {"per_sec", per_sec},
       {"mb_per_sec", mb_per_sec},
       {"p50_us", us(0.5)},
       {"p99_us", us(0.99)},
       {"p999_us", us(0.999)},
       {"max_us", us(1)}},
      Format("%-10s %10.0f/s %8.1f MB/s   p50 %.1f us, p99 %.1f us, p99.9 %.1f us, max %.1f us",
             what, per_sec, mb_per_sec, us(0.5), us(0.99), us(0.999), us(1)));
  return Status::OK();
}

}  // namespace

/// The exit code is 0 only if nothing was damaged: then nothing can be lost.
int RunRepair(const Invocation& call) {
  if (call.from_lost) return RunRestore(call);
  Json before, after;
  // A store that cannot be examined, without CURRENT for example, can still be repaired.
  const Status examined = Examine(call, &before);
  if (!examined.ok() && !examined.IsCorruption()) return Fail(examined, call.json);
  if (!examined.ok()) before = {{"damage", {examined.ToString()}}};
  const bool damaged = !before["damage"].empty();
  if (!call.json && examined.ok()) PrintFindings(before);
  if (call.dry_run) {
    if (call.json) PrintJson({{"store", call.store}, {"before", before}});
    if (!call.json && damaged)
      PrintLine("A repair keeps what can be read, and moves the originals to lost/. Copy " +
                call.store + " first.");
    return damaged ? kDamaged : kDone;
  }
  ErrorLogger logger;
  leveldb::Options options;
  KeepTableFormat(call, &options);
  if (!call.json) options.info_log = &logger;
  Status status = Repair(call.store, options, ShowProgress(call.json, "repairing"));
  if (status.ok()) status = Examine(call, &after);
  if (!status.ok()) return Fail(status, call.json);
  const uint64_t bytes = TableBytes(call.store);
  PrintResult(call.json,
              {{"store", call.store}, {"table_bytes", bytes}, {"before", before}, {"after", after}},
              call.store + ": " + BytesText(bytes) + " of tables with " + after["entries"].dump() +
                  " entries; " + after["lost_files"].dump() + " originals in lost/" +
                  (damaged ? "\nEntries of what was damaged can be missing, old or deleted." : ""));
  return damaged ? kDamaged : kDone;
}

int RunCompact(const Invocation& call) {
  const uint64_t before = TableBytes(call.store);
  const uint64_t input_bytes = CompactionInputBytes(call.store);
  std::unique_ptr<leveldb::DB> db;
  Status status = OpenToWrite(call, &db);
  if (!status.ok()) return Fail(status, call.json);
  {
    const ProgressWatch watch(call.json, "compacting", input_bytes,
                              [&] { return CompactedBytes(db.get()); });
    Store* store = nullptr;
    status = Store::Of(db.get(), "compact", &store);
    if (status.ok()) status = store->Compact(nullptr, nullptr);
    if (status.ok()) status = store->WaitForIdle();
  }
  db.reset();
  if (!status.ok()) return Fail(status, call.json);
  const uint64_t after = TableBytes(call.store);
  return PrintResult(call.json,
                     {{"store", call.store}, {"bytes_before", before}, {"bytes_after", after}},
                     "tables: " + BytesText(before) + " before, " + BytesText(after) + " after");
}

int RunCheckpoint(const Invocation& call) {
  std::unique_ptr<leveldb::DB> db;
  Status status = OpenToWrite(call, &db);
  if (status.ok()) {
    const ProgressWatch watch(call.json, "writing tables", TableBytes(call.store),
                              [&] { return TableBytesIn(call.target); });
    status = CreateCheckpoint(db.get(), call.target);
  }
  db.reset();
  if (!status.ok()) return Fail(status, call.json);
  const uint64_t bytes = TableBytes(call.target);
  return PrintResult(call.json,
                     {{"store", call.store}, {"checkpoint", call.target}, {"table_bytes", bytes}},
                     call.target + ": " + BytesText(bytes) + " of tables");
}

int RunBench(const Invocation& call) {
  leveldb::Options options;
  options.create_if_missing = true;
  options.error_if_exists = true;
  leveldb::DB* raw = nullptr;
  Status status = leveldb::DB::Open(options, call.store, &raw);
  if (!status.ok()) return Fail(status, call.json);
  {
    const std::unique_ptr<leveldb::DB> db(raw);
    status = RunPhase(call, db.get(), "fill", Phase::kWrite);
    if (status.ok()) status = RunPhase(call, db.get(), "overwrite", Phase::kWrite);
    if (status.ok()) status = RunPhase(call, db.get(), "read", Phase::kRead);
  }
  const Status destroyed = leveldb::DestroyDB(call.store, leveldb::Options());
  if (status.ok()) status = destroyed;
  return status.ok() ? kDone : Fail(status, call.json);
}

}  // namespace lull::tools
