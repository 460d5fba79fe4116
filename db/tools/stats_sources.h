// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Finds what top and export watch: stats files, and for export directories of backups. Reads stats
// files.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "db/tools/metrics_text.h"
#include "leveldb/env.h"
#include "leveldb/status.h"

namespace lull::tools {

/// How many levels of directories below a PATH are searched.
inline constexpr int kSearchDepth = 3;

/// Files to watch, and paths without one. OK: the file was there.
using StatsSources = std::map<std::string, leveldb::Status>;

struct Sources {
  StatsSources stats;
  std::set<std::string> backups;  ///< directories with the backups of a store
};

/// What the paths lead to: a path is a stats file, or a directory that is searched for files *.prom
/// that begin like one, and for backups. A store whose stats file is where `auto` puts it gives
/// that file. A directory without any, or a path that does not exist, gives a source with an error.
Sources FindSources(leveldb::Env* env, const std::vector<std::string>& paths);

/// Returns the error of the first path that does not exist.
leveldb::Status CheckPaths(leveldb::Env* env, const std::vector<std::string>& paths);

/// Of a text that has stayed current since it was written, as the file's time of change tells, the
/// ages are those at that time.
leveldb::Status ReadStatsFile(leveldb::Env* env, const std::string& path, MetricsText* result);

}  // namespace lull::tools
