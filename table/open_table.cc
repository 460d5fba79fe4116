// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "table/open_table.h"

#include <algorithm>
#include <cstring>
#include <span>
#include <string>
#include <utility>

#include "table/lost_index.h"
#include "table/table_counts.h"
#include "util/coding.h"
#include "util/profiled_part.h"

namespace lull {

using leveldb::Slice;
using leveldb::Status;

namespace {

/// Bytes read at once at open: usually all of footer, index and filter. Small tables need little of
/// it, and much would be a buffer of fresh pages.
uint64_t TailBytes(uint64_t file_bytes) {
  constexpr uint64_t kTailShare = 16;
  constexpr uint64_t kTailBytesMin = 4 << 10;
  constexpr uint64_t kTailBytesMax = 64 << 10;
  return std::min(file_bytes, std::clamp(file_bytes / kTailShare, kTailBytesMin, kTailBytesMax));
}

/// Stored blocks up to this size are read into a stack buffer. This saves an allocation if they are
/// compressed.
constexpr size_t kStackBytes = 16 << 10;

/// An entry of the block cache.
struct CachedBlock {
  CachedBlock(const Block& b, std::unique_ptr<char[]> m) : block(b), memory(std::move(m)) {}
  const Block block;
  const std::unique_ptr<char[]> memory;
};

void DeleteCachedBlock(const Slice&, void* value) { delete static_cast<CachedBlock*>(value); }

/// The cache key of a block: the table's cache id and the block's file offset.
struct CacheKey {
  CacheKey(uint64_t cache_id, uint64_t offset) {
    EncodeFixed64(bytes, cache_id);
    EncodeFixed64(bytes + sizeof(uint64_t), offset);
  }
  Slice slice() const { return Slice(bytes, sizeof(bytes)); }
  char bytes[2 * sizeof(uint64_t)];
};

void CountFileRead(const BlockReadOptions& read, const BlockHandle& handle) {
  if (read.counts == nullptr) return;
  read.counts[kBlocksFromFile] += 1;
  read.counts[kBlockBytesFromFile] += handle.size + kBlockTrailerBytes;
}

template <class Read>
Status ReadProfiled(Read read) {
  const ProfiledPart part(CallPart::kBlockRead);
  return read();
}

std::unique_ptr<char[]> Copy(const Slice& bytes) {
  auto copy = std::make_unique_for_overwrite<char[]>(bytes.size());
  std::memcpy(copy.get(), bytes.data(), bytes.size());
  return copy;
}

}  // namespace

Status OpenTable::ReadOwned(const FileWindow& tail, const BlockHandle& handle,
                            std::unique_ptr<char[]>* memory, Slice* contents) const {
  Status status = source.CheckHandle(handle);
  if (!status.ok()) return status;
  Slice stored;
  ByteBuffer scratch;
  if (!tail.Find(handle, &stored)) {
    status = source.ReadStored(
        handle, scratch.Reserve(static_cast<size_t>(handle.size) + kBlockTrailerBytes), &stored);
    if (!status.ok()) return status;
  }
  ByteBuffer decoded;
  status = DecodeStored(source, handle, stored, /*verify_checksum=*/true, &decoded, contents);
  if (!status.ok()) return status;
  *memory = contents->data() == decoded.data() ? decoded.Release() : Copy(*contents);
  *contents = Slice(memory->get(), contents->size());
  return status;
}

Status OpenTable::ReadIndex(const FileWindow& tail, const BlockHandle& handle) {
  std::unique_ptr<char[]> memory;
  Slice contents;
  const Status status = ReadOwned(tail, handle, &memory, &contents);
  if (!status.ok()) return status;
  auto opened = std::make_shared<IndexBlock>();
  const char* cause = opened->Open(options.order, contents, std::exchange(options.part, nullptr));
  index = std::move(opened);
  return cause == nullptr ? status : source.Damaged(handle.offset, cause);
}

Status OpenTable::FindMetaBlock(const FileWindow& tail, const std::string& name,
                                BlockHandle* handle) const {
  std::unique_ptr<char[]> memory;
  Slice contents;
  Status status = ReadOwned(tail, metaindex, &memory, &contents);
  if (!status.ok()) return status;
  Block block;
  if (const char* cause = block.Parse(contents)) return source.Damaged(metaindex.offset, cause);
  const KeyOrder names(leveldb::BytewiseComparator(), KeyOrder::Keys::kUser);
  BlockCursor cursor;
  cursor.Reset(block, names);
  cursor.Seek(names, name);
  if (cursor.damage() != nullptr) return source.Damaged(metaindex.offset, cursor.damage());
  if (!cursor.Valid() || cursor.key() != Slice(name)) return Status::NotFound(source.name, name);

  Slice value = cursor.value();
  if (!handle->DecodeFrom(&value))
    status = source.Damaged(metaindex.offset, "malformed handle of a meta block");
  return status;
}

Status OpenTable::ReadFilter(const FileWindow& tail) {
  BlockHandle handle;
  Status status = FindMetaBlock(tail, FilterBlockName(*options.filter_policy), &handle);
  if (status.IsNotFound()) return Status::OK();
  Slice contents;
  if (status.ok()) status = ReadOwned(tail, handle, &filter_memory, &contents);
  if (!status.ok()) return status;
  const char* cause = filter.Open(options.filter_policy, contents);
  return cause == nullptr ? status : source.Damaged(handle.offset, cause);
}

Status OpenTable::ReadFooter(FileWindow* tail, Footer* footer) const {
  if (source.file_bytes < kFooterBytes) return source.Damaged(0, "file is too short for a table");
  const uint64_t tail_bytes = TailBytes(source.file_bytes);
  const Status status =
      tail->Fill(source, source.file_bytes - tail_bytes, static_cast<size_t>(tail_bytes));
  if (!status.ok()) return status;
  Slice footer_bytes;
  const uint64_t footer_offset = source.file_bytes - kFooterBytes;
  if (!tail->Find({footer_offset, kFooterBytes - kBlockTrailerBytes}, &footer_bytes)) {
    return source.Damaged(footer_offset, "truncated footer read");
  }
  if (const char* owner = Footer::ForeignOwner(footer_bytes))
    return source.Unsupported(footer_offset, owner);
  const char* const cause = footer->DecodeFrom(footer_bytes);
  return cause == nullptr ? status : source.Damaged(footer_offset, cause);
}

void OpenTable::NoteCodec() const {
  FileWindow tail;
  Footer footer;
  std::unique_ptr<char[]> memory;
  Slice contents;
  Block block;
  if (!ReadFooter(&tail, &footer).ok() || !ReadOwned(tail, footer.index, &memory, &contents).ok() ||
      source.seen->get() != Codec::kNone || block.Parse(contents) != nullptr)
    return;
  BlockCursor entry;
  entry.Reset(block, options.order);
  entry.SeekToFirst();
  if (!entry.Valid()) return;
  Slice value = entry.value();
  BlockHandle first;
  std::unique_ptr<char[]> its_memory;
  if (first.DecodeFrom(&value)) ReadOwned(tail, first, &its_memory, &contents);
}

Status OpenTable::ReadTail() {
  FileWindow tail;
  Footer footer;
  Status status = ReadFooter(&tail, &footer);
  if (status.ok()) status = ReadIndex(tail, footer.index);
  if (!status.ok()) return status;
  metaindex = footer.metaindex;
  data_end = std::min(metaindex.offset, source.file_bytes - kFooterBytes);
  if (options.filter_policy != nullptr) {
    // A table works without its filter, only slower.
    const Status filter_status = ReadFilter(tail);
    if (!filter_status.ok() && options.paranoid_checks) return filter_status;
  }
  if (options.block_cache != nullptr) cache_id = options.block_cache->NewId();
  return status;
}

Status OpenTable::ReplaceIndex() {
  std::string contents;
  Status status = FindDataBlocks(source, options.order, &contents);
  if (!status.ok()) return status;
  if (contents.empty()) return source.Damaged(0, "no readable block");
  auto opened = std::make_shared<IndexBlock>();
  const char* cause = opened->Open(options.order, contents);
  index = std::move(opened);
  data_end = source.file_bytes;
  return cause == nullptr ? status : source.Damaged(0, cause);
}

bool OpenTable::FindCached(const BlockReadOptions& read, const BlockHandle& handle,
                           BlockLease* lease, bool* keep) const {
  leveldb::Cache* cache = options.block_cache;
  *keep = read.fill_cache && cache != nullptr;
  if (cache == nullptr) return false;
  const CacheKey key(cache_id, handle.offset);
  leveldb::Cache::Handle* found = options.admission != nullptr && *keep
                                      ? options.admission->LookupOrAdmit(key.slice(), keep)
                                      : cache->Lookup(key.slice());
  if (found == nullptr) return false;
  lease->cache_ = cache;
  lease->handle_ = found;
  lease->block_ = static_cast<const CachedBlock*>(cache->Value(found))->block;
  if (read.counts != nullptr) read.counts[kBlocksFromCache] += 1;
  return true;
}

void OpenTable::Prefetch(const BlockHandle& handle) const {
  if (options.prefetcher == nullptr || !source.CheckHandle(handle).ok()) return;
  if (leveldb::Cache* const cache = options.block_cache) {
    const CacheKey key(cache_id, handle.offset);
    if (leveldb::Cache::Handle* const cached = cache->Lookup(key.slice()))
      return cache->Release(cached);
  }
  options.prefetcher->Prefetch(handle.offset,
                               static_cast<size_t>(handle.size) + kBlockTrailerBytes);
}

Status OpenTable::Lease(const BlockHandle& handle, const Slice& contents,
                        std::unique_ptr<char[]> memory, bool keep, BlockLease* lease) const {
  if (const char* cause = lease->block_.Parse(contents))
    return source.Damaged(handle.offset, cause);
  // Do not cache memory that the file object owns.
  if (!keep || memory == nullptr) {
    lease->memory_ = std::move(memory);
    return Status::OK();
  }
  auto cached = std::make_unique<CachedBlock>(lease->block_, std::move(memory));
  lease->cache_ = options.block_cache;
  lease->handle_ = lease->cache_->Insert(CacheKey(cache_id, handle.offset).slice(),
                                         cached.release(), contents.size(), &DeleteCachedBlock);
  return Status::OK();
}

Status OpenTable::Decode(const BlockHandle& handle, const Slice& stored, bool verify_checksum,
                         ByteBuffer* buffer, Slice* contents) const {
  const ProfiledPart part(CallPart::kBlockDecode);
  return DecodeStored(source, handle, stored, verify_checksum, buffer, contents);
}

Status OpenTable::LoadBlock(const BlockReadOptions& read, const BlockHandle& handle,
                            BlockLease* lease) const {
  bool keep;
  if (FindCached(read, handle, lease, &keep)) return Status::OK();
  CountFileRead(read, handle);
  Status status = source.CheckHandle(handle);
  if (!status.ok()) return status;
  const size_t bytes = static_cast<size_t>(handle.size) + kBlockTrailerBytes;
  char stack[kStackBytes];
  ByteBuffer heap;
  char* scratch = bytes <= sizeof(stack) ? stack : heap.Reserve(bytes);
  Slice stored;
  status = ReadProfiled([&] { return source.ReadStored(handle, scratch, &stored); });
  if (!status.ok()) return status;
  ByteBuffer decoded;
  Slice contents;
  status = Decode(handle, stored, read.verify_checksums, &decoded, &contents);
  if (!status.ok()) return status;

  std::unique_ptr<char[]> memory;
  if (contents.data() != scratch) {
    memory = decoded.Release();  // null if the block is in the file object's memory
  } else if (scratch == stack) {
    memory = Copy(contents);
    contents = Slice(memory.get(), contents.size());
  } else {
    memory = heap.Release();
  }
  return Lease(handle, contents, std::move(memory), keep, lease);
}

Status OpenTable::LoadBlockAhead(const BlockReadOptions& read, const BlockHandle& handle, bool keep,
                                 ReadaheadReader* reader, ByteBuffer* buffer,
                                 BlockLease* lease) const {
  CountFileRead(read, handle);
  Status status = source.CheckHandle(handle);
  if (!status.ok()) return status;
  char stack[kStackBytes];
  Slice stored;
  // A block for the cache is copied or decompressed anyway. Otherwise it can stay in the reader's
  // memory.
  status = ReadProfiled([&] {
    return reader->Read(handle, keep ? std::span<char>(stack) : std::span<char>(), &stored);
  });
  if (!status.ok()) return status;
  ByteBuffer fresh;
  ByteBuffer* decoded = keep ? &fresh : buffer;
  Slice contents;
  status = Decode(handle, stored, read.verify_checksums, decoded, &contents);
  if (!status.ok()) return status;
  if (!keep) return Lease(handle, contents, nullptr, false, lease);
  std::unique_ptr<char[]> memory =
      contents.data() == fresh.data() ? fresh.Release() : Copy(contents);
  contents = Slice(memory.get(), contents.size());
  return Lease(handle, contents, std::move(memory), true, lease);
}

}  // namespace lull
