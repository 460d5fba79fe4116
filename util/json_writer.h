// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Writes one JSON text (RFC 8259) in pieces; adds the commas, quotes and escapes. One thread.
//
//   JsonWriter json;
//   json.BeginObject();
//   json.Member("levels").BeginArray();
//   json.Value(1);
//   json.EndArray();
//   json.EndObject();
//   json.Take();  // {"levels":[1]}
//
// The output always parses if calls nest as above. Nesting is not checked.
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

  /// Sets the name of the next value in an object.
  JsonWriter& Member(std::string_view name);

  void Value(std::string_view text);
  void Value(const char* text) { Value(std::string_view(text)); }
  void Value(bool value);
  /// Six significant digits; null for NaN and infinity.
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

  /// Returns the text. Call it after everything is closed.
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
