// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Slice: a view of bytes that somebody else owns, and who must keep them alive and unchanged while
// the view is used. Any byte may occur, zeros included. As safe to share between threads as a plain
// pointer: reading yes, changing no.

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
  // No bytes; data() is not null.
  Slice() : data_(""), size_(0) {}

  // The `n` bytes at `d`.
  Slice(const char* d, size_t n) : data_(d), size_(n) {}

  // All bytes of `s`; a view, so beware of temporaries. The conversion is implicit on purpose.
  Slice(const std::string& s) : data_(s.data()), size_(s.size()) {}

  // The C string at `s`, without its terminating zero. Implicit on purpose.
  Slice(const char* s) : data_(s), size_(strlen(s)) {}

  // Copies the view, not the bytes.
  Slice(const Slice&) = default;
  Slice& operator=(const Slice&) = default;

  // First byte; not terminated by a zero.
  const char* data() const { return data_; }

  // Number of bytes.
  size_t size() const { return size_; }

  bool empty() const { return size_ == 0; }

  // Byte at position `n`.
  // REQUIRES: n < size()
  char operator[](size_t n) const {
    assert(n < size_);
    return data_[n];
  }

  // Becomes a view of no bytes.
  void clear() {
    size_ = 0;
    data_ = "";
  }

  // Moves the beginning of the view `n` bytes on.
  // REQUIRES: n <= size()
  void remove_prefix(size_t n) {
    assert(n <= size_);
    size_ -= n;
    data_ += n;
  }

  // The bytes, copied.
  std::string ToString() const { return std::string(data_, size_); }

  // Byte-wise order: negative, zero or positive as this view sorts before, with or after `b`. Bytes
  // count as unsigned; a proper prefix sorts first.
  int compare(const Slice& b) const;

  // Whether the first x.size() bytes are those of `x`.
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
  // memcmp must not see the null pointers that views of no bytes may have.
  const size_t common = size_ < b.size_ ? size_ : b.size_;
  const int order = common == 0 ? 0 : memcmp(data_, b.data_, common);
  if (order != 0 || size_ == b.size_) return order;
  return size_ < b.size_ ? -1 : 1;
}

}  // namespace leveldb

#endif  // LULL_INCLUDE_LEVELDB_SLICE_H_
