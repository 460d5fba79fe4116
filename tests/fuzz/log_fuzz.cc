// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// A log of arbitrary bytes, read as a MANIFEST and as a WAL.
//
// Input: flags, the size of a read, the log. Checks: reading ends; the reader's reported end is
// consistent; the size of a read changes nothing; a WAL's reader returns a prefix of the plain
// reader's records; a salvage begins with the plain reader's records; records written again are
// read again.
#include <string>
#include <vector>

#include "db/wal/log_format.h"
#include "db/wal/log_reader.h"
#include "db/wal/log_writer.h"
#include "db/wal/wal_reader.h"
#include "tests/db/support/memory_files.h"
#include "tests/fuzz/fuzz.h"

namespace lull::fuzz {
namespace {

using leveldb::Slice;

constexpr uint8_t kFixChecksums = 1;  // with valid checksums
constexpr uint8_t kAcrossBlocks = 2;  // after a record that nearly fills a block

struct Reading {
  std::vector<std::string> records;
  log::LogEnd end = log::LogEnd::kNone;
  bool operator==(const Reading&) const = default;
};

template <typename Reader>
Reading ReadAll(const std::string& bytes, size_t chunk_bytes, bool skips_faults = false) {
  Reader reader(std::make_unique<testing::MemorySequential>(bytes, chunk_bytes), "log");
  if (skips_faults) reader.SkipFaults();
  Reading reading;
  Slice record;
  uint64_t valid_bytes = 0;
  while (reader.ReadRecord(&record)) {
    reading.records.push_back(record.ToString());
    Require(reader.LastRecordOffset() >= valid_bytes, "records come in the file's order");
    Require(reader.ValidBytes() > reader.LastRecordOffset(), "a record ends after its beginning");
    valid_bytes = reader.ValidBytes();
  }
  reading.end = reader.end();
  Require(reading.end != log::LogEnd::kNone, "reading ends for a reason");
  Require(reading.end != log::LogEnd::kError, "these bytes can all be read");
  Require(log::IsDamage(reading.end) == !reader.status().ok(), "damage has a status");
  Require(reader.ValidBytes() == valid_bytes && valid_bytes <= bytes.size(), "the end is known");
  Require(!reader.ReadRecord(&record) && reader.end() == reading.end, "the end is the end");
  return reading;
}

std::string Written(const std::vector<std::string>& records) {
  testing::WrittenFile file;
  log::Writer writer(std::make_unique<testing::MemoryWritable>(&file));
  for (const std::string& record : records)
    RequireOk(writer.AddRecord(record), "a log can be written");
  return file.bytes;
}

std::string LogOf(Slice bytes, uint8_t flags) {
  std::string log;
  if ((flags & kAcrossBlocks) != 0) {
    constexpr size_t kLeftInBlock = 40;
    log = Written({std::string(log::kBlockBytes - kLeftInBlock - log::kHeaderBytes, '\0')});
  }
  log.append(bytes.data(), bytes.size());
  if ((flags & kFixChecksums) != 0) FixLogChecksums(&log);
  return log;
}

}  // namespace

void RunOne(Input input) {
  const uint8_t flags = input.Byte();
  const size_t chunk_bytes = size_t{input.Byte()} * 16 + 1;
  const std::string bytes = LogOf(input.rest(), flags);

  const Reading whole = ReadAll<log::Reader>(bytes, SIZE_MAX);
  Require(whole == ReadAll<log::Reader>(bytes, chunk_bytes), "short reads change nothing");
  const Reading salvage = ReadAll<log::Reader>(bytes, chunk_bytes, true);
  Require(whole.records.size() <= salvage.records.size() &&
              std::equal(whole.records.begin(), whole.records.end(), salvage.records.begin()),
          "a salvage begins with the records before the damage");
  ReadAll<WalReader>(bytes, chunk_bytes, true);
  const Reading wal = ReadAll<WalReader>(bytes, chunk_bytes);
  Require(wal.records.size() <= whole.records.size() &&
              std::equal(wal.records.begin(), wal.records.end(), whole.records.begin()),
          "a WAL's records are the log's first");

  const Reading again = ReadAll<log::Reader>(Written(whole.records), chunk_bytes);
  Require(again.end == log::LogEnd::kClean, "what was written ends cleanly");
  Require(again.records == whole.records, "what was written is read again");
}

}  // namespace lull::fuzz
