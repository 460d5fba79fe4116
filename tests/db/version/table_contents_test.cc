// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "db/version/table_contents.h"

#include <gtest/gtest.h>

#include <string>

namespace lull {
namespace {

constexpr TableContents kContents = {9, 5, 77, 1'700'000'000};

TEST(TableContents, ABlockHasThemAll) {
  EXPECT_EQ(TableContents::FromBlock(kContents.ToBlock()), kContents);
  EXPECT_EQ(TableContents::FromBlock(kContents.ToBlock() + "of a later version"), kContents);
}

TEST(TableContents, ABlockThatCannotBeTrueIsRefused) {
  std::string block = kContents.ToBlock();
  block.pop_back();
  EXPECT_EQ(TableContents::FromBlock(block), std::nullopt);
  EXPECT_EQ(TableContents::FromBlock(TableContents{9, 10, 77, 0}.ToBlock()), std::nullopt);
  EXPECT_EQ(TableContents::FromBlock(TableContents{}.ToBlock()), std::nullopt)
      << "no table is empty";
  EXPECT_EQ(TableContents::FromBlock(TableContents{9, 5, kMaxSequence + 1, 0}.ToBlock()),
            std::nullopt);
}

}  // namespace
}  // namespace lull
