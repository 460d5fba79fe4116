// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// log::Writer: appends records to a log file. One thread at a time: the leading writer for a WAL,
// the flush thread for a MANIFEST.
//
// A recycled file still holds an older log's records. No fragment of the new log ends where one of
// the old log did. Otherwise, if a power loss removed the rest of the new log, readers would
// continue at that end with an old record, whose checksum is correct. The writer cuts such a
// fragment one byte earlier, which the format always allows.
//
// Nor does a record of a file that can be recycled end where the mark after it would not fit in the
// block: a reader could not see whether a kill cut its last append short. Such a record has its
// last byte in the next block.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "db/wal/fragment_ends.h"
#include "db/wal/log_format.h"
#include "leveldb/env.h"
#include "leveldb/slice.h"
#include "leveldb/status.h"

namespace lull::log {

class Writer {
 public:
  /// Appends after `initial_bytes` of existing content.
  explicit Writer(std::unique_ptr<leveldb::WritableFile> file, uint64_t initial_bytes = 0);
  /// For a file that can be recycled. `older`: the fragment ends already in the file; empty if it
  /// is new.
  Writer(std::unique_ptr<leveldb::WritableFile> file, FragmentEnds older);
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;

  /// Writes the record with as few Append calls as possible (one if it fits in the block), then
  /// calls Flush. After a failure the file's content is unknown, so every later call returns the
  /// same failure: no record after a torn one can be acknowledged.
  leveldb::Status AddRecord(const leveldb::Slice& record);

  leveldb::Status Sync();
  leveldb::Status Close();
  leveldb::WritableFile* file() { return file_.get(); }
  const leveldb::Status& status() const { return failure_; }
  uint64_t FileBytes() const { return bytes_; }

  /// Whether the file can be recycled: the writer was created with `older`.
  bool KnowsEnds() const { return ends_.has_value(); }
  /// Returns where fragments end in the file, of this log and of older ones. REQUIRES: KnowsEnds();
  /// no record is added later.
  FragmentEnds TakeEnds();

 private:
  uint64_t EndAfter(size_t size) const;
  bool WouldEndAsOlder(size_t size);
  leveldb::Status Emit(FragmentType type, const char* data, size_t size);

  std::unique_ptr<leveldb::WritableFile> file_;
  uint64_t bytes_;
  size_t block_offset_;
  const FragmentEnds older_;
  FragmentEnds::Cursor older_from_here_{older_};
  std::optional<FragmentEnds> ends_;  // set if the file can be recycled
  leveldb::Status failure_;
  std::string scratch_;  // one Append: zeros to the block's end, then a fragment
};

}  // namespace lull::log
