// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// How an iterator reads the blocks of a table file: single blocks for random access, growing steps
// after several adjacent reads in either direction. One thread.
#pragma once

#include <cstdint>
#include <span>

#include "leveldb/slice.h"
#include "leveldb/status.h"
#include "table/format.h"
#include "util/page_buffer.h"

namespace lull {

/// A range of a file, read at once.
class FileWindow {
 public:
  /// If `own_pages`, a large window has them. That suits background work, whose windows live long.
  /// A client's scan would map and unmap them each time, which interrupts the other threads.
  explicit FileWindow(bool own_pages = false)
      : buffer_(0, own_pages ? PageBuffer::kMappedBytesMin : SIZE_MAX) {}

  /// Replaces the window with `bytes` bytes from `begin`, fewer at the end of the file.
  leveldb::Status Fill(const TableSource& source, uint64_t begin, size_t bytes);
  /// True if the window has all stored bytes of the block and its trailer.
  bool Find(const BlockHandle& handle, leveldb::Slice* stored) const;

 private:
  PageBuffer buffer_;
  uint64_t begin_ = 0;
  leveldb::Slice held_;
};

class ReadaheadReader {
 public:
  /// Windows end at `data_end`, the end of the data blocks, unless the block itself lies after it.
  /// If `steps_bytes_max` > 0, reads ahead from the start, in steps of up to that size. If it is 0,
  /// reads ahead only after two adjacent reads in a row, in steps of up to kAutomaticStepBytesMax.
  ReadaheadReader(const TableSource& source, uint64_t data_end, size_t steps_bytes_max);

  /// Returns the stored bytes and the trailer of a block. They are valid until the next Read. If
  /// they fit, they can be in `scratch`, which can be empty. REQUIRES: source.CheckHandle(handle)
  /// is ok.
  leveldb::Status Read(const BlockHandle& handle, std::span<char> scratch, leveldb::Slice* stored);

  /// Reports a block that was found without a read, so that it does not end the sequence of
  /// adjacent reads.
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
  size_t step_bytes_ = 0;  ///< size of the last window; 0: none in this sequence
  int row_ = 0;            ///< number of adjacent reads in the sequence
  bool backward_ = false;
  BlockHandle last_{UINT64_MAX, 0};
  FileWindow window_;
  ByteBuffer single_;
};

}  // namespace lull
