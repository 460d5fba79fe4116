// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// The interface declared here is LevelDB's; see NOTICE.
//
// Slice: a view of bytes that it does not own. The owner must keep the bytes alive and unchanged
// while the view is used. All byte values are allowed, zero included.
//
// Threads: const methods can run concurrently; a non-const method needs exclusive access.

#ifndef LULL_INCLUDE_LEVELDB_SLICE_H_
#define LULL_INCLUDE_LEVELDB_SLICE_H_

#include <cassert>
#include <cstddef>
#include <cstring>
#include <string>

#include "leveldb/export.h"

namespace leveldb {

class LEVELDB_EXPORT Slice {
 public:
  // Empty; data() is not null.
  Slice() : data_(""), size_(0) {}

  // The `n` bytes at `d`.
  Slice(const char* d, size_t n) : data_(d), size_(n) {}

  // All bytes of `s`, which must outlive the view: do not pass a temporary. Implicit on purpose.
  Slice(const std::string& s) : data_(s.data()), size_(s.size()) {}

  // The C string at `s`, without its terminating zero. Implicit on purpose.
  Slice(const char* s) : data_(s), size_(strlen(s)) {}

  // Copies the view, not the bytes.
  Slice(const Slice&) = default;
  Slice& operator=(const Slice&) = default;

  // Pointer to the first byte. The bytes do not end in a zero.
  const char* data() const { return data_; }

  // Of the bytes, as a range. Not in LevelDB 1.23; later versions and Bitcoin Core's have them.
  const char* begin() const { return data_; }
  const char* end() const { return data_ + size_; }

  size_t size() const { return size_; }

  bool empty() const { return size_ == 0; }

  // The byte at position `n`.
  // REQUIRES: n < size()
  char operator[](size_t n) const {
    assert(n < size_);
    return data_[n];
  }

  // Makes the view empty.
  void clear() {
    size_ = 0;
    data_ = "";
  }

  // Shortens the view by `n` bytes at its front.
  // REQUIRES: n <= size()
  void remove_prefix(size_t n) {
    assert(n <= size_);
    size_ -= n;
    data_ += n;
  }

  // A copy of the bytes.
  std::string ToString() const { return std::string(data_, size_); }

  // Compares bytes as unsigned values; a proper prefix sorts first. Negative, zero or positive if
  // this view sorts before, with or after `b`.
  int compare(const Slice& b) const;

  // True if the view begins with the bytes of `x`.
  bool starts_with(const Slice& x) const {
    return x.size_ == 0 || (x.size_ <= size_ && memcmp(x.data_, data_, x.size_) == 0);
  }

 private:
  const char* data_;
  size_t size_;
};

inline bool operator==(const Slice& x, const Slice& y) {
  return x.size() == y.size() && x.starts_with(y);
}

inline bool operator!=(const Slice& x, const Slice& y) { return !(x == y); }

inline int Slice::compare(const Slice& b) const {
  // memcmp must not get null pointers, which empty views can have.
  const size_t common = size_ < b.size_ ? size_ : b.size_;
  const int order = common == 0 ? 0 : memcmp(data_, b.data_, common);
  if (order != 0 || size_ == b.size_) return order;
  return size_ < b.size_ ? -1 : 1;
}

}  // namespace leveldb

#endif  // LULL_INCLUDE_LEVELDB_SLICE_H_
