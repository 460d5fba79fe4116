// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "table/lost_index.h"

#include <vector>

#include "table/block.h"
#include "table/block_builder.h"
#include "util/coding.h"
#include "util/crc32c.h"

namespace lull {

using leveldb::Slice;
using leveldb::Status;

namespace {

/// Finds the intact block at `offset` of `file`: `*size` is that of its stored bytes.
bool FindBlock(const Slice& file, uint64_t offset, uint64_t* size) {
  uint32_t crc = 0;
  for (uint64_t type = offset; type + kBlockTrailerBytes <= file.size(); ++type) {
    crc = crc32c::Extend(crc, file.data() + type, 1);
    if (crc32c::Unmask(DecodeFixed32(file.data() + type + 1)) != crc) continue;
    *size = type - offset;
    return true;
  }
  return false;
}

/// Whether the trailer of an internal key has a kind: 0 or 1. The names of meta blocks do not.
bool HasKind(const Slice& key) {
  return static_cast<unsigned char>(key[key.size() - KeyOrder::kTrailerBytes]) <= 1;
}

/// The blocks from the beginning of a table.
class BlockChain {
 public:
  explicit BlockChain(const KeyOrder& order) : order_(order) {}

  /// Takes the next block. Returns whether it was the table's own index.
  bool TakeIndex(const BlockHandle& handle, const Slice& contents);
  /// Gives the index of the data blocks so far.
  Slice Index() { return built_.empty() ? Slice() : built_.Finish(); }

 private:
  const KeyOrder order_;
  std::vector<BlockHandle> blocks_;
  BlockBuilder built_{1};
};

bool BlockChain::TakeIndex(const BlockHandle& handle, const Slice& contents) {
  Block block;
  BlockCursor cursor;
  bool is_data = block.Parse(contents) == nullptr;
  bool is_index = is_data && !blocks_.empty();
  size_t listed = 0;
  std::string last_key;
  cursor.Reset(block, order_);
  for (cursor.SeekToFirst(); is_data && cursor.Valid(); cursor.Next()) {
    is_data = HasKind(cursor.key());
    last_key = cursor.key().ToString();
    Slice value = cursor.value();
    BlockHandle there;
    is_index = is_index && listed < blocks_.size() && there.DecodeFrom(&value) && value.empty() &&
               there.offset == blocks_[listed].offset && there.size == blocks_[listed].size;
    ++listed;
  }
  is_data = is_data && cursor.damage() == nullptr && listed > 0;
  if (is_data && is_index) return true;
  blocks_.push_back(handle);
  if (!is_data) return false;
  std::string value;
  handle.EncodeTo(&value);
  built_.Add(last_key, value);
  return false;
}

}  // namespace

Status FindDataBlocks(const TableSource& source, const KeyOrder& order, std::string* index) {
  index->clear();
  ByteBuffer scratch, decoded;
  Slice file;
  const auto bytes = static_cast<size_t>(source.file_bytes);
  Status status = source.file->Read(0, bytes, &file, scratch.Reserve(bytes));
  BlockChain chain(order);
  BlockHandle handle;
  while (status.ok() && FindBlock(file, handle.offset, &handle.size)) {
    const Slice stored(file.data() + handle.offset,
                       static_cast<size_t>(handle.size) + kBlockTrailerBytes);
    Slice contents;
    status = DecodeStored(source, handle, stored, /*verify_checksum=*/true, &decoded, &contents);
    if (status.IsCorruption()) break;
    if (status.ok() && chain.TakeIndex(handle, contents)) {
      index->assign(contents.data(), contents.size());
      return status;
    }
    handle.offset = handle.end();
  }
  *index = chain.Index().ToString();
  return status.IsCorruption() ? Status::OK() : status;
}

}  // namespace lull
