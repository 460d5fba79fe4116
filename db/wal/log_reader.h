// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// log::Reader: reads the records of a log file, and reports how the file ends. One thread at a
// time.
//
// Judging a fault. A power loss can destroy any 4 KiB block that was not synced: it then reads as
// zeros or garbage, while later blocks can survive. So the last record can be cut short, and a
// fault alone proves nothing. The reader looks for a record after the fault, with a correct
// checksum: anywhere but inside intact fragments of a later block, or after an end mark in its
// block. That mark is only in recycled files, and what follows it is an older log's.
//  - None: the writer stopped here. The end is kClean if only zeros follow, and kTorn if bytes of
//    the last record are missing. If they are there and only its checksum is wrong, it is kBadLast.
//  - Found: the log is longer than what can be read. The cause is either damage or a power loss
//    among unsynced writes; the bytes do not show which. The end is kCorrupt, and the owner keeps
//    the file.
// Either way the reader stops before the fault: skipping it would leave a gap in the replay.
//
// Bytes are missing where the file ends, where a sector of the record reads as zeros (a page that
// was never written), and where a recycled file still has an older log's bytes.
//
// Another process can append to the log meanwhile. Then the reader can meet the end of the log in
// one block, and find a newer record in the next. A writer finishes a block before it begins the
// next one. So the reader reads the block of a fault again before it reports damage. Only a fault
// that is still there is damage.
//
// SkipFaults is for a repair, which needs every readable record: the reader then continues after a
// fault. Within the fault's block, it continues only at a header chain that leads exactly to the
// end of the block, since a value can itself contain a log. It never joins fragments across a
// fault.
//
// The reader skips a record whose first fragments are followed by the start of another record. Its
// writer died in the middle, and a later one continued the file, as LevelDB's reuse_logs does. The
// record was never acknowledged.
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
  kNone,     ///< not at the end
  kClean,    ///< end of file, or zeros of a preallocated file
  kTorn,     ///< the last record is cut short, as after a crash; no readable record follows
  kBadLast,  ///< the last record is damaged, but not cut short; no readable record follows
  kCorrupt,  ///< a bad checksum, length or fragment order; the rest cannot be trusted
  kError,    ///< the file could not be read; the rest is unknown
};

/// Whether the log is damaged; status() then names the damage.
constexpr bool IsDamage(LogEnd end) { return end == LogEnd::kBadLast || end == LogEnd::kCorrupt; }

class Reader {
 public:
  /// Whether a record with this beginning belongs to this log, not to an older one whose file it
  /// overwrites. Called for records that begin after a fault.
  using IsOwn = std::function<bool(const leveldb::Slice& beginning)>;

  /// Without `is_own`, every record belongs to this log. With `env`, `file_name` is a file of it to
  /// which another process can append. Without, the name is only for messages.
  Reader(std::unique_ptr<leveldb::SequentialFile> file, std::string file_name,
         IsOwn is_own = nullptr, leveldb::Env* env = nullptr);

  /// Makes ReadRecord skip unreadable parts instead of ending there. It can then return a record of
  /// an older log in the same file; the caller must detect those.
  void SkipFaults() { skips_faults_ = true; }

  /// Makes zeros the end of the log, whatever follows them: for a log that a running process
  /// appends to, and whose preallocated rest would take long to read.
  void StopAtZeros() { stops_at_zeros_ = true; }

  /// Returns the first fault skipped since the last call, before the last returned record; or OK.
  leveldb::Status TakeSkipped();

  /// Returns the next record, valid until the next call. Returns false at the end, and always after
  /// that; then end() gives the reason and status() names file, offset and cause (OK for kClean and
  /// kTorn). Stops at the first bad record, so the records returned are always a prefix of those
  /// written. A short read is repeated; only an empty one is the end of the file.
  bool ReadRecord(leveldb::Slice* record);

  /// After the end: makes ReadRecord go on at `offset`, where a record ended, with what was
  /// appended since. REQUIRES: an `env`.
  void ContinueAt(uint64_t offset);

  LogEnd end() const { return end_; }
  const leveldb::Status& status() const { return status_; }
  /// Bytes of the file up to the end of the last whole record: where an append can continue.
  uint64_t ValidBytes() const { return valid_bytes_; }
  /// Offset of the record last returned.
  uint64_t LastRecordOffset() const { return last_record_offset_; }

 private:
  /// The position of a fault.
  struct Fault {
    uint64_t offset;
    const char* cause;
    LogEnd if_last;  // the end, if no record begins after the fault
    bool precedes_record = false;
  };

  /// Returns false if the reading ends here.
  bool NextFragment(FragmentType* type, leveldb::Slice* payload);
  bool RefuseFragment(uint64_t at, const char* cause);
  /// Returns false at the end of the file or on an error; rest_ is then empty.
  bool FillBlock();
  bool EndAtFault(const char* cause);
  bool ReopenAt(uint64_t offset);
  bool ReadBlockAgain(uint64_t offset);
  void SkipFault();
  void NoteFault(uint64_t at, const char* cause, LogEnd if_last);
  bool StopAtEnd();
  LogEnd EndIfLast(bool is_recycled = false) const;
  bool HoldsRecordStart(leveldb::Slice bytes, bool own = true) const;
  bool BlockHoldsRecordStart(leveldb::Slice block) const;
  bool Stop(LogEnd end, uint64_t at = 0, const char* cause = "");
  uint64_t offset() const { return block_end_offset_ - rest_.size(); }

  std::unique_ptr<leveldb::SequentialFile> file_;  // null after the end
  const std::string file_name_;
  const IsOwn is_own_;
  leveldb::Env* const env_;
  std::unique_ptr<char[]> block_;
  leveldb::Slice rest_;            // unread part of the block
  uint64_t block_end_offset_ = 0;  // file offset of the block's end
  bool at_eof_ = false;
  bool skips_faults_ = false;
  bool stops_at_zeros_ = false;
  std::optional<Fault> fault_;  // the first fault skipped since TakeSkipped
  bool in_record_ = false;      // between the first fragment of a record and its last
  std::string assembled_;
  uint64_t valid_bytes_ = 0;
  uint64_t last_record_offset_ = 0;
  LogEnd end_ = LogEnd::kNone;
  leveldb::Status status_;
};

}  // namespace lull::log
