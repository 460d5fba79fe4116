// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// TableOutputs: the tables that one flush, compaction or recovery writes. One thread at a time. The
// destructor deletes files unless Keep was called, so an abandoned job leaves no files. It can
// block in the file system.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "db/base/context.h"
#include "db/version/version.h"
#include "db/version/version_edit.h"
#include "leveldb/slice.h"
#include "leveldb/status.h"
#include "table/table_writer.h"
#include "util/key_filter.h"

namespace lull {

class TableOutputs {
 public:
  TableOutputs(StoreContext* context, int level) : context_(context), level_(level) {}
  ~TableOutputs();
  TableOutputs(const TableOutputs&) = delete;
  TableOutputs& operator=(const TableOutputs&) = delete;

  /// From now on, each finished table gets a KeyFilter, in the file too. REQUIRES: no table is
  /// open.
  void BuildKeyFilters() { builds_key_filters_ = true; }
  /// From now on, tables get temporary names, which recovery removes, until GiveNames. REQUIRES: no
  /// table was begun.
  void UseTemporaryNames() { uses_temporary_names_ = true; }
  /// See TableContents. nullopt, or without a call: all deletions that Add gets are new.
  void SetDeletionsSince(std::optional<uint64_t> seconds) { deletions_since_ = seconds; }
  /// See TableFile::filter_pass.
  void SetFilterPass(uint64_t pass) { filter_pass_ = pass; }
  int level() const { return level_; }

  /// Adds to the open table; begins one if needed.
  leveldb::Status Add(const leveldb::Slice& internal_key, const leveldb::Slice& value);

  /// Finishes, syncs and closes the open table, if any.
  leveldb::Status FinishTable();

  bool HasOpenTable() const { return writer_ != nullptr; }
  /// Whether the open table must end before `internal_key` to limit the size of its index.
  bool IsIndexFull(const leveldb::Slice& internal_key) const {
    return writer_ != nullptr &&
           writer_->IndexBytesWith(internal_key) > context_->pace.index_bytes_max;
  }
  uint64_t OpenTableBytes() const { return writer_ == nullptr ? 0 : writer_->FileBytes(); }

  /// Memory in bytes: of the open table its file's buffer and the index so far, and of filters.
  uint64_t BufferBytes() const;

  /// Gives the finished tables, which have temporary names, new numbers, their names and `levels`.
  leveldb::Status GiveNames(const std::vector<int>& levels);

  const std::vector<TableMeta>& finished() const { return finished_; }
  uint64_t FinishedBytes() const;

  /// Passes what is known about the tables, besides their descriptions, to their files in
  /// `version`, which is not published yet.
  void AttachTo(const Version& version);

  /// Passes the files to the store. Call before writing the MANIFEST edit: after a failed write, it
  /// is unknown whether the MANIFEST names them.
  void Keep() { kept_ = true; }

 private:
  leveldb::Status Begin();
  std::string PathOf(const TableMeta& table, bool is_temporary) const;
  leveldb::Status CreateFile(const std::string& path, leveldb::WritableFile** file);

  StoreContext* const context_;
  const int level_;
  bool kept_ = false;
  bool builds_key_filters_ = false;
  bool uses_temporary_names_ = false;
  size_t named_ = 0;  // of finished_, by GiveNames
  std::optional<uint64_t> deletions_since_;
  uint64_t filter_pass_ = 0;
  std::vector<TableMeta> finished_;
  std::vector<TableContents> contents_;                        // of finished_
  std::vector<std::unique_ptr<const KeyFilter>> key_filters_;  // of finished_, or empty
  std::vector<uint32_t> key_hashes_;                           // of the open table
  TableMeta current_;
  TableContents current_contents_;
  std::unique_ptr<leveldb::WritableFile> file_;
  std::unique_ptr<TableWriter> writer_;  // writes to file_
};

}  // namespace lull
