// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "table/compression.h"

#if defined(LULL_HAS_SNAPPY)
#include <snappy.h>
#endif
#if defined(LULL_HAS_ZSTD)
#include <zstd.h>
#endif
#if defined(LULL_HAS_ZLIB)
#include <zlib.h>
#endif

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>

#include "util/thread.h"

namespace lull {

using leveldb::Slice;

namespace {
/// A few bytes of zstd or zlib can become very many. So larger blocks are neither written with them
/// nor read.
[[maybe_unused]] constexpr uint64_t kExpandedBytesMax = uint64_t{1} << 30;
}  // namespace

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

struct Compressor::Zstd {
  struct Free {
    void operator()(ZSTD_CCtx* context) const { ZSTD_freeCCtx(context); }
  };
  const std::unique_ptr<ZSTD_CCtx, Free> context{ZSTD_createCCtx()};
};

bool Compressor::CompressZstd(int level, const Slice& raw) {
  if (raw.size() > kExpandedBytesMax) return false;
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
  return std::min((uint64_t{stored} / 4 + 1) << 17, kExpandedBytesMax);
}

const char* DecompressZstd(const Slice& stored, ByteBuffer* buffer, Slice* contents) {
  const unsigned long long length = ZSTD_getFrameContentSize(stored.data(), stored.size());
  if (length == ZSTD_CONTENTSIZE_ERROR) return "neither zstd nor zlib data";
  if (length == ZSTD_CONTENTSIZE_UNKNOWN || length > ZstdBytesMax(stored.size())) {
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

// ---- zlib

namespace {

constexpr unsigned kPresetDictionary = 0x20;

/// The header of zlib data as a number, or 0 for other data.
unsigned ZlibHeader(const Slice& stored) {
  constexpr unsigned kDeflate = 8;
  constexpr unsigned kWindowBitsMax = 7;  // over 8
  if (stored.size() < 2) return 0;
  const auto method = static_cast<unsigned char>(stored[0]);
  const unsigned header = unsigned{method} << 8 | static_cast<unsigned char>(stored[1]);
  const bool is_zlib =
      (method & 15u) == kDeflate && method >> 4 <= kWindowBitsMax && header % 31 == 0;
  return is_zlib ? header : 0;
}

}  // namespace

#if defined(LULL_HAS_ZLIB)

namespace {

/// For data of any window size.
int WindowBits(Codec codec) { return codec == Codec::kZlibRaw ? -MAX_WBITS : MAX_WBITS; }

Bytef* BytesOf(const char* data) { return reinterpret_cast<Bytef*>(const_cast<char*>(data)); }

}  // namespace

struct Compressor::Zlib {
  explicit Zlib(Codec c) : codec(c) {
    // A failure leaves no state, and the other functions then return an error.
    deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, WindowBits(c), MAX_MEM_LEVEL - 1,
                 Z_DEFAULT_STRATEGY);
  }
  ~Zlib() { deflateEnd(&stream); }
  Zlib(const Zlib&) = delete;
  Zlib& operator=(const Zlib&) = delete;

  const Codec codec;
  z_stream stream{};
};

bool Compressor::CompressZlib(Codec codec, const Slice& raw) {
  if (raw.size() > kExpandedBytesMax) return false;
  if (zlib_ == nullptr || zlib_->codec != codec) zlib_ = std::make_unique<Zlib>(codec);
  z_stream& stream = zlib_->stream;
  if (deflateReset(&stream) != Z_OK) return false;
  stream.next_in = BytesOf(raw.data());
  stream.avail_in = static_cast<uInt>(raw.size());
  stream.next_out = BytesOf(output_.Reserve(raw.size()));  // a longer result is of no use
  stream.avail_out = static_cast<uInt>(raw.size());
  if (deflate(&stream, Z_FINISH) != Z_STREAM_END) return false;
  output_bytes_ = raw.size() - stream.avail_out;
  return true;
}

namespace {

/// Takes 2 bits for 258 bytes at best.
uint64_t ZlibBytesMax(size_t stored) {
  return std::min(uint64_t{stored} * 1032, kExpandedBytesMax);
}

/// Decompresses the input of `stream` into `buffer`. Nothing tells the length in advance.
const char* InflateAll(z_stream* stream, uint64_t bytes_max, ByteBuffer* buffer, size_t* length) {
  constexpr uint64_t kUsualRatio = 4;
  const size_t given = buffer->capacity();
  if (given == 0)
    buffer->Reserve(static_cast<size_t>(std::min(stream->avail_in * kUsualRatio, bytes_max)));
  for (*length = 0;;) {
    const auto room = static_cast<size_t>(std::min<uint64_t>(buffer->capacity(), bytes_max));
    stream->next_out = BytesOf(buffer->data()) + *length;
    stream->avail_out = static_cast<uInt>(room - *length);
    const int result = inflate(stream, Z_FINISH);
    *length = room - stream->avail_out;
    if (result == Z_STREAM_END) break;
    if (result != Z_BUF_ERROR || stream->avail_out > 0) return "malformed zlib data";
    if (room == bytes_max) return "impossible length of zlib data";
    buffer->Resize(*length, static_cast<size_t>(std::min<uint64_t>(2 * room, bytes_max)));
  }
  if (stream->avail_in > 0) return "bytes follow the zlib data";
  // A block cache counts only the contents.
  if (buffer->capacity() != given) buffer->Resize(*length, *length);
  return nullptr;
}

const char* DecompressZlib(Codec codec, const Slice& stored, ByteBuffer* buffer, Slice* contents) {
  z_stream stream{};
  if (inflateInit2(&stream, WindowBits(codec)) != Z_OK) return "no memory for zlib";
  stream.next_in = BytesOf(stored.data());
  stream.avail_in = static_cast<uInt>(stored.size());
  size_t length = 0;
  const char* const cause = InflateAll(&stream, ZlibBytesMax(stored.size()), buffer, &length);
  inflateEnd(&stream);
  *contents = Slice(buffer->data(), length);
  return cause;
}

constexpr bool kHasZlib = true;
}  // namespace

#else

struct Compressor::Zlib {};
bool Compressor::CompressZlib(Codec, const Slice&) { return false; }

namespace {
const char* DecompressZlib(Codec, const Slice&, ByteBuffer*, Slice*) { return "no zlib"; }
constexpr bool kHasZlib = false;
}  // namespace

#endif

// ---- all

Compressor::Compressor() = default;
Compressor::~Compressor() = default;

Slice Compressor::Run(Codec wanted, int zstd_level, const Slice& raw, Codec* used) {
  const bool done = (wanted == Codec::kSnappy && CompressSnappy(raw)) ||
                    (wanted == Codec::kZstd && CompressZstd(zstd_level, raw)) ||
                    (IsZlib(wanted) && CompressZlib(wanted, raw));
  const bool worth_it = done && output_bytes_ < raw.size() - raw.size() / 8;
  *used = worth_it ? wanted : Codec::kNone;
  return worth_it ? Slice(output_.data(), output_bytes_) : raw;
}

std::optional<Codec> FindCodec(unsigned char type, const Slice& stored) {
  if (type == TypeByte(Codec::kZlibRaw)) return Codec::kZlibRaw;
  if (type > TypeByte(Codec::kZstd)) return std::nullopt;
  const unsigned header = type == TypeByte(Codec::kZlib) ? ZlibHeader(stored) : 0;
  if (header == 0) return static_cast<Codec>(type);
  if ((header & kPresetDictionary) != 0) return std::nullopt;
  return Codec::kZlib;
}

const char* MissingLibrary(Codec codec) {
  if (codec == Codec::kSnappy && !kHasSnappy) return "snappy";
  if (codec == Codec::kZstd && !kHasZstd) return "zstd";
  return IsZlib(codec) && !kHasZlib ? "zlib" : nullptr;
}

const char* Decompress(Codec codec, const Slice& stored, ByteBuffer* buffer, Slice* contents) {
  if (codec == Codec::kSnappy) return DecompressSnappy(stored, buffer, contents);
  if (codec == Codec::kZstd) return DecompressZstd(stored, buffer, contents);
  if (IsZlib(codec)) return DecompressZlib(codec, stored, buffer, contents);
  *contents = stored;
  return nullptr;
}

}  // namespace lull
