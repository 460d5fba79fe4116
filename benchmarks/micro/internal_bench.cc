// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Lull's internal parts on the write and read paths.
#include <benchmark/benchmark.h>
#include <snappy.h>
#include <zstd.h>

#include <atomic>
#include <memory>

#include "benchmarks/micro/entries.h"
#include "db/base/dbformat.h"
#include "db/engine/admission.h"
#include "db/memory/memtable.h"
#include "db/wal/log_writer.h"
#include "leveldb/comparator.h"
#include "leveldb/env.h"
#include "table/block.h"
#include "table/block_builder.h"
#include "table/merging_iterator.h"
#include "util/clock.h"
#include "util/crc32c.h"
#include "util/env_extension.h"
#include "util/grace.h"

namespace lull::bench {
namespace {

KeyOrder InternalOrder() {
  return KeyOrder(leveldb::BytewiseComparator(), KeyOrder::Keys::kInternal);
}

std::unique_ptr<MemTable> FilledMemTable(const KeyOrder& order, const Entries& entries) {
  auto memtable = std::make_unique<MemTable>(order);
  SequenceNumber sequence = 0;
  for (const size_t i : ShuffledNumbers(entries.size())) {
    memtable->Add(++sequence, ValueKind::kValue, entries[i].first, entries[i].second);
  }
  return memtable;
}

// Inserts random keys into a memtable that grows to range(0) entries; inserts cost more as it
// grows.
void MemTableInsert(benchmark::State& state) {
  const KeyOrder order = InternalOrder();
  const Entries entries = MakeEntries(static_cast<size_t>(state.range(0)), 100);
  for (auto _ : state) benchmark::DoNotOptimize(FilledMemTable(order, entries));
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(MemTableInsert)->Arg(1'000)->Arg(30'000)->Arg(500'000)->Unit(benchmark::kMillisecond);

void MemTableGet(benchmark::State& state) {
  const KeyOrder order = InternalOrder();
  const Entries entries = MakeEntries(static_cast<size_t>(state.range(0)), 100);
  const auto memtable = FilledMemTable(order, entries);
  const std::vector<size_t> numbers = ShuffledNumbers(entries.size());
  std::string value;
  size_t i = 0;
  for (auto _ : state) {
    const LookupKey key(entries[numbers[i]].first, kMaxSequence);
    benchmark::DoNotOptimize(memtable->Get(key, &value));
    i = i + 1 < numbers.size() ? i + 1 : 0;
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(MemTableGet)->Arg(1'000)->Arg(30'000)->Arg(500'000);

// Appends records of range(0) bytes to a real file, with a new file after every 64 MiB.
void AppendToWal(benchmark::State& state, LogFileMode mode, bool sync) {
  constexpr uint64_t kFileBytes = 64 << 20;
  const auto record_bytes = static_cast<size_t>(state.range(0));
  const std::string record(record_bytes, 'x');
  leveldb::Env* const env = leveldb::Env::Default();
  EnvExtension* const extension = ExtensionOf(env);
  std::string path;
  env->GetTestDirectory(&path);
  path += "/micro_bench.log";
  std::unique_ptr<log::Writer> writer;
  for (auto _ : state) {
    if (!writer || writer->FileBytes() + 2 * record_bytes > kFileBytes) {
      state.PauseTiming();
      LogFile* file = nullptr;
      if (!extension->NewLogFile(path, kFileBytes, mode, &file).ok()) {
        state.SkipWithError("the log cannot be created");
        break;
      }
      writer = std::make_unique<log::Writer>(std::unique_ptr<LogFile>(file));
      state.ResumeTiming();
    }
    benchmark::DoNotOptimize(writer->AddRecord(record));
    if (sync) benchmark::DoNotOptimize(writer->Sync());
  }
  writer.reset();
  env->RemoveFile(path);
  state.SetBytesProcessed(state.iterations() * state.range(0));
}
void WalAppendMapped(benchmark::State& state) { AppendToWal(state, LogFileMode::kMapped, false); }
void WalAppendWritten(benchmark::State& state) { AppendToWal(state, LogFileMode::kWrite, false); }
void WalAppendSynced(benchmark::State& state) { AppendToWal(state, LogFileMode::kWrite, true); }
BENCHMARK(WalAppendMapped)->Arg(128)->Arg(1024)->Arg(12 << 10);
BENCHMARK(WalAppendWritten)->Arg(128)->Arg(1024)->Arg(12 << 10);
BENCHMARK(WalAppendSynced)->Arg(128)->Arg(12 << 10)->UseRealTime();

std::string BuildBlock(const Entries& entries) {
  BlockBuilder builder(16);
  for (const auto& [key, value] : entries) builder.Add(key, value);
  return builder.Finish().ToString();
}

// In a block of the default 4 KiB.
constexpr size_t kBlockEntries = 36;

void BlockBuild(benchmark::State& state) {
  const Entries entries = MakeEntries(kBlockEntries, 100);
  for (auto _ : state) benchmark::DoNotOptimize(BuildBlock(entries));
  state.SetItemsProcessed(static_cast<int64_t>(state.iterations() * entries.size()));
}
BENCHMARK(BlockBuild);

void BlockSeek(benchmark::State& state) {
  const Entries entries = MakeEntries(kBlockEntries, 100);
  const std::string contents = BuildBlock(entries);
  const KeyOrder order(leveldb::BytewiseComparator(), KeyOrder::Keys::kUser);
  Block block;
  if (block.Parse(contents) != nullptr) state.SkipWithError("the block is damaged");
  BlockCursor cursor;
  cursor.Reset(block, order);
  size_t i = 0;
  for (auto _ : state) {
    cursor.Seek(order, entries[i].first);
    benchmark::DoNotOptimize(cursor.Valid());
    i = i + 7 < entries.size() ? i + 7 : i + 7 - entries.size();
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(BlockSeek);

// Merges range(0) memtables, each with some of the keys, in order.
void Merge(benchmark::State& state) {
  constexpr size_t kEntries = 50'000;
  const KeyOrder order = InternalOrder();
  const Entries entries = MakeEntries(kEntries, 100);
  const auto parts = static_cast<size_t>(state.range(0));
  std::vector<std::unique_ptr<MemTable>> memtables;
  for (size_t part = 0; part < parts; ++part)
    memtables.push_back(std::make_unique<MemTable>(order));
  Rng rng(301);
  for (size_t i = 0; i < kEntries; ++i) {
    memtables[rng.Below(parts)]->Add(i + 1, ValueKind::kValue, entries[i].first, entries[i].second);
  }
  for (auto _ : state) {
    std::vector<std::unique_ptr<leveldb::Iterator>> children;
    for (const auto& memtable : memtables)
      children.push_back(memtable->NewIterator(0, kMaxSequence));
    const auto merged = NewMergingIterator(order, std::move(children));
    for (merged->SeekToFirst(); merged->Valid(); merged->Next()) {
      benchmark::DoNotOptimize(merged->key().data());
    }
  }
  state.SetItemsProcessed(static_cast<int64_t>(state.iterations() * kEntries));
}
BENCHMARK(Merge)->Arg(1)->Arg(2)->Arg(8)->Arg(32)->Unit(benchmark::kMillisecond);

void Crc32c(benchmark::State& state) {
  const std::string data(static_cast<size_t>(state.range(0)), 'x');
  for (auto _ : state) benchmark::DoNotOptimize(crc32c::Value(data.data(), data.size()));
  state.SetBytesProcessed(state.iterations() * state.range(0));
}
BENCHMARK(Crc32c)->Arg(128)->Arg(4096)->Arg(64 << 10);

std::string SampleBlock() { return BuildBlock(MakeEntries(kBlockEntries, 100)); }

void SnappyCompress(benchmark::State& state) {
  const std::string block = SampleBlock();
  std::string packed(snappy::MaxCompressedLength(block.size()), '\0');
  size_t size = 0;
  for (auto _ : state) {
    snappy::RawCompress(block.data(), block.size(), packed.data(), &size);
    benchmark::DoNotOptimize(packed.data());
  }
  state.SetBytesProcessed(static_cast<int64_t>(state.iterations() * block.size()));
}
BENCHMARK(SnappyCompress);

void SnappyUncompress(benchmark::State& state) {
  std::string block = SampleBlock();
  std::string packed;
  snappy::Compress(block.data(), block.size(), &packed);
  for (auto _ : state) {
    benchmark::DoNotOptimize(snappy::RawUncompress(packed.data(), packed.size(), block.data()));
  }
  state.SetBytesProcessed(static_cast<int64_t>(state.iterations() * block.size()));
}
BENCHMARK(SnappyUncompress);

void ZstdCompress(benchmark::State& state) {
  const std::string block = SampleBlock();
  std::string packed(ZSTD_compressBound(block.size()), '\0');
  for (auto _ : state) {
    benchmark::DoNotOptimize(
        ZSTD_compress(packed.data(), packed.size(), block.data(), block.size(), 1));
  }
  state.SetBytesProcessed(static_cast<int64_t>(state.iterations() * block.size()));
}
BENCHMARK(ZstdCompress);

// Pinning the view, the first step of every read.
void PinView(benchmark::State& state) {
  static GraceDomain grace;
  static std::atomic<const int*> view{nullptr};
  for (auto _ : state) {
    const GraceGuard guard(grace);
    benchmark::DoNotOptimize(view.load(std::memory_order_acquire));
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(PinView)->Threads(1)->Threads(2);

// The admission check before a writer joins the queue, when the policy does not delay it.
void AdmissionFree(benchmark::State& state) {
  Admission admission(Clock::System());
  for (auto _ : state) admission.Await(116);
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(AdmissionFree);

}  // namespace
}  // namespace lull::bench
