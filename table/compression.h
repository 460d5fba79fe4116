// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Compression of blocks with snappy, zstd and zlib. Each library is optional (LULL_SNAPPY,
// LULL_ZSTD, LULL_ZLIB). Without it, blocks are stored as they are, and blocks that it compressed
// cannot be read.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstring>
#include <memory>
#include <optional>
#include <utility>

#include "leveldb/options.h"
#include "leveldb/slice.h"

namespace lull {

/// How a block is compressed. The first three are the values of leveldb::CompressionType. The
/// LevelDB of Minecraft Bedrock writes the others, and reads no other compression.
enum class Codec : unsigned char {
  kNone,
  kSnappy,
  kZstd,
  kZlib,     ///< with zlib's header
  kZlibRaw,  ///< without: deflate
};

inline constexpr Codec kCodecs[] = {Codec::kNone, Codec::kSnappy, Codec::kZstd, Codec::kZlib,
                                    Codec::kZlibRaw};
/// By Codec.
inline constexpr const char* kCodecNames[] = {"none", "snappy", "zstd", "zlib", "zlib-raw"};

constexpr bool IsZlib(Codec codec) { return codec == Codec::kZlib || codec == Codec::kZlibRaw; }

/// Unknown values do not compress.
constexpr Codec CodecOf(leveldb::CompressionType type) {
  return type <= leveldb::kZstdCompression ? static_cast<Codec>(type) : Codec::kNone;
}

/// The type byte in the trailer of a block.
constexpr unsigned char TypeByte(Codec codec) {
  if (codec == Codec::kZlib) return 2;  // as zstd
  return codec == Codec::kZlibRaw ? 4 : static_cast<unsigned char>(codec);
}

/// The codec of a block with this type byte and these stored bytes, without its trailer. Type 2 is
/// zstd or zlib; the first bytes show which. nullopt: no codec of Lull.
std::optional<Codec> FindCodec(unsigned char type, const leveldb::Slice& stored);

/// The codec of the compressed blocks that were read: that of the first one, but zlib if any has
/// it. Any thread.
class SeenCodec {
 public:
  void Note(Codec codec) {
    Codec seen = get();
    if (seen == Codec::kNone ? codec != Codec::kNone : IsZlib(codec) && !IsZlib(seen))
      codec_.compare_exchange_strong(seen, codec, std::memory_order_relaxed);
  }
  /// kNone: no block was compressed.
  Codec get() const { return codec_.load(std::memory_order_relaxed); }

 private:
  std::atomic<Codec> codec_{Codec::kNone};
};

/// A reusable heap buffer.
class ByteBuffer {
 public:
  /// Discards the contents if the buffer must grow.
  char* Reserve(size_t bytes) {
    if (bytes > capacity_) {
      memory_.reset();
      capacity_ = 0;
      memory_ = std::make_unique_for_overwrite<char[]>(bytes);
      capacity_ = bytes;
    }
    return memory_.get();
  }
  /// Keeps the first `kept` bytes, and makes the buffer `bytes` long: longer or shorter.
  char* Resize(size_t kept, size_t bytes) {
    auto resized = std::make_unique_for_overwrite<char[]>(bytes);
    if (kept > 0) std::memcpy(resized.get(), memory_.get(), kept);
    memory_ = std::move(resized);
    capacity_ = bytes;
    return memory_.get();
  }
  size_t capacity() const { return capacity_; }
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

  /// Returns the bytes to store for `raw` and sets `*used`. Does not compress if that saves less
  /// than an eighth. The bytes are valid until the next call.
  leveldb::Slice Run(Codec wanted, int zstd_level, const leveldb::Slice& raw, Codec* used);

 private:
  struct Zstd;
  struct Zlib;

  bool CompressSnappy(const leveldb::Slice& raw);
  bool CompressZstd(int level, const leveldb::Slice& raw);
  bool CompressZlib(Codec codec, const leveldb::Slice& raw);

  ByteBuffer output_;
  size_t output_bytes_ = 0;
  std::unique_ptr<Zstd> zstd_;
  std::unique_ptr<Zlib> zlib_;
};

/// The name of the library that the codec needs and this build lacks, or nullptr.
const char* MissingLibrary(Codec codec);
inline bool CanDecompress(Codec codec) { return MissingLibrary(codec) == nullptr; }

/// Decompresses a stored block, without its trailer. The contents are in `buffer`, or in `stored`
/// if it is not compressed. Returns the cause of damage, or nullptr. REQUIRES:
/// CanDecompress(codec).
const char* Decompress(Codec codec, const leveldb::Slice& stored, ByteBuffer* buffer,
                       leveldb::Slice* contents);

}  // namespace lull
