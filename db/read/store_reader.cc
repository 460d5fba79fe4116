// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "db/read/store_reader.h"

#include <utility>

#include "db/read/db_iterator.h"
#include "scheduler/policy.h"
#include "util/key_filter.h"

namespace lull {

StoreReader::StoreReader(const StoreContext* context, std::function<void()> on_retired)
    : context_(context),
      on_retired_(std::move(on_retired)),
      tables_(context, &grace_, on_retired_),
      empty_ranges_(context->order, &grace_, on_retired_) {}

StoreReader::Moment StoreReader::MomentOf(const leveldb::ReadOptions& options) const {
  ReadView* const view = view_.load(std::memory_order_acquire);
  if (options.snapshot == nullptr) return {view, published()};
  const auto* const snapshot = static_cast<const StoreSnapshot*>(options.snapshot);
  ReadView* const kept = snapshot->kept_view();
  return {kept != nullptr ? kept : view, snapshot->sequence(), kept != nullptr};
}

leveldb::Status StoreReader::Get(const leveldb::ReadOptions& options, const leveldb::Slice& key,
                                 std::string* value) {
  const GraceGuard guard(grace_);
  const Moment at = MomentOf(options);
  ReadCall counts(&counts_);
  BlockReadOptions read = HowToRead(options, context_->options);
  read.counts = counts.data();
  leveldb::Status status = at.view->Get(&tables_, read, LookupKey(key, at.sequence), value);
  if (status.ok() && value != nullptr) counts[kBytesReturned] += value->size();
  return status;
}

std::vector<leveldb::Status> StoreReader::MultiGet(const leveldb::ReadOptions& options,
                                                   std::span<const leveldb::Slice> keys,
                                                   std::vector<std::string>* values) {
  const GraceGuard guard(grace_);
  const Moment at = MomentOf(options);
  ReadCall counts(&counts_);
  BlockReadOptions read = HowToRead(options, context_->options);
  read.counts = counts.data();
  return at.view->MultiGet(&tables_, read, keys, at.sequence, values);
}

std::unique_ptr<leveldb::Iterator> StoreReader::NewIterator(const leveldb::ReadOptions& options,
                                                            const KeyBounds& bounds) {
  const GraceGuard guard(grace_);
  const Moment at = MomentOf(options);
  auto reads = std::make_unique<IteratorReads>(&counts_, HowToRead(options, context_->options));
  // An iterator searches all L0 tables, where one table would suffice.
  if (const int tables = at.view->L0TablesIn(bounds); tables > 1)
    counts_.Add(kL0TablesWithoutKey, kMissesOfASeek * static_cast<uint64_t>(tables - 1));
  std::unique_ptr<leveldb::Iterator> entries =
      at.view->NewIterator(&tables_, reads->options(), at.sequence, bounds);
  // A range can be empty at the same sequence in the store's view, but not in a snapshot's.
  return NewDbIterator(context_->order, std::move(entries), at.sequence, std::move(reads),
                       at.is_kept ? nullptr : &empty_ranges_, bounds);
}

uint64_t StoreReader::ApproximateBytes(const leveldb::Range& range) {
  const GraceGuard guard(grace_);
  return view_.load(std::memory_order_acquire)->ApproximateBytes(&tables_, range);
}

void StoreReader::PublishView(const MemTables& memtables, VersionRef version) {
  auto* const view =
      new ReadView(memtables.active(), memtables.ImmutablesNewestFirst(), std::move(version));
  ReadView* const previous = view_.exchange(view, std::memory_order_acq_rel);
  if (previous == nullptr) return;
  grace_.Retire([previous] { previous->Unref(); });
  on_retired_();
}

void StoreReader::DropKeyFilters(const std::vector<TableRef>& tables) {
  for (const TableRef& table : tables) {
    const KeyFilter* const filter = table->key_filter.exchange(nullptr, std::memory_order_relaxed);
    if (filter != nullptr) grace_.Retire([filter] { delete filter; });
  }
}

void StoreReader::OpenAhead(const Version& version, const std::vector<TableMeta>& tables) {
  const uint64_t reads = counts_.Sum(kTablesSearched) + counts_.Sum(kIteratorsOpened);
  if (std::exchange(table_reads_, reads) != reads) tables_.OpenAhead(version, tables);
}

std::optional<uint64_t> StoreReader::FilterMemTables() {
  constexpr size_t kBytesMax = 16 << 20;  // takes some milliseconds
  if (!context_->order.bytewise()) return std::nullopt;
  const GraceGuard guard(grace_);
  MemTable* newest = nullptr;  // the others are flushed first
  size_t missing = 0;
  for (const MemTableRef& memtable : view_.load(std::memory_order_acquire)->immutables()) {
    if (memtable->filter() != nullptr || memtable->MemoryBytes() > kBytesMax) continue;
    if (missing++ == 0) newest = memtable.get();
  }
  if (newest == nullptr) return std::nullopt;
  const uint64_t gets = counts_.Sum(kGetsEndedInMemory) + counts_.Sum(kTablesSearched) +
                        counts_.Sum(kGetsOfAbsentKeys);
  if (std::exchange(gets_, gets) == gets) return std::nullopt;
  newest->BuildFilter();
  return missing > 1 ? std::optional<uint64_t>(0) : std::nullopt;
}

void StoreReader::Close() {
  if (ReadView* const view = view_.exchange(nullptr)) view->Unref();
}

}  // namespace lull
