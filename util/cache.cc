// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// The LRU cache: 16 shards. Each has a mutex, a hash table and a list of entries without handles,
// least recently used first. An entry is in the list if and only if it is in the table and has no
// handle. So eviction always takes the head of the list, and an entry in use is never evicted.
// Erase or a replacing Insert removes it from the table; its last Release then destroys it.
// Deleters run outside the mutex.

#include "leveldb/cache.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cassert>
#include <cstring>
#include <new>
#include <vector>

#include "util/hash.h"
#include "util/mutex.h"
#include "util/resizable_cache.h"
#include "util/thread.h"

namespace leveldb {
namespace {

constexpr unsigned kShardBits = 4;
constexpr size_t kShards = size_t{1} << kShardBits;

/// Neighbors in the list of idle entries, a ring around the shard's anchor.
struct Links {
  Links* older = this;
  Links* newer = this;

  void Unlink() {
    older->newer = newer;
    newer->older = older;
    older = newer = this;
  }
  void LinkBefore(Links* place) {
    newer = place;
    older = place->older;
    older->newer = this;
    place->older = this;
  }
};

/// One object in the cache; its key follows it in the same allocation.
struct Entry : Links {
  void* value;
  void (*deleter)(const Slice& key, void* value);
  Entry* next_in_bucket;
  size_t charge;
  size_t key_bytes;
  uint32_t hash;
  uint32_t handles;  // not released yet
  bool is_in_table;

  const char* KeyData() const { return reinterpret_cast<const char*>(this + 1); }
  char* KeyData() { return reinterpret_cast<char*>(this + 1); }
  Slice Key() const { return Slice(KeyData(), key_bytes); }
};

Entry* MakeEntry(const Slice& key, uint32_t hash, void* value, size_t charge,
                 void (*deleter)(const Slice& key, void* value)) {
  auto* const entry = new (::operator new(sizeof(Entry) + key.size())) Entry;
  entry->value = value;
  entry->deleter = deleter;
  entry->next_in_bucket = nullptr;
  entry->charge = charge;
  entry->key_bytes = key.size();
  entry->hash = hash;
  entry->handles = 1;
  entry->is_in_table = false;
  std::memcpy(entry->KeyData(), key.data(), key.size());
  return entry;
}

void DestroyEntry(Entry* entry) {
  entry->deleter(entry->Key(), entry->value);
  entry->~Entry();
  ::operator delete(entry);
}

/// Entries that left a shard and have no handle. Destroyed after the shard's mutex is released.
class Leavers {
 public:
  Leavers() = default;
  Leavers(const Leavers&) = delete;
  Leavers& operator=(const Leavers&) = delete;
  ~Leavers() {
    while (first_ != nullptr) {
      Entry* const entry = first_;
      first_ = entry->next_in_bucket;
      DestroyEntry(entry);
    }
  }
  void Add(Entry* entry) {
    entry->next_in_bucket = first_;
    first_ = entry;
  }

 private:
  Entry* first_ = nullptr;
};

/// Chained hash table of entries. Grows so that chains stay about one entry long.
class Table {
 public:
  size_t buckets() const { return buckets_.size(); }

  /// Returns the link to the entry with this key, or the null link at the end of its chain.
  Entry** Find(const Slice& key, uint32_t hash) {
    Entry** link = &buckets_[hash & (buckets_.size() - 1)];
    while (*link != nullptr && ((*link)->hash != hash || (*link)->Key() != key))
      link = &(*link)->next_in_bucket;
    return link;
  }

  /// REQUIRES: no entry with this key is in the table.
  void Add(Entry* entry) {
    if (++size_ > buckets_.size()) Grow();
    Entry** const bucket = &buckets_[entry->hash & (buckets_.size() - 1)];
    entry->next_in_bucket = *bucket;
    *bucket = entry;
  }

  /// Removes the entry that `link`, from Find, points to.
  Entry* Take(Entry** link) {
    Entry* const entry = *link;
    *link = entry->next_in_bucket;
    size_--;
    return entry;
  }

