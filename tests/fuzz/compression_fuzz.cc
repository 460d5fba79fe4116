// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// The stored bytes of one block: snappy, zstd or uncompressed.
//
// Input: flags, then the stored bytes. Checks: they are decoded or refused; the output is no longer
// than the stored bytes can make it, whatever length they claim; compressed bytes are decoded to
// the original.
#include <snappy.h>
#include <zstd.h>

#include <string>

#include "leveldb/options.h"
#include "table/format.h"
#include "tests/fuzz/fuzz.h"
#include "util/coding.h"
#include "util/crc32c.h"

namespace lull::fuzz {
namespace {

using leveldb::Slice;
using leveldb::Status;

constexpr uint8_t kVerify = 1;      // verify the checksum; it is valid only with kCompressed
constexpr uint8_t kCompressed = 2;  // compressed by the library first
// The remaining flags are the type byte.

std::string Compress(const Slice& raw, uint8_t type) {
  std::string stored;
  if (type == leveldb::kSnappyCompression) {
    snappy::Compress(raw.data(), raw.size(), &stored);
  } else if (type == leveldb::kZstdCompression) {
    stored.resize(ZSTD_compressBound(raw.size()));
    const size_t bytes = ZSTD_compress(stored.data(), stored.size(), raw.data(), raw.size(), 1);
    stored.resize(bytes);
  } else {
    stored = raw.ToString();
  }
  return stored;
}

void RunOne(Input input) {
  const uint8_t flags = input.Byte();
  const uint8_t type = (flags >> 2) % 4;
  const Slice raw = input.rest();
  const bool compressed = (flags & kCompressed) != 0;
  std::string bytes = compressed ? Compress(raw, type) : raw.ToString();
  bytes.push_back(static_cast<char>(type));
  const bool verify = (flags & kVerify) != 0;
  const uint32_t checksum = crc32c::Mask(crc32c::Value(bytes.data(), bytes.size()));
  PutFixed32(&bytes, verify && compressed ? checksum : 0);

  const Exact stored(bytes);
  const size_t stored_bytes = stored.slice().size() - kBlockTrailerBytes;
  const TableSource file{nullptr, stored.slice().size(), "000007.ldb"};
  const BlockHandle handle{0, stored_bytes};
  RequireOk(file.CheckHandle(handle), "the block lies in its file");
  ByteBuffer buffer;
  Slice contents;
  const Status status = DecodeStored(file, handle, stored.slice(), verify, &buffer, &contents);
  Require(status.ok() || status.IsCorruption(), "a bad block is corruption");
  if (compressed && type <= leveldb::kZstdCompression) {
    RequireOk(status, "what was compressed can be decoded");
    Require(contents == raw, "and comes back");
  }
  if (!status.ok()) return;
  const uint64_t bytes_max = type == leveldb::kNoCompression       ? stored_bytes
                             : type == leveldb::kSnappyCompression ? uint64_t{stored_bytes} * 22
                                                                   : (stored_bytes / 4 + 1) << 17;
  Require(contents.size() <= bytes_max, "a block grows by no more than its format allows");
  size_t sum = 0;
  for (size_t i = 0; i < contents.size(); i += 64) sum += static_cast<uint8_t>(contents[i]);
  if (!contents.empty()) sum += static_cast<uint8_t>(contents[contents.size() - 1]);
  [[maybe_unused]] static volatile size_t sink;
  sink = sum;
}

}  // namespace
}  // namespace lull::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  lull::fuzz::RunOne(lull::fuzz::Input(data, size));
  return 0;
}
