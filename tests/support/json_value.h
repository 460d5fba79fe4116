// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// JSON values for tests. Only json_value.cc includes the library, whose templates take seconds to
// compile.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

namespace lull::testing {

/// A value inside a parsed text. Copies are cheap: they share the text's values. An access that the
/// value does not allow throws, and so fails the test.
class Json {
 public:
  Json();  // null
  static Json Parse(std::string_view text);
  static bool Accepts(std::string_view text);

  Json operator[](std::string_view member) const;
  Json operator[](size_t index) const;
  bool contains(std::string_view member) const;
  size_t size() const;
  /// The values of an array, or of an object by name.
  std::vector<Json> Values() const;

  double Number() const;
  uint64_t Count() const;
  std::string Text() const;

  bool operator==(const Json& other) const;
  bool operator==(double number) const { return Number() == number; }
  bool operator==(std::string_view text) const { return Text() == text; }
  std::partial_ordering operator<=>(double number) const { return Number() <=> number; }

 private:
  using Value = std::shared_ptr<const nlohmann::json>;

  explicit Json(Value value) : value_(std::move(value)) {}
  /// A value inside this one.
  Json Part(const nlohmann::json& part) const { return Json(Value(value_, &part)); }

  friend void PrintTo(const Json& json, std::ostream* out);

  Value value_;
};

}  // namespace lull::testing
