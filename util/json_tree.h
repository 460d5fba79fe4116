// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Builds one JSON object (RFC 8259) from values and their paths; adds the quotes and escapes. One
// thread.
//
//   JsonTree json;
//   json.Set("levels.0.tables", 3);
//   json.Set("name", "a");
//   json.Text();  // {"levels":[{"tables":3}],"name":"a"}
//
// Members keep the order in which their paths were first used. Names have no dots. Members whose
// names are numbers are the elements of an array, to be set in order.
#pragma once

#include <concepts>
#include <string>
#include <string_view>
#include <vector>

namespace lull {

class JsonTree {
 public:
  void Set(std::string_view path, std::string_view text);
  void Set(std::string_view path, const char* text) { Set(path, std::string_view(text)); }
  void Set(std::string_view path, bool value) { At(path).text_ = value ? "true" : "false"; }
  /// Six significant digits; null for NaN and infinity.
  void Set(std::string_view path, double value);
  template <std::integral Integer>
  void Set(std::string_view path, Integer value) {
    At(path).text_ = std::to_string(value);
  }
  /// An array or object that has no members yet.
  void SetArray(std::string_view path) { At(path).text_ = "[]"; }
  void SetObject(std::string_view path) { At(path).text_ = "{}"; }

  std::string Text() const;

 private:
  JsonTree& At(std::string_view path);

  std::string name_;
  std::string text_ = "{}";  // if there are no members
  std::vector<JsonTree> members_;
};

}  // namespace lull
