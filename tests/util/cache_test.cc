// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.

#include "leveldb/cache.h"

#include <gtest/gtest.h>

#include <atomic>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "tests/util/threads.h"
#include "util/coding.h"
#include "util/random.h"
#include "util/resizable_cache.h"

namespace leveldb {
namespace {

struct Object {
  std::string key;
  int value = 0;
  int destroyed = 0;
};

void DestroyObject(const Slice& key, void* value) {
  auto* const object = static_cast<Object*>(value);
  EXPECT_EQ(key.ToString(), object->key);
  object->destroyed++;
}

class CacheTest : public ::testing::Test {
 protected:
  static constexpr size_t kCapacity = 1000;

  static std::string Key(int number) {
    std::string key;
    lull::PutFixed32(&key, static_cast<uint32_t>(number));
    return key;
  }

  Cache::Handle* Hold(int key, int value, size_t charge = 1) {
    objects_.push_back(std::make_unique<Object>(Object{Key(key), value}));
    return cache_->Insert(Key(key), objects_.back().get(), charge, &DestroyObject);
  }
  Object* Put(int key, int value, size_t charge = 1) {
    cache_->Release(Hold(key, value, charge));
    return objects_.back().get();
  }
  std::optional<int> Get(int key) {
    Cache::Handle* const handle = cache_->Lookup(Key(key));
    if (handle == nullptr) return std::nullopt;
    const int value = static_cast<Object*>(cache_->Value(handle))->value;
    cache_->Release(handle);
    return value;
  }

