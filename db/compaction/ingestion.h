// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Ingestion: the tables of one call of IngestTables. Checks them, and copies their entries, which
// have user keys, to tables of the store, which have internal keys. The copies have temporary names
// until they are installed, so that recovery removes what a crash leaves. The client's thread
// prepares an ingestion, and the flush thread installs it while the client waits.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "db/base/context.h"
#include "db/compaction/output_cutter.h"
#include "db/compaction/picker.h"
#include "db/compaction/table_outputs.h"
#include "db/version/version.h"
#include "leveldb/slice.h"
#include "leveldb/status.h"
#include "table/table_reader.h"

namespace lull {

/// The deepest level that can take a new table of `range`: neither it nor a level above has a table
/// that overlaps the range, and no running compaction uses the range there. Otherwise 0, since
/// tables of L0 can overlap.
int LevelFor(const Version& version, const std::vector<RunningRange>& running,
             const UserRange& range);

class Ingestion {
 public:
  explicit Ingestion(StoreContext* context) : context_(context), outputs_(context, 1) {}
  Ingestion(const Ingestion&) = delete;
  Ingestion& operator=(const Ingestion&) = delete;

  /// Checks that each file is a table with entries, and that the tables' ranges do not overlap.
  leveldb::Status Open(const std::vector<std::string>& paths);
  /// Bytes of the files.
  uint64_t input_bytes() const { return input_bytes_; }

  /// Copies all entries, each with `sequence`. Checks checksums and the order of the keys. Ends
  /// tables as compactions into the levels of `version` do. Adds what it writes to `written_bytes`.
  leveldb::Status Copy(SequenceNumber sequence, const Version& version, const LayoutOptions& layout,
                       std::atomic<uint64_t>* written_bytes);

  /// The copies, in key order.
  TableOutputs& outputs() { return outputs_; }
  /// The ranges of the copies.
  std::vector<UserRange> Ranges() const;

 private:
  /// A file to ingest.
  struct Source {
    std::string path;
    UserRange range;
  };

  leveldb::Status OpenReader(const std::string& path, uint64_t* file_bytes,
                             std::unique_ptr<TableReader>* reader) const;
  leveldb::Status AddSource(const std::string& path);
  leveldb::Status CopySource(const Source& source, SequenceNumber sequence, OutputCutter* cutter);
  leveldb::Status CheckOrder(const Source& source, const leveldb::Slice& key) const;

  StoreContext* const context_;
  std::vector<Source> sources_;  // by smallest key, after Open
  uint64_t input_bytes_ = 0;
  TableOutputs outputs_;
  std::string last_key_;  // the last one copied
  bool has_last_key_ = false;
};

}  // namespace lull
