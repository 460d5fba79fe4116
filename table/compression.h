// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Compression of blocks with snappy and zstd. Each library is optional (LULL_SNAPPY, LULL_ZSTD).
// Without it, blocks are stored as they are, and blocks that it compressed cannot be read.
#pragma once

#include <cstddef>
#include <memory>
#include <utility>

#include "leveldb/options.h"
#include "leveldb/slice.h"

namespace lull {

/// A reusable heap buffer. Growing it discards the contents.
class ByteBuffer {
 public:
  char* Reserve(size_t bytes) {
    if (bytes > capacity_) {
      memory_.reset();
      capacity_ = 0;
      memory_ = std::make_unique_for_overwrite<char[]>(bytes);
      capacity_ = bytes;
    }
    return memory_.get();
  }
  const char* data() const { return memory_.get(); }
  std::unique_ptr<char[]> Release() {
    capacity_ = 0;
    return std::move(memory_);
  }

 private:
  std::unique_ptr<char[]> memory_;
  size_t capacity_ = 0;
};

/// Compresses blocks one after another and reuses its buffers. One thread at a time.
class Compressor {
 public:
  Compressor();
  ~Compressor();
  Compressor(const Compressor&) = delete;
  Compressor& operator=(const Compressor&) = delete;

  /// Returns the bytes to store for `raw` and sets `*type`. Does not compress if that saves less
  /// than an eighth. The bytes are valid until the next call.
  leveldb::Slice Run(leveldb::CompressionType wanted, int zstd_level, const leveldb::Slice& raw,
                     leveldb::CompressionType* type);

 private:
  struct Zstd;

  bool CompressSnappy(const leveldb::Slice& raw);
  bool CompressZstd(int level, const leveldb::Slice& raw);

  ByteBuffer output_;
  size_t output_bytes_ = 0;
  std::unique_ptr<Zstd> zstd_;
};

/// The name of the library that blocks of this type need and this build lacks, or nullptr.
const char* MissingLibrary(unsigned char type);

bool CanDecompress(unsigned char type);
/// REQUIRES: !CanDecompress(type).
std::string WhyUnsupported(unsigned char type);

/// Decompresses a stored block, without its trailer. The contents are in `buffer`, or in `stored`
/// if it is not compressed. Returns the cause of damage, or nullptr. REQUIRES: CanDecompress(type).
const char* Decompress(unsigned char type, const leveldb::Slice& stored, ByteBuffer* buffer,
                       leveldb::Slice* contents);

}  // namespace lull
