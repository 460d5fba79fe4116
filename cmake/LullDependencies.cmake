# Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#
# Lull's dependencies. Library: snappy and zstd. Programs: CLI11. Tests: GoogleTest. Benchmarks:
# google-benchmark and gflags. Everything but the library: nlohmann_json.

include(LullFindLibrary)

# As lull_find_library, for a required library.
function(lull_require_library name header library package)
  lull_find_library(${name} ${header} ${library})
  if(NOT TARGET lull::${name})
    message(FATAL_ERROR "Lull needs ${library} (Debian: ${package}). "
                        "cmake/install-deps installs what is missing.")
  endif()
endfunction()

lull_require_library(snappy snappy.h snappy libsnappy-dev)
lull_require_library(zstd zstd.h zstd libzstd-dev)

if(LULL_BUILD_TESTS)
  find_package(GTest REQUIRED)
  find_package(Python3 REQUIRED COMPONENTS Interpreter)
endif()
if(LULL_BUILD_BENCHMARKS)
  find_package(benchmark REQUIRED)
  find_package(gflags REQUIRED)
endif()
if(LULL_BUILD_TOOLS)
  find_package(CLI11 REQUIRED)
endif()
if(LULL_BUILD_TESTS OR LULL_BUILD_BENCHMARKS OR LULL_BUILD_TOOLS)
  find_package(nlohmann_json REQUIRED)
endif()
