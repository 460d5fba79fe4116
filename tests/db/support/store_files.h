// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Writes and reads a store's files one by one, for tests with damaged files.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "db/base/context.h"
#include "db/base/filename.h"
#include "db/compaction/table_outputs.h"
#include "db/memory/batch_format.h"
#include "db/recovery/salvage.h"
#include "db/version/manifest.h"
#include "db/wal/log_writer.h"
#include "db/wal/wal_reader.h"
#include "leveldb/write_batch.h"
#include "tests/db/support/version_text.h"
#include "tests/util/test_dir.h"

namespace lull::testing {

// Entries are written "key@sequence=value", deletions "key@sequence-", separated by blanks.
struct Entry {
  std::string key;
  SequenceNumber sequence = 0;
  std::optional<std::string> value;
};

inline std::vector<Entry> EntriesFromText(const std::string& text) {
  std::vector<Entry> entries;
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    const size_t at = word.find('@');
    const size_t end = word.find_first_of("=-", at);
    Entry entry;
    entry.key = word.substr(0, at);
    entry.sequence = std::stoull(word.substr(at + 1, end - at - 1));
    if (word[end] == '=') entry.value = word.substr(end + 1);
    entries.push_back(std::move(entry));
  }
  return entries;
}

class StoreFiles {
 public:
  StoreFiles(leveldb::Env* env, std::string name) : options_(WithEnv(env)), context_(options_) {
    context_.name = std::move(name);
    env->CreateDir(context_.name);
  }

  const std::string& name() const { return context_.name; }
  const leveldb::Options& options() const { return options_; }
  StoreContext* context() { return &context_; }
  void SetBlockBytes(size_t bytes) { context_.options.block_size = bytes; }

  // Writes a table file that no MANIFEST lists. `text` is in the order of internal keys.
  TableMeta AddUnlisted(const std::string& text, int level = 0) {
    TableOutputs outputs(&context_, level);
    if (builds_key_filters) outputs.BuildKeyFilters();
    for (const Entry& entry : EntriesFromText(text)) {
      const auto kind = entry.value ? ValueKind::kValue : ValueKind::kDeletion;
      const std::string key = MakeInternalKey(entry.key, entry.sequence, kind);
      EXPECT_TRUE(outputs.Add(key, entry.value.value_or("")).ok());
      last_sequence_ = std::max(last_sequence_, entry.sequence);
    }
    EXPECT_TRUE(outputs.FinishTable().ok());
    outputs.Keep();
    return outputs.finished().at(0);
  }

  uint64_t AddTable(int level, const std::string& text) {
    listed_.push_back(AddUnlisted(text, level));
    return listed_.back().number;
  }

  // Each text becomes one record; its sequences are consecutive, from that of its first entry. With
  // `first`, writes a preamble first, as Lull does.
  uint64_t AddWal(const std::vector<std::string>& records,
                  std::optional<SequenceNumber> first = std::nullopt) {
    const uint64_t number = context_.NewFileNumber();
    log::Writer writer(Opened(env(), &leveldb::Env::NewWritableFile, LogFileName(name(), number)));
    EXPECT_TRUE(!first || writer.AddRecord(WalPreamble(*first)).ok());
    for (const std::string& record : records) {
      const std::vector<Entry> entries = EntriesFromText(record);
      leveldb::WriteBatch batch;
      for (const Entry& entry : entries) {
        entry.value ? batch.Put(entry.key, *entry.value) : batch.Delete(entry.key);
      }
      batch::SetSequence(&batch, entries.at(0).sequence);
      EXPECT_TRUE(writer.AddRecord(batch::Contents(batch)).ok());
    }
    EXPECT_TRUE(writer.Sync().ok());
    EXPECT_TRUE(writer.Close().ok());
    return number;
  }

  // Writes MANIFEST and CURRENT: all tables so far, then `later` as a separate edit.
  uint64_t WriteManifest(std::optional<uint64_t> log_number, const VersionEdit& later = {},
                         std::optional<SequenceNumber> last_sequence = std::nullopt) {
    const uint64_t number = context_.NewFileNumber();
    VersionEdit edit;
    edit.new_tables = listed_;
    edit.log_number = log_number;
    edit.last_sequence = last_sequence.value_or(last_sequence_);
    std::unique_ptr<ManifestWriter> writer;
    EXPECT_TRUE(
        ManifestWriter::Create(context_, number, Version(context_.order), {}, edit, &writer).ok());
    EXPECT_TRUE(writer->Append(later).ok());
    EXPECT_TRUE(SetCurrentFile(env(), name(), number).ok());
    return number;
  }

