// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Iterator: a cursor over sorted key-value pairs, of a store, a table or a part of one. It stands
// on an entry or nowhere. A store's iterator sees the store as it was when the iterator was made.
//
// One thread at a time: const methods may run beside each other, but nothing may run beside a
// non-const one.

#ifndef LULL_INCLUDE_LEVELDB_ITERATOR_H_
#define LULL_INCLUDE_LEVELDB_ITERATOR_H_

#include "leveldb/export.h"
#include "leveldb/slice.h"
#include "leveldb/status.h"

namespace leveldb {

class LEVELDB_EXPORT Iterator {
 public:
  Iterator();

  Iterator(const Iterator&) = delete;
  Iterator& operator=(const Iterator&) = delete;

  // Runs the registered clean-ups.
  virtual ~Iterator();

  // Whether it stands on an entry. False both at the end and after an error: status() tells which.
  virtual bool Valid() const = 0;

  // Goes to the smallest key, if there is any.
  virtual void SeekToFirst() = 0;

  // Goes to the largest key, if there is any.
  virtual void SeekToLast() = 0;

  // Goes to the smallest key that does not sort before `target`, if there is any.
  virtual void Seek(const Slice& target) = 0;

  // One entry forward; from the last one, to nowhere.
  // REQUIRES: Valid()
  virtual void Next() = 0;

  // One entry back; from the first one, to nowhere.
  // REQUIRES: Valid()
  virtual void Prev() = 0;

  // Key of the entry it stands on. The bytes may go away with the next call of a non-const method.
  // REQUIRES: Valid()
  virtual Slice key() const = 0;

  // Value of the entry it stands on; as short-lived as key().
  // REQUIRES: Valid()
  virtual Slice value() const = 0;

  // OK, or the first error met. Check it when Valid() turned false: a read error ends a scan early.
  virtual Status status() const = 0;

  // Has function(arg1, arg2) called by the destructor, to free what the iterator reads from. Any
  // number may be registered. Not virtual: every kind of iterator behaves the same here.
  using CleanupFunction = void (*)(void* arg1, void* arg2);
  void RegisterCleanup(CleanupFunction function, void* arg1, void* arg2);

 private:
  // A list of clean-ups whose first element lives in the iterator, since most iterators have one or
  // none.
  struct CleanupNode {
    // Only the first element can be empty.
    bool IsEmpty() const { return function == nullptr; }
    void Run() {
      assert(!IsEmpty());
      function(arg1, arg2);
    }

    CleanupFunction function;  // nullptr: empty
    void* arg1;
    void* arg2;
    CleanupNode* next;
  };
  CleanupNode cleanup_head_;
};

// An iterator over nothing, with an OK status. The caller owns it.
LEVELDB_EXPORT Iterator* NewEmptyIterator();

// An iterator over nothing that reports `status`. The caller owns it.
LEVELDB_EXPORT Iterator* NewErrorIterator(const Status& status);

}  // namespace leveldb

#endif  // LULL_INCLUDE_LEVELDB_ITERATOR_H_
