// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// WriteBatch: updates that take effect together, in the order they were added; of several for one
// key the last one wins. One thread at a time: const methods may run beside each other, but nothing
// may run beside a non-const one.

#ifndef LULL_INCLUDE_LEVELDB_WRITE_BATCH_H_
#define LULL_INCLUDE_LEVELDB_WRITE_BATCH_H_

#include <string>

#include "leveldb/export.h"
#include "leveldb/status.h"

namespace leveldb {

class Slice;

class LEVELDB_EXPORT WriteBatch {
 public:
  // Receives the updates of a batch, one call each. The slices live only as long as the call.
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

  // Adds "map `key` to `value`". Both are copied.
  void Put(const Slice& key, const Slice& value);

  // Adds "remove `key`", which is harmless if the store does not have it. The key is copied.
  void Delete(const Slice& key);

  // Drops all updates.
  void Clear();

  // Bytes of the batch as it will stand in the log; an empty batch has a small constant size.
  size_t ApproximateSize() const;

  // Adds the updates of `source` after those here, by copying bytes: linear in the size of
  // `source`.
  void Append(const WriteBatch& source);

  // Replays the updates in order into `handler`. Corruption if the bytes of the batch make no
  // sense; the updates before that point were delivered.
  Status Iterate(Handler* handler) const;

 private:
  friend class WriteBatchInternal;

  std::string rep_;  // the form in which it goes to the log
};

}  // namespace leveldb

#endif  // LULL_INCLUDE_LEVELDB_WRITE_BATCH_H_
