// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Where results are kept. A file of JSON lines (--json), or a folder (--results) with
//   results.jsonl   one object for each benchmark, and before it those of its intervals
//   intervals.csv   the intervals again, as a table
//   *.hgrm          a percentile table for each benchmark and kind of request
// Everything is appended to, so that several stores can share a folder. Main thread only.
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
  // Empty paths: nothing is written there. Null, with a message on standard error that names the
  // flag, when something cannot be created.
  static std::unique_ptr<ResultFiles> Open(const std::string& json_path, const std::string& folder);

  // Returns false, with a message on standard error, when it cannot all be written.
  bool Write(const Result& result, const Config& config, const std::string& store,
             const std::string& store_version, const std::vector<nlohmann::json>& intervals);

 private:
  struct Closer {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  using File = std::unique_ptr<std::FILE, Closer>;

  ResultFiles() = default;
  bool WriteTables(const Result& result, const std::string& store);

  std::vector<File> json_;  // one or two
  File csv_;                // null without a folder
  std::string folder_;
};

}  // namespace lull::bench