 private:
  void Grow() {
    std::vector<Entry*> old(buckets_.size() * 2, nullptr);
    old.swap(buckets_);
    for (Entry* entry : old) {
      while (entry != nullptr) {
        Entry* const next = entry->next_in_bucket;
        Entry** const bucket = &buckets_[entry->hash & (buckets_.size() - 1)];
        entry->next_in_bucket = *bucket;
        *bucket = entry;
        entry = next;
      }
    }
  }

  std::vector<Entry*> buckets_ = std::vector<Entry*>(16, nullptr);  // a power of two
  size_t size_ = 0;
};

/// Hashes, the last one first.
using Misses = std::array<uint32_t, 4>;

class alignas(64) Shard {
 public:
  ~Shard() {
    Prune();
    assert(charge_ == 0 && "a handle is still out");
  }

  void SetCapacity(size_t capacity) LULL_EXCLUDES(mutex_) {
    Leavers leavers;
    lull::MutexLock lock(mutex_);
    if (capacity > capacity_) is_full_ = false;
    capacity_ = capacity;
    EvictLocked(capacity_, &leavers);
  }

  Entry* Insert(const Slice& key, uint32_t hash, void* value, size_t charge,
                void (*deleter)(const Slice& key, void* value)) LULL_EXCLUDES(mutex_) {
    Entry* const entry = MakeEntry(key, hash, value, charge, deleter);
    Leavers leavers;
    lull::MutexLock lock(mutex_);
    if (capacity_ == 0) return entry;  // no caching: the entry lives until this handle is released
    if (Entry** const link = table_.Find(key, hash); *link != nullptr) ForgetLocked(link, &leavers);
    table_.Add(entry);
    entry->is_in_table = true;
    charge_ += charge;
    EvictLocked(capacity_, &leavers);
    return entry;
  }

  /// `admits` can be null.
  Entry* Lookup(const Slice& key, uint32_t hash, bool* admits) LULL_EXCLUDES(mutex_) {
    lull::MutexLock lock(mutex_);
    Entry* const entry = *table_.Find(key, hash);
    if (entry == nullptr) {
      if (admits != nullptr) *admits = !is_full_ || NoteMissLocked(hash);
    } else if (entry->handles++ == 0) {
      entry->Unlink();
    }
    return entry;
  }

  void Release(Entry* entry) LULL_EXCLUDES(mutex_) {
    Leavers leavers;
    lull::MutexLock lock(mutex_);
    assert(entry->handles > 0);
    if (--entry->handles > 0) return;
    if (!entry->is_in_table) return leavers.Add(entry);
    entry->LinkBefore(&idle_);
    EvictLocked(capacity_, &leavers);  // others can have filled the cache while it was held
  }

  void Erase(const Slice& key, uint32_t hash) LULL_EXCLUDES(mutex_) {
    Leavers leavers;
    lull::MutexLock lock(mutex_);
    if (Entry** const link = table_.Find(key, hash); *link != nullptr) ForgetLocked(link, &leavers);
  }

  void Prune() LULL_EXCLUDES(mutex_) {
    Leavers leavers;
    lull::MutexLock lock(mutex_);
    while (idle_.newer != &idle_) EvictOldestLocked(&leavers);
    is_full_ = false;
  }

  size_t Charge() const LULL_EXCLUDES(mutex_) {
    lull::MutexLock lock(mutex_);
    return charge_;
  }

 private:
  /// Notes a miss in a full cache. Returns true if a recent miss had this hash.
  bool NoteMissLocked(uint32_t hash) LULL_REQUIRES(mutex_) {
    const size_t groups = table_.buckets() / Misses().size();
    if (missed_.size() != groups) missed_.assign(groups, Misses());
    Misses& misses = missed_[hash & (groups - 1)];
    if (std::find(misses.begin(), misses.end(), hash) != misses.end()) return true;
    std::shift_right(misses.begin(), misses.end(), 1);
    misses.front() = hash;
    return false;
  }

  /// Removes the entry from the table. Without a handle it also leaves the shard.
  void ForgetLocked(Entry** link, Leavers* leavers) LULL_REQUIRES(mutex_) {
    Entry* const entry = table_.Take(link);
    entry->is_in_table = false;
    charge_ -= entry->charge;
    if (entry->handles > 0) return;
    entry->Unlink();
    leavers->Add(entry);
  }

