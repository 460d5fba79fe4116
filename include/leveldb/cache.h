// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Cache: a bounded map from byte strings to objects in memory. The store keeps uncompressed blocks
// in one; several stores may share it. Every method may be called from any thread at any time,
// without a lock of the caller's.
//
// An entry carries a charge, in whatever unit the capacity is given in (bytes, for block caches).
// Entries leave on their own when the charges exceed the capacity; one that somebody still holds a
// handle to stays alive until the last handle is given back.

#ifndef LULL_INCLUDE_LEVELDB_CACHE_H_
#define LULL_INCLUDE_LEVELDB_CACHE_H_

#include <cstdint>

#include "leveldb/export.h"
#include "leveldb/slice.h"

namespace leveldb {

class LEVELDB_EXPORT Cache;

// A cache that lets go of the entry unused for longest. `capacity` is the sum of charges it aims to
// stay below. The caller owns the result and deletes it after every store that was given it has
// been closed.
LEVELDB_EXPORT Cache* NewLRUCache(size_t capacity);

class LEVELDB_EXPORT Cache {
 public:
  Cache() = default;

  Cache(const Cache&) = delete;
  Cache& operator=(const Cache&) = delete;

  // Hands each remaining entry to the deleter it was inserted with. No handle may be outstanding.
  virtual ~Cache();

  // Stands for one reference to an entry. Never dereferenced by callers.
  struct Handle {};

  // Puts `value` under `key` (the key is copied), replacing what was there, and returns a reference
  // that the caller must Release. When neither the cache nor any handle needs the entry any more,
  // deleter(key, value) runs once, in whichever thread dropped the last reference.
  virtual Handle* Insert(const Slice& key, void* value, size_t charge,
                         void (*deleter)(const Slice& key, void* value)) = 0;

  // Finds `key`: a reference for the caller to Release, or nullptr when there is none.
  virtual Handle* Lookup(const Slice& key) = 0;

  // Gives back one reference.
  // REQUIRES: `handle` came from Insert or Lookup of this cache and was not given back before.
  virtual void Release(Handle* handle) = 0;

  // The object behind a reference; valid while the reference is held.
  // REQUIRES: as for Release.
  virtual void* Value(Handle* handle) = 0;

  // Forgets `key`, if present. Those who hold a handle keep the old object until they release it.
  virtual void Erase(const Slice& key) = 0;

  // A number never returned before by this cache. Users of a shared cache prefix their keys with
  // one each, so that their keys cannot collide.
  virtual uint64_t NewId() = 0;

  // Drops every entry nobody holds a handle to, to free memory now. Doing nothing is allowed.
  virtual void Prune() {}

  // Sum of the charges of what is in the cache, approximately when other threads are at work.
  virtual size_t TotalCharge() const = 0;

 private:
  // Unused; they are here because the layout of this class is part of the binary interface.
  void LRU_Remove(Handle* e);
  void LRU_Append(Handle* e);
  void Unref(Handle* e);

  struct Rep;
  Rep* rep_;
};

}  // namespace leveldb

#endif  // LULL_INCLUDE_LEVELDB_CACHE_H_
