// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "db/tools/progress.h"

#include <algorithm>
#include <cstdio>
#include <utility>

#include "db/tools/output.h"
#include "util/clock.h"
#include "util/os.h"

namespace lull::tools {
namespace {

constexpr uint64_t kIntervalNanos = 250'000'000;

}  // namespace

Progress::Progress(bool quiet, std::string what, uint64_t total_bytes)
    : what_(std::move(what)),
      visible_(!quiet && os::IsTerminal(stderr)),
      total_bytes_(total_bytes) {}

Progress::~Progress() {
  if (shown_nanos_ != 0) std::fputs("\r\033[K", stderr);
}

void Progress::Show(uint64_t done_bytes) {
  done_bytes_ = done_bytes;
  if (!visible_) return;
  const bool is_end = done_bytes >= total_bytes_;
  const uint64_t now_nanos = Clock::System()->NowNanos();
  const bool is_soon = shown_nanos_ != 0 && now_nanos < shown_nanos_ + kIntervalNanos;
  if (is_soon && (!is_end || shown_end_)) return;
  shown_nanos_ = now_nanos;
  shown_end_ = is_end;
  const uint64_t shown_bytes = std::min(done_bytes, total_bytes_);
  const double percent =
      is_end ? 100 : 100 * static_cast<double>(shown_bytes) / static_cast<double>(total_bytes_);
  std::fprintf(stderr, "\r%s: %s of %s, %.0f %%\033[K", what_.c_str(),
               BytesText(shown_bytes).c_str(), BytesText(total_bytes_).c_str(), percent);
}

std::function<void(uint64_t, uint64_t)> ShowProgress(bool quiet, const char* what) {
  return [progress = std::make_shared<Progress>(quiet, what, 0)](uint64_t total, uint64_t step) {
    progress->set_total(total);
    progress->Advance(step);
  };
}

ProgressWatch::ProgressWatch(bool quiet, const char* what, uint64_t total_bytes,
                             std::function<uint64_t()> done_bytes)
    : progress_(quiet, what, total_bytes) {
  if (!progress_.is_visible()) return;
  progress_.Show(0);
  const auto body = [this, done_bytes = std::move(done_bytes)] {
    while (ends_.load() == 0) {
      progress_.Show(done_bytes());
      os::WaitWhile(&ends_, 0, kIntervalNanos);
    }
  };
  // Without a thread the command works, and shows nothing.
  ThreadFactory::System()->TryStart("lull-progress", CpuClass::kNormal, body, &thread_);
}

ProgressWatch::~ProgressWatch() {
  ends_.store(1);
  os::WakeAll(&ends_);
}

}  // namespace lull::tools
