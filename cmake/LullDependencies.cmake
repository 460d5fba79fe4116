# Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#
# What Lull needs of others. The library: snappy and zstd. The tests: GoogleTest. The benchmarks:
# google-benchmark, gflags. Both of the latter: nlohmann_json.

# Defines the imported target lull::NAME from a header and a library of the system.
function(lull_find_library name header library package)
  find_path(LULL_${name}_INCLUDE_DIR ${header})
  find_library(LULL_${name}_LIBRARY ${library})
  mark_as_advanced(LULL_${name}_INCLUDE_DIR LULL_${name}_LIBRARY)
  if(NOT LULL_${name}_INCLUDE_DIR OR NOT LULL_${name}_LIBRARY)
    message(FATAL_ERROR "Lull needs ${library} (Debian: ${package}). "
                        "cmake/install-deps installs all that is missing.")
  endif()
  add_library(lull::${name} UNKNOWN IMPORTED GLOBAL)
  set_target_properties(lull::${name} PROPERTIES
    IMPORTED_LOCATION "${LULL_${name}_LIBRARY}"
    INTERFACE_INCLUDE_DIRECTORIES "${LULL_${name}_INCLUDE_DIR}")
endfunction()

lull_find_library(snappy snappy.h snappy libsnappy-dev)
lull_find_library(zstd zstd.h zstd libzstd-dev)

if(LULL_BUILD_TESTS)
  find_package(GTest REQUIRED)
  find_package(Python3 REQUIRED COMPONENTS Interpreter)
endif()
if(LULL_BUILD_BENCHMARKS)
  find_package(benchmark REQUIRED)
  find_package(gflags REQUIRED)
endif()
if(LULL_BUILD_TESTS OR LULL_BUILD_BENCHMARKS)
  find_package(nlohmann_json REQUIRED)
endif()
