// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "util/json_tree.h"

#include <algorithm>
#include <cctype>
#include <cmath>

#include "util/logging.h"

namespace lull {
namespace {

/// Length in bytes of the well-formed UTF-8 character at the start of `text`; 0 if malformed.
/// Overlong forms, surrogates and values beyond U+10FFFF are malformed (Unicode's table of
/// well-formed byte sequences).
size_t Utf8Bytes(std::string_view text) {
  const auto at = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned first = at(0);
  size_t bytes = 0;
  unsigned second_min = 0x80;
  unsigned second_max = 0xbf;
  if (first < 0x80) return 1;
  if (first >= 0xc2 && first <= 0xdf) {
    bytes = 2;
  } else if (first >= 0xe0 && first <= 0xef) {
    bytes = 3;
    if (first == 0xe0) second_min = 0xa0;
    if (first == 0xed) second_max = 0x9f;
  } else if (first >= 0xf0 && first <= 0xf4) {
    bytes = 4;
    if (first == 0xf0) second_min = 0x90;
    if (first == 0xf4) second_max = 0x8f;
  }
  if (bytes == 0 || bytes > text.size()) return 0;
  if (at(1) < second_min || at(1) > second_max) return 0;
  for (size_t i = 2; i < bytes; ++i) {
    if (at(i) < 0x80 || at(i) > 0xbf) return 0;
  }
  return bytes;
}

std::string Quoted(std::string_view text) {
  std::string quoted = "\"";
  while (!text.empty()) {
    const size_t bytes = Utf8Bytes(text);
    const auto first = static_cast<unsigned char>(text[0]);
    if (bytes == 0) {
      quoted += "\\ufffd";  // the replacement character
    } else if (first < 0x20) {
      quoted += Format("\\u%04x", first);
    } else {
      if (first == '"' || first == '\\') quoted += '\\';
      quoted += text.substr(0, bytes);
    }
    text.remove_prefix(bytes == 0 ? 1 : bytes);
  }
  return quoted + '"';
}

}  // namespace

/// The value at `path`, made if it does not exist.
JsonTree& JsonTree::At(std::string_view path) {
  const std::string_view name = path.substr(0, path.find('.'));
  auto member = std::ranges::find(members_, name, &JsonTree::name_);
  if (member == members_.end()) {
    members_.emplace_back().name_ = name;
    member = members_.end() - 1;
  }
  return name.size() == path.size() ? *member : member->At(path.substr(name.size() + 1));
}

void JsonTree::Set(std::string_view path, std::string_view text) { At(path).text_ = Quoted(text); }

void JsonTree::Set(std::string_view path, double value) {
  std::string digits = Format("%.6g", value);
  // printf uses the decimal point of the program's locale; JSON requires '.'.
  std::ranges::replace(digits, ',', '.');
  At(path).text_ = std::isfinite(value) ? digits : "null";
}

std::string JsonTree::Text() const {
  if (members_.empty()) return text_;
  const bool is_array = std::isdigit(static_cast<unsigned char>(members_[0].name_[0])) != 0;
  std::string text;
  for (const JsonTree& member : members_) {
    text += text.empty() ? (is_array ? '[' : '{') : ',';
    if (!is_array) text += Quoted(member.name_) + ':';
    text += member.Text();
  }
  return text + (is_array ? ']' : '}');
}

}  // namespace lull
