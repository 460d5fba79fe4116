// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "db/read/read_view.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <span>

#include "db/read/read_counts.h"
#include "db/version/tables_within.h"
#include "table/merging_iterator.h"
#include "util/key_filter.h"
#include "util/profiled_part.h"

namespace lull {

/// The key of a get, hashed for the first filter that is asked.
class FilterQuery {
 public:
  explicit FilterQuery(const leveldb::Slice& user_key) : user_key_(user_key) {}
  /// Whether the filter, if there is one, lets the key through.
  bool Passes(const KeyFilter* filter) {
    if (filter == nullptr) return true;
    if (!query_) query_.emplace(user_key_);
    return filter->MayContain(*query_);
  }

 private:
  const leveldb::Slice user_key_;
  std::optional<KeyFilter::Query> query_;
};

namespace {

/// A search for one key through the tables of a Version, newest first.
class TableSearch {
 public:
  TableSearch(TableCache* tables, const BlockReadOptions& options, const KeyOrder& order,
              const LookupKey& key, FilterQuery* query, std::string* value)
      : tables_(tables),
        options_(options),
        counts_(options.counts),
        order_(order),
        key_(key),
        query_(query),
        value_(value) {}

  /// False if the table's filter in memory excludes the key.
  bool MayHave(const TableFile& file) {
    const KeyFilter* const filter = file.key_filter.load(std::memory_order_acquire);
    has_filter_ = filter != nullptr;
    if (!has_filter_) return true;
    ++filter_checks_;
    if (!query_->Passes(filter)) return false;
    ++filter_passes_;
    return true;
  }

  /// Returns whether the search has ended. REQUIRES: MayHave(*file) was the last call.
  bool Search(TableFile* file) {
    const uint64_t searched = counts_[kTablesSearched];
    const uint64_t passes = counts_[kFilterPasses];
    status_ = tables_->Get(file, options_, key_.internal_key(), this, &TableSearch::Visit);
    if (state_ == State::kNothing && counts_[kTablesSearched] > searched &&
        (has_filter_ || counts_[kFilterPasses] > passes))
      counts_[kFilterFalsePasses] += 1;
    // A missing file does not mean that the key is missing.
    if (status_.IsNotFound()) {
      status_ =
          leveldb::Status::IOError("table " + std::to_string(file->number()), status_.ToString());
    }
    if (status_.ok() && state_ == State::kCorrupt) {
      status_ = leveldb::Status::Corruption("entry with a malformed key in table",
                                            std::to_string(file->number()));
    }
    return !status_.ok() || state_ != State::kNothing;
  }

  const leveldb::Status& status() const { return status_; }
  bool has_value() const { return state_ == State::kValue; }
  /// The number of tables in which a block was searched.
  uint64_t entries_seen() const { return entries_seen_; }
  void CountFilters() const {
    if (filter_checks_ == 0) return;
    counts_[kKeyFilterChecks] += filter_checks_;
    counts_[kKeyFilterPasses] += filter_passes_;
  }

 private:
  enum class State { kNothing, kValue, kDeleted, kCorrupt };

  static void Visit(void* arg, const leveldb::Slice& key, const leveldb::Slice& value) {
    auto* search = static_cast<TableSearch*>(arg);
    ++search->entries_seen_;
    ParsedInternalKey found;
    if (!ParseInternalKey(key, &found)) {
      search->state_ = State::kCorrupt;
    } else if (search->order_.CompareUser(found.user_key, search->key_.user_key()) == 0) {
      search->state_ = found.kind == ValueKind::kValue ? State::kValue : State::kDeleted;
      if (found.kind == ValueKind::kValue && search->value_ != nullptr)
        search->value_->assign(value.data(), value.size());
    }
  }

