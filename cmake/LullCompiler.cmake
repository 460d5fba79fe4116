# Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#
# lull_compile_options(TARGET): the language level, warnings and sanitizers for all code of this
# project. Sets them on the target, never globally, so that a program that adds this folder to its
# build keeps its own settings.
#
# lull_batch(TARGET): if LULL_BATCH_FILES is set, compiles that many files of the target as one. The
# names in their anonymous namespaces must differ.

find_package(Threads REQUIRED)

# Links in a third of the time. Only where many large programs are linked, and none is installed.
if(LULL_SANITIZE)
  find_program(LULL_LLD ld.lld)
  mark_as_advanced(LULL_LLD)
endif()

if(PROJECT_IS_TOP_LEVEL AND NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE RelWithDebInfo CACHE STRING "" FORCE)
endif()

function(lull_compile_options target)
  target_compile_features(${target} PRIVATE cxx_std_20)
  set_target_properties(${target} PROPERTIES
    CXX_EXTENSIONS OFF
    CXX_VISIBILITY_PRESET hidden
    POSITION_INDEPENDENT_CODE ON)
  target_compile_options(${target} PRIVATE -Wall -Wextra)
  # With assertions on, the standard library also checks container and string accesses.
  target_compile_definitions(${target} PRIVATE $<$<CONFIG:Debug>:_GLIBCXX_ASSERTIONS>)
  if(UNIX AND CMAKE_SIZEOF_VOID_P EQUAL 4)
    # Otherwise a 32-bit glibc opens no file beyond 2 GiB.
    target_compile_definitions(${target} PRIVATE _FILE_OFFSET_BITS=64)
  endif()
  if(WIN32)
    target_compile_definitions(${target} PRIVATE
      UNICODE NOMINMAX WIN32_LEAN_AND_MEAN _WIN32_WINNT=0x0A00)
  endif()
  if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    target_compile_options(${target} PRIVATE -Wthread-safety -Werror=thread-safety)
  endif()
  if(LULL_SANITIZE)
    target_compile_options(${target} PRIVATE
      -fsanitize=${LULL_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
    target_link_options(${target} PUBLIC -fsanitize=${LULL_SANITIZE})
    if(LULL_LLD)
      target_link_options(${target} PUBLIC -fuse-ld=lld)
    endif()
  endif()
  if(LULL_FUZZ)
    target_compile_options(${target} PRIVATE -fsanitize=fuzzer-no-link)
    target_link_options(${target} PUBLIC -fsanitize=fuzzer-no-link)
  endif()
endfunction()

# For programs whose time is spent in the library, which stays optimised under sanitizers: without
# optimisation, their own code builds in a half to a third of the time.
function(lull_build_fast target)
  if(LULL_SANITIZE)
    target_compile_options(${target} PRIVATE -O0)
  endif()
endfunction()

function(lull_batch target)
  if(LULL_BATCH_FILES GREATER 1)
    set_target_properties(${target} PROPERTIES
      UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE ${LULL_BATCH_FILES})
  endif()
endfunction()
