// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// db_bench: LevelDB's benchmarks, flags and output, plus bursts and loads. See docs/benchmarks.md.
#include <cstdio>

#include "benchmarks/db_bench/benchmark_run.h"
#include "benchmarks/db_bench/config.h"
#include "benchmarks/measure/platform.h"
#include "benchmarks/stores/store.h"

int main(int argc, char** argv) {
  using namespace lull::bench;
  Config config;
  const std::string fault =
      ParseFlags(argc, argv, StoreVersion() + " (" + StoreName() + ")", &config);
  if (!fault.empty()) {
    std::fprintf(stderr, "db_bench: %s\n", fault.c_str());
    return 1;
  }
  StopOnInterrupt();
  if (!BenchmarkRun(config).RunAll()) return 1;
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
    std::fprintf(stderr, "db_bench: cannot write the output\n");
    return 1;
  }
  constexpr int kEndedByInterrupt = 130;  // as in shells
  return Interrupted() ? kEndedByInterrupt : 0;
}
