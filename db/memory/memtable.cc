// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "db/memory/memtable.h"

#include <vector>

namespace lull {
namespace {

class MemTableIterator final : public leveldb::Iterator {
 public:
  explicit MemTableIterator(const SkipList::Cursor& cursor) : cursor_(cursor) {}

  bool Valid() const override { return cursor_.Valid(); }
  void SeekToFirst() override { cursor_.SeekToFirst(); }
  void SeekToLast() override { cursor_.SeekToLast(); }
  void Seek(const leveldb::Slice& target) override { cursor_.Seek(target); }
  void Next() override { cursor_.Next(); }
  void Prev() override { cursor_.Prev(); }
  leveldb::Slice key() const override { return cursor_.key(); }
  leveldb::Slice value() const override { return cursor_.value(); }
  leveldb::Status status() const override { return leveldb::Status::OK(); }

 private:
  SkipList::Cursor cursor_;
};

}  // namespace

MemTable::MemTable(const KeyOrder& order, std::shared_ptr<BlockPool> pool)
    : arena_(std::move(pool)), list_(order, &arena_) {}

void MemTable::Add(SequenceNumber sequence, ValueKind kind, const leveldb::Slice& user_key,
                   const leveldb::Slice& value) {
  list_.Insert(user_key, PackTrailer(sequence, kind), value);
  entries_.store(entries_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  if (kind == ValueKind::kDeletion)
    deletions_.store(deletions_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
}

MemTable::Found MemTable::Get(const LookupKey& key, std::string* value) const {
  const std::optional<SkipList::Entry> found = list_.Find(key.internal_key());
  if (!found) return Found::kNothing;
  if (KindOf(found->trailer) == ValueKind::kDeletion) return Found::kDeleted;
  if (value != nullptr) value->assign(found->value.data(), found->value.size());
  return Found::kValue;
}

void MemTable::BuildFilter() {
  std::vector<uint32_t> hashes;
  hashes.reserve(EntryCount());
  SkipList::Cursor cursor(&list_, kMaxSequence, kMaxSequence);
  for (cursor.SeekToFirst(); cursor.Valid(); cursor.Next())
    hashes.push_back(KeyFilter::HashOf(UserKeyOf(cursor.key())));
  filter_.store(new KeyFilter(hashes), std::memory_order_release);
}

std::unique_ptr<leveldb::Iterator> MemTable::NewIterator(SequenceNumber oldest,
                                                         SequenceNumber newest) const {
  return std::make_unique<MemTableIterator>(SkipList::Cursor(&list_, oldest, newest));
}

}  // namespace lull
