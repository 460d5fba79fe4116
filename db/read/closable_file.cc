// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "db/read/closable_file.h"

#include <cstring>
#include <utility>

namespace lull {
namespace {

// Keeping a file open closes another one, on the flush thread after a grace period. That costs more
// than a few opens, so only a file that is read repeatedly replaces another.
constexpr int kReadsBeforeOffer = 16;

leveldb::Status ReadInto(const leveldb::RandomAccessFile& file, uint64_t offset, size_t n,
                         leveldb::Slice* result, char* scratch) {
  leveldb::Status status = file.Read(offset, n, result, scratch);
  if (status.ok() && result->data() != scratch && !result->empty()) {
    std::memmove(scratch, result->data(), result->size());
    *result = leveldb::Slice(scratch, result->size());
  }
  return status;
}

}  // namespace

leveldb::Status ClosableFile::Read(uint64_t offset, size_t n, leveldb::Slice* result,
                                   char* scratch) const {
  {
    const GraceGuard guard(*grace_);  // iterators hold none
    const leveldb::RandomAccessFile* const open = open_.load(std::memory_order_acquire);
    if (open != nullptr) {
      if (!used_.load(std::memory_order_relaxed)) used_.store(true, std::memory_order_relaxed);
      return ReadInto(*open, offset, n, result, scratch);
    }
  }
  leveldb::RandomAccessFile* raw = nullptr;
  leveldb::Status status = env_->NewRandomAccessFile(path_, &raw);
  if (!status.ok()) return status;
  std::unique_ptr<leveldb::RandomAccessFile> opened(raw);
  status = ReadInto(*opened, offset, n, result, scratch);
  if (reads_while_closed_.fetch_add(1, std::memory_order_relaxed) + 1 >= kReadsBeforeOffer) {
    reads_while_closed_.store(0, std::memory_order_relaxed);
    // Reads do not change the content of a file, so leveldb::RandomAccessFile declares them const.
    keeper_->Offer(const_cast<ClosableFile*>(this), std::move(opened));
  }
  return status;
}

void ClosableFile::Prefetch(uint64_t offset, size_t bytes) const {
  const GraceGuard guard(*grace_);
  leveldb::RandomAccessFile* const open = open_.load(std::memory_order_acquire);
  if (open != nullptr && extension_ != nullptr) extension_->Prefetch(open, offset, bytes);
}

}  // namespace lull
