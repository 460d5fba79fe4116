// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// A program linked with failing_new.cc can simulate a failure of any one allocation.
#pragma once

#include <cstdint>

namespace lull::testing {

// Counts from now on, on all threads. The `nth` allocation, from 1, throws std::bad_alloc; later
// ones do not. 0: none throws.
void FailAllocation(uint64_t nth);

// Allocations since then.
uint64_t AllocationCount();

}  // namespace lull::testing
