// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "util/windows/text.h"

#include <windows.h>

namespace lull::windows {

std::wstring Wide(std::string_view text) {
  const int bytes = static_cast<int>(text.size());
  std::wstring wide;
  wide.resize(static_cast<size_t>(MultiByteToWideChar(CP_UTF8, 0, text.data(), bytes, nullptr, 0)));
  MultiByteToWideChar(CP_UTF8, 0, text.data(), bytes, wide.data(), static_cast<int>(wide.size()));
  return wide;
}

std::string Utf8(std::wstring_view text) {
  const int units = static_cast<int>(text.size());
  std::string utf8;
  utf8.resize(static_cast<size_t>(
      WideCharToMultiByte(CP_UTF8, 0, text.data(), units, nullptr, 0, nullptr, nullptr)));
  WideCharToMultiByte(CP_UTF8, 0, text.data(), units, utf8.data(), static_cast<int>(utf8.size()),
                      nullptr, nullptr);
  return utf8;
}

std::wstring PathOf(const std::string& name) {
  // A directory's name can have MAX_PATH less 12 characters, the length of a file's short name.
  constexpr size_t kShortMax = MAX_PATH - 12;
  std::wstring path = Wide(name);
  if (path.size() < kShortMax || path.starts_with(L"\\\\?\\")) return path;
  // Windows takes a name with the prefix as it is, so it must be complete.
  std::wstring full;
  full.resize(GetFullPathNameW(path.c_str(), 0, nullptr, nullptr));
  full.resize(
      GetFullPathNameW(path.c_str(), static_cast<DWORD>(full.size()), full.data(), nullptr));
  if (full.starts_with(L"\\\\")) return L"\\\\?\\UNC" + full.substr(1);
  return L"\\\\?\\" + full;
}

}  // namespace lull::windows
