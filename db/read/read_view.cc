// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "db/read/read_view.h"

#include <optional>

#include "table/merging_iterator.h"

namespace lull {
namespace {

/// The state of a search through the tables.
struct TableSearch {
  const KeyOrder* order;
  leveldb::Slice user_key;
  std::string* value;
  enum class State { kNothing, kValue, kDeleted, kCorrupt } state = State::kNothing;
  uint64_t entries_seen = 0;  // one per table in which a block was searched

  static void Visit(void* arg, const leveldb::Slice& key, const leveldb::Slice& value) {
    auto* search = static_cast<TableSearch*>(arg);
    ++search->entries_seen;
    ParsedInternalKey found;
    if (!ParseInternalKey(key, &found)) {
      search->state = State::kCorrupt;
    } else if (search->order->CompareUser(found.user_key, search->user_key) == 0) {
      search->state = found.kind == ValueKind::kValue ? State::kValue : State::kDeleted;
      if (found.kind == ValueKind::kValue) search->value->assign(value.data(), value.size());
    }
  }
};

}  // namespace

BlockReadOptions HowToRead(const leveldb::ReadOptions& options, const leveldb::Options& store) {
  BlockReadOptions read;
  read.verify_checksums = options.verify_checksums || store.paranoid_checks;
  read.fill_cache = options.fill_cache;
  read.skip_damaged_blocks = true;
  return read;
}

leveldb::Status ReadView::Get(TableCache* tables, const BlockReadOptions& options,
                              const LookupKey& key, std::string* value, uint64_t* l0_misses) const {
  MemTable::Found found = active_->Get(key, value);
  for (size_t i = 0; found == MemTable::Found::kNothing && i < immutables_.size(); ++i) {
    found = immutables_[i]->Get(key, value);
  }
  if (found == MemTable::Found::kValue) return leveldb::Status::OK();
  if (found == MemTable::Found::kDeleted) return leveldb::Status::NotFound(leveldb::Slice());

  const KeyOrder& order = version_->order();
  TableSearch search{&order, key.user_key(), value};
  const auto settled = [&](TableFile* file, leveldb::Status* status) {
    *status = tables->Get(file, options, key.internal_key(), &search, &TableSearch::Visit);
    // A missing file does not mean that the key is missing.
    if (status->IsNotFound()) {
      *status =
          leveldb::Status::IOError("table " + std::to_string(file->number()), status->ToString());
    }
    if (status->ok() && search.state == TableSearch::State::kCorrupt) {
      *status = leveldb::Status::Corruption("entry with a malformed key in table",
                                            std::to_string(file->number()));
    }
    return !status->ok() || search.state != TableSearch::State::kNothing;
  };

  leveldb::Status status;
  bool done = false;
  std::optional<KeyFilter::Query> query;  // hashed once, for the first table with a filter
  const auto excludes = [&](const TableFile& file) {
    const KeyFilter* const filter = file.key_filter.load(std::memory_order_acquire);
    if (filter == nullptr) return false;
    if (!query) query.emplace(key.user_key());
    return !filter->MayContain(*query);
  };
  for (const TableRef& file : version_->level(0)) {
    if (excludes(*file)) continue;
    if (order.CompareUser(key.user_key(), file->smallest_user()) < 0) continue;
    if (order.CompareUser(key.user_key(), file->largest_user()) > 0) continue;
    if ((done = settled(file.get(), &status))) break;
  }
  if (l0_misses != nullptr && search.entries_seen > 0)
    *l0_misses += search.entries_seen - (done ? 1 : 0);
  for (int level = 1; !done && level < kLevels; ++level) {
    if (version_->TableCount(level) == 0) continue;
    const size_t at = version_->FindTable(level, key.internal_key());
    if (at == version_->level(level).size()) continue;
    TableFile* const file = version_->level(level)[at].get();
    if (order.CompareUser(key.user_key(), file->smallest_user()) < 0) continue;
    if (excludes(*file)) continue;
    done = settled(file, &status);
  }
  if (status.ok() && search.state != TableSearch::State::kValue)
    return leveldb::Status::NotFound(leveldb::Slice());
  return status;
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

std::unique_ptr<leveldb::Iterator> ReadView::NewIterator(const OpenTableIterator& open) {
  std::vector<std::unique_ptr<leveldb::Iterator>> children;
  // Entries added to an empty memtable from now on are newer than the iterator's sequence.
  if (active_->EntryCount() > 0) children.push_back(active_->NewIterator());
  for (const MemTableRef& memtable : immutables_) children.push_back(memtable->NewIterator());
  for (const TableRef& file : version_->level(0)) children.push_back(open(file.get()));
  for (int level = 1; level < kLevels; ++level) {
    if (version_->TableCount(level) == 0) continue;
    children.push_back(
        NewLevelIterator(version_->order(), version_->level(level), open, OnError::kSkip));
  }
  std::unique_ptr<leveldb::Iterator> merged =
      NewMergingIterator(version_->order(), std::move(children), OnError::kSkip);
  Ref();
  merged->RegisterCleanup([](void* view, void*) { static_cast<ReadView*>(view)->Unref(); }, this,
                          nullptr);
  return merged;
}

size_t ReadView::KeyFilterBytes() const {
  size_t bytes = 0;
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
