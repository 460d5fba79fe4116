// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "table/compression.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "tests/table/table_test_util.h"
#include "util/thread.h"

namespace lull {
namespace {

using leveldb::Slice;

std::string Decompressed(const std::string& stored) {
  ByteBuffer buffer;
  Slice contents;
  const char* const cause =
      Decompress(leveldb::kZstdCompression, Slice(stored), &buffer, &contents);
  return cause == nullptr ? contents.ToString() : cause;
}

// The object is older than whatever the library has for the thread, so it is destroyed later.
TEST(Compression, TheObjectsOfAnEndingThreadCanRead) {
  if (testing::LacksALibrary()) GTEST_SKIP() << "a build without snappy or zstd";
  Compressor compressor;
  leveldb::CompressionType type;
  const std::string raw(4000, 'r');
  const std::string stored =
      compressor.Run(leveldb::kZstdCompression, 1, Slice(raw), &type).ToString();
  ASSERT_EQ(type, leveldb::kZstdCompression);
  struct OfThread {
    ~OfThread() {
      if (result != nullptr) *result = Decompressed(*stored);
    }
    const std::string* stored = nullptr;
    std::string* result = nullptr;
  };
  std::string result;
  ThreadFactory::System()
      ->Start("reader", CpuClass::kNormal,
              [&] {
                thread_local OfThread object;
                object.stored = &stored;
                EXPECT_EQ(Decompressed(stored), raw);
                object.result = &result;
              })
      .reset();
  EXPECT_EQ(result, raw);
}

}  // namespace
}  // namespace lull
