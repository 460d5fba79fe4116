// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "benchmarks/db_bench/progress.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <utility>

namespace lull::bench {
namespace {

constexpr size_t kBarColumns = 16;

std::string Clock(double seconds) {
  const auto whole = static_cast<long>(std::max(0.0, seconds));
  char text[32];
  std::snprintf(text, sizeof(text), "%ld:%02ld", whole / 60, whole % 60);
  return text;
}

size_t TerminalColumns() {
  winsize size;
  const bool known = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return known ? size.ws_col : 80;
}

}  // namespace

Progress::Progress(std::string title, double expected_seconds)
    : title_(std::move(title)),
      expected_seconds_(expected_seconds),
      live_(isatty(STDERR_FILENO) == 1) {}

std::string Progress::Line(double elapsed_seconds, std::string_view figure, size_t columns) const {
  std::string line;
  if (expected_seconds_ > 0) {
    const double share = std::min(1.0, elapsed_seconds / expected_seconds_);
    const auto filled = static_cast<size_t>(share * kBarColumns);
    line = "[" + std::string(filled, '#') + std::string(kBarColumns - filled, '.') + "] ";
  }
  line += Clock(elapsed_seconds) + " elapsed";
  // The drain follows, and its length is unknown.
  if (elapsed_seconds < expected_seconds_) {
    line += ", " + Clock(std::ceil(expected_seconds_ - elapsed_seconds)) + " left";
  }
  line.append("  ").append(title_).append("  ").append(figure);
  return line.substr(0, columns);
}

void Progress::Show(double elapsed_seconds, std::string_view figure) {
  if (!live_) return;
  // Leave the last column free: some terminals wrap when it is written.
  const std::string line = Line(elapsed_seconds, figure, TerminalColumns() - 1);
  std::fprintf(stderr, "\r%s\033[K", line.c_str());
  shown_ = true;
}

void Progress::Clear() {
  if (!shown_) return;
  std::fprintf(stderr, "\r\033[K");
  shown_ = false;
}

}  // namespace lull::bench
