# Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#
# Sets the defaults of Lull's options, lull_default_*. A project that builds LevelDB's folder sets
# LevelDB's own options. If it sets one of them, this folder takes the place of LevelDB's: the
# library is called leveldb, and is built as LevelDB's options say, without tests or programs that
# need other packages.

# lull_take_default(NAME OPTION VALUE): the value of LevelDB's OPTION, or VALUE if it is not set.
macro(lull_take_default name option value)
  set(lull_default_${name} "${value}")
  if(DEFINED ${option})
    set(lull_default_${name} "${${option}}")
  endif()
endmacro()

set(lull_default_drop_in "")
foreach(part tests benchmarks tools install)
  set(lull_default_${part} ${PROJECT_IS_TOP_LEVEL})
endforeach()
set(lull_default_snappy ON)
set(lull_default_zstd ON)
set(lull_default_zlib ON)

if(DEFINED LEVELDB_BUILD_TESTS OR DEFINED LEVELDB_BUILD_BENCHMARKS OR DEFINED LEVELDB_INSTALL)
  set(lull_default_drop_in libleveldb.a)
  if(BUILD_SHARED_LIBS)
    set(lull_default_drop_in libleveldb.so.1)
  endif()
  set(lull_default_tools OFF)
  lull_take_default(tests LEVELDB_BUILD_TESTS OFF)
  lull_take_default(benchmarks LEVELDB_BUILD_BENCHMARKS OFF)
  lull_take_default(install LEVELDB_INSTALL ON)
  # As in LevelDB: snappy if it is found. A project that links LevelDB 1.23 links no other.
  lull_find_library(snappy)
  lull_take_default(snappy HAVE_SNAPPY OFF)
  if(NOT DEFINED HAVE_SNAPPY AND TARGET lull::snappy)
    set(lull_default_snappy ON)
  endif()
  lull_take_default(zstd HAVE_ZSTD OFF)
  set(lull_default_zlib OFF)
endif()
