# Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.

include(GoogleTest)

# lull_add_test(NAME SOURCES file... [LIBRARIES library...] [LABEL label] [TIMEOUT_S seconds])
# A GoogleTest program that ctest runs test by test. It may use what the library hides.
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
    # What is tested stays optimised; the tests themselves build in a third of the time. That they
    # include what they use is seen in the builds without sanitizers.
    target_compile_options(${name} PRIVATE -O0)
    target_precompile_headers(${name} PRIVATE
      <algorithm> <array> <atomic> <functional> <map> <memory> <mutex> <optional> <set> <string>
      <unordered_map> <utility> <vector> <gtest/gtest.h>)
  endif()
  target_link_libraries(${name} PRIVATE
    ${arg_LIBRARIES} lull_internal nlohmann_json::nlohmann_json GTest::gmock_main)
  # Discovery waits until ctest runs: a sanitized program must not run in the middle of a build.
  gtest_discover_tests(${name}
    TEST_PREFIX "${name}/" NO_PRETTY_VALUES DISCOVERY_MODE PRE_TEST DISCOVERY_TIMEOUT 120
    PROPERTIES LABELS ${arg_LABEL} TIMEOUT ${arg_TIMEOUT_S})
endfunction()
