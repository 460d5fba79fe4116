// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// FlushThread: the thread of normal CPU priority that each store has for itself. It runs the
// store's flushes and installs, slice by slice. No other store needs it, so a disk that hangs stops
// only the stores on it.
//
// Between slices it creates files on behalf of threads of idle priority. The kernel locks a
// directory while it creates a file in it. If an idle-priority thread loses its core at that point,
// every other create, rename and unlink in the directory blocks until the thread runs again. With
// two busy cores and an fsync every millisecond, a create took up to 783 ms. With creates and
// unlinks at normal priority it took at most 33 ms, all of it I/O. An unprivileged thread cannot
// return to normal priority, so another thread makes the call.
//
// Idle-priority threads take no lock that this thread takes; see coordinator.h.
#pragma once

#include <atomic>
#include <climits>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

#include "leveldb/status.h"
#include "util/thread.h"
#include "util/wake_signal.h"

namespace lull {

class FlushThread {
 public:
  /// Does the most urgent piece of the store's work, about one slice. Returns the nanoseconds until
  /// the next call (0: more work is ready), or nullopt: not before Wake.
  using Slice = std::function<std::optional<uint64_t>()>;

  /// Calls Join.
  ~FlushThread() { Join(); }

  /// Call once. IOError if the thread cannot start.
  leveldb::Status Start(Slice slice);

  /// Makes the thread look for work now. Any thread, with or without locks, also before Start.
  void Wake() { signal_.Wake(); }

  /// Runs `work` and returns when it is done. Callers of idle priority wait until this thread runs
  /// it; others run it themselves. REQUIRES: Join is not called meanwhile.
  void RunAtNormalPriority(const std::function<void()>& work);

  /// No slice begins after the current one. The thread still runs what RunAtNormalPriority passes
  /// to it, until Join. Does not wait.
  void StopSlices();
  /// Ends the thread after its current slice.
  void Join();

 private:
  struct Errand;

  void Loop();
  void RunErrands();

  Slice slice_;
  WakeSignal signal_;
  std::atomic<unsigned> ordinal_{UINT_MAX};  // of the thread
  std::atomic<bool> no_slices_{false};
  std::atomic<bool> stopping_{false};
  std::atomic<Errand*> errands_{nullptr};  // the newest; each links to the one before it
  std::unique_ptr<ThreadHandle> thread_;   // null before Start
};

}  // namespace lull
