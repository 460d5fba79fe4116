# Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#
# Builds Lull instead of LevelDB in Bitcoin Core. Replaces cmake/leveldb.cmake. The folder
# src/leveldb has what cmake/amalgamate writes, a copy of include/, and helpers/memenv/memenv.h.

add_library(leveldb STATIC EXCLUDE_FROM_ALL ${PROJECT_SOURCE_DIR}/src/leveldb/lull.cc)
target_include_directories(leveldb PUBLIC
  $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/src/leveldb/include>)
target_link_libraries(leveldb PRIVATE core_interface)
