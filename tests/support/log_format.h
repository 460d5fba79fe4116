// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Enough of LevelDB's file formats to forge bad files for tests: records of a log or MANIFEST that
// have correct checksums and wrong contents.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace lull::testing {

void AppendVarint(uint64_t value, std::string* out);
void AppendLengthPrefixed(std::string_view bytes, std::string* out);

// CRC-32C as the formats store it.
uint32_t MaskedCrc(std::string_view bytes);

// One complete record. REQUIRES: it fits the 32 KiB block in which it starts.
std::string LogRecord(std::string_view payload);

}  // namespace lull::testing
