// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Helpers for text in messages and file names.
#pragma once

#include <cstdarg>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "leveldb/env.h"
#include "leveldb/slice.h"

namespace lull {

/// Appends two hexadecimal digits.
void AppendHex(char byte, std::string* text);

/// Printable ASCII unchanged, all other bytes as \xNN.
std::string EscapeBytes(const leveldb::Slice& value);

/// Of `words`, the one that takes the fewest letters to insert, remove or replace; "" of none.
std::string_view NearestWord(std::string_view word, const std::vector<std::string_view>& words);

/// As std::snprintf, without a limit of the length.
__attribute__((format(printf, 1, 2))) std::string Format(const char* format, ...);
/// Nullopt if the text cannot be formatted.
std::optional<std::string> FormatV(const char* format, std::va_list arguments);

/// A line of LOG: local time, thread id, the message formatted as by vprintf, and a newline. Empty
/// if the message cannot be formatted.
std::string LogLine(const char* format, std::va_list arguments);

/// Reads decimal digits from the front of `input`; returns false if there are no digits or they
/// overflow.
bool ConsumeDecimal(leveldb::Slice* input, uint64_t* value);

/// Writes a formatted message to a logger; does nothing if it is null. Any thread. An alias of the
/// public function, so that unqualified calls with a leveldb::Logger* are not ambiguous.
using leveldb::Log;

}  // namespace lull
