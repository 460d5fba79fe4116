// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// A program that is linked with failing_new.cc can run out of memory at any one of its allocations.
#pragma once

#include <cstddef>
#include <cstdint>

namespace lull::testing {

// Counts from now on, on all threads; the `nth` allocation, from 1, throws std::bad_alloc, and
// those behind it do not. 0: none does.
void FailAllocation(uint64_t nth);

// Since then.
uint64_t AllocationCount();

}  // namespace lull::testing
