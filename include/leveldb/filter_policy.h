// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// The interface declared here is LevelDB's; see NOTICE.

#ifndef LULL_INCLUDE_LEVELDB_FILTER_POLICY_H_
#define LULL_INCLUDE_LEVELDB_FILTER_POLICY_H_

#include <string>

#include "leveldb/export.h"

namespace leveldb {

class Slice;

// Builds filters: small summaries of key sets, stored in tables. A read checks the filter first and
// skips the disk read if the key is certainly absent. Many threads call a policy at once, so its
// methods must be thread-safe. A policy must outlive the stores that use it.
class LEVELDB_EXPORT FilterPolicy {
 public:
  virtual ~FilterPolicy();

  // Stored with each filter. Filters with another name are ignored, so change the name when you
  // change the encoding.
  virtual const char* Name() const = 0;

  // Appends a filter for the `n` keys at `keys` to *dst; keeps the bytes already there. The keys
  // are in comparator order and can repeat.
  virtual void CreateFilter(const Slice* keys, int n, std::string* dst) const = 0;

  // Must return true if `key` was one of the keys that `filter` was built from. For other keys it
  // should almost always return false. `filter` comes from a file: return true if it is malformed.
  virtual bool KeyMayMatch(const Slice& key, const Slice& filter) const = 0;
};

// A Bloom filter with about `bits_per_key` bits per key. With 10 bits, about 1% of absent keys
// pass. The caller deletes the result, after closing the stores that use it.
//
// It hashes whole keys. A comparator that treats different byte strings as equal needs a policy
// that ignores the same differences.
LEVELDB_EXPORT const FilterPolicy* NewBloomFilterPolicy(int bits_per_key);

}  // namespace leveldb

#endif  // LULL_INCLUDE_LEVELDB_FILTER_POLICY_H_
