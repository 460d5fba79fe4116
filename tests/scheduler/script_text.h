// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Numbers in the scripts of transcripts. Sizes take K, M and G, times us, ms and s.
#pragma once

#include <cstdint>
#include <string>

namespace lull::testing {

/// False unless the text is a number with one of the suffixes. Times are in microseconds.
bool ReadNumber(const std::string& text, uint64_t* value);
/// KEY=NUMBER.
bool ReadPair(const std::string& word, std::string* key, uint64_t* value);

std::string SizeText(uint64_t bytes);
std::string TimeText(uint64_t us);

}  // namespace lull::testing
