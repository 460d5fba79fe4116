// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "table/table_writer.h"

#include <memory>
#include <string>

#include "table/block_builder.h"
#include "table/filter_block.h"
#include "table/format.h"
#include "util/coding.h"
#include "util/crc32c.h"

namespace lull {

using leveldb::Slice;
using leveldb::Status;

struct TableWriter::Rep {
  Rep(const TableWriteOptions& o, leveldb::WritableFile* f)
      : options(o), file(f), data(o.block_restart_interval) {
    if (options.filter_policy != nullptr) {
      filter = std::make_unique<FilterBlockBuilder>(options.filter_policy);
      filter->StartBlock(0);
    }
  }

  void IndexLastBlock(const std::string& key);
  /// Both return the block's handle; meaningless after an error.
  BlockHandle WriteBlock(BlockBuilder* block);
  BlockHandle WriteStored(const Slice& bytes, Codec codec);
  BlockHandle WriteMetaindex(std::span<const MetaBlock> meta_blocks);

  TableWriteOptions options;
  leveldb::WritableFile* file;
  Status status;
  uint64_t offset = 0;
  uint64_t entries = 0;
  BlockBuilder data;
  BlockBuilder index{1};
  std::unique_ptr<FilterBlockBuilder> filter;
  Compressor compressor;
  std::string scratch;

  /// A data block enters the index when the next key is known: a short separator between the two
  /// keys makes a small index.
  bool unindexed = false;
  BlockHandle unindexed_handle;
  std::string last_key;  ///< last key of the unindexed block
};

TableWriter::TableWriter(const TableWriteOptions& options, leveldb::WritableFile* file)
    : rep_(std::make_unique<Rep>(options, file)) {}

TableWriter::~TableWriter() = default;

void TableWriter::Rep::IndexLastBlock(const std::string& key) {
  scratch.clear();
  unindexed_handle.EncodeTo(&scratch);
  if (index.Fits(key, scratch)) {
    index.Add(key, scratch);
  } else {
    status = Status::InvalidArgument("table", "its index would be too large");
  }
  unindexed = false;
}

void TableWriter::Add(const Slice& key, const Slice& value) {
  Rep& r = *rep_;
  if (!r.status.ok()) return;
  if (!r.data.Fits(key, value)) FlushBlock();
  if (r.status.ok() && !r.data.Fits(key, value)) {
    r.status = Status::InvalidArgument("table", "entry of 4 GiB or more");
  }
  if (!r.status.ok()) return;
  if (r.unindexed) {
    r.options.order.ShortenSeparator(&r.last_key, key);
    r.IndexLastBlock(r.last_key);
  }
  if (r.filter != nullptr) r.filter->AddKey(r.options.order.UserKey(key));
  ++r.entries;
  r.data.Add(key, value);
  if (r.data.ByteCount() >= r.options.block_bytes) FlushBlock();
}

void TableWriter::FlushBlock() {
  Rep& r = *rep_;
  if (!r.status.ok() || r.data.empty()) return;
  r.last_key = r.data.last_key();
  r.unindexed_handle = r.WriteBlock(&r.data);
  r.unindexed = r.status.ok();
  if (r.filter != nullptr) r.filter->StartBlock(r.offset);
}

BlockHandle TableWriter::Rep::WriteBlock(BlockBuilder* block) {
  Codec used;
  const Slice stored =
      compressor.Run(options.compression, options.zstd_level, block->Finish(), &used);
  const BlockHandle handle = WriteStored(stored, used);
  block->Reset();
  return handle;
}

BlockHandle TableWriter::Rep::WriteStored(const Slice& bytes, Codec codec) {
  const BlockHandle handle{offset, bytes.size()};
  char trailer[kBlockTrailerBytes];
  trailer[0] = static_cast<char>(TypeByte(codec));
  const uint32_t crc = crc32c::Extend(crc32c::Value(bytes.data(), bytes.size()), trailer, 1);
  EncodeFixed32(trailer + 1, crc32c::Mask(crc));
  status = file->Append(bytes);
  if (status.ok()) status = file->Append(Slice(trailer, sizeof(trailer)));
  if (status.ok()) offset = handle.end();
  return handle;
}

BlockHandle TableWriter::Rep::WriteMetaindex(std::span<const MetaBlock> meta_blocks) {
  BlockBuilder metaindex(options.block_restart_interval);
  const auto add = [&](const Slice& name, const Slice& contents) {
    if (!status.ok()) return;
    scratch.clear();
    WriteStored(contents, Codec::kNone).EncodeTo(&scratch);
    metaindex.Add(name, scratch);
  };
  if (filter != nullptr) add(FilterBlockName(*options.filter_policy), filter->Finish());
  for (const MetaBlock& block : meta_blocks) add(block.name, block.contents);
  return status.ok() ? WriteBlock(&metaindex) : BlockHandle();
}

Status TableWriter::Finish(std::span<const MetaBlock> meta_blocks) {
  Rep& r = *rep_;
  FlushBlock();
  if (!r.status.ok()) return r.status;
  Footer footer;
  footer.metaindex = r.WriteMetaindex(meta_blocks);
  if (r.status.ok() && r.unindexed) {
    r.options.order.ShortenSuccessor(&r.last_key);
    r.IndexLastBlock(r.last_key);
  }
  if (r.status.ok()) footer.index = r.WriteBlock(&r.index);
  if (!r.status.ok()) return r.status;
  r.scratch.clear();
  footer.EncodeTo(&r.scratch);
  r.status = r.file->Append(r.scratch);
  if (r.status.ok()) r.offset += r.scratch.size();
  return r.status;
}

void TableWriter::Abandon() { rep_->file = nullptr; }

Status TableWriter::status() const { return rep_->status; }
uint64_t TableWriter::EntryCount() const { return rep_->entries; }
uint64_t TableWriter::FileBytes() const { return rep_->offset; }

uint64_t TableWriter::IndexBytesWith(const Slice& next_key) const {
  const Rep& r = *rep_;
  const std::string& last_key = r.data.empty() ? r.last_key : r.data.last_key();
  return r.index.ByteCount() + last_key.size() + next_key.size();
}

bool TableWriter::ChangeOptions(const TableWriteOptions& options) {
  const KeyOrder& order = rep_->options.order;
  if (options.order.user() != order.user() || options.order.internal() != order.internal())
    return false;
  const leveldb::FilterPolicy* policy = rep_->options.filter_policy;
  rep_->options = options;
  rep_->options.filter_policy = policy;  // its filters are under construction
  rep_->data.set_restart_interval(options.block_restart_interval);
  return true;
}

}  // namespace lull
