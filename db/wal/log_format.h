// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// The log format (WAL and MANIFEST): blocks of 32 KiB; records cut into fragments, each with a
// header of 7 bytes: masked CRC-32C of type and payload, length (2 bytes), type. A block's last 6
// or fewer bytes are zero. A header of zeros is the unused end of a file allocated ahead, or of one
// that was recycled: readers look no further in its block.
#pragma once

#include <cstddef>
#include <cstdint>

namespace lull::log {

enum class FragmentType : uint8_t { kZero = 0, kFull = 1, kFirst = 2, kMiddle = 3, kLast = 4 };

constexpr size_t kBlockBytes = 32768;
constexpr size_t kHeaderBytes = 4 + 2 + 1;

}  // namespace lull::log
