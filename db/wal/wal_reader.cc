// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "db/wal/wal_reader.h"

#include <utility>

#include "db/memory/batch_format.h"
#include "util/coding.h"
#include "util/file_util.h"

namespace lull {

std::string WalPreamble(SequenceNumber first_sequence) {
  std::string record(batch::kHeaderBytes, '\0');
  batch::EncodeHeader(record.data(), first_sequence, 0);
  return record;
}

bool IsWalPreamble(const leveldb::Slice& record) {
  return record.size() == batch::kHeaderBytes && batch::CountOf(record) == 0;
}

WalReader::WalReader(std::unique_ptr<leveldb::SequentialFile> file, std::string file_name,
                     leveldb::Env* env)
    : reader_(
          std::move(file), std::move(file_name),
          [this](const leveldb::Slice& beginning) { return IsOwn(beginning); }, env) {}

leveldb::Status OpenWal(leveldb::Env* env, const std::string& path, bool may_grow,
                        std::unique_ptr<WalReader>* reader) {
  std::unique_ptr<leveldb::SequentialFile> file;
  leveldb::Status status = OpenForReading(env, path, &file);
  if (status.ok())
    *reader = std::make_unique<WalReader>(std::move(file), path, may_grow ? env : nullptr);
  return status;
}

bool WalReader::ReadRecord(leveldb::Slice* record) {
  while (!met_older_ && reader_.ReadRecord(record)) {
    if (IsOlder(*record)) {
      met_older_ = !skips_faults_;
      continue;
    }
    valid_bytes_ = reader_.ValidBytes();
    // If the first record was skipped, it might have been a preamble.
    const bool may_follow_preamble =
        IsWalPreamble(*record) || (skips_faults_ && reader_.LastRecordOffset() > 0);
    const bool ordered = sequence_min_ > 0 || (!begun_ && may_follow_preamble);
    if (ordered && record->size() >= batch::kHeaderBytes)
      sequence_min_ = batch::SequenceOf(*record) + batch::CountOf(*record);
    begun_ = true;
    return true;
  }
  return false;
}

void WalReader::Continue() {
  met_older_ = false;
  reader_.ContinueAt(valid_bytes_);
}

/// Whether `record` belongs to an older log. A batch begins with its sequence.
bool WalReader::IsOlder(const leveldb::Slice& record) const {
  return record.size() >= sizeof(uint64_t) && DecodeFixed64(record.data()) < sequence_min_;
}

/// Whether a record with this beginning belongs to this log. False if it is too short to show its
/// sequence.
bool WalReader::IsOwn(const leveldb::Slice& beginning) const {
  return sequence_min_ == 0 || (beginning.size() >= sizeof(uint64_t) && !IsOlder(beginning));
}

}  // namespace lull
