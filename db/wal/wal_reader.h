// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// WalReader: reads the records (batches) of a WAL, but none of an older WAL whose file it
// overwrites. One thread at a time.
//
// A WAL of Lull begins with an empty batch, the preamble. It has the sequence after the last entry
// of the WAL before; all later sequences are larger. Everything that a recycled file held before is
// older than the preamble: it was in tables before the file was reused. LevelDB's WALs have no
// preamble and are never recycled, so nothing is checked in them.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "db/base/dbformat.h"
#include "db/wal/log_reader.h"
#include "leveldb/env.h"
#include "leveldb/slice.h"
#include "leveldb/status.h"

namespace lull {

/// A WAL that an earlier process wrote, and that is still needed.
struct RecoveredWal {
  uint64_t number = 0;
  uint64_t file_bytes = 0;
  uint64_t valid_bytes = 0;  ///< to the end of its last record
};

/// The empty batch at the start of each WAL.
std::string WalPreamble(SequenceNumber first_sequence);
bool IsWalPreamble(const leveldb::Slice& record);

class WalReader {
 public:
  /// `file_name` and `env` as for log::Reader.
  WalReader(std::unique_ptr<leveldb::SequentialFile> file, std::string file_name,
            leveldb::Env* env = nullptr);
  WalReader(const WalReader&) = delete;
  WalReader& operator=(const WalReader&) = delete;

  /// As in log::Reader; also skips records of an older log.
  void SkipFaults() {
    skips_faults_ = true;
    reader_.SkipFaults();
  }
  leveldb::Status TakeSkipped() { return reader_.TakeSkipped(); }
  void StopAtZeros() { reader_.StopAtZeros(); }

  /// As in log::Reader. A record of an older log is the end of this one.
  bool ReadRecord(leveldb::Slice* record);
  /// After the end: makes ReadRecord go on with what was appended since. REQUIRES: an `env`.
  void Continue();
  log::LogEnd end() const { return met_older_ ? log::LogEnd::kTorn : reader_.end(); }
  const leveldb::Status& status() const { return reader_.status(); }
  uint64_t ValidBytes() const { return valid_bytes_; }
  uint64_t LastRecordOffset() const { return reader_.LastRecordOffset(); }

 private:
  bool IsOlder(const leveldb::Slice& record) const;
  bool IsOwn(const leveldb::Slice& beginning) const;

  log::Reader reader_;
  SequenceNumber sequence_min_ = 0;  // of the next record; 0: no preamble
  bool begun_ = false;
  bool skips_faults_ = false;
  bool met_older_ = false;
  uint64_t valid_bytes_ = 0;
};

/// Opens a WAL. `may_grow`: another process can append to it.
leveldb::Status OpenWal(leveldb::Env* env, const std::string& path, bool may_grow,
                        std::unique_ptr<WalReader>* reader);

}  // namespace lull
