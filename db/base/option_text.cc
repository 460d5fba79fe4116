// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Options as text: one value, in both directions, and what is wrong with it.
#include <algorithm>
#include <limits>
#include <type_traits>
#include <vector>

#include "db/base/filename.h"
#include "db/base/layout_options.h"
#include "db/base/option_table.h"
#include "leveldb/slice.h"
#include "util/logging.h"

namespace lull {
namespace {

struct Suffix {
  char letter;
  int shift;
};
constexpr Suffix kSuffixes[] = {{'G', 30}, {'M', 20}, {'K', 10}};

/// The option's value in `values`, passed to `visitor` by reference.
template <class Visitor>
auto VisitValue(const OptionRow& row, const OptionValues& values, Visitor visitor) {
  // A row has one accessor, which allows changes; the visitor gets a const reference.
  return std::visit([&](const auto* value) { return visitor(*value); },
                    row.field(const_cast<OptionValues&>(values)));
}

const std::vector<std::string>& NamesOf(const OptionRow& row) {
  return row.name == "layout" ? LayoutNames() : PolicyNames();
}

std::string Joined(const std::vector<std::string>& names) {
  std::string all;
  for (const std::string& name : names) all += (all.empty() ? "" : ", ") + name;
  return all;
}

/// Returns why a number is out of bounds, or "".
std::string BoundsCause(const OptionRow& row, uint64_t value) {
  const bool has_zero = !row.zero_means.empty();
  if (value == 0 && has_zero) return "";
  if (value < row.min) {
    return "too small: at least " + OptionNumberText(row, row.min) + (has_zero ? ", or 0" : "");
  }
  if (value > row.max) return "too large: at most " + OptionNumberText(row, row.max);
  return "";
}

/// Refuses names that recovery would take for a file of a store.
std::string PathCause(const std::string& path) {
  const size_t slash = path.find_last_of('/');
  const std::string name = slash == path.npos ? path : path.substr(slash + 1);
  if (ParseFileName(name)) return "the name of a store's own file; use another, such as lull.prom";
  return "";
}

/// For options that are text.
std::string TextCause(const OptionRow& row, const std::string& name) {
  if (row.unit == OptionUnit::kPath) return PathCause(name);
  const std::vector<std::string>& names = NamesOf(row);
  if (std::ranges::find(names, name) != names.end()) return "";
  return "no such " + std::string(row.name) + "; known: " + Joined(names);
}

/// Reads a number, which can end in a suffix if the option is a size.
std::string ReadNumber(const OptionRow& row, std::string_view text, uint64_t* value) {
  int shift = 0;
  std::string_view digits = text;
  if (row.is_size() && !text.empty()) {
    const char last = text.back() >= 'a' ? static_cast<char>(text.back() - 'a' + 'A') : text.back();
    for (const Suffix& suffix : kSuffixes) {
      if (suffix.letter != last) continue;
      shift = suffix.shift;
      digits.remove_suffix(1);
    }
  }
  if (digits.empty() || digits.find_first_not_of("0123456789") != digits.npos) {
    return row.is_size() ? "not a size: write a number of bytes, or one that ends in K, M or G"
                         : "not a whole number";
  }
  leveldb::Slice rest(digits.data(), digits.size());
  const uint64_t largest = std::numeric_limits<uint64_t>::max() >> shift;
  if (!ConsumeDecimal(&rest, value) || *value > largest) return BoundsCause(row, UINT64_MAX);
  *value <<= shift;
  return BoundsCause(row, *value);
}

/// Sets one option from text; returns why it cannot, or "".
struct Setter {
  const OptionRow& row;
  std::string_view text;

  std::string operator()(std::string* value) const {
    *value = std::string(text);
    return TextCause(row, *value);
  }
  std::string operator()(bool* value) const {
    const bool yes = text == "true" || text == "1";
    if (!yes && text != "false" && text != "0") return "neither true nor false";
    *value = yes;
    return "";
  }
  template <class Number>
  std::string operator()(Number* value) const {
    uint64_t number = 0;
    std::string cause = ReadNumber(row, text, &number);
    if (cause.empty()) *value = static_cast<Number>(number);
    return cause;
  }
};

/// Returns why a value is not allowed, or "".
struct Checker {
  const OptionRow& row;

  std::string operator()(const std::string& value) const { return TextCause(row, value); }
  std::string operator()(bool) const { return ""; }
  template <class Number>
  std::string operator()(Number value) const {
    if constexpr (std::is_signed_v<Number>) {
      if (value < 0) return "less than 0";
    }
    return BoundsCause(row, static_cast<uint64_t>(value));
  }
};

struct Writer {
  const OptionRow& row;

  std::string operator()(const std::string& value) const { return value; }
  std::string operator()(bool value) const { return value ? "true" : "false"; }
  std::string operator()(int value) const { return std::to_string(value); }
  std::string operator()(uint64_t value) const { return OptionNumberText(row, value); }
};

}  // namespace

std::string OptionNumberText(const OptionRow& row, uint64_t number) {
  if (row.is_size() && number > 0) {
    for (const Suffix& suffix : kSuffixes) {
      const uint64_t unit = uint64_t{1} << suffix.shift;
      if (number % unit == 0) return std::to_string(number / unit) + suffix.letter;
    }
  }
  return std::to_string(number);
}

std::string OptionText(const OptionRow& row, const OptionValues& values) {
  return VisitValue(row, values, Writer{row});
}

std::string OptionRangeText(const OptionRow& row) {
  if (row.unit == OptionUnit::kName) return Joined(NamesOf(row));
  if (row.unit == OptionUnit::kPath) return "a path";
  if (row.unit == OptionUnit::kFlag) return "true, false";
  const std::string range =
      OptionNumberText(row, row.min) + " .. " + OptionNumberText(row, row.max);
  return row.zero_means.empty() || row.min == 0 ? range : "0, " + range;
}

std::string SetOption(const OptionRow& row, std::string_view text, OptionValues* values) {
  return std::visit(Setter{row, text}, row.field(*values));
}

std::string OptionCause(const OptionRow& row, const OptionValues& values) {
  return VisitValue(row, values, Checker{row});
}

}  // namespace lull
