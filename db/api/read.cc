// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "lull/read.h"

#include <utility>

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
  KeyBounds bounds;
  if (begin != nullptr) bounds.begin = begin->ToString();
  if (end != nullptr) bounds.end = end->ToString();
  return IteratorWithin(db, options, bounds, "NewIterator");
}

leveldb::Iterator* NewPrefixIterator(leveldb::DB* db, const leveldb::ReadOptions& options,
                                     const leveldb::Slice& prefix) {
  KeyBounds bounds;
  bounds.begin = prefix.ToString();
  std::string end = prefix.ToString();
  // The next prefix: without bytes 0xff at its end, and one more in the last of the others.
  while (!end.empty() && static_cast<unsigned char>(end.back()) == 0xff) end.pop_back();
  if (!end.empty()) {
    end.back() = static_cast<char>(static_cast<unsigned char>(end.back()) + 1);
    bounds.end = std::move(end);
  }
  return IteratorWithin(db, options, bounds, "NewPrefixIterator");
}

}  // namespace lull
