// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Appends records to a log file. One thread at a time; who that is belongs to the owner (the
// leading writer for a WAL, the installer for a MANIFEST).
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "db/log_format.h"
#include "leveldb/env.h"
#include "leveldb/slice.h"
#include "leveldb/status.h"

namespace lull::log {

class Writer {
 public:
  /// Appends behind `initial_bytes` of existing content.
  explicit Writer(std::unique_ptr<leveldb::WritableFile> file, uint64_t initial_bytes = 0);
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;

  /// Hands the whole record to the file in as few Append calls as possible (one where it fits the
  /// block), then Flush. After a failure what the file holds is unknown, so every later call
  /// returns the same failure: nothing may be acknowledged behind a torn record.
  leveldb::Status AddRecord(const leveldb::Slice& record);

  leveldb::Status Sync();
  leveldb::Status Close();
  const leveldb::Status& status() const { return failure_; }
  uint64_t FileBytes() const { return bytes_; }

 private:
  leveldb::Status Emit(FragmentType type, const char* data, size_t size);

  std::unique_ptr<leveldb::WritableFile> file_;
  uint64_t bytes_;
  size_t block_offset_;
  leveldb::Status failure_;
  std::string scratch_;  // a block's zero tail, then header and payload of a fragment: one Append
};

}  // namespace lull::log