  TableCache* const tables_;
  const BlockReadOptions& options_;
  OwnedCounter* const counts_;
  const KeyOrder& order_;
  const LookupKey& key_;
  FilterQuery* const query_;
  std::string* const value_;
  bool has_filter_ = false;  // of the last call of MayHave
  uint64_t filter_checks_ = 0;
  uint64_t filter_passes_ = 0;
  leveldb::Status status_;
  State state_ = State::kNothing;
  uint64_t entries_seen_ = 0;
};

}  // namespace

BlockReadOptions HowToRead(const leveldb::ReadOptions& options, const leveldb::Options& store) {
  BlockReadOptions read;
  read.verify_checksums = options.verify_checksums || store.paranoid_checks;
  read.fill_cache = options.fill_cache;
  read.skip_damaged_blocks = true;
  return read;
}

MemTable::Found ReadView::FindInMemory(const LookupKey& key, FilterQuery* query,
                                       std::string* value) const {
  const ProfiledPart part(CallPart::kMemTableFind);
  MemTable::Found found = active_->Get(key, value);
  for (size_t i = 0; found == MemTable::Found::kNothing && i < immutables_.size(); ++i) {
    if (query->Passes(immutables_[i]->filter())) found = immutables_[i]->Get(key, value);
  }
  return found;
}

leveldb::Status ReadView::Get(TableCache* tables, const BlockReadOptions& options,
                              const LookupKey& key, std::string* value) const {
  OwnedCounter* const counts = options.counts;
  FilterQuery query(key.user_key());
  const MemTable::Found found = FindInMemory(key, &query, value);
  if (found != MemTable::Found::kNothing) counts[kGetsEndedInMemory] += 1;
  if (found == MemTable::Found::kValue) return leveldb::Status::OK();
  if (found == MemTable::Found::kDeleted) {
    counts[kGetsEndedWithoutValue] += 1;
    return leveldb::Status::NotFound(leveldb::Slice());
  }

  const KeyOrder& order = version_->order();
  TableSearch search(tables, options, order, key, &query, value);
  const auto is_before = [&](const TableFile& file) {
    return order.CompareUser(key.user_key(), file.smallest_user()) < 0;
  };
  bool done = false;
  for (const TableRef& file : version_->level(0)) {
    // Most tables of L0 span most keys, so the filter comes first.
    if (!search.MayHave(*file) || is_before(*file)) continue;
    if (order.CompareUser(key.user_key(), file->largest_user()) > 0) continue;
    if ((done = search.Search(file.get()))) break;
  }
  if (search.entries_seen() > 0) counts[kL0TablesWithoutKey] += search.entries_seen() - done;
  int level = done ? 0 : 1;
  for (; !done && level < kLevels; ++level) {
    if (version_->TableCount(level) == 0) continue;
    const size_t at = version_->FindTable(level, key.internal_key());
    if (at == version_->level(level).size()) continue;
    TableFile* const file = version_->level(level)[at].get();
    if (is_before(*file) || !search.MayHave(*file)) continue;
    if ((done = search.Search(file))) break;
  }
  search.CountFilters();
  counts[done ? kGetsEndedInLevel + static_cast<size_t>(level) : kGetsOfAbsentKeys] += 1;
  if (search.status().ok() && search.has_value()) return leveldb::Status::OK();
  if (done) counts[kGetsEndedWithoutValue] += 1;
  return search.status().ok() ? leveldb::Status::NotFound(leveldb::Slice()) : search.status();
}

std::vector<leveldb::Status> ReadView::MultiGet(TableCache* tables, const BlockReadOptions& options,
                                                std::span<const leveldb::Slice> keys,
                                                SequenceNumber sequence,
                                                std::vector<std::string>* values) const {
  std::vector<leveldb::Status> statuses(keys.size());
  values->resize(keys.size());
  std::vector<size_t> sorted(keys.size());
  std::iota(sorted.begin(), sorted.end(), size_t{0});
  std::ranges::stable_sort(sorted, [&](size_t a, size_t b) {
    return version_->order().CompareUser(keys[a], keys[b]) < 0;
  });
  const uint64_t file_reads = options.counts[kBlocksFromFile];
  bool prefetches = true;
  for (size_t n = 0; n < sorted.size(); ++n) {
    const size_t i = sorted[n];
    statuses[i] = Get(tables, options, LookupKey(keys[i], sequence), &(*values)[i]);
    if (statuses[i].ok()) options.counts[kBytesReturned] += (*values)[i].size();
    if (!prefetches || options.counts[kBlocksFromFile] == file_reads) continue;
    prefetches = false;
    for (const size_t next : std::span(sorted).subspan(n + 1))
      Prefetch(tables, options, LookupKey(keys[next], sequence));
  }
  return statuses;
}

/// Begins to read the blocks that Get of `key` would read.
void ReadView::Prefetch(TableCache* tables, const BlockReadOptions& options,
                        const LookupKey& key) const {
  ReadCounts::Counters unreported{};
  BlockReadOptions prefetch = options;
  prefetch.prefetches = true;
  prefetch.counts = unreported.data();
  (void)Get(tables, prefetch, key, nullptr);
}

uint64_t ReadView::ApproximateOffsetOf(TableCache* tables,
                                       const leveldb::Slice& internal_key) const {
  const KeyOrder& order = version_->order();
  uint64_t offset = 0;
  for (int level = 0; level < kLevels; ++level) {
    for (const TableRef& file : version_->level(level)) {
      if (order.Compare(file->largest(), internal_key) <= 0) {
        offset += file->file_bytes();
      } else if (order.Compare(file->smallest(), internal_key) < 0) {
        offset += tables->ApproximateOffsetOf(file.get(), internal_key);
      }
    }
  }
  return offset;
}

uint64_t ReadView::ApproximateBytes(TableCache* tables, const leveldb::Range& range) const {
  const std::string start = MakeInternalKey(range.start, kMaxSequence, kKindForSeek);
  const std::string limit = MakeInternalKey(range.limit, kMaxSequence, kKindForSeek);
  const uint64_t before = ApproximateOffsetOf(tables, start);
  const uint64_t until = ApproximateOffsetOf(tables, limit);
  uint64_t bytes = active_->ApproximateBytes(start, limit);
  for (const MemTableRef& memtable : immutables_) bytes += memtable->ApproximateBytes(start, limit);
  return bytes + (until > before ? until - before : 0);
}

std::unique_ptr<leveldb::Iterator> ReadView::NewIterator(const OpenTableIterator& open,
                                                         SequenceNumber sequence,
                                                         const KeyBounds& bounds) {
  const KeyOrder& order = version_->order();
  std::vector<std::unique_ptr<leveldb::Iterator>> children;
  // Entries added to an empty memtable from now on are newer than the iterator's sequence.
  if (active_->EntryCount() > 0) children.push_back(active_->NewIterator(sequence, sequence));
  for (const MemTableRef& memtable : immutables_)
    children.push_back(memtable->NewIterator(sequence, sequence));
  for (const TableRef& file : version_->level(0)) {
    if (Touches(order, *file, bounds)) children.push_back(open(file.get()));
  }
  for (int level = 1; level < kLevels; ++level) {
    const std::span<const TableRef> tables = TablesWithin(order, version_->level(level), bounds);
    if (!tables.empty()) children.push_back(NewLevelIterator(order, tables, open, OnError::kSkip));
  }
  std::unique_ptr<leveldb::Iterator> merged =
      NewMergingIterator(order, std::move(children), OnError::kSkip);
  Ref();
  merged->RegisterCleanup([](void* view, void*) { static_cast<ReadView*>(view)->Unref(); }, this,
                          nullptr);
  return merged;
}

int ReadView::L0TablesIn(const KeyBounds& bounds) const {
  const std::vector<TableRef>& tables = version_->level(0);
  return static_cast<int>(std::count_if(tables.begin(), tables.end(), [&](const TableRef& file) {
    return Touches(version_->order(), *file, bounds);
  }));
}

size_t ReadView::KeyFilterBytes() const {
  size_t bytes = 0;
  for (const MemTableRef& memtable : immutables_) {
    if (const KeyFilter* const filter = memtable->filter()) bytes += filter->MemoryBytes();
  }
  for (int level = 0; level < kLevels; ++level) {
    for (const TableRef& file : version_->level(level)) {
      const KeyFilter* const filter = file->key_filter.load(std::memory_order_acquire);
      if (filter != nullptr) bytes += filter->MemoryBytes();
    }
  }
  return bytes;
}

size_t ReadView::MemoryBytes() const {
  size_t bytes = active_->MemoryBytes() + KeyFilterBytes();
  for (const MemTableRef& memtable : immutables_) bytes += memtable->MemoryBytes();
  return bytes;
}

}  // namespace lull
