# Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#
# A toolchain file: cross-compiles for LULL_TARGET, with Debian's compilers (for example for
# aarch64-linux-gnu or x86_64-w64-mingw32) or with Zig's, which is Clang with libc++ (for
# x86_64-linux-musl or aarch64-macos). LULL_ZIG is Zig's program. Libraries are those of that Debian
# architecture, if they are installed.

set(CMAKE_TRY_COMPILE_PLATFORM_VARIABLES LULL_TARGET LULL_ZIG)
string(REGEX MATCH "^[^-]+" CMAKE_SYSTEM_PROCESSOR "${LULL_TARGET}")

if(LULL_TARGET MATCHES "mingw32$")
  set(CMAKE_SYSTEM_NAME Windows)
  # Of the two variants, the one whose standard library has threads.
  set(CMAKE_C_COMPILER ${LULL_TARGET}-gcc-posix)
  set(CMAKE_CXX_COMPILER ${LULL_TARGET}-g++-posix)
  set(CMAKE_RC_COMPILER ${LULL_TARGET}-windres)
  # One file runs without a search for the compiler's libraries.
  set(CMAKE_EXE_LINKER_FLAGS_INIT -static)
elseif(LULL_TARGET MATCHES "musl$|macos$")
  set(CMAKE_SYSTEM_NAME Linux)
  if(LULL_TARGET MATCHES "macos$")
    set(CMAKE_SYSTEM_NAME Darwin)
  endif()
  set(CMAKE_C_COMPILER "${LULL_ZIG}" cc -target ${LULL_TARGET})
  set(CMAKE_CXX_COMPILER "${LULL_ZIG}" c++ -target ${LULL_TARGET})
  set(CMAKE_AR "${LULL_ZIG}-ar")
  set(CMAKE_RANLIB "${LULL_ZIG}-ranlib")
else()
  set(CMAKE_SYSTEM_NAME Linux)
  set(CMAKE_C_COMPILER ${LULL_TARGET}-gcc)
  set(CMAKE_CXX_COMPILER ${LULL_TARGET}-g++)
  set(CMAKE_LIBRARY_ARCHITECTURE ${LULL_TARGET})
endif()

# Programs are this machine's. Headers and libraries of this machine would not fit.
set(CMAKE_FIND_ROOT_PATH /usr/${LULL_TARGET})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
