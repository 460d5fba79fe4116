// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Parses the flags that describe a load, and reports errors in them.
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

// Calls `read` for each line of a file, except empty lines and those that begin with '#'. `read`
// returns an error, empty if none. Returns the first error with its file and line.
std::string ReadLines(const std::string& path,
                      const std::function<std::string(std::string_view line)>& read);

// The text in single quotes.
std::string Quoted(std::string_view text);

// "; did you mean 'x'?" with the word of `known` that is closest to `word`; empty if none is close.
std::string DidYouMean(std::string_view word, std::span<const std::string_view> known);

}  // namespace lull::loadgen
