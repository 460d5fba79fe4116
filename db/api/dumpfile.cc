// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// DumpFile: files as text, in the format of LevelDB's `leveldbutil dump`, which scripts parse.
#include "leveldb/dumpfile.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "db/base/dbformat.h"
#include "db/base/filename.h"
#include "db/memory/batch_format.h"
#include "db/version/version_edit.h"
#include "db/wal/log_reader.h"
#include "db/wal/wal_reader.h"
#include "leveldb/iterator.h"
#include "leveldb/options.h"
#include "leveldb/table.h"
#include "util/file_util.h"
#include "util/logging.h"

namespace lull {
namespace {

std::string Quoted(const leveldb::Slice& bytes) { return "'" + EscapeBytes(bytes) + "'"; }

/// The output. Writes nothing after a failure.
class TextOutput {
 public:
  explicit TextOutput(leveldb::WritableFile* file) : file_(file) {}
  void Line(const std::string& text) {
    if (status_.ok()) status_ = file_->Append(text + "\n");
  }
  const leveldb::Status& status() const { return status_; }

 private:
  leveldb::WritableFile* const file_;
  leveldb::Status status_;
};

void DumpBatch(const std::string& heading, const leveldb::Slice& record, TextOutput* out) {
  if (record.size() < batch::kHeaderBytes) {
    out->Line(heading + "log record length " + std::to_string(record.size()) + " is too small");
    return;
  }
  out->Line(heading + "sequence " + std::to_string(batch::SequenceOf(record)));
  const leveldb::Status status = batch::ForEach(
      record, [out](ValueKind kind, const leveldb::Slice& key, const leveldb::Slice& value) {
        if (kind == ValueKind::kDeletion) {
          out->Line("  del " + Quoted(key));
        } else {
          out->Line("  put " + Quoted(key) + " " + Quoted(value));
        }
      });
  if (!status.ok()) out->Line("  error: " + status.ToString());
}

void DumpEdit(const std::string& heading, const leveldb::Slice& record, TextOutput* out) {
  VersionEdit edit;
  const leveldb::Status status = edit.DecodeFrom(record);
  out->Line(heading + (status.ok() ? edit.DebugString() : status.ToString()));
}

template <typename Reader>
leveldb::Status DumpLog(leveldb::Env* env, const std::string& name,
                        void (*dump_record)(const std::string&, const leveldb::Slice&, TextOutput*),
                        TextOutput* out) {
  std::unique_ptr<leveldb::SequentialFile> file;
  leveldb::Status status = OpenForReading(env, name, &file);
  if (!status.ok()) return status;
  Reader reader(std::move(file), name);
  reader.SkipFaults();
  leveldb::Slice record;
  uint64_t read_to = 0;
  const auto report = [&](uint64_t end, const std::string& cause) {
    out->Line("corruption: " + std::to_string(end - std::min(end, read_to)) + " bytes; " + cause);
  };
  while (out->status().ok() && reader.ReadRecord(&record)) {
    const leveldb::Status skipped = reader.TakeSkipped();
    if (!skipped.ok()) report(reader.LastRecordOffset(), skipped.ToString());
    read_to = reader.ValidBytes();
    const std::string offset = std::to_string(reader.LastRecordOffset());
    dump_record("--- offset " + offset + "; ", record, out);
  }
  if (reader.end() == log::LogEnd::kError) return reader.status();
  if (log::IsDamage(reader.end()) || reader.end() == log::LogEnd::kTorn) {
    uint64_t file_bytes = 0;
    status = env->GetFileSize(name, &file_bytes);
    report(file_bytes,
           reader.status().ok() ? "the last record is cut short" : reader.status().ToString());
  }
  return status;
}

std::string EntryText(const leveldb::Slice& key, const leveldb::Slice& value) {
  ParsedInternalKey parsed;
  if (!ParseInternalKey(key, &parsed)) return "badkey " + Quoted(key) + " => " + Quoted(value);
  const char* const kind = parsed.kind == ValueKind::kDeletion ? "del" : "val";
  return Quoted(parsed.user_key) + " @ " + std::to_string(parsed.sequence) + " : " + kind + " => " +
         Quoted(value);
}

leveldb::Status DumpTable(leveldb::Env* env, const std::string& name, TextOutput* out) {
  uint64_t file_bytes = 0;
  leveldb::Status status = env->GetFileSize(name, &file_bytes);
  leveldb::RandomAccessFile* opened_file = nullptr;
  if (status.ok()) status = env->NewRandomAccessFile(name, &opened_file);
  if (!status.ok()) return status;
  const std::unique_ptr<leveldb::RandomAccessFile> file(opened_file);

  // The iteration ignores the order of entries, so any comparator works.
  leveldb::Options options;
  options.env = env;
  leveldb::Table* opened_table = nullptr;
  status = leveldb::Table::Open(options, file.get(), file_bytes, &opened_table);
  if (!status.ok()) return status;
  const std::unique_ptr<leveldb::Table> table(opened_table);
  leveldb::ReadOptions read;
  read.verify_checksums = true;
  read.fill_cache = false;
  const std::unique_ptr<leveldb::Iterator> entry(table->NewIterator(read));
  for (entry->SeekToFirst(); entry->Valid() && out->status().ok(); entry->Next()) {
    out->Line(EntryText(entry->key(), entry->value()));
  }
  if (!entry->status().ok()) out->Line("iterator error: " + entry->status().ToString());
  return status;
}

leveldb::Status Dump(leveldb::Env* env, const std::string& name, leveldb::WritableFile* file) {
  const std::optional<ParsedFileName> parsed =
      ParseFileName(name.substr(name.find_last_of('/') + 1));
  if (!parsed) return leveldb::Status::InvalidArgument(name, "unknown file type");
  TextOutput out(file);
  leveldb::Status status;
  switch (parsed->kind) {
    case FileKind::kLog:
      status = DumpLog<WalReader>(env, name, DumpBatch, &out);
      break;
    case FileKind::kDescriptor:
      status = DumpLog<log::Reader>(env, name, DumpEdit, &out);
      break;
    case FileKind::kTable:
      status = DumpTable(env, name, &out);
      break;
    default:
      return leveldb::Status::InvalidArgument(name, "not a dump-able file type");
  }
  return status.ok() ? out.status() : status;
}

}  // namespace
}  // namespace lull

namespace leveldb {

Status DumpFile(Env* env, const std::string& fname, WritableFile* dst) {
  return lull::Dump(env, fname, dst);
}

}  // namespace leveldb
