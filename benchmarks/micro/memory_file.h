// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Files in memory, so that benchmarks of file contents do not measure the disk.
#pragma once

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

#include "leveldb/env.h"

namespace lull::bench {

class MemoryFile final : public leveldb::WritableFile {
 public:
  leveldb::Status Append(const leveldb::Slice& data) override {
    contents_.append(data.data(), data.size());
    return leveldb::Status::OK();
  }
  leveldb::Status Close() override { return leveldb::Status::OK(); }
  leveldb::Status Flush() override { return leveldb::Status::OK(); }
  leveldb::Status Sync() override { return leveldb::Status::OK(); }

  const std::string& contents() const { return contents_; }

 private:
  std::string contents_;
};

class MemoryReader final : public leveldb::RandomAccessFile {
 public:
  explicit MemoryReader(std::string contents) : contents_(std::move(contents)) {}
  leveldb::Status Read(uint64_t offset, size_t size, leveldb::Slice* result,
                       char* scratch) const override {
    const size_t from = std::min<size_t>(offset, contents_.size());
    const size_t count = std::min(size, contents_.size() - from);
    std::memcpy(scratch, contents_.data() + from, count);  // as reading a real file would
    *result = leveldb::Slice(scratch, count);
    return leveldb::Status::OK();
  }

 private:
  const std::string contents_;
};

}  // namespace lull::bench
