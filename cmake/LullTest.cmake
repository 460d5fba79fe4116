# Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.

# lull_add_shards(NAME COUNT property value...)
# Lets ctest run a GoogleTest program as COUNT processes, each with its share of the tests: a
# process a test would spend more time to start than to test.
function(lull_add_shards name count)
  math(EXPR last "${count} - 1")
  foreach(shard RANGE ${last})
    add_test(NAME ${name}/${shard} COMMAND ${name})
    set_tests_properties(${name}/${shard} PROPERTIES ${ARGN}
      ENVIRONMENT "GTEST_TOTAL_SHARDS=${count};GTEST_SHARD_INDEX=${shard}")
  endforeach()
endfunction()

# lull_add_test(NAME SOURCES file... [LIBRARIES library...] [LABEL label] [TIMEOUT_S seconds]
#               [SHARDS count])
# Adds a GoogleTest program, in 4 shards unless said otherwise. It can use internal code of the
# library.
function(lull_add_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "LABEL;TIMEOUT_S;SHARDS" "SOURCES;LIBRARIES")
  if(NOT arg_LABEL)
    set(arg_LABEL unit)
  endif()
  if(NOT arg_TIMEOUT_S)
    set(arg_TIMEOUT_S 600)
  endif()
  if(NOT arg_SHARDS)
    set(arg_SHARDS 4)
  endif()
  add_executable(${name} ${arg_SOURCES})
  lull_compile_options(${name})
  lull_build_fast(${name})
  if(LULL_BATCH_FILES GREATER 1)
    # Builds of one file at a time check that tests include what they use.
    target_precompile_headers(${name} PRIVATE
      <algorithm> <array> <atomic> <functional> <map> <memory> <mutex> <optional> <set> <string>
      <unordered_map> <utility> <vector> <gtest/gtest.h>)
  endif()
  target_link_libraries(${name} PRIVATE
    ${arg_LIBRARIES} lull_internal nlohmann_json::nlohmann_json GTest::gmock_main)
  lull_add_shards(${name} ${arg_SHARDS} LABELS ${arg_LABEL} TIMEOUT ${arg_TIMEOUT_S})
endfunction()
