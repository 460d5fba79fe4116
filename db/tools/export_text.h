// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// The page that `lull export` serves: the stats files of all stores in one text of Prometheus'
// format 0.0.4. Pure functions.
#pragma once

#include <string>
#include <vector>

#include "db/tools/metrics_text.h"

namespace lull::tools {

/// One stats file at the moment of a scrape.
struct ExportedFile {
  std::string path;
  bool was_read = false;   ///< false: the other members are not set
  double age_seconds = 0;  ///< since it was written
  MetricsText text;
};

/// Groups the samples by family, with one HELP and one TYPE line each, and adds
/// lull_stats_file_age_seconds for each store and lull_stats_file_up for each file. If two files
/// are of stores with the same name, their samples also get the label file: Prometheus would refuse
/// a page with a repeated series.
std::string ExportText(const std::vector<ExportedFile>& files);

}  // namespace lull::tools