  leveldb::Env* env() const { return context_.options.env; }

  bool builds_key_filters = false;  // in tables

 private:
  static leveldb::Options WithEnv(leveldb::Env* env) {
    leveldb::Options options;
    options.env = env;
    options.compression = leveldb::kNoCompression;
    options.block_size = 1;  // one entry for each block
    return options;
  }

  const leveldb::Options options_;
  StoreContext context_;
  std::vector<TableMeta> listed_;
  SequenceNumber last_sequence_ = 0;
};

// All files except LOG and LOCK, including those in lost/, with their bytes.
inline std::map<std::string, std::string> AllFiles(leveldb::Env* env, const std::string& store) {
  std::map<std::string, std::string> files;
  for (const std::string& directory : {store, LostDirectoryName(store)}) {
    std::vector<std::string> names;
    if (!env->GetChildren(directory, &names).ok()) continue;
    for (const std::string& name : names) {
      const auto parsed = ParseFileName(name);
      if (!parsed || parsed->kind == FileKind::kInfoLog || parsed->kind == FileKind::kLock)
        continue;
      const std::string path = directory + "/" + name;
      EXPECT_TRUE(leveldb::ReadFileToString(env, path, &files[path]).ok()) << path;
    }
  }
  return files;
}

// The content of the tables that the MANIFEST lists: their levels, and what a Get finds.
struct StoreReading {
  leveldb::Status status;
  std::string layout;                        // "L0: [a..c] [b..b] L1: [a..z]"
  std::map<std::string, std::string> found;  // by key
  SequenceNumber last_sequence = 0;
  uint64_t log_number = 0;
  bool listed_files_exist = false;  // there is a MANIFEST, and all its tables exist

  std::string text() const {
    std::string all;
    for (const auto& [key, value] : found) all += (all.empty() ? "" : " ") + key + "=" + value;
    return all;
  }
};

inline StoreReading ReadStore(const leveldb::Options& options, const std::string& name) {
  StoreReading reading;
  StoreContext context(options);
  context.name = name;
  ManifestState state;
  reading.status = ReadManifest(&context, DescribedTable, &state);
  if (!reading.status.ok()) return reading;
  reading.last_sequence = state.last_sequence;
  reading.log_number = state.log_number;
  reading.listed_files_exist = true;

  std::map<std::string, bool> decided;
  for (int level = 0; level < kLevels; ++level) {
    if (state.version->TableCount(level) == 0) continue;
    reading.layout += (reading.layout.empty() ? "L" : " L") + std::to_string(level) + ":";
    for (const TableRef& table : state.version->level(level)) {
      reading.layout +=
          " [" + table->smallest_user().ToString() + ".." + table->largest_user().ToString() + "]";
      TableScan scan;
      const std::string path = TableFileName(name, table->number());
      leveldb::Status status = ScanTable(context, table->number(), path, &scan);
      if (!status.ok()) reading.listed_files_exist = false;
      if (status.ok()) status = scan.damage;
      if (status.ok() && !(scan.Describe(0).largest == table->description.largest)) {
        status = leveldb::Status::Corruption(path, "is not what the MANIFEST says");
      }
      if (!status.ok()) reading.status = status;
      const auto entries = NewSalvageIterator(context, {scan});
      for (entries->SeekToFirst(); entries->Valid(); entries->Next()) {
        ParsedInternalKey entry;
        EXPECT_TRUE(ParseInternalKey(entries->key(), &entry));
        if (entry.sequence > state.last_sequence) continue;  // invisible to every reader
        const std::string key = entry.user_key.ToString();
        if (!decided.emplace(key, true).second) continue;
        if (entry.kind == ValueKind::kValue) reading.found[key] = entries->value().ToString();
      }
    }
  }
  return reading;
}

}  // namespace lull::testing
