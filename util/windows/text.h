// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Names are UTF-8 in LevelDB's API, and UTF-16 in that of Windows.
#pragma once

#include <string>
#include <string_view>

namespace lull::windows {

/// Bytes that are not UTF-8 become U+FFFD.
std::wstring Wide(std::string_view text);
std::string Utf8(std::wstring_view text);

/// A name for system calls: of any length (with the prefix \\?\ if it is long), relative or
/// absolute, with either kind of slash.
std::wstring PathOf(const std::string& name);

}  // namespace lull::windows
