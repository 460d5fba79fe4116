// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// The stored bytes of one block: snappy, zstd, zlib or uncompressed.
//
// Input: the type, then the stored bytes. Checks: they are decoded or refused; the output is no
// longer than the stored bytes can make it, whatever length they claim.
#include <string>

#include "table/format.h"
#include "tests/fuzz/fuzz.h"
#include "util/coding.h"

namespace lull::fuzz {

void RunOne(Input input) {
  const uint8_t type = input.Byte() % 5;
  std::string bytes = input.rest().ToString();
  bytes.push_back(static_cast<char>(type));
  PutFixed32(&bytes, 0);  // a checksum that is not verified

  const Exact stored(bytes);
  const size_t stored_bytes = stored.slice().size() - kBlockTrailerBytes;
  const TableSource file{nullptr, stored.slice().size(), "000007.ldb"};
  const BlockHandle handle{0, stored_bytes};
  RequireOk(file.CheckHandle(handle), "the block lies in its file");
  ByteBuffer buffer;
  leveldb::Slice contents;
  const leveldb::Status status =
      DecodeStored(file, handle, stored.slice(), false, &buffer, &contents);
  Require(status.ok() || status.IsCorruption(), "a bad block is corruption");
  if (!status.ok()) return;
  const Codec codec = *FindCodec(type, leveldb::Slice(stored.slice().data(), stored_bytes));
  const uint64_t bytes_max = codec == Codec::kNone     ? stored_bytes
                             : codec == Codec::kSnappy ? uint64_t{stored_bytes} * 22
                             : codec == Codec::kZstd   ? (stored_bytes / 4 + 1) << 17
                                                       : uint64_t{stored_bytes} * 1032;
  Require(contents.size() <= bytes_max, "a block grows by no more than its format allows");
  Touch(contents);
}

}  // namespace lull::fuzz
