// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.

#ifndef LULL_INCLUDE_LEVELDB_FILTER_POLICY_H_
#define LULL_INCLUDE_LEVELDB_FILTER_POLICY_H_

#include <string>

#include "leveldb/export.h"

namespace leveldb {

class Slice;

// Makes small summaries of key sets. Tables store them, and a read first asks the summary whether
// it is worth going to the disk for a key. Called from many threads at once; an object handed to a
// store must outlive it.
class LEVELDB_EXPORT FilterPolicy {
 public:
  virtual ~FilterPolicy();

  // Stored beside each filter. A filter whose stored name differs is ignored, so a change of the
  // encoding needs a new name.
  virtual const char* Name() const = 0;

  // Appends the filter for the `n` keys at `keys` to *dst, leaving the bytes already there alone.
  // The keys are in comparator order and may repeat.
  virtual void CreateFilter(const Slice* keys, int n, std::string* dst) const = 0;

  // True if `key` was among the keys that `filter` was made from; for other keys it ought to be
  // false nearly always. `filter` comes from a file and may be damaged: answer true if it makes no
  // sense.
  virtual bool KeyMayMatch(const Slice& key, const Slice& filter) const = 0;
};

// A Bloom filter of about `bits_per_key` bits a key; 10 bits let roughly one absent key in a
// hundred through. The caller owns the result and deletes it after the stores that use it are
// closed.
//
// It hashes whole keys: a comparator that calls different byte strings equal needs a policy of its
// own, which ignores the same differences.
LEVELDB_EXPORT const FilterPolicy* NewBloomFilterPolicy(int bits_per_key);

}  // namespace leveldb

#endif  // LULL_INCLUDE_LEVELDB_FILTER_POLICY_H_
