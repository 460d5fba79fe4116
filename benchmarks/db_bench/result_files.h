// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Writes results to a file of JSON lines (--json), or to a directory (--results) with
//   results.jsonl   one object per benchmark, preceded by those of its intervals
//   intervals.csv   the same intervals as a table
//   *.hgrm          a percentile table per benchmark and kind of request
// Appends to existing files, so that several stores can share a directory. Main thread only.
#pragma once

#include <cstdio>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "benchmarks/db_bench/result.h"

namespace lull::bench {

class ResultFiles {
 public:
  // An empty path writes nothing there. If a file cannot be created, prints an error that names the
  // flag on standard error and returns null.
  static std::unique_ptr<ResultFiles> Open(const std::string& json_path,
                                           const std::string& directory);

  // If not everything can be written, prints an error on standard error and returns false.
  bool Write(const Result& result, const Config& config, const std::string& store,
             const std::string& store_version, const std::vector<nlohmann::json>& intervals);

 private:
  struct Closer {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  using File = std::unique_ptr<std::FILE, Closer>;

  ResultFiles() = default;
  bool WriteTables(const Result& result, const std::string& store);

  std::vector<File> json_;  // at most two
  File csv_;                // null without a directory
  std::string directory_;
};

}  // namespace lull::bench
