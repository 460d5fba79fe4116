// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Environment variables by which tests/run and tests/long make tests shorter or longer.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>

namespace lull::testing {

inline double Setting(const char* variable, double otherwise) {
  const char* const text = std::getenv(variable);
  return text != nullptr ? std::strtod(text, nullptr) : otherwise;
}

// Long tests run only every LULL_TEST_STRIDE-th of their cases (steps, seeds, rounds); all if it is
// not set.
inline uint64_t TestStride() {
  return static_cast<uint64_t>(std::max(1.0, Setting("LULL_TEST_STRIDE", 1)));
}

// The stride of tests that take some seconds with all of their cases.
inline uint64_t ShortStride() { return std::max<uint64_t>(1, TestStride() / 10); }

// How many of `count` cases a test runs, at least `min`.
inline uint64_t Strided(uint64_t count, uint64_t min = 1) {
  return std::max(min, count / TestStride());
}

}  // namespace lull::testing
