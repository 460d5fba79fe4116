// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.

#include "util/logging.h"

#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <limits>
#include <numeric>

namespace lull {
namespace {

/// The number of letters to insert, remove or replace that turn one word into the other.
size_t EditDistance(std::string_view from, std::string_view to) {
  std::vector<size_t> costs(to.size() + 1);
  std::iota(costs.begin(), costs.end(), size_t{0});
  for (const char letter : from) {
    size_t diagonal = costs[0]++;
    for (size_t i = 0; i < to.size(); ++i) {
      const size_t replaced = diagonal + (letter == to[i] ? 0 : 1);
      diagonal = costs[i + 1];
      costs[i + 1] = std::min({replaced, costs[i] + 1, diagonal + 1});
    }
  }
  return costs.back();
}

}  // namespace

std::string_view NearestWord(std::string_view word, const std::vector<std::string_view>& words) {
  const auto nearest = std::ranges::min_element(
      words, {}, [&](std::string_view each) { return EditDistance(word, each); });
  return nearest == words.end() ? std::string_view() : *nearest;
}

std::string EscapeBytes(const leveldb::Slice& value) {
  constexpr char kHexDigits[] = "0123456789abcdef";
  std::string text;
  text.reserve(value.size());
  for (size_t i = 0; i < value.size(); i++) {
    const auto byte = static_cast<unsigned char>(value[i]);
    if (byte >= ' ' && byte <= '~') {
      text.push_back(static_cast<char>(byte));
    } else {
      text.append({'\\', 'x', kHexDigits[byte >> 4], kHexDigits[byte & 15]});
    }
  }
  return text;
}

std::string Format(const char* format, ...) {
  std::va_list arguments, again;
  va_start(arguments, format);
  va_copy(again, arguments);
  std::string text(static_cast<size_t>(std::vsnprintf(nullptr, 0, format, again)), '\0');
  std::vsnprintf(text.data(), text.size() + 1, format, arguments);
  va_end(again);
  va_end(arguments);
  return text;
}

bool ConsumeDecimal(leveldb::Slice* input, uint64_t* value) {
  constexpr uint64_t kMax = std::numeric_limits<uint64_t>::max();
  uint64_t sum = 0;
  size_t digits = 0;
  for (; digits < input->size(); digits++) {
    const unsigned digit = static_cast<unsigned char>((*input)[digits]) - unsigned{'0'};
    if (digit > 9) break;
    if (sum > (kMax - digit) / 10) return false;
    sum = sum * 10 + digit;
  }
  if (digits == 0) return false;
  input->remove_prefix(digits);
  *value = sum;
  return true;
}

}  // namespace lull
