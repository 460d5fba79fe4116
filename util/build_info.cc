// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "util/build_info.h"

#include "lull/version.h"

// Only this file includes it, so that a new commit recompiles nothing else. cmake/LullCommit.cmake
// writes it; cmake/amalgamate defines the name instead.
#if !defined(LULL_COMMIT) && __has_include(<lull_commit.h>)
#include <lull_commit.h>
#endif
#ifndef LULL_COMMIT
#define LULL_COMMIT "unknown"
#endif

namespace lull {

const char* BuildCommit() { return LULL_COMMIT; }

const char* BuildMark() { return "@(#)Lull " LULL_VERSION_STRING ", commit " LULL_COMMIT; }

std::string BuildCompiler() {
#if defined(__clang__)
  const char* const name = "clang ";
  const int parts[] = {__clang_major__, __clang_minor__, __clang_patchlevel__};
#elif defined(__GNUC__)
  const char* const name = "gcc ";
  const int parts[] = {__GNUC__, __GNUC_MINOR__, __GNUC_PATCHLEVEL__};
#else
  const char* const name = "unknown ";
  const int parts[] = {0, 0, 0};
#endif
  return name + std::to_string(parts[0]) + "." + std::to_string(parts[1]) + "." +
         std::to_string(parts[2]);
}

}  // namespace lull
