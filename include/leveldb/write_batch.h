// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// The interface declared here is LevelDB's; see NOTICE.
//
// WriteBatch: a sequence of updates that a store applies as a unit. The last update of a key wins.
//
// Threads: const methods can run concurrently; a non-const method needs exclusive access.

#ifndef LULL_INCLUDE_LEVELDB_WRITE_BATCH_H_
#define LULL_INCLUDE_LEVELDB_WRITE_BATCH_H_

#include <string>

#include "leveldb/export.h"
#include "leveldb/status.h"

namespace leveldb {

class Slice;

class LEVELDB_EXPORT WriteBatch {
 public:
  // Receives the updates of a batch, one call per update. The slices are valid only during the
  // call.
  class LEVELDB_EXPORT Handler {
   public:
    virtual ~Handler();
    virtual void Put(const Slice& key, const Slice& value) = 0;
    virtual void Delete(const Slice& key) = 0;
  };

  WriteBatch();

  // Copies the updates.
  WriteBatch(const WriteBatch&) = default;
  WriteBatch& operator=(const WriteBatch&) = default;

  ~WriteBatch();

  // Adds an update that maps `key` to `value`. Copies both.
  void Put(const Slice& key, const Slice& value);

  // Adds an update that removes `key`; harmless if the store does not have it. Copies the key.
  void Delete(const Slice& key);

  // Removes all updates.
  void Clear();

  // Size of the batch in the log, in bytes. An empty batch has a small constant size.
  size_t ApproximateSize() const;

  // Adds the updates of `source` after those already here. Copies bytes: linear in the size of
  // `source`.
  void Append(const WriteBatch& source);

  // Calls `handler` for each update, in order. Corruption if the batch is malformed; the updates
  // before the damage were delivered.
  Status Iterate(Handler* handler) const;

 private:
  friend class WriteBatchInternal;

  std::string rep_;  // encoded as in the log
};

}  // namespace leveldb

#endif  // LULL_INCLUDE_LEVELDB_WRITE_BATCH_H_
