// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#pragma once

#include <cstdint>

namespace lull::testing {

inline constexpr uint64_t kKiB = 1 << 10;
inline constexpr uint64_t kMiB = 1 << 20;
inline constexpr uint64_t kSecondUs = 1'000'000;
inline constexpr uint64_t kMsNanos = 1'000'000;
inline constexpr uint64_t kSecondNanos = 1'000'000'000;

}  // namespace lull::testing
