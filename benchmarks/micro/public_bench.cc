// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// LevelDB's public headers: batches, the cache, filters, and building and reading tables. The same
// source is built with Lull (micro_bench) and with the stock library (micro_bench_leveldb), so
// their results are comparable.
#include <benchmark/benchmark.h>

#include <memory>

#include "benchmarks/micro/entries.h"
#include "benchmarks/micro/memory_file.h"
#include "leveldb/cache.h"
#include "leveldb/filter_policy.h"
#include "leveldb/iterator.h"
#include "leveldb/options.h"
#include "leveldb/table.h"
#include "leveldb/table_builder.h"
#include "leveldb/write_batch.h"

namespace lull::bench {
namespace {

void Count(benchmark::State& state, size_t entries) {
  state.SetItemsProcessed(static_cast<int64_t>(state.iterations() * entries));
}

void BatchPut(benchmark::State& state) {
  const Entries entries = MakeEntries(100, static_cast<size_t>(state.range(0)));
  leveldb::WriteBatch batch;
  for (auto _ : state) {
    batch.Clear();
    for (const auto& [key, value] : entries) batch.Put(key, value);
    benchmark::DoNotOptimize(batch.ApproximateSize());
  }
  Count(state, entries.size());
}
BENCHMARK(BatchPut)->Arg(100)->Arg(1024);

class Visitor final : public leveldb::WriteBatch::Handler {
 public:
  void Put(const leveldb::Slice& key, const leveldb::Slice& value) override {
    bytes += key.size() + value.size();
  }
  void Delete(const leveldb::Slice& key) override { bytes += key.size(); }
  size_t bytes = 0;
};

void BatchIterate(benchmark::State& state) {
  leveldb::WriteBatch batch;
  const Entries entries = MakeEntries(100, 100);
  for (const auto& [key, value] : entries) batch.Put(key, value);
  Visitor visitor;
  for (auto _ : state) benchmark::DoNotOptimize(batch.Iterate(&visitor));
  Count(state, entries.size());
}
BENCHMARK(BatchIterate);

void Nothing(const leveldb::Slice&, void*) {}

void CacheLookup(benchmark::State& state) {
  constexpr size_t kEntries = 2000;
  const std::unique_ptr<leveldb::Cache> cache(leveldb::NewLRUCache(8 << 20));
  const Entries entries = MakeEntries(kEntries, 0);
  for (const auto& [key, value] : entries) {
    cache->Release(cache->Insert(key, cache.get(), 4096, Nothing));
  }
  size_t i = 0;
  for (auto _ : state) {
    leveldb::Cache::Handle* const handle = cache->Lookup(entries[i].first);
    if (handle != nullptr) cache->Release(handle);
    i = i + 1 < kEntries ? i + 1 : 0;
  }
  Count(state, 1);
}
BENCHMARK(CacheLookup);

// Every insert evicts.
void CacheInsert(benchmark::State& state) {
  const std::unique_ptr<leveldb::Cache> cache(leveldb::NewLRUCache(1 << 20));
  KeyText key(0);
  uint64_t number = 0;
  for (auto _ : state) {
    const std::string_view text = key.Of(number++);
    cache->Release(cache->Insert({text.data(), text.size()}, cache.get(), 4096, Nothing));
  }
  Count(state, 1);
}
BENCHMARK(CacheInsert);

void BloomCreate(benchmark::State& state) {
  const std::unique_ptr<const leveldb::FilterPolicy> policy(leveldb::NewBloomFilterPolicy(10));
  const Entries entries = MakeEntries(1000, 0);
  const std::vector<leveldb::Slice> keys = [&entries] {
    std::vector<leveldb::Slice> slices;
    for (const auto& entry : entries) slices.emplace_back(entry.first);
    return slices;
  }();
  std::string filter;
  for (auto _ : state) {
    filter.clear();
    policy->CreateFilter(keys.data(), static_cast<int>(keys.size()), &filter);
  }
  Count(state, keys.size());
}
BENCHMARK(BloomCreate);

void BloomMatch(benchmark::State& state) {
  const std::unique_ptr<const leveldb::FilterPolicy> policy(leveldb::NewBloomFilterPolicy(10));
  const leveldb::Slice one("0000000000000042");
  std::string filter;
  policy->CreateFilter(&one, 1, &filter);
  for (auto _ : state) benchmark::DoNotOptimize(policy->KeyMayMatch(one, filter));
  Count(state, 1);
}
BENCHMARK(BloomMatch);

std::string BuildTable(const leveldb::Options& options, const Entries& entries) {
  MemoryFile file;
  leveldb::TableBuilder builder(options, &file);
  for (const auto& [key, value] : entries) builder.Add(key, value);
  builder.Finish();
  return file.contents();
}

leveldb::Options TableOptions(benchmark::State& state) {
  leveldb::Options options;
  options.compression = state.range(0) == 0 ? leveldb::kNoCompression : leveldb::kSnappyCompression;
  return options;
}

void TableBuild(benchmark::State& state) {
  const leveldb::Options options = TableOptions(state);
  const Entries entries = MakeEntries(10'000, 100);
  for (auto _ : state) benchmark::DoNotOptimize(BuildTable(options, entries));
  Count(state, entries.size());
}
BENCHMARK(TableBuild)->ArgName("snappy")->Arg(0)->Arg(1)->Unit(benchmark::kMillisecond);

// An open table of 100,000 entries in memory, with its blocks in the cache if they fit.
class OpenTable {
 public:
  explicit OpenTable(benchmark::State& state)
      : cache_(leveldb::NewLRUCache(64 << 20)), entries_(MakeEntries(100'000, 100)) {
    leveldb::Options options = TableOptions(state);
    options.block_cache = cache_.get();
    const std::string contents = BuildTable(options, entries_);
    const uint64_t bytes = contents.size();
    file_ = std::make_unique<MemoryReader>(contents);
    leveldb::Table* table = nullptr;
    if (leveldb::Table::Open(options, file_.get(), bytes, &table).ok()) table_.reset(table);
    if (!table_) state.SkipWithError("the table does not open");
  }
  std::unique_ptr<leveldb::Iterator> NewIterator() const {
    return std::unique_ptr<leveldb::Iterator>(table_->NewIterator(leveldb::ReadOptions()));
  }
  const Entries& entries() const { return entries_; }

 private:
  const std::unique_ptr<leveldb::Cache> cache_;
  const Entries entries_;
  std::unique_ptr<MemoryReader> file_;
  std::unique_ptr<leveldb::Table> table_;
};

void TableSeek(benchmark::State& state) {
  const OpenTable table(state);
  const auto cursor = table.NewIterator();
  const std::vector<size_t> order = ShuffledNumbers(table.entries().size());
  size_t i = 0;
  for (auto _ : state) {
    cursor->Seek(table.entries()[order[i]].first);
    benchmark::DoNotOptimize(cursor->Valid());
    i = i + 1 < order.size() ? i + 1 : 0;
  }
  Count(state, 1);
}
BENCHMARK(TableSeek)->ArgName("snappy")->Arg(0)->Arg(1);

void TableScan(benchmark::State& state) {
  const OpenTable table(state);
  for (auto _ : state) {
    const auto cursor = table.NewIterator();
    for (cursor->SeekToFirst(); cursor->Valid(); cursor->Next()) {
      benchmark::DoNotOptimize(cursor->value().data());
    }
  }
  Count(state, table.entries().size());
}
BENCHMARK(TableScan)->ArgName("snappy")->Arg(0)->Arg(1)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace lull::bench
