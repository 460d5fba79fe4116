// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.

#include "util/crc32c.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/util/test_dir.h"
#include "util/random.h"

namespace lull::crc32c {
namespace {

// RFC 3720, section B.4.
TEST(Crc32c, VectorsOfTheStandard) {
  std::string ascending(32, '\0');
  for (size_t i = 0; i < ascending.size(); i++) ascending[i] = static_cast<char>(i);
  const std::string descending(ascending.rbegin(), ascending.rend());
  const std::string zeros(32, '\0'), ones(32, '\xff');
  for (auto* extend : {&Extend, &internal::ExtendPortable}) {
    EXPECT_EQ(extend(0, zeros.data(), 32), 0x8a9136aau);
    EXPECT_EQ(extend(0, ones.data(), 32), 0x62a8ab43u);
    EXPECT_EQ(extend(0, ascending.data(), 32), 0x46dd794eu);
    EXPECT_EQ(extend(0, descending.data(), 32), 0x113fdb5cu);
    EXPECT_EQ(extend(0, "123456789", 9), 0xe3069283u);
    EXPECT_EQ(extend(0, "", 0), 0u);
  }
}

// Every length up to just over the longest triple of lanes, at every alignment, from a random
// start.
TEST(Crc32c, ChosenImplementationAgreesWithThePortableOne) {
  const std::string bytes = RandomBytes(3 * 2048 * 2 + 4096, 7);
  Random random(8);
  for (size_t size = 0; size + 8 < bytes.size(); size += size < 2000 ? 1 : 61) {
    const size_t offset = random.Uniform(8);
    const auto start = static_cast<uint32_t>(random.Next());
    ASSERT_EQ(Extend(start, bytes.data() + offset, size),
              internal::ExtendPortable(start, bytes.data() + offset, size))
        << Implementation() << ", " << size << " bytes from " << offset;
  }
}

TEST(Crc32c, ExtendContinues) {
  const std::string bytes = RandomBytes(20000, 9);
  const uint32_t whole = Value(bytes.data(), bytes.size());
  Random random(10);
  for (int i = 0; i < 200; i++) {
    const size_t cut = random.Uniform(bytes.size() + 1);
    EXPECT_EQ(Extend(Value(bytes.data(), cut), bytes.data() + cut, bytes.size() - cut), whole);
  }
}

TEST(Crc32c, MaskIsUndoneByUnmask) {
  EXPECT_EQ(Mask(0), kMaskDelta);
  EXPECT_EQ(Mask(0x00008000u), kMaskDelta + 1);
  Random random(11);
  for (int i = 0; i < 1000; i++) {
    const auto crc = static_cast<uint32_t>(random.Next());
    EXPECT_EQ(Unmask(Mask(crc)), crc);
    EXPECT_NE(Mask(crc), crc);
  }
}

TEST(Crc32c, UsesTheInstructionsOfThisCpu) {
  const std::string name = Implementation();
#if defined(__x86_64__)
  EXPECT_EQ(name, __builtin_cpu_supports("sse4.2") && __builtin_cpu_supports("pclmul")
                      ? "sse4.2"
                      : "portable");
#else
  EXPECT_TRUE(name == "armv8" || name == "portable");
#endif
}

}  // namespace
}  // namespace lull::crc32c
