// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// CRC-32C (Castagnoli). Uses the CPU's instructions (SSE4.2, Armv8 CRC) if present; chosen once, at
// run time.
#pragma once

#include <cstddef>
#include <cstdint>

namespace lull::crc32c {

/// Returns the CRC of a string that has a prefix with CRC `crc`, followed by [data, data + size).
uint32_t Extend(uint32_t crc, const char* data, size_t size);

inline uint32_t Value(const char* data, size_t size) { return Extend(0, data, size); }

/// Files store masked CRCs, because the CRC of bytes that contain their own CRC is degenerate. The
/// mask rotates right by 15 bits and adds a constant.
constexpr uint32_t kMaskDelta = 0xa282ead8u;
inline uint32_t Mask(uint32_t crc) { return ((crc >> 15) | (crc << 17)) + kMaskDelta; }
inline uint32_t Unmask(uint32_t masked) {
  const uint32_t rotated = masked - kMaskDelta;
  return (rotated >> 17) | (rotated << 15);
}

/// "sse4.2", "armv8" or "portable".
const char* Implementation();

namespace internal {
uint32_t ExtendPortable(uint32_t crc, const char* data, size_t size);  // for tests
}

}  // namespace lull::crc32c
