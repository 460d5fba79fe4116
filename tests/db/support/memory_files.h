// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Files in memory that count operations, and fail on request.
#pragma once

#include <algorithm>
#include <string>
#include <utility>

#include "leveldb/env.h"

namespace lull::testing {

/// The output of a MemoryWritable; outlives it.
struct WrittenFile {
  std::string bytes;
  int appends = 0;
  int flushes = 0;
  int syncs = 0;
  int appends_until_failure = -1;  ///< < 0: never
  size_t failed_append_keeps = 0;  ///< bytes of the append that fails which arrive all the same
  bool flush_fails = false;
  bool sync_fails = false;
};

class MemoryWritable final : public leveldb::WritableFile {
 public:
  explicit MemoryWritable(WrittenFile* written) : written_(written) {}

  leveldb::Status Append(const leveldb::Slice& data) override {
    ++written_->appends;
    if (written_->appends_until_failure == 0) {
      written_->bytes.append(data.data(), std::min(data.size(), written_->failed_append_keeps));
      return leveldb::Status::IOError("no space");
    }
    if (written_->appends_until_failure > 0) --written_->appends_until_failure;
    written_->bytes.append(data.data(), data.size());
    return leveldb::Status::OK();
  }
  leveldb::Status Flush() override {
    ++written_->flushes;
    return written_->flush_fails ? leveldb::Status::IOError("flush") : leveldb::Status::OK();
  }
  leveldb::Status Sync() override {
    ++written_->syncs;
    return written_->sync_fails ? leveldb::Status::IOError("sync") : leveldb::Status::OK();
  }
  leveldb::Status Close() override { return leveldb::Status::OK(); }

 private:
  WrittenFile* const written_;
};

/// Reads `bytes`, at most `chunk_bytes` for each call, and fails at offset `fails_at`.
class MemorySequential final : public leveldb::SequentialFile {
 public:
  explicit MemorySequential(std::string bytes, size_t chunk_bytes = SIZE_MAX,
                            size_t fails_at = SIZE_MAX)
      : bytes_(std::move(bytes)), chunk_bytes_(chunk_bytes), fails_at_(fails_at) {}

  leveldb::Status Read(size_t n, leveldb::Slice* result, char* scratch) override {
    const size_t end = std::min({bytes_.size(), at_ + std::min(n, chunk_bytes_), fails_at_});
    if (end == fails_at_ && at_ == end) return leveldb::Status::IOError("bad sector");
    std::copy(bytes_.data() + at_, bytes_.data() + end, scratch);
    *result = leveldb::Slice(scratch, end - at_);
    at_ = end;
    return leveldb::Status::OK();
  }
  leveldb::Status Skip(uint64_t n) override {
    at_ = std::min<size_t>(bytes_.size(), at_ + n);
    return leveldb::Status::OK();
  }

 private:
  const std::string bytes_;
  const size_t chunk_bytes_;
  const size_t fails_at_;
  size_t at_ = 0;
};

}  // namespace lull::testing
