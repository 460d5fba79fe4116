// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#pragma once

#include <cstdint>

namespace lull::bench {

inline constexpr uint64_t kMs = 1'000'000;  // in nanoseconds

}  // namespace lull::bench
