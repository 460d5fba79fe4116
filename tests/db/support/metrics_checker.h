// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Parses Prometheus' text format, strictly, for tests.
#pragma once

#include <map>
#include <string>

namespace lull::testing {

/// Keyed by "name{label="value",...}" without the label store. An invalid line fails the test.
std::map<std::string, double> ParseMetrics(const std::string& text);

}  // namespace lull::testing
