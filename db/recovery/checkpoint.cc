// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "db/recovery/checkpoint.h"

#include "db/base/filename.h"
#include "db/recovery/copy_file.h"
#include "db/recovery/new_store_directory.h"
#include "db/version/manifest.h"

namespace lull {
namespace {

class CheckpointWriter {
 public:
  CheckpointWriter(const StoreContext& store, const std::string& dir)
      : store_(store), context_(store.options), directory_(store.env(), dir) {
    context_.name = dir;
    context_.extension = store.extension;
  }

  leveldb::Status Write(const CheckpointSource& source) {
    leveldb::Status status = directory_.Make();
    if (!status.ok()) return status;
    status = WriteFiles(source);
    if (!status.ok()) directory_.TakeBack();
    return status;
  }

 private:
  leveldb::Status WriteFiles(const CheckpointSource& source);
  leveldb::Status AddTable(const TableFile& table);

  const StoreContext& store_;
  StoreContext context_;  // of the checkpoint
  NewStoreDirectory directory_;
};

leveldb::Status CheckpointWriter::WriteFiles(const CheckpointSource& source) {
  leveldb::Status status;
  for (int level = 0; level < kLevels; ++level) {
    for (const TableRef& table : source.version->level(level)) {
      status = AddTable(*table);
      if (!status.ok()) return status;
    }
  }
  // The manifest's number is above those of all tables, which are older than the Version.
  context_.MarkFileNumberUsed(store_.next_file_number.load(std::memory_order_relaxed) - 1);
  const uint64_t number = context_.NewFileNumber();
  VersionEdit edit;
  edit.log_number = 0;  // the checkpoint has no WAL
  edit.last_sequence = source.last_sequence;
  std::unique_ptr<ManifestWriter> manifest;
  status = ManifestWriter::Create(context_, number, *source.version, source.compact_pointers, edit,
                                  &manifest);
  if (status.ok()) status = manifest->Close();
  return status.ok() ? directory_.Commit(number) : status;
}

leveldb::Status CheckpointWriter::AddTable(const TableFile& table) {
  const std::string from = ExistingTableFileName(store_.env(), store_.name, table.number());
  const std::string to = TableFileName(context_.name, table.number());
  return LinkOrCopy(context_, from, to, table.file_bytes());
}

}  // namespace

leveldb::Status WriteCheckpoint(const StoreContext& store, const CheckpointSource& source,
                                const std::string& dir) {
  return CheckpointWriter(store, dir).Write(source);
}

}  // namespace lull
