// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Which flags mean something to which benchmarks. Who gives one that nothing listens to believes to
// have measured what was not, so BenchmarkRun refuses it. Those that LevelDB's db_bench has are
// left out: it takes them with everything.
#pragma once

#include <string>

#include "benchmarks/db_bench/config.h"

namespace lull::bench {

// What is wrong with the first flag that has no effect on any of `config.benchmarks`, all of which
// exist; empty when there is none.
std::string FirstUselessFlag(const Config& config);

}  // namespace lull::bench
