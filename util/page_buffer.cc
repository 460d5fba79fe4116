// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "util/page_buffer.h"

#include <new>

#include "util/exceptions.h"
#include "util/os.h"

namespace lull {

size_t InWholePages(size_t bytes) {
  const size_t page_bytes = os::PageBytes();
  return (bytes + page_bytes - 1) / page_bytes * page_bytes;
}

char* MapPages(size_t bytes) {
  for (;;) {
    if (char* const start = os::MapMemory(bytes)) return start;
    const std::new_handler handler = std::get_new_handler();
    if (handler == nullptr) LULL_THROW(std::bad_alloc());
    handler();
  }
}

char* PageBuffer::Reserve(size_t bytes) {
  if (bytes <= capacity_) return start_;
  Free();
  const size_t capacity = bytes < mapped_bytes_min_ ? bytes : InWholePages(bytes);
  start_ = capacity < mapped_bytes_min_ ? new char[capacity] : MapPages(capacity);
  capacity_ = capacity;
  return start_;
}

void PageBuffer::Free() {
  if (capacity_ >= mapped_bytes_min_) {
    os::UnmapMemory(start_, capacity_);
  } else {
    delete[] start_;
  }
  start_ = nullptr;
  capacity_ = 0;
}

}  // namespace lull
