// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.

#include "leveldb/status.h"

#include <cstdint>
#include <cstring>

namespace leveldb {
namespace {

constexpr size_t kHeaderBytes = 5;  // message length, code

size_t MessageBytes(const char* state) {
  uint32_t size;
  std::memcpy(&size, state, sizeof(size));
  return size;
}

}  // namespace

Status::Status(Code code, const Slice& msg, const Slice& msg2) {
  constexpr size_t kSeparatorBytes = 2;
  const size_t message_bytes = msg.size() + (msg2.empty() ? 0 : kSeparatorBytes + msg2.size());
  const auto stored_bytes = static_cast<uint32_t>(message_bytes);
  char* const state = new char[kHeaderBytes + message_bytes];
  std::memcpy(state, &stored_bytes, sizeof(stored_bytes));
  state[4] = static_cast<char>(code);
  char* end = state + kHeaderBytes;
  for (const Slice& part : {msg, msg2.empty() ? Slice() : Slice(": ", kSeparatorBytes), msg2}) {
    std::memcpy(end, part.data(), part.size());
    end += part.size();
  }
  state_ = state;
}

const char* Status::CopyState(const char* s) {
  const size_t bytes = kHeaderBytes + MessageBytes(s);
  char* const copy = new char[bytes];
  std::memcpy(copy, s, bytes);
  return copy;
}

std::string Status::ToString() const {
  std::string text;
  switch (code()) {
    case kOk:
      return "OK";
    case kNotFound:
      text = "NotFound: ";
      break;
    case kCorruption:
      text = "Corruption: ";
      break;
    case kNotSupported:
      text = "Not implemented: ";
      break;
    case kInvalidArgument:
      text = "Invalid argument: ";
      break;
    case kIOError:
      text = "IO error: ";
      break;
  }
  return text.append(state_ + kHeaderBytes, MessageBytes(state_));
}

}  // namespace leveldb
