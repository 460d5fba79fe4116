// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#pragma once

#include <cstdarg>
#include <string>

namespace lull {

/// A line of LOG: local time, thread id, the message formatted as by vprintf, and a newline. Empty
/// if the message cannot be formatted.
std::string LogLine(const char* format, std::va_list arguments);

}  // namespace lull
