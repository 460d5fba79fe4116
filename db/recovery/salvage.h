// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Reading as much as can be read of damaged tables and WALs. Used by RepairDB alone, with the
// store's LOCK held, on one thread.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "db/compaction/drop_rule.h"
#include "db/compaction/table_outputs.h"
#include "db/context.h"
#include "db/dbformat.h"
#include "leveldb/iterator.h"
#include "leveldb/status.h"

namespace lull {

/// What reading all of a table gave.
struct TableScan {
  uint64_t number = 0;
  std::string path;
  uint64_t file_bytes = 0;
  uint64_t entries = 0;    ///< those that can be read; 0: nothing can
  leveldb::Status damage;  ///< the first damage met; OK: the table is whole
  std::string smallest;    ///< internal keys, of what can be read
  std::string largest;
  SequenceNumber smallest_sequence = kMaxSequence;
  SequenceNumber largest_sequence = 0;

  bool whole() const { return damage.ok() && entries > 0; }
  TableMeta Describe(int level) const { return {level, number, file_bytes, smallest, largest}; }
};

/// Reads the table at `path` to its end, with checksums. Only a file that cannot be opened at all
/// is an error; damage inside is told in `scan`.
leveldb::Status ScanTable(const StoreContext& context, uint64_t number, const std::string& path,
                          TableScan* scan);

/// All readable entries of `tables`, whose ranges are disjoint and ascending: SeekToFirst and Next
/// only. Entries that are malformed or out of order are passed over. A table that gives less than
/// its scan did ends the walk with an error.
std::unique_ptr<leveldb::Iterator> NewSalvageIterator(const StoreContext& context,
                                                      std::vector<TableScan> tables);

/// Distributes tables over as few runs of disjoint, ascending tables as possible.
std::vector<std::vector<TableScan>> DisjointRuns(const KeyOrder& order,
                                                 std::vector<TableScan> tables);

/// Merges `tables` into `outputs`: tables of the usual size, finished, together one sorted run.
leveldb::Status MergeTables(const StoreContext& context, std::vector<TableScan> tables,
                            DropRule rule, TableOutputs* outputs);

/// What the WALs hold, as tables.
class WalSalvage {
 public:
  explicit WalSalvage(StoreContext* context) : context_(context) {}

  /// Takes every record whose checksum is right. Call it for the oldest WAL first. Only a file that
  /// cannot be opened is an error.
  leveldb::Status Add(const std::string& path);
  leveldb::Status Finish();

  /// What could not be read, in the order of the WALs.
  const std::vector<leveldb::Status>& damage() const { return damage_; }
  /// The tables written, oldest entries first. The files go with this object unless Keep is called.
  const std::vector<TableScan>& tables() const { return tables_; }
  void Keep();

 private:
  using Entry = std::pair<std::string, std::string>;

  /// A table's worth of entries that is sorted in memory.
  static constexpr size_t kBufferBytesMax = 64u << 20;

  leveldb::Status AddRecord(const leveldb::Slice& record);
  leveldb::Status WriteTable();

  StoreContext* const context_;
  std::vector<leveldb::Status> damage_;
  std::vector<Entry> buffer_;
  size_t buffer_bytes_ = 0;
  std::vector<std::unique_ptr<TableOutputs>> outputs_;
  std::vector<TableScan> tables_;
};

}  // namespace lull
