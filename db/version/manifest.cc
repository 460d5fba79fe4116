// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "db/version/manifest.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "db/base/filename.h"
#include "db/base/store_mark.h"
#include "db/version/foreign_store.h"
#include "db/wal/log_reader.h"
#include "util/file_util.h"
#include "util/logging.h"

namespace lull {
namespace {

/// Opens the MANIFEST that CURRENT names. Another process that has the store open can begin a new
/// one meanwhile and remove this one; then CURRENT is read again.
leveldb::Status OpenManifest(const StoreContext& context, uint64_t* number,
                             std::unique_ptr<leveldb::SequentialFile>* file) {
  leveldb::Status status = ReadCurrent(context, number);
  while (status.ok()) {
    const std::string path = DescriptorFileName(context.name, *number);
    leveldb::SequentialFile* raw = nullptr;
    const bool is_no_file = IsNoFile(context.env(), path);
    status =
        is_no_file ? leveldb::Status::NotFound(path) : context.env()->NewSequentialFile(path, &raw);
    file->reset(raw);
    if (!status.IsNotFound()) return status;
    const uint64_t missing = *number;
    status = ReadCurrent(context, number);
    if (status.ok() && *number == missing) {
      return leveldb::Status::Corruption(
          CurrentFileName(context.name),
          "names " + path + (is_no_file ? ", which is no file" : ", which does not exist") +
              "; RepairDB can rebuild it");
    }
  }
  return status;
}

/// Collects the scalar fields of edits. The last value wins, except that the sequence never
/// decreases.
struct ManifestFields {
  bool has_log_number = false;
  bool has_next_file = false;
  bool has_last_sequence = false;

  leveldb::Status Take(const VersionEdit& edit, StoreContext* context, ManifestState* state) {
    if (edit.comparator && *edit.comparator != context->options.comparator->Name()) {
      return leveldb::Status::InvalidArgument(
          context->name, "was written with comparator " + *edit.comparator + ", is opened with " +
                             context->options.comparator->Name());
    }
    if (edit.log_number) state->log_number = *edit.log_number, has_log_number = true;
    if (edit.prev_log_number) state->prev_log_number = *edit.prev_log_number;
    if (edit.next_file_number && *edit.next_file_number > 0) {
      has_next_file = true;
      context->MarkFileNumberUsed(*edit.next_file_number - 1);
    }
    if (edit.last_sequence) {
      state->last_sequence = std::max(state->last_sequence, *edit.last_sequence);
      has_last_sequence = true;
    }
    for (const auto& [level, key] : edit.compact_pointers) state->compact_pointers[level] = key;
    for (const TableMeta& table : edit.new_tables) context->MarkFileNumberUsed(table.number);
    return leveldb::Status::OK();
  }

