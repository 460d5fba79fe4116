// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Shared code of the fuzz targets. A target is one file that defines RunOne. It is linked with
// libFuzzer (preset fuzz), or with replay.cc, which runs files and seeded mutations of them. A
// target depends on its input only; one thread calls it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>

#include "leveldb/env.h"
#include "leveldb/slice.h"
#include "leveldb/status.h"

namespace lull::fuzz {

/// A broken promise ends the process, which makes it a finding.
inline void Require(bool holds, const char* promise, const std::string& detail = "") {
  if (holds) return;
  std::fprintf(stderr, "broken: %s%s%s\n", promise, detail.empty() ? "" : ": ", detail.c_str());
  std::abort();
}

inline void RequireOk(const leveldb::Status& status, const char* promise) {
  if (!status.ok()) Require(false, promise, status.ToString());
}

/// What a read of any bytes can end with.
inline bool IsAnswer(const leveldb::Status& status) {
  return status.ok() || status.IsCorruption() || status.IsIOError() || status.IsNotSupportedError();
}
/// What an open or a repair of any files can end with, if not with success.
inline bool IsRefusal(const leveldb::Status& status) {
  return !status.ok() && (IsAnswer(status) || status.IsInvalidArgument());
}

/// Takes an input apart from its front. Reads past its end give zero, or nothing.
class Input {
 public:
  Input(const uint8_t* data, size_t size) {
    if (data != nullptr) rest_ = leveldb::Slice(reinterpret_cast<const char*>(data), size);
  }
  explicit Input(const leveldb::Slice& bytes) : rest_(bytes) {}

  bool empty() const { return rest_.empty(); }
  leveldb::Slice rest() const { return rest_; }

  uint8_t Byte() {
    if (rest_.empty()) return 0;
    const auto byte = static_cast<uint8_t>(rest_[0]);
    rest_.remove_prefix(1);
    return byte;
  }
  uint32_t Short() {
    const uint32_t low = Byte();
    return low | uint32_t{Byte()} << 8;
  }
  uint64_t Long() {
    uint64_t value = 0;
    for (int shift = 0; shift < 64; shift += 8) value |= uint64_t{Byte()} << shift;
    return value;
  }
  leveldb::Slice Take(size_t bytes) {
    const leveldb::Slice taken(rest_.data(), std::min(bytes, rest_.size()));
    rest_.remove_prefix(taken.size());
    return taken;
  }
  /// A length of one byte, then that many bytes.
  leveldb::Slice TakePrefixed() { return Take(Byte()); }

 private:
  leveldb::Slice rest_;
};

/// A fuzzer would never guess a checksum, so without these it would only test the checksums. They
/// fix those of the fragments of a log, as far as its lengths lead, and of the blocks that a
/// table's footer, metaindex and index lead to.
void FixLogChecksums(std::string* bytes);
void FixTableChecksums(std::string* bytes);

/// Runs the code under test on arbitrary bytes, and calls Require for each promise.
void RunOne(Input input);

/// Reads each byte, so that ASan checks where a slice points.
inline void Touch(const leveldb::Slice& bytes) {
  [[maybe_unused]] static volatile size_t sink;
  size_t sum = 0;
  for (size_t i = 0; i < bytes.size(); ++i) sum += static_cast<unsigned char>(bytes[i]);
  sink = sum;
}

/// A copy that ends where its memory ends, so that ASan detects reads past it.
class Exact {
 public:
  explicit Exact(const leveldb::Slice& bytes)
      : memory_(std::make_unique_for_overwrite<char[]>(bytes.size())), size_(bytes.size()) {
    if (size_ > 0) std::memcpy(memory_.get(), bytes.data(), size_);
  }
  leveldb::Slice slice() const { return leveldb::Slice(memory_.get(), size_); }

 private:
  std::unique_ptr<char[]> memory_;
  size_t size_;
};

/// Bytes as a random access file. The bytes must outlive it.
class RandomAccessBytes final : public leveldb::RandomAccessFile {
 public:
  explicit RandomAccessBytes(const leveldb::Slice& bytes) : bytes_(bytes) {}

  leveldb::Status Read(uint64_t offset, size_t n, leveldb::Slice* result,
                       char* scratch) const override {
    const uint64_t begin = std::min<uint64_t>(offset, bytes_.size());
    const size_t bytes = static_cast<size_t>(std::min<uint64_t>(n, bytes_.size() - begin));
    if (bytes > 0) std::memcpy(scratch, bytes_.data() + begin, bytes);
    *result = leveldb::Slice(scratch, bytes);
    return leveldb::Status::OK();
  }

 private:
  const leveldb::Slice bytes_;
};

}  // namespace lull::fuzz
