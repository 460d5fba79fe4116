// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "table/table_reader.h"

#include <algorithm>
#include <utility>

#include "leveldb/comparator.h"
#include "table/open_table.h"
#include "table/table_counts.h"
#include "table/table_iterator.h"

namespace lull {

using leveldb::Slice;
using leveldb::Status;

struct TableReader::Rep : OpenTable {};

TableReader::TableReader(std::unique_ptr<Rep> rep) : rep_(std::move(rep)) {}
TableReader::~TableReader() = default;

std::unique_ptr<TableReader::Rep> TableReader::NewRep(
    const TableReadOptions& options, std::unique_ptr<leveldb::RandomAccessFile> file,
    uint64_t file_bytes) {
  auto rep = std::make_unique<Rep>();
  rep->options = options;
  rep->source = {file.get(), file_bytes, options.file_name, options.seen};
  rep->file = std::move(file);
  return rep;
}

Status TableReader::Open(const TableReadOptions& options,
                         std::unique_ptr<leveldb::RandomAccessFile> file, uint64_t file_bytes,
                         std::unique_ptr<TableReader>* result) {
  result->reset();
  auto rep = NewRep(options, std::move(file), file_bytes);
  const Status status = rep->ReadTail();
  if (status.ok()) result->reset(new TableReader(std::move(rep)));
  return status;
}

Status TableReader::OpenWithoutIndex(const TableReadOptions& options,
                                     std::unique_ptr<leveldb::RandomAccessFile> file,
                                     uint64_t file_bytes, std::unique_ptr<TableReader>* result) {
  result->reset();
  auto rep = NewRep(options, std::move(file), file_bytes);
  rep->options.filter_policy = nullptr;
  rep->options.block_cache = nullptr;
  const Status status = rep->ReplaceIndex();
  if (status.ok()) result->reset(new TableReader(std::move(rep)));
  return status;
}

std::unique_ptr<TableReader> TableReader::Through(
    std::unique_ptr<leveldb::RandomAccessFile> file) const {
  auto rep = NewRep(rep_->options, std::move(file), rep_->source.file_bytes);
  rep->options.filter_policy = nullptr;
  rep->options.block_cache = nullptr;
  rep->options.prefetcher = nullptr;
  rep->index = rep_->index;
  rep->metaindex = rep_->metaindex;
  rep->data_end = rep_->data_end;
  return std::unique_ptr<TableReader>(new TableReader(std::move(rep)));
}

Status TableReader::Get(const BlockReadOptions& options, const Slice& target, void* arg,
                        void (*visit)(void* arg, const Slice& key, const Slice& value)) const {
  const OpenTable& table = *rep_;
  const KeyOrder& order = table.options.order;
  const size_t at = table.index->Find(order, target);
  if (at == table.index->size()) return Status::OK();
  const BlockHandle handle = table.index->handle(at);
  if (table.filter.IsOpen()) {
    const bool passes = table.filter.MayMatch(handle.offset, order.UserKey(target));
    if (options.counts != nullptr) {
      options.counts[kFilterChecks] += 1;
      if (passes) options.counts[kFilterPasses] += 1;
    }
    if (!passes) return Status::OK();
  }
  if (options.prefetches) {
    table.Prefetch(handle);
    return Status::OK();
  }
  if (options.counts != nullptr) options.counts[kTablesSearched] += 1;

  BlockLease lease;
  Status status = table.LoadBlock(options, handle, &lease);
  if (!status.ok()) return status;
  BlockCursor cursor;
  cursor.Reset(lease.block(), order);
  cursor.Seek(order, target);
  if (cursor.Valid()) {
    visit(arg, cursor.key(), cursor.value());
  } else if (cursor.damage() != nullptr) {
    status = table.source.Damaged(handle.offset, cursor.damage());
  }
  return status;
}

std::unique_ptr<leveldb::Iterator> TableReader::NewIterator(const BlockReadOptions& options) const {
  return std::make_unique<TableIterator>(*rep_, options);
}

Status TableReader::Sample(size_t blocks_max, const std::function<void(const Slice& key)>& visit,
                           double* share) const {
  const OpenTable& table = *rep_;
  const size_t blocks = table.index->size();
  const size_t count = std::min(blocks, blocks_max);
  BlockReadOptions options;
  options.verify_checksums = true;
  options.fill_cache = false;
  for (size_t i = 0; i < count; ++i) {
    const BlockHandle handle = table.index->handle(i * blocks / count);
    BlockLease lease;
    const Status status = table.LoadBlock(options, handle, &lease);
    if (!status.ok()) return status;
    BlockCursor cursor;
    cursor.Reset(lease.block(), table.options.order);
    for (cursor.SeekToFirst(); cursor.Valid(); cursor.Next()) visit(cursor.key());
    if (cursor.damage() != nullptr) return table.source.Damaged(handle.offset, cursor.damage());
  }
  *share = blocks == 0 ? 1 : static_cast<double>(count) / static_cast<double>(blocks);
  return Status::OK();
}

bool TableReader::IsInOrder() const {
  const OpenTable& table = *rep_;
  const KeyOrder& order = table.options.order;
  bool in_order = table.index->IsInOrder(order);
  BlockReadOptions options;
  options.verify_checksums = true;
  options.fill_cache = false;
  for (size_t i = 0; in_order && i < table.index->size(); ++i) {
    BlockLease lease;
    if (!table.LoadBlock(options, table.index->handle(i), &lease).ok()) continue;
    BlockCursor cursor;
    cursor.Reset(lease.block(), order);
    std::string before;
    for (cursor.SeekToFirst(); in_order && cursor.Valid(); cursor.Next()) {
      in_order = before.empty() || order.Compare(before, cursor.key()) <= 0;
      before = cursor.key().ToString();
    }
  }
  return in_order;
}

Status TableReader::CheckMetaBlocks() const {
  std::unique_ptr<char[]> memory;
  Slice contents;
  Status status = rep_->ReadOwned(FileWindow(), rep_->metaindex, &memory, &contents);
  if (!status.ok()) return status;
  Block block;
  if (const char* cause = block.Parse(contents))
    return rep_->source.Damaged(rep_->metaindex.offset, cause);
  const KeyOrder names(leveldb::BytewiseComparator(), KeyOrder::Keys::kUser);
  BlockCursor cursor;
  cursor.Reset(block, names);
  for (cursor.SeekToFirst(); status.ok() && cursor.Valid(); cursor.Next()) {
    BlockHandle handle;
    Slice value = cursor.value();
    std::unique_ptr<char[]> its_memory;
    status = handle.DecodeFrom(&value)
                 ? rep_->ReadOwned(FileWindow(), handle, &its_memory, &contents)
                 : rep_->source.Damaged(rep_->metaindex.offset, "malformed handle of a meta block");
  }
  if (status.ok() && cursor.damage() != nullptr)
    status = rep_->source.Damaged(rep_->metaindex.offset, cursor.damage());
  return status;
}

Status TableReader::ReadMetaBlock(const std::string& name, std::string* contents) const {
  BlockHandle handle;
  Status status = rep_->FindMetaBlock(FileWindow(), name, &handle);
  std::unique_ptr<char[]> memory;
  Slice read;
  if (status.ok()) status = rep_->ReadOwned(FileWindow(), handle, &memory, &read);
  if (status.ok()) contents->assign(read.data(), read.size());
  return status;
}

uint64_t TableReader::MemoryBytes() const {
  return sizeof(Rep) + rep_->index->MemoryBytes() + rep_->filter.MemoryBytes();
}

uint64_t TableReader::ApproximateOffsetOf(const Slice& key) const {
  const OpenTable& table = *rep_;
  const size_t at = table.index->Find(table.options.order, key);
  return at < table.index->size() ? table.index->handle(at).offset : table.data_end;
}

}  // namespace lull
