# Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#
# Target `doxygen`: the public headers as HTML, in doxygen/html of the build folder. A warning is an
# error. Only where doxygen is installed.

find_package(Doxygen QUIET)
if(NOT DOXYGEN_FOUND)
  return()
endif()

set(DOXYGEN_PROJECT_BRIEF "An embedded key-value store: LevelDB's API, a new background scheduler")
set(DOXYGEN_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/doxygen")
set(DOXYGEN_STRIP_FROM_PATH "${PROJECT_SOURCE_DIR}/include")
set(DOXYGEN_FILE_PATTERNS *.h)
set(DOXYGEN_EXTRACT_ALL YES)
set(DOXYGEN_JAVADOC_AUTOBRIEF YES)
set(DOXYGEN_GENERATE_LATEX NO)
set(DOXYGEN_HAVE_DOT NO)
set(DOXYGEN_QUIET YES)
set(DOXYGEN_WARN_AS_ERROR FAIL_ON_WARNINGS)
# Comments are plain text, and the macros of exports are no names.
set(DOXYGEN_MACRO_EXPANSION YES)
set(DOXYGEN_EXPAND_ONLY_PREDEF YES)
set(DOXYGEN_PREDEFINED LEVELDB_EXPORT=)
set(DOXYGEN_EXCLUDE_SYMBOLS "std::*")
set(DOXYGEN_INPUT_FILTER "sed -E -f ${PROJECT_SOURCE_DIR}/cmake/doxygen.sed")
doxygen_add_docs(doxygen include/leveldb include/lull)
