// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include <algorithm>
#include <cstdint>

#include "db/wal/log_format.h"
#include "leveldb/comparator.h"
#include "leveldb/slice.h"
#include "table/block.h"
#include "table/format.h"
#include "tests/fuzz/fuzz.h"
#include "util/coding.h"
#include "util/crc32c.h"

namespace lull::fuzz {
namespace {

using leveldb::Slice;

void PutChecksum(char* at, const char* data, size_t size) {
  EncodeFixed32(at, crc32c::Mask(crc32c::Value(data, size)));
}

bool FixBlock(const BlockHandle& handle, std::string* bytes) {
  const TableSource file{nullptr, bytes->size(), ""};
  if (!file.CheckHandle(handle).ok()) return false;
  char* const stored = bytes->data() + handle.offset;
  PutChecksum(stored + handle.size + 1, stored, handle.size + 1);
  return true;
}

/// Fixes the checksums of the blocks whose handles are the values of the block at `handle`, which
/// can be compressed.
void FixListed(const BlockHandle& handle, std::string* bytes) {
  if (!FixBlock(handle, bytes)) return;
  const std::string stored =
      bytes->substr(handle.offset, static_cast<size_t>(handle.size) + kBlockTrailerBytes);
  ByteBuffer buffer;
  Slice contents;
  Block block;
  const TableSource file{nullptr, bytes->size(), ""};
  if (!DecodeStored(file, handle, stored, false, &buffer, &contents).ok()) return;
  if (block.Parse(contents) != nullptr) return;
  constexpr int kBlocksMax = 1000;
  BlockCursor cursor;
  cursor.Reset(block, KeyOrder(leveldb::BytewiseComparator(), KeyOrder::Keys::kUser));
  cursor.SeekToFirst();
  for (int i = 0; i < kBlocksMax && cursor.Valid(); ++i, cursor.Next()) {
    Slice value = cursor.value();
    BlockHandle listed;
    if (listed.DecodeFrom(&value)) FixBlock(listed, bytes);
  }
  FixBlock(handle, bytes);  // again: one of those may overlap it
}

}  // namespace

void FixLogChecksums(std::string* bytes) {
  for (size_t begin = 0; begin < bytes->size(); begin += log::kBlockBytes) {
    const size_t end = std::min(begin + log::kBlockBytes, bytes->size());
    size_t at = begin;
    while (end - at >= log::kHeaderBytes) {
      char* const header = bytes->data() + at;
      const size_t length =
          static_cast<uint8_t>(header[4]) | size_t{static_cast<uint8_t>(header[5])} << 8;
      if (length > end - at - log::kHeaderBytes) break;
      if (std::all_of(header, header + log::kHeaderBytes, [](char c) { return c == 0; })) break;
      PutChecksum(header, header + 6, 1 + length);
      at += log::kHeaderBytes + length;
    }
  }
}

void FixTableChecksums(std::string* bytes) {
  if (bytes->size() < kFooterBytes) return;
  Footer footer;
  if (footer.DecodeFrom(Slice(bytes->data() + bytes->size() - kFooterBytes, kFooterBytes))) return;
  FixListed(footer.metaindex, bytes);
  FixListed(footer.index, bytes);
}

}  // namespace lull::fuzz
