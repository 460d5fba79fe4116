// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Reads everything still readable of damaged tables and WALs, on one thread: for RepairDB, and for
// commands of the program lull.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "db/base/context.h"
#include "db/base/dbformat.h"
#include "db/compaction/drop_rule.h"
#include "db/compaction/table_outputs.h"
#include "leveldb/iterator.h"
#include "leveldb/status.h"
#include "table/table_reader.h"

namespace lull {

/// Called during long work, on its thread: the bytes to process in total, as known now, and those
/// processed since the last call. Can be empty.
using WorkProgress = std::function<void(uint64_t total_bytes, uint64_t step_bytes)>;

/// The result of reading a whole table.
struct TableScan {
  uint64_t number = 0;
  std::string path;
  uint64_t file_bytes = 0;
  uint64_t entries = 0;         ///< readable entries
  leveldb::Status damage;       ///< the first damage found; OK if the table is intact
  leveldb::Status meta_damage;  ///< of a filter or other meta block; costs no entries
  /// Not OK if intact blocks cannot be read: the table has another order, or an unsupported format.
  /// Whatever is done with the readable rest would lose entries that are not damaged.
  leveldb::Status refusal;
  std::string smallest;  ///< internal keys, of the readable entries
  std::string largest;
  SequenceNumber smallest_sequence = kMaxSequence;
  SequenceNumber largest_sequence = 0;
  /// Set by OpenToScan. Null: each reading opens the file.
  std::shared_ptr<const TableReader> reader;

  bool whole() const { return damage.ok() && entries > 0; }
  TableMeta Describe(int level) const { return {level, number, file_bytes, smallest, largest}; }
};

/// Reads the table at `path` to its end, with checksums. Returns an error only if the file cannot
/// be opened; what is wrong inside goes to `scan`.
leveldb::Status ScanTable(const StoreContext& context, uint64_t number, const std::string& path,
                          TableScan* scan);
/// The halves of ScanTable, for a file that another process can delete: the first one opens it, and
/// `scan` keeps it open for all later readings. If no block can be found, the second does nothing.
leveldb::Status OpenToScan(const StoreContext& context, uint64_t number, const std::string& path,
                           TableScan* scan);
void ReadOpened(const StoreContext& context, TableScan* scan);

/// Iterates over all readable entries of `tables`, whose ranges are disjoint and ascending. Only
/// SeekToFirst and Next. Skips malformed and misordered entries. Ends with an error if a table has
/// fewer entries than in its scan.
std::unique_ptr<leveldb::Iterator> NewSalvageIterator(const StoreContext& context,
                                                      std::vector<TableScan> tables);

/// Calls `visit` with each readable entry of a table, which has some. Fails as the iterator.
leveldb::Status ForEachEntry(
    const StoreContext& context, const TableScan& scan,
    const std::function<void(const ParsedInternalKey& key, const leveldb::Slice& value)>& visit);

/// Splits tables into as few runs of disjoint, ascending tables as possible.
std::vector<std::vector<TableScan>> DisjointRuns(const KeyOrder& order,
                                                 std::vector<TableScan> tables);

/// Merges `tables` into `outputs`, as finished tables of the usual size. Together they are one
/// sorted run. `on_table` gets the size of each.
leveldb::Status MergeTables(const StoreContext& context, std::vector<TableScan> tables,
                            DropRule rule, TableOutputs* outputs,
                            const std::function<void(uint64_t bytes)>& on_table);

/// Converts WALs to tables.
class WalSalvage {
 public:
  explicit WalSalvage(StoreContext* context) : context_(context) {}

  /// Adds every record with a correct checksum. Call it for the oldest WAL first. Returns an error
  /// only if the file cannot be opened.
  leveldb::Status Add(const std::string& path);
  /// Writes what was added since the last table. Call it after the last WAL.
  leveldb::Status WriteTable();

  /// The unreadable parts, in the order of the WALs.
  const std::vector<leveldb::Status>& damage() const { return damage_; }
  /// The tables written, oldest entries first. The destructor deletes the files unless Keep was
  /// called.
  const std::vector<TableScan>& tables() const { return tables_; }
  void Keep();

 private:
  using Entry = std::pair<std::string, std::string>;

  /// Maximum size of entries sorted in memory, for one table.
  static constexpr size_t kBufferBytesMax = 64u << 20;

  /// Not OK if entries are missing before the first record of a WAL.
  leveldb::Status CheckBefore(const leveldb::Slice& record, const std::string& path) const;
  leveldb::Status AddRecord(const leveldb::Slice& record);

  StoreContext* const context_;
  std::vector<leveldb::Status> damage_;
  std::vector<Entry> buffer_;
  size_t buffer_bytes_ = 0;
  SequenceNumber last_sequence_ = 0;  // of the records so far
  bool met_empty_ = false;            // a WAL without records
  std::vector<std::unique_ptr<TableOutputs>> outputs_;
  std::vector<TableScan> tables_;
};

}  // namespace lull
