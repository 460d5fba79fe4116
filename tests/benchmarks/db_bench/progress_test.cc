// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "benchmarks/db_bench/progress.h"

#include <gtest/gtest.h>

namespace lull::bench {
namespace {

TEST(ProgressTest, Line) {
  const Progress known("b1", 180);
  EXPECT_EQ(known.Line(45, "peak 9.5 MB/s", 80),
            "[####............] 0:45 elapsed, 2:15 left  b1  peak 9.5 MB/s");
  EXPECT_EQ(known.Line(181.5, "drain", 80), "[################] 3:01 elapsed  b1  drain");
  EXPECT_EQ(known.Line(45, "peak", 20), "[####............] 0");
  EXPECT_EQ(Progress("fillseq", 0).Line(3, "1.0 MB/s", 80), "0:03 elapsed  fillseq  1.0 MB/s");
}

}  // namespace
}  // namespace lull::bench
