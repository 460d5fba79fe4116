// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "tests/fuzz/store.h"

#include <vector>

#include "db/base/context.h"
#include "db/base/filename.h"
#include "db/memory/batch_format.h"
#include "db/recovery/salvage.h"
#include "db/version/manifest.h"
#include "db/wal/wal_reader.h"
#include "leveldb/filter_policy.h"
#include "leveldb/helpers/memenv.h"
#include "lull/lull.h"
#include "scheduler/threads/coordinator.h"
#include "tests/db/support/memory_files.h"
#include "tests/db/support/version_text.h"
#include "tests/fuzz/fuzz.h"

namespace lull::fuzz {
namespace {

using leveldb::Slice;
using leveldb::Status;
using Contents = std::map<std::string, std::string>;

// A hostile table can name one block a thousand times.
constexpr int kStepsMax = 3000;

/// False if the walk ended in an error, or was too long.
bool Walk(leveldb::DB* db, bool forward, Contents* contents) {
  const std::unique_ptr<leveldb::Iterator> entry(db->NewIterator(leveldb::ReadOptions()));
  forward ? entry->SeekToFirst() : entry->SeekToLast();
  for (int steps = 0; entry->Valid(); ++steps) {
    if (steps == kStepsMax) return false;
    (*contents)[entry->key().ToString()] = entry->value().ToString();
    forward ? entry->Next() : entry->Prev();
  }
  const Status status = entry->status();
  Require(IsAnswer(status) || status.IsNotFound(), "a walk ends with an answer", status.ToString());
  return status.ok();
}

constexpr size_t kFilesMax = 32;
constexpr uint8_t kFixChecksums = 1;

constexpr unsigned kKinds = 11;

std::string NameOf(unsigned kind, uint8_t code) {
  // Mostly small; the last two bring a store near its largest file number.
  const uint64_t number = code == 255 ? kFileNumberMax : code == 254 ? kFileNumberMax / 2 : code;
  const std::string paths[kKinds] = {
      "/CURRENT", DescriptorFileName("", number), LogFileName("", number),
      TableFileName("", number), LegacyTableFileName("", number), TempFileName("", number),
      "/lost" + LogFileName("", number), "/lost" + TableFileName("", number),
      code % 2 == 0 ? "/LOG" : "/LOG.old", "/notes" + std::to_string(code) + ".txt",
      // Not as a store writes it.
      "/" + std::to_string(code) + (code % 2 ? ".ldb" : ".log")};
  return paths[kind % kKinds].substr(1);
}

bool IsForPeople(const std::string& name) {
  return name == "LOG" || name == "LOG.old" || name == "LOCK" || name == "CURRENT";
}

bool IsKeptUnderLost(const std::string& name, const std::string& bytes, const Directory& after) {
  if (name.starts_with("lost/")) return false;
  const std::string kept = "lost/" + name;
  for (auto file = after.lower_bound(kept); file != after.end(); ++file) {
    if (!file->first.starts_with(kept)) return false;
    if (file->second == bytes) return true;
  }
  return false;
}

/// What an open can take from a log.
struct LogContents {
  bool is_whole = true;  // all of it
  bool has_entries = false;
};

LogContents ReadLog(const StoreContext& context, const std::string& path) {
  std::string bytes;
  if (!leveldb::ReadFileToString(context.env(), path, &bytes).ok()) return {false, true};
  WalReader reader(std::make_unique<testing::MemorySequential>(bytes), path);
  LogContents contents;
  for (Slice record; reader.ReadRecord(&record);) {
    contents.has_entries = contents.has_entries || !IsWalPreamble(record);
    if (!batch::Validate(record).ok() || !batch::HasPossibleSequence(record))
      contents.is_whole = false;
  }
  contents.has_entries = contents.has_entries || log::IsDamage(reader.end());
  contents.is_whole = contents.is_whole && reader.end() != log::LogEnd::kCorrupt;
  return contents;
}

}  // namespace

StoreUnderTest::StoreUnderTest(const Directory& files)
    : env_(leveldb::NewMemEnv(leveldb::Env::Default())) {
  static const leveldb::FilterPolicy* const bloom = leveldb::NewBloomFilterPolicy(10);
  options.env = env_.get();
  options.write_buffer_size = 64 << 10;
  options.max_file_size = 1 << 20;
  options.filter_policy = bloom;
  env_->CreateDir(kStore);
  for (const auto& [file, contents] : files) {
    const std::string path = std::string(kStore) + "/" + file;
    RequireOk(leveldb::WriteStringToFile(env(), contents, path), "memory is written");
  }
}

Status StoreUnderTest::Open() {
  static std::shared_ptr<Coordinator>& threads = *new std::shared_ptr<Coordinator>;
  if (threads == nullptr)
    Require(Coordinator::Shared({.compaction_threads = 1}, &threads).ok(),
            "threads can be started");
  leveldb::DB* raw = nullptr;
  const Status status = lull::Open(options, SchedulingOptions(), kStore, &raw);
  Require(status.ok() == (raw != nullptr), "a store opens or does not");
  db_.reset(raw);
  return status;
}

bool ReadStore(leveldb::DB* db) {
  Contents forward, backward;
  const bool readable = Walk(db, true, &forward);
  const bool readable_back = Walk(db, false, &backward);
  int gets = 0;
  // The results may differ: a file with valid checksums can have filters that deny a key, or
  // sequences that contradict the order of its tables.
  for (const auto& [key, value] : forward) {
    if (++gets > 50) break;
    std::string found;
    const Status status = db->Get(leveldb::ReadOptions(), key, &found);
    Require(IsAnswer(status) || status.IsNotFound(), "a read ends with an answer",
            status.ToString());
  }
  for (const char* property : {"leveldb.stats", "leveldb.sstables", "lull.stats"}) {
    std::string text;
    db->GetProperty(property, &text);
  }
  const leveldb::Range range("a", "z");
  uint64_t bytes = 0;
  db->GetApproximateSizes(&range, 1, &bytes);
  return readable && readable_back && forward == backward;
}

Directory DecodeDirectory(const Slice& bytes) {
  Directory directory;
  Input input(bytes);
  while (!input.empty() && directory.size() < kFilesMax) {
    const uint8_t kind = input.Byte();
    const uint8_t code = input.Byte();
    const uint8_t flags = input.Byte();
    const std::string name = NameOf(kind, code);
    std::string contents = input.Take(input.Short()).ToString();
    if ((flags & kFixChecksums) != 0) {
      if (name.ends_with(".ldb") || name.ends_with(".sst")) FixTableChecksums(&contents);
      if (name.ends_with(".log") || name.find("MANIFEST-") == 0) FixLogChecksums(&contents);
    }
    directory[name] = std::move(contents);
  }
  return directory;
}

std::string EncodeDirectory(const Directory& directory) {
  std::string bytes;
  for (const auto& [name, contents] : directory) {
    for (unsigned place = 0; place < kKinds * 256u; ++place) {
      const auto kind = static_cast<uint8_t>(place / 256);
      const auto code = static_cast<uint8_t>(place % 256);
      if (NameOf(kind, code) != name || contents.size() > UINT16_MAX) continue;
      for (const uint8_t byte : {kind, code, kFixChecksums, static_cast<uint8_t>(contents.size()),
                                 static_cast<uint8_t>(contents.size() >> 8)}) {
        bytes.push_back(static_cast<char>(byte));
      }
      bytes += contents;
      break;
    }
  }
  return bytes;
}

Directory ReadDirectory(leveldb::Env* env, const std::string& name) {
  Directory directory;
  for (const std::string inner : {"", "lost/"}) {
    std::vector<std::string> names;
    env->GetChildren(name + "/" + inner, &names);
    for (const std::string& file : names) {
      const std::string path = name + "/" + inner + file;
      if (leveldb::ReadFileToString(env, path, &directory[inner + file]).ok()) continue;
      directory.erase(inner + file);
    }
  }
  return directory;
}

void RequireNone(const std::set<std::string>& names, const char* promise) {
  std::string listing;
  for (const std::string& name : names) listing += " " + name;
  Require(names.empty(), promise, listing);
}

std::set<std::string> MissingFiles(const Directory& before, const Directory& after) {
  std::set<std::string> missing;
  for (const auto& [name, bytes] : before) {
    if (IsForPeople(name)) continue;
    const auto found = after.find(name);
    const bool there = found != after.end() && found->second == bytes;
    if (!there && !IsKeptUnderLost(name, bytes, after)) missing.insert(name);
  }
  return missing;
}

std::set<std::string> RemovableFiles(const leveldb::Options& options, const std::string& name) {
  std::set<std::string> removable;
  StoreContext context(options);
  context.name = name;
  context.options.filter_policy = nullptr;  // a damaged filter must not hide entries
  ManifestState state;
  if (!ReadManifest(&context, DescribedTable, &state).ok()) return removable;
  std::set<uint64_t> listed;
  for (int level = 0; level < kLevels; ++level)
    for (const TableRef& table : state.version->level(level)) listed.insert(table->number());
  bool replayed = true;  // all logs so far
  std::map<uint64_t, std::string> logs;
  for (const auto& [file, bytes] : ReadDirectory(options.env, name)) {
    const std::optional<ParsedFileName> parsed = ParseFileName(file);
    if (!parsed) continue;
    const std::string path = name + "/" + file;
    TableScan scan;
    switch (parsed->kind) {
      case FileKind::kTable:
        if (listed.contains(parsed->number) &&
            !(ScanTable(context, parsed->number, path, &scan).ok() && scan.whole()))
          break;
        // The damaged end of the MANIFEST may have named this table.
        if (!state.is_torn || listed.contains(parsed->number)) removable.insert(file);
        break;
      case FileKind::kLog:
        logs[parsed->number] = file;
        break;
      case FileKind::kDescriptor:
        if (!state.is_torn || parsed->number != state.manifest_number) removable.insert(file);
        break;
      case FileKind::kTemp:
        removable.insert(file);
        break;
      case FileKind::kCurrent:
      case FileKind::kLock:
      case FileKind::kInfoLog:
        break;
    }
  }
  for (const auto& [number, file] : logs) {
    const bool needed = number >= state.log_number ||
                        (state.prev_log_number != 0 && number == state.prev_log_number);
    const LogContents contents = ReadLog(context, name + "/" + file);
    if (needed) replayed = replayed && contents.is_whole;
    if (replayed || !needed || !contents.has_entries) removable.insert(file);
  }
  return removable;
}

}  // namespace lull::fuzz
