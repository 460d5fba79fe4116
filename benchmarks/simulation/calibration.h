// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Measures what things cost on this machine. Runs real stores in a folder of its own for about a
// minute; the machine should have nothing else to do.
#pragma once

#include <string>

#include "benchmarks/simulation/profile.h"

namespace lull::sim {

/// Prints each number as it is known. Returns what went wrong, or "".
std::string Calibrate(const std::string& folder, Costs* costs);

}  // namespace lull::sim
