// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "table/format.h"

#include <snappy.h>
#include <zstd.h>

#include <algorithm>
#include <memory>

#include "leveldb/options.h"
#include "util/coding.h"
#include "util/crc32c.h"

namespace lull {

using leveldb::Slice;
using leveldb::Status;

void BlockHandle::EncodeTo(std::string* out) const {
  PutVarint64(out, offset);
  PutVarint64(out, size);
}

bool BlockHandle::DecodeFrom(Slice* input) {
  return GetVarint64(input, &offset) && GetVarint64(input, &size);
}

void Footer::EncodeTo(std::string* out) const {
  const size_t begin = out->size();
  metaindex.EncodeTo(out);
  index.EncodeTo(out);
  out->resize(begin + 2 * BlockHandle::kEncodedBytesMax);
  PutFixed64(out, kTableMagic);
}

const char* Footer::DecodeFrom(const Slice& input) {
  if (DecodeFixed64(input.data() + kFooterBytes - sizeof(kTableMagic)) != kTableMagic) {
    return "table magic number is missing at the end of the file";
  }
  Slice handles(input.data(), 2 * BlockHandle::kEncodedBytesMax);
  return metaindex.DecodeFrom(&handles) && index.DecodeFrom(&handles)
             ? nullptr
             : "malformed handle in the footer";
}

Status TableSource::Damaged(uint64_t offset, const char* cause) const {
  return Status::Corruption(name.empty() ? "table" : name,
                            "at offset " + std::to_string(offset) + ": " + cause);
}

Status TableSource::CheckHandle(const BlockHandle& handle) const {
  const bool inside = handle.offset <= file_bytes &&
                      file_bytes - handle.offset >= kBlockTrailerBytes &&
                      handle.size <= file_bytes - handle.offset - kBlockTrailerBytes;
  if (!inside) return Damaged(handle.offset, "block reaches beyond the end of the file");
  if (handle.size > kBlockBytesMax) return Damaged(handle.offset, "block is impossibly long");
  return Status::OK();
}

Status TableSource::ReadStored(const BlockHandle& handle, char* scratch, Slice* stored) const {
  const size_t bytes = static_cast<size_t>(handle.size) + kBlockTrailerBytes;
  Status status = file->Read(handle.offset, bytes, stored, scratch);
  if (status.ok() && stored->size() != bytes)
    status = Damaged(handle.offset, "truncated block read");
  return status;
}

namespace {

/// Maximum size of `stored` bytes of snappy data: the densest element expands 3 bytes to 64.
uint64_t SnappyBytesMax(size_t stored) { return uint64_t{stored} * 22; }

/// The same for zstd: its blocks contain up to 128 KiB and take at least 4 bytes.
uint64_t ZstdBytesMax(size_t stored) {
  return std::min((uint64_t{stored} / 4 + 1) << 17, kZstdBlockBytesMax);
}

const char* DecompressSnappy(const char* in, size_t size, ByteBuffer* buffer, Slice* contents) {
  size_t length = 0;
  if (!snappy::GetUncompressedLength(in, size, &length) || length > SnappyBytesMax(size)) {
    return "impossible length of snappy data";
  }
  char* out = buffer->Reserve(length);
  if (!snappy::RawUncompress(in, size, out)) return "malformed snappy data";
  *contents = Slice(out, length);
  return nullptr;
}

const char* DecompressZstd(const char* in, size_t size, ByteBuffer* buffer, Slice* contents) {
  const unsigned long long length = ZSTD_getFrameContentSize(in, size);
  if (length == ZSTD_CONTENTSIZE_UNKNOWN || length == ZSTD_CONTENTSIZE_ERROR ||
      length > ZstdBytesMax(size)) {
    return "impossible length of zstd data";
  }
  struct FreeContext {
    void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
  };
  // Setting up a context costs about 100 KiB, too much for one block, so each thread keeps one.
  static thread_local std::unique_ptr<ZSTD_DCtx, FreeContext> context(ZSTD_createDCtx());
  if (context == nullptr) return "no memory for zstd";
  char* out = buffer->Reserve(static_cast<size_t>(length));
  if (ZSTD_decompressDCtx(context.get(), out, static_cast<size_t>(length), in, size) != length) {
    return "malformed zstd data";
  }
  *contents = Slice(out, static_cast<size_t>(length));
  return nullptr;
}

}  // namespace

Status DecodeStored(const TableSource& source, const BlockHandle& handle, const Slice& stored,
                    bool verify_checksum, ByteBuffer* buffer, Slice* contents) {
  const size_t size = stored.size() - kBlockTrailerBytes;
  const char* data = stored.data();
  if (verify_checksum &&
      crc32c::Unmask(DecodeFixed32(data + size + 1)) != crc32c::Value(data, size + 1)) {
    return source.Damaged(handle.offset, "block checksum mismatch");
  }
  const char* cause = nullptr;
  switch (static_cast<unsigned char>(data[size])) {
    case leveldb::kNoCompression:
      *contents = Slice(data, size);
      break;
    case leveldb::kSnappyCompression:
      cause = DecompressSnappy(data, size, buffer, contents);
      break;
    case leveldb::kZstdCompression:
      cause = DecompressZstd(data, size, buffer, contents);
      break;
    default:
      cause = "unknown block compression";
  }
  return cause == nullptr ? Status::OK() : source.Damaged(handle.offset, cause);
}

}  // namespace lull