  std::vector<std::unique_ptr<Object>> objects_;
  std::unique_ptr<Cache> cache_{NewLRUCache(kCapacity)};
};

TEST_F(CacheTest, ReplacingDestroysTheOld) {
  const Object* const old = Put(100, 101);
  const Object* const fresh = Put(100, 102);
  EXPECT_EQ(Get(100), 102);
  EXPECT_EQ(old->destroyed, 1);
  EXPECT_EQ(fresh->destroyed, 0);
  EXPECT_EQ(cache_->TotalCharge(), 1u);
}

TEST_F(CacheTest, EraseForgets) {
  cache_->Erase(Key(1));
  const Object* const one = Put(1, 11);
  const Object* const two = Put(2, 22);
  cache_->Erase(Key(1));
  cache_->Erase(Key(1));
  EXPECT_EQ(Get(1), std::nullopt);
  EXPECT_EQ(Get(2), 22);
  EXPECT_EQ(one->destroyed, 1);
  EXPECT_EQ(two->destroyed, 0);
}

TEST_F(CacheTest, HandlesKeepEntriesAlive) {
  Cache::Handle* const first = Hold(100, 101);
  const Object* const old = objects_.back().get();
  Cache::Handle* const second = Hold(100, 102);
  EXPECT_EQ(static_cast<Object*>(cache_->Value(first))->value, 101);
  EXPECT_EQ(old->destroyed, 0);
  cache_->Release(first);
  EXPECT_EQ(old->destroyed, 1);
  cache_->Erase(Key(100));
  EXPECT_EQ(Get(100), std::nullopt);
  EXPECT_EQ(static_cast<Object*>(cache_->Value(second))->value, 102);
  EXPECT_EQ(objects_.back()->destroyed, 0);
  cache_->Release(second);
  EXPECT_EQ(objects_.back()->destroyed, 1);
}

TEST_F(CacheTest, TheLeastRecentlyUsedLeaves) {
  Put(100, 101);
  Put(200, 201);
  Cache::Handle* const held = Hold(300, 301);
  for (int i = 0; i < 3000; i++) {
    Put(1000 + i, 2000 + i);
    ASSERT_EQ(Get(1000 + i), 2000 + i);
    ASSERT_EQ(Get(100), 101) << "used all the time, yet evicted after " << i;
  }
  EXPECT_EQ(Get(200), std::nullopt);
  EXPECT_EQ(Get(300), 301);
  EXPECT_LE(cache_->TotalCharge(), kCapacity + 16);
  cache_->Release(held);
}

TEST_F(CacheTest, EntriesInUseMayExceedTheCapacity) {
  std::vector<Cache::Handle*> handles;
  for (int i = 0; i < 2000; i++) handles.push_back(Hold(i, i));
  for (int i = 0; i < 2000; i++) ASSERT_EQ(Get(i), i);
  EXPECT_EQ(cache_->TotalCharge(), 2000u);
  for (Cache::Handle* const handle : handles) cache_->Release(handle);
  EXPECT_LE(cache_->TotalCharge(), kCapacity + 16);
}

TEST_F(CacheTest, ChargesCountNotEntries) {
  constexpr size_t kHeavy = 10;
  size_t added = 0;
  for (int i = 0; added < 2 * kCapacity; i++) {
    const size_t charge = i % 2 == 0 ? 1 : kHeavy;
    Put(i, 1000 + i, charge);
    added += charge;
  }
  size_t cached = 0;
  for (int i = 0; i < 4000; i++) {
    const std::optional<int> value = Get(i);
    if (!value) continue;
    EXPECT_EQ(*value, 1000 + i);
    cached += i % 2 == 0 ? 1 : kHeavy;
  }
  EXPECT_EQ(cached, cache_->TotalCharge());
  EXPECT_LE(cached, kCapacity + kCapacity / 10);
  EXPECT_GE(cached, kCapacity / 2);
}

TEST_F(CacheTest, AnEntryLargerThanTheCacheLivesWhileHeld) {
  Cache::Handle* const huge = Hold(1, 11, 10 * kCapacity);
  EXPECT_EQ(Get(1), 11);
  cache_->Release(huge);
  EXPECT_EQ(Get(1), std::nullopt);
  EXPECT_EQ(objects_.back()->destroyed, 1);
}

TEST_F(CacheTest, CapacityZeroKeepsNothing) {
  cache_.reset(NewLRUCache(0));
  Cache::Handle* const handle = Hold(1, 100);
  EXPECT_EQ(Get(1), std::nullopt);
  EXPECT_EQ(static_cast<Object*>(cache_->Value(handle))->value, 100);
  EXPECT_EQ(cache_->TotalCharge(), 0u);
  EXPECT_EQ(objects_.back()->destroyed, 0);
  cache_->Release(handle);
  EXPECT_EQ(objects_.back()->destroyed, 1);
}

TEST_F(CacheTest, PruneKeepsOnlyWhatIsHeld) {
  const Object* const idle = Put(1, 100);
  Cache::Handle* const held = Hold(2, 200);
  cache_->Prune();
  EXPECT_EQ(Get(1), std::nullopt);
  EXPECT_EQ(idle->destroyed, 1);
  EXPECT_EQ(Get(2), 200);
  EXPECT_EQ(cache_->TotalCharge(), 1u);
  cache_->Release(held);
}

TEST_F(CacheTest, IdsAreNew) {
  std::set<uint64_t> ids;
  for (int i = 0; i < 100; i++) EXPECT_TRUE(ids.insert(cache_->NewId()).second);
  EXPECT_EQ(ids.count(0), 0u);
}

TEST_F(CacheTest, EmptyAndBinaryKeysAreKeys) {
  Object object;
  cache_->Release(cache_->Insert(Slice(), &object, 1, &DestroyObject));
  Object zero{std::string(1, '\0')};
  cache_->Release(cache_->Insert(zero.key, &zero, 1, &DestroyObject));
  Cache::Handle* const found = cache_->Lookup("");
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(cache_->Value(found), &object);
  cache_->Release(found);
  cache_.reset();
  EXPECT_EQ(object.destroyed + zero.destroyed, 2);
}

TEST_F(CacheTest, ADeleterMayUseTheCache) {
  struct Chain {
    Cache* cache;
    int calls = 0;
  } chain{cache_.get()};
  cache_->Release(cache_->Insert("a", &chain, 1, [](const Slice& key, void* value) {
    auto* const self = static_cast<Chain*>(value);
    self->calls++;
    EXPECT_EQ(self->cache->Lookup(key), nullptr);
  }));
  cache_->Erase("a");
  EXPECT_EQ(chain.calls, 1);
}

// Random operations against a model that knows which values can be present.
TEST_F(CacheTest, NeverAnswersWithAnOldValue) {
  lull::Random random(61);
  std::map<int, int> newest;
  std::vector<Cache::Handle*> handles;
  for (int i = 0; i < 50000; i++) {
    const int key = static_cast<int>(random.Uniform(3000));
    switch (random.Uniform(5)) {
      case 0:
        Put(key, newest[key] = i, 1 + random.Uniform(5));
        break;
      case 1:
        handles.push_back(Hold(key, newest[key] = i));
        break;
      case 2:
        cache_->Erase(Key(key));
        newest.erase(key);
        break;
      case 3:
        if (handles.size() > 200 || (!handles.empty() && random.OneIn(2))) {
          std::swap(handles[random.Uniform(handles.size())], handles.back());
          cache_->Release(handles.back());
          handles.pop_back();
        }
        break;
      default:
        if (const std::optional<int> value = Get(key)) {
          ASSERT_EQ(newest.count(key), 1u);
          ASSERT_EQ(*value, newest[key]);
        }
    }
  }
  for (Cache::Handle* const handle : handles) cache_->Release(handle);
  EXPECT_LE(cache_->TotalCharge(), kCapacity + 16 * 5);
  cache_.reset();
  for (const auto& object : objects_) ASSERT_EQ(object->destroyed, 1);
}

class AdmissionTest : public ::testing::Test {
 protected:
  static constexpr size_t kCapacity = 1600;

