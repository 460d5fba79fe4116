# Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.

include(GoogleTest)

# lull_add_test(NAME SOURCES file... [LIBRARIES library...] [LABEL label] [TIMEOUT_S seconds])
# Adds a GoogleTest program that ctest runs test by test. It can use internal code of the library.
function(lull_add_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "LABEL;TIMEOUT_S" "SOURCES;LIBRARIES")
  if(NOT arg_LABEL)
    set(arg_LABEL unit)
  endif()
  if(NOT arg_TIMEOUT_S)
    set(arg_TIMEOUT_S 300)
  endif()
  add_executable(${name} ${arg_SOURCES})
  lull_compile_options(${name})
  if(LULL_SANITIZE)
    # The library stays optimised under sanitizers, but the tests do not: they build in a third of
    # the time. The builds without sanitizers check that tests include what they use.
    target_compile_options(${name} PRIVATE -O0)
    target_precompile_headers(${name} PRIVATE
      <algorithm> <array> <atomic> <functional> <map> <memory> <mutex> <optional> <set> <string>
      <unordered_map> <utility> <vector> <gtest/gtest.h>)
  endif()
  target_link_libraries(${name} PRIVATE
    ${arg_LIBRARIES} lull_internal nlohmann_json::nlohmann_json GTest::gmock_main)
  # ctest discovers the tests when it runs: a sanitized program must not run during a build.
  gtest_discover_tests(${name}
    TEST_PREFIX "${name}/" NO_PRETTY_VALUES DISCOVERY_MODE PRE_TEST DISCOVERY_TIMEOUT 120
    PROPERTIES LABELS ${arg_LABEL} TIMEOUT ${arg_TIMEOUT_S})
endfunction()
