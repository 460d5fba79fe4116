// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Finds a Lull object by a pointer to its public base class. dynamic_cast cannot: it crashes on
// objects of classes compiled with -fno-rtti, as subclasses in LevelDB programs often are. Objects
// add themselves in their constructor and remove themselves in their destructor. Thread-safe, but
// the caller must keep a found object alive.
//
// Lock-free, so a forked child finds its parent's objects whatever the parent's threads did at the
// fork. An entry that was then added or removed is lost to the child. Find reads all entries: a
// process has few Envs and stores.
#pragma once

#include <atomic>

namespace lull {

template <class Base, class Own>
class Registry {
 public:
  static Registry& Get() {
    static constinit Registry registry;  // no thread can be inside its construction at a fork
    return registry;
  }

  void Add(const Base* base, Own* own) {
    Entry* entry = first_.load(std::memory_order_acquire);
    while (entry != nullptr && entry->is_taken.exchange(true, std::memory_order_acquire))
      entry = entry->next;
    if (entry == nullptr) entry = AddTaken();
    entry->own.store(own, std::memory_order_relaxed);
    entry->base.store(base, std::memory_order_release);
  }

  void Remove(const Base* base) {
    Entry* const entry = EntryOf(base);
    if (entry == nullptr) return;
    entry->base.store(nullptr, std::memory_order_relaxed);
    entry->is_taken.store(false, std::memory_order_release);
  }

  /// Calls `call` with each registered object. REQUIRES: none is removed meanwhile.
  template <class Call>
  void ForEach(Call call) const {
    for (const Entry* entry = first_.load(std::memory_order_acquire); entry != nullptr;
         entry = entry->next) {
      if (entry->base.load(std::memory_order_acquire) != nullptr)
        call(entry->own.load(std::memory_order_relaxed));
    }
  }

  /// Null if `base` is null or not registered.
  Own* Find(const Base* base) const {
    const Entry* const entry = EntryOf(base);
    return entry == nullptr ? nullptr : entry->own.load(std::memory_order_relaxed);
  }

 private:
  struct Entry {
    std::atomic<bool> is_taken{true};
    std::atomic<const Base*> base{nullptr};  // set last, while the entry is taken
    std::atomic<Own*> own{nullptr};
    Entry* next = nullptr;
  };

  Entry* AddTaken() {
    Entry* const entry = new Entry;
    entry->next = first_.load(std::memory_order_relaxed);
    while (!first_.compare_exchange_weak(entry->next, entry, std::memory_order_acq_rel)) {
    }
    return entry;
  }

  Entry* EntryOf(const Base* base) const {
    if (base == nullptr) return nullptr;
    Entry* entry = first_.load(std::memory_order_acquire);
    while (entry != nullptr && entry->base.load(std::memory_order_acquire) != base)
      entry = entry->next;
    return entry;
  }

  std::atomic<Entry*> first_{nullptr};  // entries are reused, never freed
};

}  // namespace lull
