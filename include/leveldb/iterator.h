// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// The interface declared here is LevelDB's; see NOTICE.
//
// Iterator: a cursor over the sorted entries of a store, a table or a part of one. Valid() says
// whether it has a current entry. A store's iterator reads the store as of its snapshot, or as of
// its creation.
//
// Threads: const methods can run concurrently; a non-const method needs exclusive access.

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

  // Calls the registered cleanup functions.
  virtual ~Iterator();

  // True if positioned at an entry. False before the first Seek, past either end, and after an
  // error; status() distinguishes the last case.
  virtual bool Valid() const = 0;

  // Moves to the smallest key, if any.
  virtual void SeekToFirst() = 0;

  // Moves to the largest key, if any.
  virtual void SeekToLast() = 0;

  // Moves to the smallest key at or after `target`, if any.
  virtual void Seek(const Slice& target) = 0;

  // Advances by one entry; becomes not Valid() after the last one.
  // REQUIRES: Valid()
  virtual void Next() = 0;

  // Goes back by one entry; becomes not Valid() before the first one.
  // REQUIRES: Valid()
  virtual void Prev() = 0;

  // Key of the current entry. Its bytes are valid until the next non-const call.
  // REQUIRES: Valid()
  virtual Slice key() const = 0;

  // Value of the current entry. Its bytes are valid until the next non-const call.
  // REQUIRES: Valid()
  virtual Slice value() const = 0;

  // OK, or the first error. Check it when Valid() becomes false: a read error ends a scan early.
  virtual Status status() const = 0;

  // Registers function(arg1, arg2) for the destructor to call, for example to free what the
  // iterator reads from. Can be called any number of times.
  using CleanupFunction = void (*)(void* arg1, void* arg2);
  void RegisterCleanup(CleanupFunction function, void* arg1, void* arg2);

 private:
  // A list of cleanups. Its first element, empty if there are none, is part of the iterator: most
  // iterators have at most one.
  struct CleanupNode {
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

// Returns an iterator without entries and with status OK. The caller deletes it.
LEVELDB_EXPORT Iterator* NewEmptyIterator();

// Returns an iterator without entries and with the given status. The caller deletes it.
LEVELDB_EXPORT Iterator* NewErrorIterator(const Status& status);

}  // namespace leveldb

#endif  // LULL_INCLUDE_LEVELDB_ITERATOR_H_
