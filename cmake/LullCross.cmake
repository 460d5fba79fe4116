# Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#
# A toolchain file: cross-compiles with Debian's compilers for LULL_TARGET, for example
# aarch64-linux-gnu or x86_64-w64-mingw32. Libraries are those of that Debian architecture, if
# they are installed.

set(CMAKE_TRY_COMPILE_PLATFORM_VARIABLES LULL_TARGET)
string(REGEX MATCH "^[^-]+" CMAKE_SYSTEM_PROCESSOR "${LULL_TARGET}")

if(LULL_TARGET MATCHES "mingw32$")
  set(CMAKE_SYSTEM_NAME Windows)
  # Of the two variants, the one whose standard library has threads.
  set(CMAKE_C_COMPILER ${LULL_TARGET}-gcc-posix)
  set(CMAKE_CXX_COMPILER ${LULL_TARGET}-g++-posix)
  set(CMAKE_RC_COMPILER ${LULL_TARGET}-windres)
  # One file runs without a search for the compiler's libraries.
  set(CMAKE_EXE_LINKER_FLAGS_INIT -static)
else()
  set(CMAKE_SYSTEM_NAME Linux)
  set(CMAKE_C_COMPILER ${LULL_TARGET}-gcc)
  set(CMAKE_CXX_COMPILER ${LULL_TARGET}-g++)
  set(CMAKE_LIBRARY_ARCHITECTURE ${LULL_TARGET})
endif()

# Programs are this machine's. Headers and libraries of this machine would not fit.
set(CMAKE_FIND_ROOT_PATH /usr/${LULL_TARGET})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
