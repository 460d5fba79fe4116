// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// TopStores: the stores that `lull top` watches. Each Refresh reads their stats files. One thread.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "db/tools/stats_sources.h"
#include "db/tools/top_model.h"
#include "leveldb/env.h"
#include "util/clock.h"

namespace lull::tools {

class TopStores {
 public:
  TopStores(leveldb::Env* env, Clock* clock, std::vector<std::string> paths)
      : env_(env), clock_(clock), paths_(std::move(paths)) {}

  /// Searches the paths, at most every few seconds, and reads all files.
  void Refresh();

  /// A row for each file, and for each path that has none.
  std::vector<StoreFigures> Rows() const;
  /// Whether a file was read and has not changed since the first Refresh.
  bool AwaitsUpdate() const;

 private:
  void FindFiles();

  leveldb::Env* const env_;
  Clock* const clock_;
  const std::vector<std::string> paths_;
  std::map<std::string, StoreWatch> watches_;  // by path; closed stores stay
  StatsSources without_file_;
  uint64_t search_at_nanos_ = 0;
};

}  // namespace lull::tools
