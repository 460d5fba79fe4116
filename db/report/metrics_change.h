// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// How much two texts of lull.metrics of one store differ, which decides whether its stats file is
// rewritten. Pure function; any thread.
#pragma once

#include <string_view>

namespace lull {

enum class MetricsChange {
  kNone,      ///< ages have grown by the time between the texts, or nothing has changed
  kOfOthers,  ///< values that other stores, programs or a shared cache change
  kOfStore,   ///< any other change, also a jump of the calendar
};

MetricsChange CompareMetrics(std::string_view before, std::string_view after);

}  // namespace lull
