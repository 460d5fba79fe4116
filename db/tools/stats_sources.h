// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Finds and reads the stats files that top and export watch.
#pragma once

#include <map>
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

/// The stats files of `paths`: a path is such a file, or a directory that is searched for files
/// *.prom that begin like one. A directory without any, or a path that does not exist, gives a
/// source with an error.
StatsSources FindStatsFiles(leveldb::Env* env, const std::vector<std::string>& paths);

/// Returns the error of the first path that does not exist.
leveldb::Status CheckPaths(leveldb::Env* env, const std::vector<std::string>& paths);

/// Of a text that has stayed current since it was written, as the file's time of change tells, the
/// ages are those at that time.
leveldb::Status ReadStatsFile(leveldb::Env* env, const std::string& path, MetricsText* result);

}  // namespace lull::tools
