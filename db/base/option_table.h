// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// The table of scheduling options. The parser, the property lull.options, the program `lull
// options` and docs/options.md use its rows. To add an option, add a field to OptionValues (or to a
// policy's constants) and a row here. Constant data; any thread.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "db/base/option_values.h"

namespace lull {

/// Points to the member of an OptionValues that stores an option.
using OptionField = std::variant<std::string*, bool*, int*, uint64_t*>;

enum class OptionUnit {
  kName,   ///< one of a few names
  kPath,   ///< of a file, or of a directory with a final slash; empty: none
  kFlag,   ///< true or false
  kCount,  ///< a whole number
  kPercent,
  kMicros,
  kSeconds,
  kBytes,        ///< a size, in bytes or with a suffix K, M or G
  kBytesPerSec,  ///< like kBytes, per second
};

/// Which table of docs/options.md lists an option.
enum class OptionGroup { kCommon, kLayout, kPolicy };

struct OptionRow {
  std::string_view name;
  OptionField (*field)(OptionValues&);  ///< returns where the option is stored
  OptionUnit unit;
  OptionGroup group;
  // Bounds of a number, both included. If `zero_means` is not empty, 0 is allowed too, even below
  // `min`, and means that.
  uint64_t min = 0;
  uint64_t max = 0;
  std::string_view zero_means = {};
  std::string_view fixed_because = {};  ///< why it cannot change while a store is open; empty: live
  std::string_view meaning;             ///< one or two sentences

  bool is_size() const { return unit == OptionUnit::kBytes || unit == OptionUnit::kBytesPerSec; }
  bool is_live() const { return fixed_because.empty(); }
};

/// All options, in the order of the documentation.
std::span<const OptionRow> OptionTable();

/// The row of the option `name`; null if there is no such option.
const OptionRow* FindOption(std::string_view name);

/// The option whose name needs the fewest edits to become `name`.
const OptionRow& NearestOption(std::string_view name);

/// The value of an option, as text that the parser accepts: "64M", "true", "lull".
std::string OptionText(const OptionRow& row, const OptionValues& values);

/// `number` in the option's unit, as text that the parser accepts.
std::string OptionNumberText(const OptionRow& row, uint64_t number);

/// The values that an option accepts, for people: "64K .. 1G", "true, false".
std::string OptionRangeText(const OptionRow& row);

/// Parses `text` into the option's field. Returns the cause of a failure, or "".
std::string SetOption(const OptionRow& row, std::string_view text, OptionValues* values);

/// Returns why the option's present value is not allowed, or "".
std::string OptionCause(const OptionRow& row, const OptionValues& values);

}  // namespace lull
