// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Measures costs on this machine. Runs real stores in `directory` for about a minute; the machine
// should be otherwise idle.
#pragma once

#include <string>

#include "benchmarks/simulation/profile.h"

namespace lull::sim {

/// Prints each cost when it is known. Returns an error, empty if none.
std::string Calibrate(const std::string& directory, Costs* costs);

}  // namespace lull::sim
