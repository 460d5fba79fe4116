// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// The log format of WAL and MANIFEST. A log consists of blocks of 32 KiB. Records are split into
// fragments, each with a 7-byte header: masked CRC-32C of type and payload, length (2 bytes), type.
// A block's last 6 or fewer bytes are zero. A header of zeros marks the unused end of a
// preallocated or recycled file; readers ignore the rest of its block. In a recycled file, where
// anything can follow, four bytes of ff tell it from zeros in place of lost data.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace lull::log {

enum class FragmentType : uint8_t { kZero = 0, kFull = 1, kFirst = 2, kMiddle = 3, kLast = 4 };

constexpr size_t kBlockBytes = 32768;
constexpr size_t kHeaderBytes = 4 + 2 + 1;
/// In recycled files: after the last record, and at the start of each block without one.
constexpr std::string_view kEndMark("\0\0\0\0\0\0\0\xff\xff\xff\xff", kHeaderBytes + 4);

}  // namespace lull::log
