// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// StatsFile: keeps a file with the text of lull.metrics up to date, for programs that watch a store
// from outside (option stats_file). The store creates it after the open, and destroys it before
// anything else when it closes. A StatsThread, which stores share, updates it every second.
//
// A text whose store did nothing is not written again. Instead, the file's time of change tells
// that the store is alive: it is the time in the text plus the time for which the text has been
// current. Readers add that time to the ages in the text.
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

#include "db/report/stats_thread.h"
#include "leveldb/env.h"
#include "leveldb/status.h"
#include "util/env_extension.h"

namespace lull {

/// How every stats file begins.
inline constexpr char kStatsFileBegin[] = "# HELP lull_";

/// A current text gets a new time of change this often.
inline constexpr uint64_t kStatsTouchNanos = 2'000'000'000;

class StatsFile {
 public:
  struct Stats {
    std::string text;           ///< of lull.metrics
    uint64_t uptime_nanos = 0;  ///< of the store, when it gave the text
    uint64_t wall_seconds = 0;  ///< the time in the text
  };

  struct Setup {
    leveldb::Env* env = nullptr;        ///< has an EnvExtension
    leveldb::Logger* logger = nullptr;  ///< can be null
    std::string store;                  ///< its directory
    std::string path;
    std::function<Stats()> read;  ///< called by the thread
    uint64_t interval_nanos = 1'000'000'000;
  };

  /// The path of the stats file `option` of the store in directory `store`. A directory (its name
  /// ends with a slash) gets a file named after the absolute path of the store. "auto" is a
  /// directory in memory, or that of the store if the system has none.
  static std::string PathFor(const std::string& store, const std::string& option);

  explicit StatsFile(Setup setup);
  /// Waits for an update that is in progress, and removes the file.
  ~StatsFile();
  StatsFile(const StatsFile&) = delete;
  StatsFile& operator=(const StatsFile&) = delete;

  /// Lets the thread of the file's and the store's file system update the file.
  void Start();

  /// Updates the file now: writes it, touches it, or does nothing. The thread, or REQUIRES: Start
  /// was not called.
  leveldb::Status Update();

 private:
  leveldb::Status WriteOrTouch(const Stats& now);
  leveldb::Status Write(const Stats& now);
  leveldb::Status Touch(const Stats& now);
  leveldb::Status CheckTarget() const;
  void Report(const leveldb::Status& status);

  const Setup setup_;
  EnvExtension* const extension_;
  std::shared_ptr<StatsThread> thread_;

  // Of the thread.
  bool is_written_ = false;            // `written_` was renamed to the path
  Stats written_;                      // the newest text that was
  uint64_t touched_uptime_nanos_ = 0;  // when the file was last written or touched
  uint64_t attempts_ = 0;
  bool failing_ = false;  // the last update failed
};

}  // namespace lull
