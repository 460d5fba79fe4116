// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// One line on a terminal that is redrawn while something takes long: a bar, the time gone and left,
// and a figure. Does nothing where standard error is no terminal. One thread at a time.
#pragma once

#include <string>
#include <string_view>

namespace lull::bench {

class Progress {
 public:
  // `expected_seconds` of 0: not known, so there is no bar.
  Progress(std::string title, double expected_seconds);

  bool live() const { return live_; }
  void Show(double elapsed_seconds, std::string_view figure);
  // Takes the line away, so that something else can be printed.
  void Clear();

  // The line as it is shown, cut to `columns`.
  std::string Line(double elapsed_seconds, std::string_view figure, size_t columns) const;

 private:
  const std::string title_;
  const double expected_seconds_;
  const bool live_;
  bool shown_ = false;
};

}  // namespace lull::bench
