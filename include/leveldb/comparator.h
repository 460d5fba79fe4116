// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.

#ifndef LULL_INCLUDE_LEVELDB_COMPARATOR_H_
#define LULL_INCLUDE_LEVELDB_COMPARATOR_H_

#include <string>

#include "leveldb/export.h"

namespace leveldb {

class Slice;

// The order of keys: a total order, the same in every process that opens the store. Called from
// many threads at once, so implementations must not change anything they share. An object handed to
// a store must outlive it.
class LEVELDB_EXPORT Comparator {
 public:
  virtual ~Comparator();

  // Negative when `a` sorts before `b`, zero when they are the same key, positive when `a` sorts
  // after `b`.
  virtual int Compare(const Slice& a, const Slice& b) const = 0;

  // Recorded in the store when it is created; opening it with a comparator of another name fails.
  // Choose a new name whenever a change can swap the order of two keys. Names that begin with
  // "leveldb." belong to the library.
  virtual const char* Name() const = 0;

  // The two functions below shorten keys in table indexes. Leaving the argument as it is is always
  // correct; the indexes are then merely larger.

  // If *start sorts before `limit`, may replace *start by a shorter key k with *start <= k < limit.
  virtual void FindShortestSeparator(std::string* start, const Slice& limit) const = 0;

  // May replace *key by a shorter one that does not sort before it.
  virtual void FindShortSuccessor(std::string* key) const = 0;
};

// Orders keys as strings of unsigned bytes, a prefix before its extensions. One object for the
// whole process; the library owns it.
LEVELDB_EXPORT const Comparator* BytewiseComparator();

}  // namespace leveldb

#endif  // LULL_INCLUDE_LEVELDB_COMPARATOR_H_
