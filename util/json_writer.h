// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Writes one JSON text (RFC 8259), piece by piece: commas, quotes and escapes are its business. One
// thread.
//
//   JsonWriter json;
//   json.BeginObject();
//   json.Member("levels").BeginArray();
//   json.Value(1);
//   json.EndArray();
//   json.EndObject();
//   json.Take();  // {"levels":[1]}
//
// What it writes always parses when calls nest as above; it does not check that they do.
#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>

namespace lull {

class JsonWriter {
 public:
  void BeginObject() { Open('{'); }
  void EndObject() { Close('}'); }
  void BeginArray() { Open('['); }
  void EndArray() { Close(']'); }

  /// The name of the next value in an object.
  JsonWriter& Member(std::string_view name);

  void Value(std::string_view text);
  void Value(const char* text) { Value(std::string_view(text)); }
  void Value(bool value);
  /// Six significant digits; null for what JSON has no number for (NaN, infinity).
  void Value(double value);
  template <std::integral Integer>
  void Value(Integer value) {
    BeforeValue();
    text_ += std::to_string(value);
  }

  /// Member and Value in one.
  template <class T>
  void Field(std::string_view name, const T& value) {
    Member(name).Value(value);
  }

  /// The text, once everything is closed.
  std::string Take() { return std::move(text_); }

 private:
  void Open(char bracket);
  void Close(char bracket);
  void BeforeValue();
  void Quote(std::string_view text);

  std::string text_;
  bool needs_comma_ = false;
};

}  // namespace lull
