// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// How an iterator reads a table's blocks from its file: one by one while it jumps about, in growing
// steps once it reads them in a row, in either direction. One thread.
#pragma once

#include <cstdint>
#include <span>

#include "leveldb/slice.h"
#include "leveldb/status.h"
#include "table/format.h"

namespace lull {

/// A stretch of a file, read at once.
class FileWindow {
 public:
  /// Replaces the window by `bytes` bytes from `begin`, or as many as the file has there.
  leveldb::Status Fill(const TableSource& source, uint64_t begin, size_t bytes);
  /// Whether all of a block's stored bytes and trailer are here.
  bool Find(const BlockHandle& handle, leveldb::Slice* stored) const;

 private:
  ByteBuffer buffer_;
  uint64_t begin_ = 0;
  leveldb::Slice held_;
};

class ReadaheadReader {
 public:
  /// Every read stays before `data_end` except for blocks that lie behind it. `steps_bytes_max` >
  /// 0: reads ahead from the beginning, in steps up to that size. 0: only when two reads in a row
  /// were adjacent, up to a size of its own.
  ReadaheadReader(const TableSource& source, uint64_t data_end, size_t steps_bytes_max);

  /// The stored bytes and trailer of a block; they live until the next Read, or stand in `scratch`,
  /// which may be empty. REQUIRES: source.CheckHandle(handle) is ok.
  leveldb::Status Read(const BlockHandle& handle, std::span<char> scratch, leveldb::Slice* stored);

  /// Says that a block was had without reading, so that the row is not broken.
  void Skip(const BlockHandle& handle) { last_ = handle; }

 private:
  size_t NextStep(const BlockHandle& handle);

  static constexpr size_t kFirstStepBytes = 16 << 10;
  static constexpr size_t kAutomaticStepBytesMax = 256 << 10;
  static constexpr int kRowLength = 2;

  const TableSource& source_;
  const uint64_t data_end_;
  const bool eager_;
  const size_t step_bytes_max_;
  size_t step_bytes_ = 0;  ///< of the last window; 0: none in this row
  int row_ = 0;            ///< adjacent reads so far
  bool backward_ = false;
  BlockHandle last_{UINT64_MAX, 0};
  FileWindow window_;
  ByteBuffer single_;
};

}  // namespace lull
