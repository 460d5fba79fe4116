// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// StatsFile: keeps a file with the text of lull.metrics up to date, for programs that watch a store
// from outside (option stats_file). The store creates it after the open, and destroys it before
// anything else when it closes.
//
// A thread of its own writes the file once a second. It has normal priority: it takes the store's
// mutex for a moment and creates a file, and an idle-priority thread that loses its core meanwhile
// would block others (flush_thread.h).
//
// Invariants:
//   - A reader sees a complete text: each text is written to a new file, PATH.N.tmp, and renamed.
//     Nothing is synced, so a power loss can leave an empty file.
//   - What is not a stats file is never replaced, removed, followed or waited for: neither at the
//     path nor at PATH.N.tmp. Anyone who can write to the directory can put something there.
//   - A failure to write affects nothing else. LOG gets one line until the next success.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "leveldb/env.h"
#include "leveldb/status.h"
#include "util/env_extension.h"
#include "util/mutex.h"
#include "util/thread.h"

namespace lull {

/// How every stats file begins.
inline constexpr char kStatsFileBegin[] = "# HELP lull_";

class StatsFile {
 public:
  struct Setup {
    leveldb::Env* env = nullptr;        ///< has an EnvExtension
    leveldb::Logger* logger = nullptr;  ///< can be null
    std::string path;
    std::function<std::string()> text;  ///< called by the thread
    uint64_t interval_nanos = 1'000'000'000;
  };

  /// The path of the stats file `option` of the store in directory `store`.
  static std::string PathFor(const std::string& store, const std::string& option);

  explicit StatsFile(Setup setup);
  /// Ends the thread and removes the file.
  ~StatsFile();
  StatsFile(const StatsFile&) = delete;
  StatsFile& operator=(const StatsFile&) = delete;

  /// Starts the thread, which writes at once and then in every interval.
  void Start();

  /// Writes the file now. REQUIRES: Start was not called.
  leveldb::Status WriteNow();

 private:
  void Loop() LULL_EXCLUDES(mutex_);
  leveldb::Status CheckTarget() const;
  void Report(const leveldb::Status& status);

  const Setup setup_;
  EnvExtension* const extension_;
  bool is_written_ = false;  // a text was renamed to the path; the thread's
  uint64_t attempts_ = 0;    // the thread's
  bool failing_ = false;     // the last attempt failed; the thread's
  Mutex mutex_;
  CondVar stop_requested_;
  bool stopping_ LULL_GUARDED_BY(mutex_) = false;
  std::unique_ptr<ThreadHandle> thread_;
};

}  // namespace lull
