// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// LevelDB's 32-bit string hash. Bloom filters on disk depend on it, so it must never change.
#pragma once

#include <cstddef>
#include <cstdint>

namespace lull {

uint32_t Hash(const char* data, size_t size, uint32_t seed);

}  // namespace lull
