// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// The table of scheduling options. The parser, the property lull.options, the program `lull
// options` and docs/options.md are made from its rows: a new option is a field of OptionValues (or
// of a policy's constants) and a row here. Constant data; any thread.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "db/api/option_values.h"

namespace lull {

/// Where in an OptionValues an option is stored.
using OptionField = std::variant<std::string*, bool*, int*, uint64_t*>;

enum class OptionUnit {
  kName,   ///< one of a few names
  kFlag,   ///< true or false
  kCount,  ///< a whole number
  kPercent,
  kMicros,
  kBytes,        ///< a size, in bytes or with a suffix K, M or G
  kBytesPerSec,  ///< a size, per second
};

/// Which table of docs/options.md lists an option.
enum class OptionGroup { kCommon, kLayout, kPolicy };

struct OptionRow {
  std::string_view name;
  OptionField (*field)(OptionValues&);
  OptionUnit unit;
  OptionGroup group;
  // Bounds of a number. 0 is allowed outside of them where `zero_means` says what it stands for.
  uint64_t min = 0;
  uint64_t max = 0;
  std::string_view zero_means = {};
  std::string_view fixed_because = {};  ///< why it cannot change while a store is open; empty: live
  std::string_view meaning;             ///< one sentence

  bool is_size() const { return unit == OptionUnit::kBytes || unit == OptionUnit::kBytesPerSec; }
  bool is_live() const { return fixed_because.empty(); }
  bool operator==(const OptionRow& other) const { return name == other.name; }
};

/// All options, in the order in which people read them.
std::span<const OptionRow> OptionTable();

/// Null if no option has that name.
const OptionRow* FindOption(std::string_view name);

/// The option whose name needs the fewest edits to become `name`.
const OptionRow& NearestOption(std::string_view name);

/// The value of an option as the parser reads it: "64M", "true", "lull".
std::string OptionText(const OptionRow& row, const OptionValues& values);

/// A number of the option's unit as the parser reads it.
std::string OptionNumberText(const OptionRow& row, uint64_t number);

/// The values that an option takes, for people: "64K .. 1G", "true, false".
std::string OptionRangeText(const OptionRow& row);

/// Reads `text` into the option's field. Returns why it cannot, or "".
std::string SetOption(const OptionRow& row, std::string_view text, OptionValues* values);

/// Returns why the option's present value is not allowed, or "".
std::string OptionCause(const OptionRow& row, const OptionValues& values);

}  // namespace lull
