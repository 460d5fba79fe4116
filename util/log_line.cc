// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "util/log_line.h"

#include <cstdint>
#include <cstdio>
#include <ctime>

#include "util/clock.h"
#include "util/os.h"

namespace lull {
namespace {

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

std::string LogLine(const char* format, std::va_list arguments) {
  std::string line = LinePrefix();
  std::va_list again;
  va_copy(again, arguments);
  const int message_bytes = std::vsnprintf(nullptr, 0, format, again);
  va_end(again);
  if (message_bytes < 0) return "";
  const size_t prefix_bytes = line.size();
  // One byte more for vsnprintf's terminating zero.
  line.resize(prefix_bytes + static_cast<size_t>(message_bytes) + 1);
  std::vsnprintf(line.data() + prefix_bytes, line.size() - prefix_bytes, format, arguments);
  line.pop_back();
  if (line.back() != '\n') line.push_back('\n');
  return line;
}

}  // namespace lull
