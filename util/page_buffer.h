// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// A reusable buffer. If it is large, it has pages of its own, which return to the system with it.
// The heap would keep them if smaller allocations that outlive the buffer follow it. One thread at
// a time.
#pragma once

#include <cstddef>

namespace lull {

size_t InWholePages(size_t bytes);
/// New pages, zeroed; os::UnmapMemory frees them. Fails as operator new does: the program's
/// new-handler may release memory, or throw.
char* MapPages(size_t bytes);

class PageBuffer {
 public:
  static constexpr size_t kMappedBytesMin = 64 << 10;  // below, malloc is faster
  /// From `mapped_bytes_min` bytes on, the buffer has pages of its own.
  explicit PageBuffer(size_t bytes = 0, size_t mapped_bytes_min = kMappedBytesMin)
      : mapped_bytes_min_(mapped_bytes_min) {
    Reserve(bytes);
  }
  PageBuffer(const PageBuffer&) = delete;
  PageBuffer& operator=(const PageBuffer&) = delete;
  ~PageBuffer() { Free(); }

  /// Growing it discards the contents.
  char* Reserve(size_t bytes);
  char* get() const { return start_; }

 private:
  void Free();

  const size_t mapped_bytes_min_;
  char* start_ = nullptr;
  size_t capacity_ = 0;
};

}  // namespace lull