  /// REQUIRES: at least one entry is idle.
  void EvictOldestLocked(Leavers* leavers) LULL_REQUIRES(mutex_) {
    const auto* const oldest = static_cast<Entry*>(idle_.newer);
    ForgetLocked(table_.Find(oldest->Key(), oldest->hash), leavers);
  }

  /// Evicts idle entries until the charge is at most `target`, as far as possible.
  void EvictLocked(size_t target, Leavers* leavers) LULL_REQUIRES(mutex_) {
    while (charge_ > target && idle_.newer != &idle_) {
      EvictOldestLocked(leavers);
      is_full_ = true;
    }
  }

  mutable lull::Mutex mutex_;
  size_t capacity_ LULL_GUARDED_BY(mutex_) = 0;
  Table table_ LULL_GUARDED_BY(mutex_);
  Links idle_ LULL_GUARDED_BY(
      mutex_);  // idle_.newer is the least recently used, idle_.older the most recently
  size_t charge_ LULL_GUARDED_BY(mutex_) = 0;
  bool is_full_ LULL_GUARDED_BY(mutex_) = false;  // an entry was evicted for lack of room
  // The last misses of a full cache, grouped by the low bits of their hashes.
  std::vector<Misses> missed_ LULL_GUARDED_BY(mutex_);
};

class ShardedLruCache final : public lull::ResizableCache {
 public:
  explicit ShardedLruCache(size_t capacity) { SetCapacity(capacity); }

  void SetCapacity(size_t bytes) override {
    // Rounded up, so that even a small cache stores something.
    const size_t shard_bytes = bytes / kShards + (bytes % kShards != 0 ? 1 : 0);
    for (Shard& shard : shards_) {
      shard.SetCapacity(shard_bytes);
      lull::OfferCore();  // to evict megabytes takes milliseconds
    }
  }

  Handle* LookupOrAdmit(const Slice& key, bool* admits) override {
    const uint32_t hash = HashOf(key);
    return ToHandle(ShardOf(hash).Lookup(key, hash, admits));
  }

  Handle* Insert(const Slice& key, void* value, size_t charge,
                 void (*deleter)(const Slice& key, void* value)) override {
    const uint32_t hash = HashOf(key);
    return ToHandle(ShardOf(hash).Insert(key, hash, value, charge, deleter));
  }

  Handle* Lookup(const Slice& key) override { return LookupOrAdmit(key, nullptr); }

  void Release(Handle* handle) override { ShardOf(ToEntry(handle)->hash).Release(ToEntry(handle)); }

  void* Value(Handle* handle) override { return ToEntry(handle)->value; }

  void Erase(const Slice& key) override {
    const uint32_t hash = HashOf(key);
    ShardOf(hash).Erase(key, hash);
  }

  uint64_t NewId() override { return last_id_.fetch_add(1, std::memory_order_relaxed) + 1; }

  void Prune() override {
    for (Shard& shard : shards_) shard.Prune();
  }

  size_t TotalCharge() const override {
    size_t total = 0;
    for (const Shard& shard : shards_) total += shard.Charge();
    return total;
  }

 private:
  static uint32_t HashOf(const Slice& key) { return lull::Hash(key.data(), key.size(), 0); }
  static Handle* ToHandle(Entry* entry) { return reinterpret_cast<Handle*>(entry); }
  static Entry* ToEntry(Handle* handle) { return reinterpret_cast<Entry*>(handle); }
  Shard& ShardOf(uint32_t hash) {
    return shards_[hash >> (32 - kShardBits)];
  }  // tables use the low bits

  std::array<Shard, kShards> shards_;
  std::atomic<uint64_t> last_id_{0};
};

}  // namespace

Cache::~Cache() = default;

Cache* NewLRUCache(size_t capacity) { return new ShardedLruCache(capacity); }

}  // namespace leveldb

std::unique_ptr<lull::ResizableCache> lull::NewResizableCache(size_t capacity) {
  return std::make_unique<leveldb::ShardedLruCache>(capacity);
}
