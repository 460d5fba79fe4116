// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// A progress line on a terminal: a bar, the elapsed and remaining time, and a figure. Does nothing
// if standard error is not a terminal. One thread at a time.
#pragma once

#include <string>
#include <string_view>

namespace lull::bench {

class Progress {
 public:
  // `expected_seconds` of 0: unknown, so no bar.
  Progress(std::string title, double expected_seconds);

  bool live() const { return live_; }
  void Show(double elapsed_seconds, std::string_view figure);
  // Erases the line, so that something else can be printed.
  void Clear();

  // The line's text, cut to `columns`.
  std::string Line(double elapsed_seconds, std::string_view figure, size_t columns) const;

 private:
  const std::string title_;
  const double expected_seconds_;
  const bool live_;
  bool shown_ = false;
};

}  // namespace lull::bench
