// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.

#include "leveldb/options.h"

#include <gtest/gtest.h>

#include "leveldb/comparator.h"
#include "leveldb/env.h"

namespace leveldb {
namespace {

TEST(Options, DefaultsAreTheProcessWideObjects) {
  const Options options;
  EXPECT_EQ(options.comparator, BytewiseComparator());
  EXPECT_EQ(options.env, Env::Default());
  EXPECT_EQ(options.compression, kSnappyCompression);
  EXPECT_EQ(options.write_buffer_size, size_t{4 << 20});
  EXPECT_FALSE(options.create_if_missing);
}

#if defined(__x86_64__) || defined(__aarch64__)
TEST(Options, SizeIsPartOfTheBinaryInterface) { EXPECT_EQ(sizeof(Options), 96u); }
#endif

}  // namespace
}  // namespace leveldb
