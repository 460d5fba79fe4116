// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.

#include "util/logging.h"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <ctime>
#include <numeric>
#include <system_error>

#include "util/clock.h"
#include "util/os.h"

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

/// "2026/03/29-02:30:00.123456 4711 ": local time, then the thread id.
std::string LinePrefix() {
  const uint64_t now_micros = WallClockMicros();
  const auto seconds = static_cast<std::time_t>(now_micros / 1'000'000);
  const std::tm local = os::LocalTime(seconds);
  char text[96];
  const size_t date_bytes = std::strftime(text, sizeof(text), "%Y/%m/%d-%H:%M:%S", &local);
  const int rest_bytes = std::snprintf(text + date_bytes, sizeof(text) - date_bytes, ".%06u %llu ",
                                       static_cast<unsigned>(now_micros % 1'000'000),
                                       static_cast<unsigned long long>(os::ThreadId()));
  return std::string(text, date_bytes + static_cast<size_t>(rest_bytes));
}

}  // namespace

std::string_view NearestWord(std::string_view word, const std::vector<std::string_view>& words) {
  const auto nearest = std::ranges::min_element(
      words, {}, [&](std::string_view each) { return EditDistance(word, each); });
  return nearest == words.end() ? std::string_view() : *nearest;
}

void AppendHex(char byte, std::string* text) {
  constexpr char kDigits[] = "0123456789abcdef";
  const auto bits = static_cast<unsigned char>(byte);
  text->append({kDigits[bits >> 4], kDigits[bits & 15]});
}

std::string EscapeBytes(const leveldb::Slice& value) {
  std::string text;
  text.reserve(value.size());
  for (size_t i = 0; i < value.size(); i++) {
    if (value[i] >= ' ' && value[i] <= '~') {
      text.push_back(value[i]);
    } else {
      text += "\\x";
      AppendHex(value[i], &text);
    }
  }
  return text;
}

std::optional<std::string> FormatV(const char* format, std::va_list arguments) {
  std::va_list again;
  va_copy(again, arguments);
  const int bytes = std::vsnprintf(nullptr, 0, format, again);
  va_end(again);
  if (bytes < 0) return std::nullopt;
  std::string text(static_cast<size_t>(bytes), '\0');
  std::vsnprintf(text.data(), text.size() + 1, format, arguments);
  return text;
}

std::string Format(const char* format, ...) {
  std::va_list arguments;
  va_start(arguments, format);
  std::string text = FormatV(format, arguments).value_or("");
  va_end(arguments);
  return text;
}

std::string LogLine(const char* format, std::va_list arguments) {
  const std::optional<std::string> message = FormatV(format, arguments);
  if (!message) return "";
  std::string line = LinePrefix() + *message;
  if (line.back() != '\n') line.push_back('\n');
  return line;
}

bool ConsumeDecimal(leveldb::Slice* input, uint64_t* value) {
  const char* const begin = input->data();
  const auto [end, error] = std::from_chars(begin, begin + input->size(), *value);
  if (error != std::errc()) return false;
  input->remove_prefix(static_cast<size_t>(end - begin));
  return true;
}

}  // namespace lull