  leveldb::Status Check(const std::string& path) const {
    if (!has_next_file) return leveldb::Status::Corruption(path, "holds no next file number");
    if (!has_log_number) return leveldb::Status::Corruption(path, "holds no log number");
    if (!has_last_sequence) return leveldb::Status::Corruption(path, "holds no last sequence");
    return leveldb::Status::OK();
  }
};

/// Creates a MANIFEST file. With an EnvExtension, the caller syncs the directory before it installs
/// an edit. Without one, every sync of the file does.
leveldb::Status CreateFile(const StoreContext& context, const std::string& path,
                           std::unique_ptr<leveldb::WritableFile>* file) {
  leveldb::WritableFile* raw = nullptr;
  leveldb::Status status = leveldb::Status::NotSupported(path);
  if (context.extension != nullptr) status = context.extension->NewManifestFile(path, &raw);
  if (status.IsNotSupportedError()) status = context.NewFile(path, &raw);
  file->reset(raw);
  return status;
}

}  // namespace

leveldb::Status ReadCurrent(const StoreContext& context, uint64_t* number) {
  const std::string path = CurrentFileName(context.name);
  std::string text;
  if (IsNoFile(context.env(), path)) return leveldb::Status::NotFound(path, "is no file");
  leveldb::Status status = leveldb::ReadFileToString(context.env(), path, &text);
  if (status.ok()) status = RefuseMarked(context.name, MarkIn(text));
  if (!status.ok()) return status;
  if (text.empty() || text.back() != '\n') {
    return leveldb::Status::Corruption(path, "does not end in a newline; RepairDB can rebuild it");
  }
  text.pop_back();
  const std::optional<ParsedFileName> parsed = ParseFileName(text);
  if (!parsed || parsed->kind != FileKind::kDescriptor) {
    return leveldb::Status::Corruption(path, "does not name a MANIFEST: " + EscapeBytes(text));
  }
  *number = parsed->number;
  return status;
}

namespace {

/// Applies up to `records` of the records that follow in state->log.
leveldb::Status TakeRecords(StoreContext* context, ManifestFields* fields, VersionBuilder* builder,
                            ManifestState* state, uint64_t records = UINT64_MAX) {
  const std::string path = DescriptorFileName(context->name, state->manifest_number);
  log::Reader& reader = *state->log;
  leveldb::Status status;
  leveldb::Slice record;
  for (; records > 0 && reader.ReadRecord(&record); --records) {
    VersionEdit edit;
    status = edit.DecodeFrom(record);
    if (status.ok()) status = fields->Take(edit, context, state);
    if (status.ok()) status = builder->Apply(edit);
    if (!status.ok() && !status.IsInvalidArgument()) {
      const std::string text = "record at offset " + std::to_string(reader.LastRecordOffset()) +
                               ": " + status.ToString();
      return status.IsCorruption() ? leveldb::Status::Corruption(path, text)
                                   : leveldb::Status::NotSupported(path, text);
    }
    if (!status.ok()) return status;
    state->removed.Take(edit);
  }
  if (reader.end() == log::LogEnd::kNone) return status;
  if (reader.end() == log::LogEnd::kError || reader.end() == log::LogEnd::kCorrupt)
    return reader.status();
  state->is_torn = reader.end() != log::LogEnd::kClean;
  state->is_damaged = reader.end() == log::LogEnd::kBadLast;
  state->end = reader.status();
  if (reader.end() == log::LogEnd::kTorn) {
    state->end = leveldb::Status::Corruption(
        path, "the record at offset " + std::to_string(reader.ValidBytes()) + " is cut short");
  }
  return status;
}

/// ReadManifest, for a store of LevelDB or Lull.
leveldb::Status ReadRecords(StoreContext* context, const VersionBuilder::MakeTable& make_table,
                            ManifestState* state) {
  std::unique_ptr<leveldb::SequentialFile> file;
  leveldb::Status status = OpenManifest(*context, &state->manifest_number, &file);
  if (!status.ok()) return status;
  const std::string path = DescriptorFileName(context->name, state->manifest_number);
  state->log = std::make_shared<log::Reader>(std::move(file), path, nullptr, context->env());
  VersionBuilder builder(std::make_shared<Version>(context->order), make_table);
  ManifestFields fields;
  status = TakeRecords(context, &fields, &builder, state);
  if (!status.ok()) return status;
  status = fields.Check(path);
  if (!status.ok() && state->is_torn) {
    return leveldb::Status::Corruption(path, "the record at offset " +
                                                 std::to_string(state->log->ValidBytes()) +
                                                 " is cut short or has a bad checksum");
  }
  if (!status.ok()) return status;
  context->MarkFileNumberUsed(state->manifest_number);
  context->MarkFileNumberUsed(state->log_number);
  context->MarkFileNumberUsed(state->prev_log_number);
  return builder.Build(&state->version);
}

}  // namespace

leveldb::Status ReadAppended(StoreContext* context, const VersionBuilder::MakeTable& make_table,
                             ManifestState* state) {
  const uint64_t known_bytes = state->log->ValidBytes();
  state->log->ContinueAt(known_bytes);
  VersionBuilder builder(state->version, make_table);
  ManifestFields fields;
  const leveldb::Status status = TakeRecords(context, &fields, &builder, state);
  state->removed.Clear();  // only an open needs it, and a reader can follow for long
  if (!status.ok() || state->log->ValidBytes() == known_bytes) return status;
  return builder.Build(&state->version);
}

leveldb::Status ReadEarlier(StoreContext* context, const VersionBuilder::MakeTable& make_table,
                            uint64_t records, ManifestState* state) {
  std::unique_ptr<leveldb::SequentialFile> file;
  leveldb::Status status = OpenManifest(*context, &state->manifest_number, &file);
  if (!status.ok()) return status;
  state->log = std::make_shared<log::Reader>(
      std::move(file), DescriptorFileName(context->name, state->manifest_number));
  state->log_number = state->prev_log_number = 0;
  state->compact_pointers = CompactPointers();
  VersionBuilder builder(std::make_shared<Version>(context->order), make_table);
  ManifestFields fields;
  status = TakeRecords(context, &fields, &builder, state, records);
  return status.ok() ? builder.Build(&state->version) : status;
}

leveldb::Status ReadManifest(StoreContext* context, const VersionBuilder::MakeTable& make_table,
                             ManifestState* state) {
  const leveldb::Status status = ReadRecords(context, make_table, state);
  if (status.ok()) return status;
  const leveldb::Status foreign = CheckNotForeign(context->env(), context->name);
  return foreign.ok() ? status : foreign;
}

leveldb::Status ManifestWriter::Create(const StoreContext& context, uint64_t number,
                                       const Version& version, const CompactPointers& pointers,
                                       VersionEdit edit, std::unique_ptr<ManifestWriter>* result,
                                       const RemovedTables& removed) {
  std::unique_ptr<leveldb::WritableFile> file;
  leveldb::Status status = CreateFile(context, DescriptorFileName(context.name, number), &file);
  if (!status.ok()) return status;
  std::unique_ptr<ManifestWriter> writer(new ManifestWriter(std::move(file)));

  edit.comparator = context.options.comparator->Name();
  edit.next_file_number = context.next_file_number.load(std::memory_order_relaxed);
  if (!edit.prev_log_number) edit.prev_log_number = 0;
  for (int level = 0; level < kLevels; ++level) {
    if (!pointers[level].empty()) edit.compact_pointers.emplace_back(level, pointers[level]);
  }
  for (TableMeta& table : version.AllTables()) edit.new_tables.push_back(std::move(table));
  writer->Write(edit);
  if (!removed.empty()) {
    VersionEdit removal = removed.Edit();
    removal.comparator = edit.comparator;
    writer->Write(removal);
  }
  status = writer->Sync();
  if (status.ok() && context.extension != nullptr)
    status = context.extension->SyncDirectory(context.name);
  if (status.ok()) *result = std::move(writer);
  return status;
}

leveldb::Status ManifestWriter::Append(const VersionEdit& edit) {
  Write(edit);
  return Sync();
}

void ManifestWriter::Write(const VersionEdit& edit) {
  if (!failure_.ok()) return;
  record_.clear();
  edit.EncodeTo(&record_);
  failure_ = log_.AddRecord(record_);
}

leveldb::Status ManifestWriter::Sync() {
  if (failure_.ok()) failure_ = log_.Sync();
  return failure_;
}

}  // namespace lull
