// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "util/json_writer.h"

#include <cmath>
#include <cstdio>

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

}  // namespace

void JsonWriter::BeforeValue() {
  if (needs_comma_) text_ += ',';
  needs_comma_ = true;
}

void JsonWriter::Open(char bracket) {
  BeforeValue();
  text_ += bracket;
  needs_comma_ = false;
}

void JsonWriter::Close(char bracket) {
  text_ += bracket;
  needs_comma_ = true;
}

JsonWriter& JsonWriter::Member(std::string_view name) {
  BeforeValue();
  Quote(name);
  text_ += ':';
  needs_comma_ = false;
  return *this;
}

void JsonWriter::Value(std::string_view text) {
  BeforeValue();
  Quote(text);
}

void JsonWriter::Value(bool value) {
  BeforeValue();
  text_ += value ? "true" : "false";
}

void JsonWriter::Value(double value) {
  BeforeValue();
  if (!std::isfinite(value)) {
    text_ += "null";
    return;
  }
  char digits[32];
  std::snprintf(digits, sizeof(digits), "%.6g", value);
  // snprintf uses the decimal point of the program's locale; JSON requires '.'.
  for (char* c = digits; *c != '\0'; ++c) text_ += *c == ',' ? '.' : *c;
}

void JsonWriter::Quote(std::string_view text) {
  text_ += '"';
  while (!text.empty()) {
    const size_t bytes = Utf8Bytes(text);
    const auto first = static_cast<unsigned char>(text[0]);
    if (bytes == 0) {
      text_ += "\\ufffd";  // the replacement character
    } else if (first < 0x20) {
      char escape[8];
      std::snprintf(escape, sizeof(escape), "\\u%04x", first);
      text_ += escape;
    } else {
      if (first == '"' || first == '\\') text_ += '\\';
      text_ += text.substr(0, bytes);
    }
    text.remove_prefix(bytes == 0 ? 1 : bytes);
  }
  text_ += '"';
}

}  // namespace lull
