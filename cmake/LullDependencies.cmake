# Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#
# Lull's dependencies. Library: snappy and zstd, unless turned off. Programs: CLI11. Tests:
# GoogleTest. Benchmarks: google-benchmark and gflags. Everything but the library: nlohmann_json.

# As lull_find_library, for a required library.
function(lull_require_library name header library package option)
  lull_find_library(${name} ${header} ${library})
  if(NOT TARGET lull::${name})
    message(FATAL_ERROR "Lull needs ${library} (Debian: ${package}). cmake/install-deps installs "
                        "what is missing. -D${option}=OFF builds without it.")
  endif()
  set(LULL_COMPRESSION ${LULL_COMPRESSION} lull::${name} PARENT_SCOPE)
endfunction()

# As find_package, with the package of Debian in the message.
function(lull_require_package name package)
  find_package(${name} QUIET)
  if(NOT ${name}_FOUND)
    message(FATAL_ERROR "Lull needs ${name} (Debian: ${package}). "
                        "cmake/install-deps installs all that is missing.")
  endif()
endfunction()

set(LULL_COMPRESSION)  # the libraries in use
if(LULL_SNAPPY)
  lull_require_library(snappy snappy.h snappy libsnappy-dev LULL_SNAPPY)
endif()
if(LULL_ZSTD)
  lull_require_library(zstd zstd.h zstd libzstd-dev LULL_ZSTD)
endif()

if(LULL_BUILD_TESTS)
  find_package(Python3 REQUIRED COMPONENTS Interpreter)
  if(CMAKE_CROSSCOMPILING)
    # Debian has its sources too (libgtest-dev), for any compiler.
    add_subdirectory(/usr/src/googletest googletest EXCLUDE_FROM_ALL)
    if(NOT TARGET GTest::gmock_main)
      add_library(GTest::gmock_main ALIAS gmock_main)
    endif()
    set(GTest_FOUND TRUE)
  else()
    find_package(GTest QUIET)
  endif()
  if(NOT GTest_FOUND)
    message(STATUS "No GoogleTest (Debian: libgtest-dev, libgmock-dev), so no tests")
    set(LULL_BUILD_TESTS OFF)
  endif()
endif()
if(LULL_BUILD_BENCHMARKS)
  lull_require_package(benchmark libbenchmark-dev)
  lull_require_package(gflags libgflags-dev)
endif()
if(LULL_BUILD_TOOLS)
  lull_require_package(CLI11 libcli11-dev)
endif()
if(CMAKE_CROSSCOMPILING)
  # It has only headers, but those beside it are of this machine.
  set(headers "${CMAKE_BINARY_DIR}/headers")
  file(MAKE_DIRECTORY "${headers}")
  file(CREATE_LINK /usr/include/nlohmann "${headers}/nlohmann" SYMBOLIC)
  add_library(nlohmann_json::nlohmann_json INTERFACE IMPORTED)
  target_include_directories(nlohmann_json::nlohmann_json INTERFACE "${headers}")
elseif(LULL_BUILD_TESTS OR LULL_BUILD_BENCHMARKS OR LULL_BUILD_TOOLS)
  lull_require_package(nlohmann_json nlohmann-json3-dev)
endif()
