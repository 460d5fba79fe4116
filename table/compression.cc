// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "table/compression.h"

#if defined(LULL_HAS_SNAPPY)
#include <snappy.h>
#endif
#if defined(LULL_HAS_ZSTD)
#include <zstd.h>
#endif

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>

#include "util/thread.h"

namespace lull {

using leveldb::Slice;

// ---- snappy

#if defined(LULL_HAS_SNAPPY)

bool Compressor::CompressSnappy(const Slice& raw) {
  snappy::RawCompress(raw.data(), raw.size(),
                      output_.Reserve(snappy::MaxCompressedLength(raw.size())), &output_bytes_);
  return true;
}

namespace {

/// Maximum size of `stored` bytes of snappy data: the densest element expands 3 bytes to 64.
uint64_t SnappyBytesMax(size_t stored) { return uint64_t{stored} * 22; }

const char* DecompressSnappy(const Slice& stored, ByteBuffer* buffer, Slice* contents) {
  size_t length = 0;
  if (!snappy::GetUncompressedLength(stored.data(), stored.size(), &length) ||
      length > SnappyBytesMax(stored.size())) {
    return "impossible length of snappy data";
  }
  char* out = buffer->Reserve(length);
  if (!snappy::RawUncompress(stored.data(), stored.size(), out)) return "malformed snappy data";
  *contents = Slice(out, length);
  return nullptr;
}

constexpr bool kHasSnappy = true;
}  // namespace

#else

bool Compressor::CompressSnappy(const Slice&) { return false; }

namespace {
const char* DecompressSnappy(const Slice&, ByteBuffer*, Slice*) { return "no snappy"; }
constexpr bool kHasSnappy = false;
}  // namespace

#endif

// ---- zstd

#if defined(LULL_HAS_ZSTD)

/// A tiny zstd frame can claim any length. So larger blocks are neither written with zstd nor read.
constexpr uint64_t kZstdBlockBytesMax = uint64_t{1} << 30;

struct Compressor::Zstd {
  struct Free {
    void operator()(ZSTD_CCtx* context) const { ZSTD_freeCCtx(context); }
  };
  const std::unique_ptr<ZSTD_CCtx, Free> context{ZSTD_createCCtx()};
};

bool Compressor::CompressZstd(int level, const Slice& raw) {
  if (raw.size() > kZstdBlockBytesMax) return false;
  if (zstd_ == nullptr) zstd_ = std::make_unique<Zstd>();
  if (zstd_->context == nullptr) return false;
  const size_t room = ZSTD_compressBound(raw.size());
  char* out = output_.Reserve(room);
  output_bytes_ = ZSTD_compressCCtx(zstd_->context.get(), out, room, raw.data(), raw.size(), level);
  return ZSTD_isError(output_bytes_) == 0;
}

namespace {

/// A context for one block. Setting one up costs about 100 KiB, so idle ones are kept, for any
/// thread: a context that belonged to a thread would be gone when the objects of an ending thread
/// or process read their store.
class ZstdContext {
 public:
  ZstdContext() {
    for (unsigned i = 0; i < idle_.size() && context_ == nullptr; ++i) {
      std::atomic<ZSTD_DCtx*>& slot = Slot(i);
      if (slot.load(std::memory_order_relaxed) != nullptr)
        context_ = slot.exchange(nullptr, std::memory_order_acquire);
    }
    if (context_ == nullptr) context_ = ZSTD_createDCtx();
  }
  ~ZstdContext() {
    for (unsigned i = 0; i < idle_.size(); ++i) {
      ZSTD_DCtx* none = nullptr;
      if (Slot(i).compare_exchange_strong(none, context_, std::memory_order_release)) return;
    }
    ZSTD_freeDCtx(context_);
  }
  ZstdContext(const ZstdContext&) = delete;
  ZstdContext& operator=(const ZstdContext&) = delete;

  ZSTD_DCtx* get() const { return context_; }

 private:
  struct alignas(64) CacheLine {
    std::atomic<ZSTD_DCtx*> context{nullptr};
  };
  static constinit std::array<CacheLine, 32> idle_;

  std::atomic<ZSTD_DCtx*>& Slot(unsigned i) { return idle_[(first_ + i) % idle_.size()].context; }

  const unsigned first_ = ThreadOrdinal();
  ZSTD_DCtx* context_ = nullptr;
};

constinit std::array<ZstdContext::CacheLine, 32> ZstdContext::idle_;

/// As SnappyBytesMax: the blocks of zstd contain up to 128 KiB and take at least 4 bytes.
uint64_t ZstdBytesMax(size_t stored) {
  return std::min((uint64_t{stored} / 4 + 1) << 17, kZstdBlockBytesMax);
}

const char* DecompressZstd(const Slice& stored, ByteBuffer* buffer, Slice* contents) {
  const unsigned long long length = ZSTD_getFrameContentSize(stored.data(), stored.size());
  if (length == ZSTD_CONTENTSIZE_UNKNOWN || length == ZSTD_CONTENTSIZE_ERROR ||
      length > ZstdBytesMax(stored.size())) {
    return "impossible length of zstd data";
  }
  const ZstdContext context;
  if (context.get() == nullptr) return "no memory for zstd";
  char* out = buffer->Reserve(static_cast<size_t>(length));
  if (ZSTD_decompressDCtx(context.get(), out, static_cast<size_t>(length), stored.data(),
                          stored.size()) != length) {
    return "malformed zstd data";
  }
  *contents = Slice(out, static_cast<size_t>(length));
  return nullptr;
}

constexpr bool kHasZstd = true;
}  // namespace

#else

struct Compressor::Zstd {};
bool Compressor::CompressZstd(int, const Slice&) { return false; }

namespace {
const char* DecompressZstd(const Slice&, ByteBuffer*, Slice*) { return "no zstd"; }
constexpr bool kHasZstd = false;
}  // namespace

#endif

// ---- both

Compressor::Compressor() = default;
Compressor::~Compressor() = default;

Slice Compressor::Run(leveldb::CompressionType wanted, int zstd_level, const Slice& raw,
                      leveldb::CompressionType* type) {
  const bool done = (wanted == leveldb::kSnappyCompression && CompressSnappy(raw)) ||
                    (wanted == leveldb::kZstdCompression && CompressZstd(zstd_level, raw));
  const bool worth_it = done && output_bytes_ < raw.size() - raw.size() / 8;
  *type = worth_it ? wanted : leveldb::kNoCompression;
  return worth_it ? Slice(output_.data(), output_bytes_) : raw;
}

const char* MissingLibrary(unsigned char type) {
  if (type == leveldb::kSnappyCompression && !kHasSnappy) return "snappy";
  return type == leveldb::kZstdCompression && !kHasZstd ? "zstd" : nullptr;
}

bool CanDecompress(unsigned char type) {
  return type <= leveldb::kZstdCompression && MissingLibrary(type) == nullptr;
}

std::string WhyUnsupported(unsigned char type) {
  const char* const library = MissingLibrary(type);
  if (library == nullptr) return "compression " + std::to_string(type) + " is not supported";
  return std::string("needs ") + library + ", and this Lull was built without it";
}

const char* Decompress(unsigned char type, const Slice& stored, ByteBuffer* buffer,
                       Slice* contents) {
  if (type == leveldb::kSnappyCompression) return DecompressSnappy(stored, buffer, contents);
  if (type == leveldb::kZstdCompression) return DecompressZstd(stored, buffer, contents);
  *contents = stored;
  return nullptr;
}

}  // namespace lull
