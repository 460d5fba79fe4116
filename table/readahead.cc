// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "table/readahead.h"

#include <algorithm>

namespace lull {

using leveldb::Slice;
using leveldb::Status;

Status FileWindow::Fill(const TableSource& source, uint64_t begin, size_t bytes) {
  held_ = Slice();
  begin_ = begin;
  Slice read;
  const Status status = source.file->Read(begin, bytes, &read, buffer_.Reserve(bytes));
  if (status.ok()) held_ = read;
  return status;
}

bool FileWindow::Find(const BlockHandle& handle, Slice* stored) const {
  if (handle.offset < begin_ || handle.end() > begin_ + held_.size()) return false;
  *stored = Slice(held_.data() + (handle.offset - begin_),
                  static_cast<size_t>(handle.size) + kBlockTrailerBytes);
  return true;
}

ReadaheadReader::ReadaheadReader(const TableSource& source, uint64_t data_end,
                                 size_t steps_bytes_max)
    : source_(source),
      data_end_(data_end),
      eager_(steps_bytes_max > 0),
      step_bytes_max_(eager_ ? steps_bytes_max : kAutomaticStepBytesMax),
      window_(eager_) {}

/// Size of the next read for the block at `handle`, which is not in the window; 0: only the block.
size_t ReadaheadReader::NextStep(const BlockHandle& handle) {
  const bool follows = last_.offset != UINT64_MAX && handle.offset == last_.end();
  const bool precedes = !follows && last_.offset != UINT64_MAX && handle.end() == last_.offset;
  if (!follows && !precedes) {
    row_ = 0;
    step_bytes_ = 0;
  } else if (row_ > 0 && precedes != backward_) {
    row_ = 1;
    step_bytes_ = 0;
  } else {
    ++row_;
  }
  backward_ = precedes;
  if (!eager_ && row_ < kRowLength) return 0;
  step_bytes_ = std::min(step_bytes_max_, step_bytes_ == 0 ? kFirstStepBytes : 2 * step_bytes_);
  return step_bytes_;
}

Status ReadaheadReader::Read(const BlockHandle& handle, std::span<char> scratch, Slice* stored) {
  if (window_.Find(handle, stored)) {
    last_ = handle;
    return Status::OK();
  }
  const uint64_t step = NextStep(handle);
  last_ = handle;
  if (step > handle.size + kBlockTrailerBytes) {
    const uint64_t limit = handle.end() <= data_end_ ? data_end_ : source_.file_bytes;
    const uint64_t end = backward_ ? handle.end() : std::min(handle.offset + step, limit);
    const uint64_t begin = backward_ ? end - std::min(end, step) : handle.offset;
    // If the larger read fails, the block alone can still be readable.
    if (window_.Fill(source_, begin, static_cast<size_t>(end - begin)).ok() &&
        window_.Find(handle, stored)) {
      return Status::OK();
    }
  }
  const size_t bytes = static_cast<size_t>(handle.size) + kBlockTrailerBytes;
  return source_.ReadStored(
      handle, bytes <= scratch.size() ? scratch.data() : single_.Reserve(bytes), stored);
}

}  // namespace lull
