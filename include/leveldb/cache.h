// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// The interface declared here is LevelDB's; see NOTICE.
//
// Cache: a bounded map from byte strings to objects in memory. A store keeps uncompressed blocks in
// it; several stores can share one. Thread-safe: any thread can call any method without a lock.
//
// Each entry has a charge, in the unit of the capacity (bytes, for a block cache). When the charges
// exceed the capacity, the cache evicts entries. An evicted entry stays alive until its last handle
// is released.

#ifndef LULL_INCLUDE_LEVELDB_CACHE_H_
#define LULL_INCLUDE_LEVELDB_CACHE_H_

#include <cstdint>

#include "leveldb/export.h"
#include "leveldb/slice.h"

namespace leveldb {

class LEVELDB_EXPORT Cache;

// Creates a cache that evicts the least recently used entry first. `capacity` is the limit on the
// sum of charges. Entries with a handle are not evicted, so the sum can exceed it. The caller
// deletes the result, after closing every store that uses it.
LEVELDB_EXPORT Cache* NewLRUCache(size_t capacity);

class LEVELDB_EXPORT Cache {
 public:
  Cache() = default;

  Cache(const Cache&) = delete;
  Cache& operator=(const Cache&) = delete;

  // Passes each remaining entry to its deleter.
  // REQUIRES: all handles are released.
  virtual ~Cache();

  // Represents one reference to an entry. Opaque: never dereference it.
  struct Handle {};

  // Maps `key` (copied) to `value`, replacing any earlier entry. Returns a reference, which the
  // caller must Release. After the entry is evicted, erased or replaced and its last handle is
  // released, deleter(key, value) runs once, in the thread that dropped the last reference.
  virtual Handle* Insert(const Slice& key, void* value, size_t charge,
                         void (*deleter)(const Slice& key, void* value)) = 0;

  // Returns a reference to the entry of `key`, which the caller must Release; nullptr if absent.
  virtual Handle* Lookup(const Slice& key) = 0;

  // Releases one reference.
  // REQUIRES: `handle` came from Insert or Lookup of this cache and is not released yet.
  virtual void Release(Handle* handle) = 0;

  // Returns the object of an entry; valid while the reference is held.
  // REQUIRES: as for Release.
  virtual void* Value(Handle* handle) = 0;

  // Removes the entry of `key`, if any. Its object stays alive until the last handle is released.
  virtual void Erase(const Slice& key) = 0;

  // Returns a number that this cache has never returned before. Each user of a shared cache puts
  // one before its keys, so that keys of different users cannot collide.
  virtual uint64_t NewId() = 0;

  // Evicts every entry without a handle, to free memory now. An implementation may ignore this
  // call.
  virtual void Prune() {}

  // Sum of the charges of all entries; approximate while other threads use the cache.
  virtual size_t TotalCharge() const = 0;

 private:
  // Unused. They keep the layout of this class, which is part of the binary interface.
  void LRU_Remove(Handle* e);
  void LRU_Append(Handle* e);
  void Unref(Handle* e);

  struct Rep;
  Rep* rep_;
};

}  // namespace leveldb

#endif  // LULL_INCLUDE_LEVELDB_CACHE_H_
