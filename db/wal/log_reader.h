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
// Another process may be appending to the log. Then the reader can meet the end of the log in one
// block and find a record in the next, which was begun meanwhile. A writer finishes a block before
// it begins the next, so once the reader has found a record after a fault, it reads the fault's
// block again. Only a fault that is still there is damage.
//
// A repair wants all that can be read: SkipFaults makes the reader go on after a fault. Inside the
// fault's block it goes on only where the headers lead exactly to the end of the block: a value
// may contain a log. No record is put together of fragments with a fault in between.
//
// A record whose first fragments are followed by the start of another one is passed over: its
// writer died in the middle and a later one went on behind it, as LevelDB's reuse_logs does. It was
// never acknowledged.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "db/wal/log_format.h"
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

  /// Without `is_own`, every record is the log's own. With `env`, `file_name` is a file of it that
  /// another process may be appending to; without, the name is only for messages.
  Reader(std::unique_ptr<leveldb::SequentialFile> file, std::string file_name,
         IsOwn is_own = nullptr, leveldb::Env* env = nullptr);

  /// From now on ReadRecord passes over what cannot be read, instead of ending there. A record that
  /// an older log left in the file may be returned then; the caller must tell it from the log's
  /// own.
  void SkipFaults() { skips_faults_ = true; }

  /// What was passed over before the record last returned and since the last call: the first fault,
  /// or OK.
  leveldb::Status TakeSkipped();

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
  /// Where the reading was interrupted.
  struct Fault {
    uint64_t offset;
    const char* cause;
    LogEnd if_last;  // what it is when no record begins after it
    bool precedes_record = false;
  };

  /// False when the reading ends here.
  bool NextFragment(FragmentType* type, leveldb::Slice* payload);
  bool RefuseFragment(uint64_t at, const char* cause);
  /// False at the end of the file or on an error; rest_ is empty then.
  bool FillBlock();
  bool EndAtFault(LogEnd if_last, const char* cause);
  bool ReadBlockAgain(uint64_t offset);
  void SkipFault();
  void NoteFault(uint64_t at, const char* cause, LogEnd if_last);
  bool StopAtEnd();
  bool HoldsRecordStart(leveldb::Slice bytes) const;
  bool ChainHoldsRecordStart(leveldb::Slice block) const;
  bool Stop(LogEnd end, uint64_t at, const char* cause);
  bool Stop(LogEnd end);
  uint64_t offset() const { return block_end_offset_ - rest_.size(); }

  std::unique_ptr<leveldb::SequentialFile> file_;
  const std::string file_name_;
  const IsOwn is_own_;
  leveldb::Env* const env_;
  std::unique_ptr<char[]> block_;
  leveldb::Slice rest_;            // unread part of the block
  uint64_t block_end_offset_ = 0;  // file offset behind the block
  bool at_eof_ = false;
  bool skips_faults_ = false;
  std::optional<Fault> fault_;  // the first one that was skipped and not yet told of
  bool in_record_ = false;      // between the first fragment of a record and its last
  std::string assembled_;
  uint64_t valid_bytes_ = 0;
  uint64_t last_record_offset_ = 0;
  LogEnd end_ = LogEnd::kNone;
  leveldb::Status status_;
};

}  // namespace lull::log
