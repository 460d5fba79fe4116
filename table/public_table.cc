// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// leveldb::Table and leveldb::TableBuilder: thin wrappers of TableReader and TableWriter, with
// plain user keys.
#include <memory>

#include "leveldb/env.h"
#include "leveldb/options.h"
#include "leveldb/table.h"
#include "leveldb/table_builder.h"
#include "table/table_reader.h"
#include "table/table_writer.h"

namespace leveldb {

namespace {

/// A file that the caller owns.
class BorrowedFile final : public RandomAccessFile {
 public:
  explicit BorrowedFile(const RandomAccessFile* file) : file_(file) {}
  Status Read(uint64_t offset, size_t n, Slice* result, char* scratch) const override {
    return file_->Read(offset, n, result, scratch);
  }

 private:
  const RandomAccessFile* const file_;
};

lull::TableWriteOptions WriteOptionsOf(const Options& options) {
  lull::TableWriteOptions result;
  result.order = lull::KeyOrder(options.comparator, lull::KeyOrder::Keys::kUser);
  result.filter_policy = options.filter_policy;
  result.block_bytes = options.block_size;
  result.block_restart_interval = options.block_restart_interval;
  result.compression = lull::CodecOf(options.compression);
  return result;
}

}  // namespace

struct Table::Rep {
  std::unique_ptr<lull::TableReader> reader;
};

Status Table::Open(const Options& options, RandomAccessFile* file, uint64_t file_size,
                   Table** table) {
  *table = nullptr;
  lull::TableReadOptions read;
  read.order = lull::KeyOrder(options.comparator, lull::KeyOrder::Keys::kUser);
  read.filter_policy = options.filter_policy;
  read.block_cache = options.block_cache;
  read.paranoid_checks = options.paranoid_checks;
  auto rep = std::make_unique<Rep>();
  Status status =
      lull::TableReader::Open(read, std::make_unique<BorrowedFile>(file), file_size, &rep->reader);
  if (status.ok()) *table = new Table(rep.release());
  return status;
}

Table::~Table() { delete rep_; }

Iterator* Table::NewIterator(const ReadOptions& options) const {
  lull::BlockReadOptions read;
  read.verify_checksums = options.verify_checksums;
  read.fill_cache = options.fill_cache;
  read.skip_damaged_blocks = true;
  return rep_->reader->NewIterator(read).release();
}

uint64_t Table::ApproximateOffsetOf(const Slice& key) const {
  return rep_->reader->ApproximateOffsetOf(key);
}

struct TableBuilder::Rep {
  lull::TableWriter writer;
};

TableBuilder::TableBuilder(const Options& options, WritableFile* file)
    : rep_(new Rep{{WriteOptionsOf(options), file}}) {}

TableBuilder::~TableBuilder() { delete rep_; }

Status TableBuilder::ChangeOptions(const Options& options) {
  return rep_->writer.ChangeOptions(WriteOptionsOf(options))
             ? Status::OK()
             : Status::InvalidArgument("a table under construction cannot change its comparator");
}

void TableBuilder::Add(const Slice& key, const Slice& value) { rep_->writer.Add(key, value); }
void TableBuilder::Flush() { rep_->writer.FlushBlock(); }
Status TableBuilder::status() const { return rep_->writer.status(); }
Status TableBuilder::Finish() { return rep_->writer.Finish(); }
void TableBuilder::Abandon() { rep_->writer.Abandon(); }
uint64_t TableBuilder::NumEntries() const { return rep_->writer.EntryCount(); }
uint64_t TableBuilder::FileSize() const { return rep_->writer.FileBytes(); }

}  // namespace leveldb
