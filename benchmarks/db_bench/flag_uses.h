// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Which flags apply to which benchmarks. BenchmarkRun rejects a flag that has no effect, because
// its user would believe to have measured something else. Flags of LevelDB's db_bench are exempt:
// it accepts them with every benchmark.
#pragma once

#include <string>

#include "benchmarks/db_bench/config.h"

namespace lull::bench {

// Names the first flag that has no effect on any of `config.benchmarks`, all of which exist. Empty
// if every flag has an effect.
std::string FirstUselessFlag(const Config& config);

}  // namespace lull::bench
