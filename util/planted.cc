// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "util/planted.h"

#ifdef LULL_PLANT_BUGS

#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace lull {
namespace {

constexpr std::string_view kNames[] = {"",
#define LULL_NAME(name) #name,
                                       LULL_FOR_EACH_PLANTED_BUG(LULL_NAME)
#undef LULL_NAME
};

/// A name that is not known ends the program: a test that runs without its bug proves nothing.
Bug BugOfEnvironment() {
  const char* const wanted = std::getenv("LULL_PLANTED_BUG");
  if (wanted == nullptr) return Bug::kNone;
  int number = 0;
  for (const std::string_view name : kNames) {
    if (name == wanted) return static_cast<Bug>(number);
    ++number;
  }
  std::fprintf(stderr, "LULL_PLANTED_BUG: there is no bug %s\n", wanted);
  std::abort();
}

}  // namespace

const Bug planted_bug = BugOfEnvironment();

}  // namespace lull

#endif
