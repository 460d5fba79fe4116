// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Reading the little languages in which flags describe a load, and naming what is wrong with them.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lull::loadgen {

// The parts of `text` between `separator`s; none for an empty text.
std::vector<std::string_view> Split(std::string_view text, char separator);

// A finite number of at least zero, which may end in "k" (thousands) or "m" (millions).
std::optional<double> ParseAmount(std::string_view text);

// Calls `read` for each line of a file, but for empty ones and those that begin with '#'. It
// returns what is wrong with a line. Returns that, with the place, or that the file cannot be read.
std::string ReadLines(const std::string& path,
                      const std::function<std::string(std::string_view line)>& read);

// "; did you mean 'x'?" with the word of `known` that is nearest to `word`, if one is near at all.
std::string DidYouMean(std::string_view word, std::span<const std::string_view> known);

}  // namespace lull::loadgen
