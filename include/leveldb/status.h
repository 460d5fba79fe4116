// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Status: how an operation ended. OK costs one null pointer; an error has a kind and a message.
//
// As safe to share between threads as a std::string: reading yes, changing no.

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

  // Moving from a status leaves it valid, with a value not to rely on.
  Status(Status&& rhs) noexcept : state_(rhs.state_) { rhs.state_ = nullptr; }
  Status& operator=(Status&& rhs) noexcept;

  // The makers. Both parts of the message are copied; a second part that is not empty follows after
  // ": ".
  static Status OK() { return Status(); }
  // What was asked for does not exist.
  static Status NotFound(const Slice& msg, const Slice& msg2 = Slice()) {
    return Status(kNotFound, msg, msg2);
  }
  // Stored data contradicts its format or its checksum.
  static Status Corruption(const Slice& msg, const Slice& msg2 = Slice()) {
    return Status(kCorruption, msg, msg2);
  }
  // This build, Env or file format cannot do it.
  static Status NotSupported(const Slice& msg, const Slice& msg2 = Slice()) {
    return Status(kNotSupported, msg, msg2);
  }
  // The caller's mistake.
  static Status InvalidArgument(const Slice& msg, const Slice& msg2 = Slice()) {
    return Status(kInvalidArgument, msg, msg2);
  }
  // The operating system, or an Env, refused.
  static Status IOError(const Slice& msg, const Slice& msg2 = Slice()) {
    return Status(kIOError, msg, msg2);
  }

  bool ok() const { return state_ == nullptr; }

  // At most one of these is true, and none when ok().
  bool IsNotFound() const { return code() == kNotFound; }
  bool IsCorruption() const { return code() == kCorruption; }
  bool IsIOError() const { return code() == kIOError; }
  bool IsNotSupportedError() const { return code() == kNotSupported; }
  bool IsInvalidArgument() const { return code() == kInvalidArgument; }

  // "OK", or the kind and the message, for people to read.
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

  // nullptr for OK. Otherwise one new char[]: four bytes of message length (this machine's byte
  // order), one byte of Code, the message without a final zero. Programs compiled against these
  // inline functions rely on this form.
  const char* state_;
};

inline Status::Status(const Status& rhs) : state_(rhs.ok() ? nullptr : CopyState(rhs.state_)) {}

inline Status& Status::operator=(const Status& rhs) {
  // Equal pointers: the same object, or OK on both sides. Nothing to do in either case.
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