  /// Reads an object of charge 1 as tables do. Returns true if the cache had it.
  bool Read(int number) {
    const std::string key = std::to_string(number);
    bool admits = false;
    Cache::Handle* handle = cache_->LookupOrAdmit(key, &admits);
    const bool found = handle != nullptr;
    if (!found && admits) {
      handle = cache_->Insert(key, nullptr, 1, [](const Slice&, void*) {});
    }
    if (handle != nullptr) cache_->Release(handle);
    return found;
  }
  int FoundOf(int begin, int end) {
    int found = 0;
    for (int i = begin; i < end; ++i) found += Read(i) ? 1 : 0;
    return found;
  }
  void Fill() { FoundOf(0, 4 * kCapacity); }

  const std::unique_ptr<lull::ResizableCache> cache_ = lull::NewResizableCache(kCapacity);
};

TEST_F(AdmissionTest, ACacheWithRoomTakesEverything) {
  FoundOf(0, 800);
  EXPECT_EQ(FoundOf(0, 800), 800);
}

TEST_F(AdmissionTest, AFullCacheTakesWhatIsMissedTwice) {
  Fill();
  EXPECT_FALSE(Read(-1));
  EXPECT_FALSE(Read(-1)) << "the first miss inserted it";
  EXPECT_TRUE(Read(-1));
}

TEST_F(AdmissionTest, AScanDoesNotReplaceWhatIsReadAgain) {
  Fill();
  for (int round = 0; round < 3; ++round) FoundOf(-800, 0);
  FoundOf(1'000'000, 1'000'000 + 10 * kCapacity);
  EXPECT_GT(FoundOf(-800, 0), 700);
}

// Two misses of a key count only if few others were between them.
TEST_F(AdmissionTest, ForgetsOldMisses) {
  Fill();
  FoundOf(1'000'000, 1'000'000 + 10 * kCapacity);
  FoundOf(1'000'000, 1'000'000 + 10 * kCapacity);
  EXPECT_LT(FoundOf(1'000'000, 1'000'000 + 10 * kCapacity), kCapacity / 2);
}

TEST_F(AdmissionTest, TakesEverythingAgainWithMoreRoomOrOnceEmptied) {
  for (const bool emptied : {false, true}) {
    SCOPED_TRACE(emptied);
    cache_->SetCapacity(kCapacity);
    Fill();
    emptied ? cache_->Prune() : cache_->SetCapacity(4 * kCapacity);
    const int key = emptied ? -1 : -2;
    Read(key);
    EXPECT_TRUE(Read(key));
  }
}

TEST(CacheThreads, ManyThreadsShareOneCache) {
  const std::unique_ptr<Cache> cache(NewLRUCache(64));
  static std::atomic<int64_t> alive;
  alive = 0;
  std::atomic<uint64_t> wrong{0};
  lull::RunThreads(4, [&](int seed) {
    lull::Random random(static_cast<uint64_t>(seed));
    for (int i = 0; i < 20000; i++) {
      const uint64_t number = random.Uniform(200);
      const std::string key = std::to_string(number);
      Cache::Handle* handle = cache->Lookup(key);
      if (handle == nullptr) {
        alive++;
        handle = cache->Insert(key, new uint64_t(number), 1, [](const Slice&, void* value) {
          delete static_cast<uint64_t*>(value);
          alive--;
        });
      }
      if (*static_cast<uint64_t*>(cache->Value(handle)) != number) wrong++;
      if (random.OneIn(10)) cache->Erase(key);
      if (random.OneIn(1000)) cache->Prune();
      cache->Release(handle);
    }
  });
  EXPECT_EQ(wrong.load(), 0u);
  EXPECT_EQ(static_cast<size_t>(alive.load()), cache->TotalCharge());
  cache->Prune();
  EXPECT_EQ(alive.load(), 0);
}

}  // namespace
}  // namespace leveldb
