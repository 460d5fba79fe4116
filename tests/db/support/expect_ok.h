// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#pragma once

#include <gtest/gtest.h>

#include "leveldb/status.h"

namespace lull::testing {

/// For EXPECT_TRUE and ASSERT_TRUE, which then show the error.
inline ::testing::AssertionResult IsOk(const leveldb::Status& status) {
  if (status.ok()) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << status.ToString();
}

}  // namespace lull::testing
