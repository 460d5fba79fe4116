// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// GoogleTest's main with an additional flag, --rewrite.
#include <string_view>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/scheduler/rewrite.h"

namespace {
bool g_rewrite = false;
}  // namespace

bool lull::testing::RewriteTranscripts() { return g_rewrite; }

int main(int argc, char** argv) {
  ::testing::InitGoogleMock(&argc, argv);
  for (int i = 1; i < argc; ++i) {
    if (std::string_view(argv[i]) == "--rewrite") g_rewrite = true;
  }
  return RUN_ALL_TESTS();
}
