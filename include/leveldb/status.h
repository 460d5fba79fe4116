// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// The interface declared here is LevelDB's; see NOTICE.
//
// Status: the result of an operation, OK or an error with a code and a message. OK costs one null
// pointer.
//
// Threads: const methods can run concurrently; a non-const method needs exclusive access.

#ifndef LULL_INCLUDE_LEVELDB_STATUS_H_
#define LULL_INCLUDE_LEVELDB_STATUS_H_

#include <algorithm>
#include <string>

#include "leveldb/export.h"
#include "leveldb/slice.h"

namespace leveldb {

class LEVELDB_EXPORT Status {
 public:
  // OK.
  Status() noexcept : state_(nullptr) {}
  ~Status() { delete[] state_; }

  Status(const Status& rhs);
  Status& operator=(const Status& rhs);

  // A moved-from status is valid, with an unspecified value.
  Status(Status&& rhs) noexcept : state_(rhs.state_) { rhs.state_ = nullptr; }
  Status& operator=(Status&& rhs) noexcept;

  // Factory functions. They copy both parts of the message, and join them with ": " if the second
  // is not empty.
  static Status OK() { return Status(); }
  // The requested item does not exist.
  static Status NotFound(const Slice& msg, const Slice& msg2 = Slice()) {
    return Status(kNotFound, msg, msg2);
  }
  // Stored data contradicts its format or its checksum.
  static Status Corruption(const Slice& msg, const Slice& msg2 = Slice()) {
    return Status(kCorruption, msg, msg2);
  }
  // This build, Env or file format does not support the operation.
  static Status NotSupported(const Slice& msg, const Slice& msg2 = Slice()) {
    return Status(kNotSupported, msg, msg2);
  }
  // The caller passed something invalid.
  static Status InvalidArgument(const Slice& msg, const Slice& msg2 = Slice()) {
    return Status(kInvalidArgument, msg, msg2);
  }
  // The operating system or an Env reported an error.
  static Status IOError(const Slice& msg, const Slice& msg2 = Slice()) {
    return Status(kIOError, msg, msg2);
  }

  bool ok() const { return state_ == nullptr; }

  // At most one of these is true; all are false if ok().
  bool IsNotFound() const { return code() == kNotFound; }
  bool IsCorruption() const { return code() == kCorruption; }
  bool IsIOError() const { return code() == kIOError; }
  bool IsNotSupportedError() const { return code() == kNotSupported; }
  bool IsInvalidArgument() const { return code() == kInvalidArgument; }

  // "OK", or the code and the message, for people to read.
  std::string ToString() const;

 private:
  enum Code {
    kOk = 0,
    kNotFound = 1,
    kCorruption = 2,
    kNotSupported = 3,
    kInvalidArgument = 4,
    kIOError = 5
  };

  Code code() const { return ok() ? kOk : static_cast<Code>(state_[4]); }

  Status(Code code, const Slice& msg, const Slice& msg2);
  static const char* CopyState(const char* s);

  // nullptr for OK. Otherwise a new char[]: four bytes of message length (in the byte order of this
  // machine), one byte of Code, and the message without a terminating zero. Part of the binary
  // interface: programs contain these inline functions.
  const char* state_;
};

inline Status::Status(const Status& rhs) : state_(rhs.ok() ? nullptr : CopyState(rhs.state_)) {}

inline Status& Status::operator=(const Status& rhs) {
  // Equal pointers mean self-assignment, or OK on both sides.
  if (state_ == rhs.state_) return *this;
  const char* const old_state = state_;
  state_ = rhs.ok() ? nullptr : CopyState(rhs.state_);
  delete[] old_state;
  return *this;
}

inline Status& Status::operator=(Status&& rhs) noexcept {
  std::swap(state_, rhs.state_);
  return *this;
}

}  // namespace leveldb

#endif  // LULL_INCLUDE_LEVELDB_STATUS_H_
