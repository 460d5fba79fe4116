// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Replaces the global operators new and delete, on top of malloc. The other forms (for arrays, and
// nothrow) call these. Sanitizers replace the operators themselves, and Windows lacks
// aligned_alloc: there no allocation is counted, and none fails.
#include "tests/support/failing_new.h"

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <new>

namespace lull::testing {
namespace {

std::atomic<uint64_t> failing_one = 0;
std::atomic<uint64_t> count = 0;

#ifndef LULL_KEEPS_NEW
void* AllocateOrThrow(size_t bytes, size_t alignment) {
  const uint64_t this_one = count.fetch_add(1, std::memory_order_relaxed) + 1;
  void* memory = nullptr;
  if (this_one != failing_one.load(std::memory_order_relaxed)) {
    const size_t rounded_up = (bytes + alignment - 1) / alignment * alignment;
    memory = std::aligned_alloc(alignment, rounded_up > 0 ? rounded_up : alignment);
  }
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
#endif

}  // namespace

void FailAllocation(uint64_t nth) {
  count = 0;
  failing_one = nth;
}

uint64_t AllocationCount() { return count; }

}  // namespace lull::testing

#ifndef LULL_KEEPS_NEW
void* operator new(size_t bytes) {
  return lull::testing::AllocateOrThrow(bytes, __STDCPP_DEFAULT_NEW_ALIGNMENT__);
}
void* operator new(size_t bytes, std::align_val_t alignment) {
  return lull::testing::AllocateOrThrow(bytes, static_cast<size_t>(alignment));
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, size_t, std::align_val_t) noexcept { std::free(memory); }
#endif
