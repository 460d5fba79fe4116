// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Environment variables by which tests/long makes short tests longer.
#pragma once

#include <cstdlib>

namespace lull::testing {

inline double Setting(const char* variable, double otherwise) {
  const char* const text = std::getenv(variable);
  return text != nullptr ? std::strtod(text, nullptr) : otherwise;
}

}  // namespace lull::testing
