// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// A Logger that keeps the lines of LOG for a test. Thread-safe.
#pragma once

#include <cstdarg>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "leveldb/env.h"
#include "tests/support/event_count.h"
#include "util/mutex.h"

namespace lull::testing {

class LinesLogger final : public leveldb::Logger {
 public:
  void Logv(const char* format, std::va_list arguments) override {
    char line[1024];
    std::vsnprintf(line, sizeof(line), format, arguments);
    {
      MutexLock lock(mutex_);
      lines_.emplace_back(line);
    }
    lines.Note();
  }
  /// The number of lines that begin with `begin`.
  int Count(const std::string& begin) {
    MutexLock lock(mutex_);
    int count = 0;
    for (const std::string& line : lines_) count += line.starts_with(begin) ? 1 : 0;
    return count;
  }

  /// All lines since the last call.
  std::string TakeText() {
    MutexLock lock(mutex_);
    std::string text;
    for (const std::string& line : std::exchange(lines_, {})) text += line + "\n";
    return text;
  }

  EventCount lines;  ///< each line

 private:
  Mutex mutex_;
  std::vector<std::string> lines_ LULL_GUARDED_BY(mutex_);
};

}  // namespace lull::testing
