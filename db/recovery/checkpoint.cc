// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "db/recovery/checkpoint.h"

#include "db/base/filename.h"
#include "db/recovery/file_content.h"
#include "db/recovery/new_store_directory.h"
#include "db/version/manifest.h"

namespace lull {
namespace {

/// Writes tables and MANIFEST `number` of the checkpoint `context`.
leveldb::Status WriteFiles(const StoreContext& store, const CheckpointSource& source,
                           const StoreContext& context, uint64_t number) {
  for (const TableMeta& table : source.version->AllTables()) {
    const std::string from = ExistingTableFileName(store.env(), store.name, table.number);
    const std::string to = TableFileName(context.name, table.number);
    const leveldb::Status status = LinkOrCopy(context, from, to, table.file_bytes);
    if (!status.ok()) return status;
  }
  VersionEdit edit;
  edit.log_number = 0;  // the checkpoint has no WAL
  edit.last_sequence = source.last_sequence;
  std::unique_ptr<ManifestWriter> manifest;
  const leveldb::Status status = ManifestWriter::Create(context, number, *source.version,
                                                        source.compact_pointers, edit, &manifest);
  return status.ok() ? manifest->Close() : status;
}

}  // namespace

leveldb::Status WriteCheckpoint(const StoreContext& store, const CheckpointSource& source,
                                const std::string& dir) {
  StoreContext context(store.options);  // of the checkpoint
  context.name = dir;
  context.extension = store.extension;
  // The manifest's number is above those of all tables, which are older than the Version.
  context.MarkFileNumberUsed(store.next_file_number.load(std::memory_order_relaxed) - 1);
  const uint64_t number = context.NewFileNumber();
  return WriteNewStore(store.env(), dir, number,
                       [&] { return WriteFiles(store, source, context, number); });
}

}  // namespace lull
