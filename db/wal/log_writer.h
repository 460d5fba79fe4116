// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Appends records to a log file. One thread at a time; who that is belongs to the owner (the
// leading writer for a WAL, the installer for a MANIFEST).
//
// A file that was recycled holds an older log's records. No fragment of the new log ends where one
// of the old log did: were it otherwise, and did a power loss take what was written behind such an
// end, then readers would go on there with a record of the old log, whose checksum is right. A
// fragment that would end so is cut one byte earlier, which the format allows anywhere.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "db/compaction/fragment_ends.h"
#include "db/wal/log_format.h"
#include "leveldb/env.h"
#include "leveldb/slice.h"
#include "leveldb/status.h"

namespace lull::log {

class Writer {
 public:
  /// Appends behind `initial_bytes` of existing content.
  explicit Writer(std::unique_ptr<leveldb::WritableFile> file, uint64_t initial_bytes = 0);
  /// For a file that holds the fragments that end at `older` (none if it is new), and that may be
  /// recycled in its turn: TakeEnds tells what for.
  Writer(std::unique_ptr<leveldb::WritableFile> file, FragmentEnds older);
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;

  /// Hands the whole record to the file in as few Append calls as possible (one where it fits the
  /// block), then Flush. After a failure what the file holds is unknown, so every later call
  /// returns the same failure: nothing may be acknowledged behind a torn record.
  leveldb::Status AddRecord(const leveldb::Slice& record);

  leveldb::Status Sync();
  leveldb::Status Close();
  leveldb::WritableFile* file() { return file_.get(); }
  const leveldb::Status& status() const { return failure_; }
  uint64_t FileBytes() const { return bytes_; }

  /// Whether the file may be recycled: the writer was made with `older`.
  bool KnowsEnds() const { return ends_.has_value(); }
  /// Where fragments end in the file, of this log and of older ones. REQUIRES: KnowsEnds(); no
  /// record is added any more.
  FragmentEnds TakeEnds();

 private:
  bool WouldEndAsOlder(size_t size);
  leveldb::Status Emit(FragmentType type, const char* data, size_t size);

  std::unique_ptr<leveldb::WritableFile> file_;
  uint64_t bytes_;
  size_t block_offset_;
  const FragmentEnds older_;
  FragmentEnds::Cursor older_from_here_{older_};
  std::optional<FragmentEnds> ends_;  // where the file may be recycled
  leveldb::Status failure_;
  std::string scratch_;  // a block's zero tail, then header and payload of a fragment: one Append
};

}  // namespace lull::log
