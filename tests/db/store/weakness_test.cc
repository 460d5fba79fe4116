// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Weaknesses of stock LevelDB (tests/stock/stock_weakness_test.cc shows each) must not show here.
#include <gtest/gtest.h>

#include <string>

#include "tests/support/weaknesses.h"

namespace lull::testing {
namespace {

class WeaknessOfStock : public ::testing::TestWithParam<Weakness> {};

TEST_P(WeaknessOfStock, IsNotShown) {
  const WeaknessVerdict verdict = RunWeaknessIsolated(GetParam().id);
  EXPECT_FALSE(verdict.weakness_shown) << GetParam().title << ": " << verdict.detail;
}

INSTANTIATE_TEST_SUITE_P(All, WeaknessOfStock, ::testing::ValuesIn(AllWeaknesses()),
                         [](const auto& param) { return std::string(param.param.id); });

}  // namespace
}  // namespace lull::testing

// Not a test itself: RunWeaknessIsolated starts it in a child process.
TEST(WeaknessChild, DISABLED_Run) { EXPECT_TRUE(lull::testing::RunWeaknessChild()); }
