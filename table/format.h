// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// The layout of a table file, as in LevelDB:
//
//   data blocks | meta blocks (optional) | metaindex block | index block | footer (48 bytes)
//
// A handle is the offset and size of a block's stored bytes. A 5-byte trailer follows each block:
// its compression type, and a masked CRC-32C of bytes and type. The footer has the handles of
// metaindex and index, padding, and a magic number. Everything here validates what it reads.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

#include "leveldb/env.h"
#include "leveldb/slice.h"
#include "leveldb/status.h"
#include "table/compression.h"

namespace lull {

constexpr size_t kBlockTrailerBytes = 5;
constexpr size_t kFooterBytes = 48;
constexpr uint64_t kTableMagic = 0xdb4775248b80fb57u;
/// Offsets inside a block are 32-bit numbers, and a size_t holds a block with its trailer.
constexpr uint64_t kBlockBytesMax = std::min<uint64_t>(UINT32_MAX, SIZE_MAX - kBlockTrailerBytes);

struct BlockHandle {
  uint64_t offset = 0;
  uint64_t size = 0;

  static constexpr size_t kEncodedBytesMax = 20;
  void EncodeTo(std::string* out) const;
  /// Reads from the front of `input` and advances it; returns false if malformed.
  bool DecodeFrom(leveldb::Slice* input);
  /// End of the block's trailer. REQUIRES: the handle was checked against the file.
  uint64_t end() const { return offset + size + kBlockTrailerBytes; }
};

struct Footer {
  BlockHandle metaindex;
  BlockHandle index;

  void EncodeTo(std::string* out) const;
  /// For an intact file of another database, says what it is; otherwise nullptr. `input` has
  /// kFooterBytes.
  static const char* ForeignOwner(const leveldb::Slice& input);
  /// `input` has kFooterBytes. Returns the cause of damage, or nullptr.
  const char* DecodeFrom(const leveldb::Slice& input);
};

/// The file to read blocks from. Immutable.
struct TableSource {
  const leveldb::RandomAccessFile* file = nullptr;
  uint64_t file_bytes = 0;
  std::string name;           ///< for messages
  SeenCodec* seen = nullptr;  ///< notes the codecs of blocks; or null

  leveldb::Status Damaged(uint64_t offset, const char* cause) const;
  /// For intact bytes that this build cannot read. Repair then changes nothing.
  leveldb::Status Unsupported(uint64_t offset, const std::string& cause) const;
  /// OK if the block's size is possible and the block and its trailer lie inside the file.
  leveldb::Status CheckHandle(const BlockHandle& handle) const;
  /// Reads stored bytes and trailer. `*stored` points into `scratch`, which must have room for
  /// them, or into memory of the file object. REQUIRES: CheckHandle(handle) is ok.
  leveldb::Status ReadStored(const BlockHandle& handle, char* scratch,
                             leveldb::Slice* stored) const;
};

/// Converts the stored bytes and trailer of a block to its contents. They are in `buffer` if
/// decompressed, otherwise in `stored` itself.
leveldb::Status DecodeStored(const TableSource& source, const BlockHandle& handle,
                             const leveldb::Slice& stored, bool verify_checksum, ByteBuffer* buffer,
                             leveldb::Slice* contents);

}  // namespace lull
