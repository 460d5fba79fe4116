# Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#
# lull_know_commit(TARGET): lets util/build_info.cc, which TARGET compiles, know the commit of the
# source. Each build asks git, and writes lull_commit.h only if the answer has changed.
#
# As a script, it writes that header: cmake -D SOURCE=folder -D HEADER=file -P LullCommit.cmake

if(NOT CMAKE_SCRIPT_MODE_FILE)
  set(lull_commit_header "${PROJECT_BINARY_DIR}/commit/lull_commit.h")
  add_custom_target(lull_commit
    COMMAND "${CMAKE_COMMAND}" -D "SOURCE=${PROJECT_SOURCE_DIR}" -D "HEADER=${lull_commit_header}"
            -P "${CMAKE_CURRENT_LIST_FILE}"
    BYPRODUCTS "${lull_commit_header}" COMMENT "" VERBATIM)

  function(lull_know_commit target)
    target_include_directories(${target} PRIVATE "${PROJECT_BINARY_DIR}/commit")
    add_dependencies(${target} lull_commit)
    # An archive and a program that links it can both have its object, but not that of a batch.
    set_source_files_properties("${PROJECT_SOURCE_DIR}/util/build_info.cc"
      PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  endfunction()
  return()
endif()

set(commit unknown)
find_program(git git)
if(git)
  # Without locks: a commit can run at the same time. Without docs/: measurements write there.
  execute_process(COMMAND "${git}" --no-optional-locks -C "${SOURCE}"
    status --porcelain=v2 --branch --untracked-files=no -- . ":(exclude)docs"
    OUTPUT_VARIABLE answer RESULT_VARIABLE failed ERROR_QUIET)
  # A copy in another project's work tree would give that project's commit.
  execute_process(COMMAND "${git}" -C "${SOURCE}" rev-parse --show-prefix
    OUTPUT_VARIABLE prefix OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  if(failed EQUAL 0 AND prefix STREQUAL "" AND answer MATCHES "# branch.oid ([0-9a-f]+)")
    string(SUBSTRING "${CMAKE_MATCH_1}" 0 12 commit)
    if(answer MATCHES "\n[^#]")
      string(APPEND commit "-dirty")
    endif()
  endif()
endif()
set(text "#define LULL_COMMIT \"${commit}\"\n")
set(old "")
if(EXISTS "${HEADER}")
  file(READ "${HEADER}" old)
endif()
if(NOT old STREQUAL text)
  file(WRITE "${HEADER}" "${text}")
endif()
