// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// The tables that one flush, compaction or recovery writes. One thread at a time. Files that are
// not kept are removed with the object, so a job that is given up leaves nothing behind; that may
// wait for the file system.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "db/context.h"
#include "db/version/version_edit.h"
#include "leveldb/slice.h"
#include "leveldb/status.h"
#include "table/table_writer.h"

namespace lull {

class TableOutputs {
 public:
  TableOutputs(StoreContext* context, int level) : context_(context), level_(level) {}
  ~TableOutputs();
  TableOutputs(const TableOutputs&) = delete;
  TableOutputs& operator=(const TableOutputs&) = delete;

  /// Adds to the table under construction; begins one if there is none.
  leveldb::Status Add(const leveldb::Slice& internal_key, const leveldb::Slice& value);

  /// Ends the table under construction, if there is one: finished, synced, closed.
  leveldb::Status FinishTable();

  bool HasOpenTable() const { return writer_ != nullptr; }
  /// Whether the table under construction should end before `internal_key`, because its index would
  /// become too large.
  bool IsIndexFull(const leveldb::Slice& internal_key) const {
    return writer_ != nullptr &&
           writer_->IndexBytesWith(internal_key) > context_->pace.index_bytes_max;
  }
  uint64_t OpenTableBytes() const { return writer_ == nullptr ? 0 : writer_->FileBytes(); }

  const std::vector<TableMeta>& finished() const { return finished_; }
  uint64_t FinishedBytes() const;

  /// From here on the files belong to the store: call it before the MANIFEST is told of them,
  /// because after a failed write nobody knows whether it names them.
  void Keep() { kept_ = true; }

 private:
  leveldb::Status Begin();
  leveldb::Status CreateFile(const std::string& path, leveldb::WritableFile** file);

  StoreContext* const context_;
  const int level_;
  bool kept_ = false;
  std::vector<TableMeta> finished_;
  TableMeta current_;
  std::unique_ptr<leveldb::WritableFile> file_;
  std::unique_ptr<TableWriter> writer_;  // writes to file_
};

}  // namespace lull
