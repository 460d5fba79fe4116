// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "table/format.h"

#include <optional>
#include <string>

#include "table/compression.h"
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

const char* Footer::ForeignOwner(const Slice& input) {
  switch (DecodeFixed64(input.data() + kFooterBytes - sizeof(kTableMagic))) {
    case 0x88e241b785f4cff7u:  // block-based
    case 0x8242229663bf9564u:  // plain
    case 0x926789d0c5f17873u:  // cuckoo
      return "a table of RocksDB; use its tool ldb";
    case 0xb3aa9ff0b3aa9ff0u:
      return "a table of Pebble; use its tool pebble";
    default:
      return nullptr;
  }
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

Status TableSource::Unsupported(uint64_t offset, const std::string& cause) const {
  return Status::NotSupported(name.empty() ? "table" : name,
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

/// Why a block with this type byte cannot be read.
std::string WhyUnsupported(unsigned char type, std::optional<Codec> codec) {
  const char* const missing = codec ? MissingLibrary(*codec) : nullptr;
  if (missing != nullptr)
    return std::string("needs ") + missing + ", and this Lull was built without it";
  if (type == TypeByte(Codec::kZlib)) return "zlib with a preset dictionary is not supported";
  return "compression " + std::to_string(type) + " is not supported";
}

}  // namespace

Status DecodeStored(const TableSource& source, const BlockHandle& handle, const Slice& stored,
                    bool verify_checksum, ByteBuffer* buffer, Slice* contents) {
  const size_t size = stored.size() - kBlockTrailerBytes;
  const char* data = stored.data();
  const auto type = static_cast<unsigned char>(data[size]);
  const std::optional<Codec> codec = FindCodec(type, Slice(data, size));
  const bool is_supported = codec && CanDecompress(*codec);
  // A wrong type can be damage, so only a block with a correct checksum is called unsupported.
  if ((verify_checksum || !is_supported) &&
      crc32c::Unmask(DecodeFixed32(data + size + 1)) != crc32c::Value(data, size + 1)) {
    return source.Damaged(handle.offset, "block checksum mismatch");
  }
  const char* const cause =
      is_supported ? Decompress(*codec, Slice(data, size), buffer, contents) : nullptr;
  if (cause != nullptr) return source.Damaged(handle.offset, cause);
  if (source.seen != nullptr && codec) source.seen->Note(*codec);
  return is_supported ? Status::OK()
                      : source.Unsupported(handle.offset, WhyUnsupported(type, codec));
}

}  // namespace lull
