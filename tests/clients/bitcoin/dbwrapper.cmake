# Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#
# Builds Bitcoin Core's src/test/dbwrapper_tests.cpp as a program of its own. Included at the end of
# src/CMakeLists.txt.

add_executable(dbwrapper_tests EXCLUDE_FROM_ALL
  test/dbwrapper_tests.cpp
  dbwrapper.cpp
  uint256.cpp
  "${CMAKE_CURRENT_LIST_DIR}/main.cc")
target_include_directories(dbwrapper_tests BEFORE PRIVATE "${CMAKE_CURRENT_LIST_DIR}")
target_link_libraries(dbwrapper_tests PRIVATE
  core_interface bitcoin_util bitcoin_crypto bitcoin_clientversion leveldb Boost::headers)
