// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// What `lull top` prints or draws, as lines of printable ASCII that fit the given size. Pure
// functions.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "db/tools/top_model.h"

namespace lull::tools {

enum class LineStyle { kPlain, kHeading, kSelected, kWarning };

struct ViewLine {
  std::string text;
  LineStyle style = LineStyle::kPlain;
};

/// At most four characters: "0", "9.9", "12k", "1.2M". Factors of 1000.
std::string ShortNumber(double value);
/// As ShortNumber, with factors of 1024.
std::string ShortBytes(double bytes);
/// "850 us", "1.2 ms", "3.4 s".
std::string ShortTime(double seconds);

struct ViewSize {
  size_t width = 80;
  size_t height = 24;
  bool cuts_lines = true;  ///< false: a message can be longer than the width
};

/// A heading, and one line for each store. `selected` is the row to highlight, if there are that
/// many. If there are more rows than lines, shows those up to the selected one.
std::vector<ViewLine> StoreList(const std::vector<StoreFigures>& stores, size_t selected,
                                const ViewSize& size);
/// All figures of one store; at most 23 lines.
std::vector<ViewLine> StoreDetail(const StoreFigures& store, const ViewSize& size);

}  // namespace lull::tools
