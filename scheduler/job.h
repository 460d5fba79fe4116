// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// A piece of background work that runs in slices. Between two slices a job keeps its resources
// (pinned Versions, files under construction) but no lock. So it can wait for any time, continue on
// another thread, or be destroyed. Destruction deletes its partial outputs.
#pragma once

#include <cstddef>
#include <cstdint>

#include "leveldb/status.h"

namespace lull {

/// Only L0 and deep compactions depend on the policy's grants. A client waits for a manual one.
/// Preload: opens tables before reads need them.
enum class JobClass { kManual, kL0, kDeep, kCleanup, kPreload };
inline constexpr size_t kJobClasses = 5;

/// Names a job from its begin to its end. The dispatcher chooses it.
enum class JobId : uint64_t {};

/// A slice ends when it reaches either limit.
struct SliceBudget {
  uint64_t bytes = 256 << 10;
  uint64_t nanos = 2'000'000;
  /// Yield the core every few tens of microseconds. Otherwise a client that wakes up on this core
  /// waits until the kernel's time slice of this thread ends, some milliseconds.
  bool offers_core = false;
};

class Job {
 public:
  enum class Progress { kMore, kDone };

  Job() = default;
  virtual ~Job() = default;
  Job(const Job&) = delete;
  Job& operator=(const Job&) = delete;

  /// Runs until `budget` is used up or the job is done, and sets *progress. After an error
  /// *progress is undefined. One thread at a time. Not called again after an error or kDone.
  virtual leveldb::Status RunSlice(const SliceBudget& budget, Progress* progress) = 0;

  // REQUIRES, for the two below: no slice is running on another thread.
  /// Bytes written to files so far.
  virtual uint64_t written_bytes() const { return 0; }
  /// Rough fraction of the work that is done, 0 to 1.
  virtual double share_done() const { return 0; }
};

}  // namespace lull
