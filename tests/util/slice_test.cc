// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "leveldb/slice.h"

#include <gtest/gtest.h>

#include <span>
#include <string>

namespace lull {
namespace {

TEST(Slice, IsARange) {
  const std::string text("a\0b", 3);
  leveldb::Slice slice(text);
  EXPECT_EQ(std::string(slice.begin(), slice.end()), text);
  slice.remove_prefix(1);
  const std::span<const char> bytes{slice};
  EXPECT_EQ(bytes.data(), text.data() + 1);
  EXPECT_EQ(bytes.size(), 2u);
  slice.clear();
  EXPECT_EQ(slice.begin(), slice.end());
}

}  // namespace
}  // namespace lull
