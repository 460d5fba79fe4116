// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// The interface declared here is LevelDB's; see NOTICE.

#ifndef LULL_INCLUDE_LEVELDB_COMPARATOR_H_
#define LULL_INCLUDE_LEVELDB_COMPARATOR_H_

#include <string>

#include "leveldb/export.h"

namespace leveldb {

class Slice;

// The order of keys. It must be a total order, and the same in every process that opens the store.
// Many threads call a comparator at once, so its methods must be thread-safe. A comparator must
// outlive the stores that use it.
class LEVELDB_EXPORT Comparator {
 public:
  virtual ~Comparator();

  // Negative if `a` sorts before `b`, zero if they are the same key, positive if `a` sorts after
  // `b`.
  virtual int Compare(const Slice& a, const Slice& b) const = 0;

  // The store records this name at creation; opening it with a comparator of another name fails.
  // Change the name with every change that can reorder two keys. Names that begin with "leveldb."
  // are reserved for the library.
  virtual const char* Name() const = 0;

  // The two methods below shorten the keys in table indexes. A method that changes nothing is also
  // correct, but makes larger indexes.

  // If *start sorts before `limit`, may replace *start with a shorter key k, *start <= k < limit.
  virtual void FindShortestSeparator(std::string* start, const Slice& limit) const = 0;

  // May replace *key with a shorter key that sorts at or after it.
  virtual void FindShortSuccessor(std::string* key) const = 0;
};

// Orders keys as strings of unsigned bytes; a prefix sorts before its extensions. Always returns
// the same object, which the library owns.
LEVELDB_EXPORT const Comparator* BytewiseComparator();

}  // namespace leveldb

#endif  // LULL_INCLUDE_LEVELDB_COMPARATOR_H_
