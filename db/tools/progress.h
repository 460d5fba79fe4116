// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// The progress of long commands, in bytes, on standard error.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "util/thread.h"

namespace lull::tools {

/// Rewrites one line of a terminal, a few times a second; the destructor clears it. One thread.
class Progress {
 public:
  /// Shows nothing if standard error is no terminal, or if `quiet`, as with --json.
  Progress(bool quiet, std::string what, uint64_t total_bytes);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  bool is_visible() const { return visible_; }
  void set_total(uint64_t bytes) { total_bytes_ = bytes; }
  void Advance(uint64_t bytes) { Show(done_bytes_ + bytes); }
  /// `done_bytes` of all. Totals can be estimates, so more than the total counts as all.
  void Show(uint64_t done_bytes);

 private:
  const std::string what_;
  const bool visible_;
  uint64_t total_bytes_;
  uint64_t done_bytes_ = 0;
  uint64_t shown_nanos_ = 0;  // when the line was written; 0: never
  bool shown_end_ = false;
};

/// For functions that report their progress as a WorkProgress.
std::function<void(uint64_t total_bytes, uint64_t step_bytes)> ShowProgress(bool quiet,
                                                                            const char* what);

/// For functions that report none: while it exists, a thread measures what they have done.
class ProgressWatch {
 public:
  /// `done_bytes` is called on the thread.
  ProgressWatch(bool quiet, const char* what, uint64_t total_bytes,
                std::function<uint64_t()> done_bytes);
  ~ProgressWatch();

 private:
  Progress progress_;  // of the thread
  std::atomic<uint32_t> ends_{0};
  std::unique_ptr<ThreadHandle> thread_;
};

}  // namespace lull::tools
