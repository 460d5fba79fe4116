// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "lull/read.h"

#include "db/read/readable.h"

namespace lull {
namespace {

leveldb::Iterator* IteratorWithin(leveldb::DB* db, const leveldb::ReadOptions& options,
                                  const KeyBounds& bounds, const char* function) {
  Readable* const store = Readables::Get().Find(db);
  if (store == nullptr) return leveldb::NewErrorIterator(NotOurs(function));
  return store->NewIterator(options, bounds).release();
}

}  // namespace

std::vector<leveldb::Status> MultiGet(leveldb::DB* db, const leveldb::ReadOptions& options,
                                      const std::vector<leveldb::Slice>& keys,
                                      std::vector<std::string>* values) {
  Readable* const store = Readables::Get().Find(db);
  if (store != nullptr) return store->MultiGet(options, keys, values);
  values->resize(keys.size());
  return {keys.size(), NotOurs("MultiGet")};
}

leveldb::Status Exists(leveldb::DB* db, const leveldb::ReadOptions& options,
                       const leveldb::Slice& key) {
  Readable* const store = Readables::Get().Find(db);
  return store == nullptr ? NotOurs("Exists") : store->Get(options, key, nullptr);
}

leveldb::Iterator* NewIterator(leveldb::DB* db, const leveldb::ReadOptions& options,
                               const leveldb::Slice* begin, const leveldb::Slice* end) {
  return IteratorWithin(db, options, KeyBounds::Of(begin, end), "NewIterator");
}

leveldb::Iterator* NewPrefixIterator(leveldb::DB* db, const leveldb::ReadOptions& options,
                                     const leveldb::Slice& prefix) {
  return IteratorWithin(db, options, KeyBounds::OfPrefix(prefix), "NewPrefixIterator");
}

}  // namespace lull
