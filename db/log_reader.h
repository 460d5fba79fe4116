// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Reads records from a log file, and says exactly how the file ends. One thread at a time.
//
// How a fault is judged. A power loss may take any 4 KiB block that was not synced: it then reads
// as zeros or as garbage, while later ones may have survived. So the last record may well be cut
// short, and a fault alone proves nothing. What counts is whether a record begins behind the fault,
// with a right checksum, in the same block or behind whole fragments of a later one:
//  - nothing does: the end of the log is where the writer was when it died, which is kTorn, or
//    kClean when there are only zeros;
//  - something does: there was more log than can be read. Either damage, or a power loss among
//    writes that were never synced; from the bytes nobody can tell which, so it is kCorrupt, and
//    the owner keeps the file.
// In both cases reading ends in front of the fault: skipping it would leave a hole in what is
// replayed.
//
// A record whose first fragments are followed by the start of another one is passed over: its
// writer died in the middle and a later one went on behind it, as LevelDB's reuse_logs does. It was
// never acknowledged.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "db/log_format.h"
#include "leveldb/env.h"
#include "leveldb/slice.h"
#include "leveldb/status.h"

namespace lull::log {

/// Why ReadRecord returned no record.
enum class LogEnd {
  kNone,   ///< not at the end
  kClean,  ///< end of file, or zeros of a file allocated ahead
  kTorn,   ///< the last record is cut short: a crash while it was written; nothing readable follows
  kCorrupt,  ///< a bad checksum, length or order of fragments: what follows cannot be trusted
  kError,    ///< the file could not be read; nothing is known about the rest
};

class Reader {
 public:
  /// Whether a record that begins so, or with more, was written to this log; not to an older one
  /// whose file it overwrites. Asked of whatever record begins behind a fault.
  using IsOwn = std::function<bool(const leveldb::Slice& beginning)>;

  /// `file_name` is for messages. Without `is_own`, every record is the log's own.
  Reader(std::unique_ptr<leveldb::SequentialFile> file, std::string file_name,
         IsOwn is_own = nullptr);

  /// The next record, valid until the next call. False at the end, and for ever after; then end()
  /// says why and status() names file, offset and cause (OK for kClean and kTorn). Stops at the
  /// first bad record: what is returned is always a prefix of what was written. A read that comes
  /// back short is repeated; only an empty one is the end of the file.
  bool ReadRecord(leveldb::Slice* record);

  LogEnd end() const { return end_; }
  const leveldb::Status& status() const { return status_; }
  /// Bytes of the file up to the end of the last whole record: where appending may go on.
  uint64_t ValidBytes() const { return valid_bytes_; }
  /// Offset of the record last returned.
  uint64_t LastRecordOffset() const { return last_record_offset_; }

 private:
  /// False when the reading ends here.
  bool NextFragment(FragmentType* type, leveldb::Slice* payload);
  /// False at the end of the file or on an error; rest_ is empty then.
  bool FillBlock();
  bool EndAtFault(LogEnd if_last, const char* cause);
  bool HoldsRecordStart(leveldb::Slice bytes) const;
  bool ChainHoldsRecordStart(leveldb::Slice block) const;
  bool Stop(LogEnd end, uint64_t at, const char* cause);
  bool Stop(LogEnd end);
  uint64_t offset() const { return block_end_offset_ - rest_.size(); }

  std::unique_ptr<leveldb::SequentialFile> file_;
  const std::string file_name_;
  const IsOwn is_own_;
  std::unique_ptr<char[]> block_;
  leveldb::Slice rest_;            // unread part of the block
  uint64_t block_end_offset_ = 0;  // file offset behind the block
  bool at_eof_ = false;
  bool in_record_ = false;  // between the first fragment of a record and its last
  std::string assembled_;
  uint64_t valid_bytes_ = 0;
  uint64_t last_record_offset_ = 0;
  LogEnd end_ = LogEnd::kNone;
  leveldb::Status status_;
};

}  // namespace lull::log
